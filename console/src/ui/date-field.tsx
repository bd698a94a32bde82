import { useEffect, useRef, useState, type ReactNode } from 'react';
import { datePattern, numericDate, readDate } from '../format.ts';
import { strings } from '../strings.ts';
import { TextField } from './field.tsx';

/** Who pauses so long has stopped typing. */
const PAUSE_MS = 1200;

/**
 * A date to type, as the language or as the API writes it, with the browser's own picker behind a button for those who rather
 * choose. What cannot be read is marked and told, and `onChange` gets undefined.
 */
export function DateField({
  label,
  value,
  onChange,
  optional = false,
  error,
  hint,
  autoFocus,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** Empty is an answer too. */
  optional?: boolean;
  error?: string | undefined;
  hint?: ReactNode;
  autoFocus?: boolean;
}) {
  const picker = useRef<HTMLInputElement>(null);
  /** What is being typed, for as long as nothing else has changed the date. */
  const [draft, setDraft] = useState<{ text: string; of: (string | undefined)[] }>();
  const [stopped, setStopped] = useState(false);
  const typed = draft?.of.includes(value) === true ? draft.text : undefined;
  const read = (text: string): string | undefined => (optional && text.trim() === '' ? '' : readDate(text));
  const unreadable = typed !== undefined && read(typed) === undefined;

  useEffect(() => {
    if (!unreadable) return undefined;
    const timer = setTimeout(() => setStopped(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, unreadable]);

  const type = (text: string): void => {
    const date = read(text);
    setStopped(false);
    setDraft({ text, of: [value, date] });
    onChange(date);
  };
  const leave = (): void => {
    setStopped(true);
    const wiped = typed?.trim() === '' && value !== undefined;
    if (!unreadable || wiped) setDraft(undefined);
  };
  const told = unreadable && stopped ? strings.noDate(numericDate('2027-03-18')) : undefined;
  return (
    <TextField
      className="date-input"
      label={label}
      value={typed ?? (value ? numericDate(value) : '')}
      onChange={type}
      onBlur={leave}
      onKeyDown={({ key }) => key === 'Enter' && setStopped(true)}
      placeholder={datePattern(strings.datePlaceholder)}
      autoComplete="off"
      autoFocus={autoFocus}
      size={11}
      hint={hint}
      error={told ?? error}
      errorRole={told === undefined ? undefined : 'alert'}
      beside={
        <>
          <button
            type="button"
            className="icon-button pick"
            aria-label={strings.pickDate(label)}
            onClick={() => picker.current?.showPicker()}
          >
            <svg viewBox="0 0 24 24" className="nav-icon" aria-hidden="true">
              <path d="M4 6h16v14H4zM4 10h16M8 3v4M16 3v4" />
            </svg>
          </button>
          <input
            ref={picker}
            type="date"
            className="picker"
            tabIndex={-1}
            aria-hidden="true"
            value={value ?? ''}
            onChange={(event) => {
              setDraft(undefined);
              if (optional || event.target.value !== '') onChange(event.target.value);
            }}
          />
        </>
      }
    />
  );
}
