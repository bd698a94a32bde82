import { useRef } from 'react';
import { strings } from '../strings.ts';
import { TextField } from './field.tsx';

/** A date to type, as the API writes it, with the browser's own picker behind a button for those who rather choose. */
export function DateField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="date-field">
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        placeholder="YYYY-MM-DD"
        inputMode="numeric"
        size={11}
      />
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
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
