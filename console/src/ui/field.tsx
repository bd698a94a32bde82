import { useId, type ComponentProps, type ReactNode } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { problemOf, type Labels } from './refusal.tsx';

type InputProps = Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'>;

interface LabelledProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
}

export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  errorRole,
  beside,
  ...input
}: InputProps &
  LabelledProps & {
    errorRole?: 'alert' | undefined;
    /** Stands inside of the field's frame, at its end. */
    beside?: ReactNode;
  }) {
  return (
    <Labelled label={label} hint={hint} error={error} errorRole={errorRole}>
      {(given) => (
        <div className={beside === undefined ? undefined : 'beside'}>
          <input {...input} {...given} value={value} onChange={(event) => onChange(event.target.value)} />
          {beside}
        </div>
      )}
    </Labelled>
  );
}

/** For texts of several lines. */
export function TextArea({
  label,
  value,
  onChange,
  hint,
  error,
  ...area
}: LabelledProps & { rows: number; placeholder?: string }) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {(given) => (
        <textarea
          {...given}
          {...area}
          dir="auto"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Labelled>
  );
}

interface Given {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

function Labelled({
  label,
  hint,
  error,
  errorRole,
  children,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  errorRole?: 'alert' | undefined;
  children: (given: Given) => ReactNode;
}) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== undefined || undefined,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      })}
      {hint !== undefined && (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
      {error !== undefined && (
        <small id={`${id}-error`} className="field-error" role={errorRole}>
          {error}
        </small>
      )}
    </div>
  );
}

export function SelectField({
  label,
  value,
  onChange,
  error,
  children,
}: LabelledProps & { children: ReactNode }) {
  return (
    <Labelled label={label} error={error}>
      {(given) => (
        <select {...given} value={value} onChange={(event) => onChange(event.target.value)}>
          {children}
        </select>
      )}
    </Labelled>
  );
}

/** What the API says about one field of a form. */
export function fieldError(error: unknown, field: string, labels?: Labels): string | undefined {
  if (!(error instanceof HourkeepError) || error.code !== 'VALIDATION_ERROR') return undefined;
  // Of a list, the entry that is wrong.
  const found = error.details?.find((detail) => detail.field.replace(/\.\d+$/, '') === field);
  return found && problemOf(found, labels);
}
