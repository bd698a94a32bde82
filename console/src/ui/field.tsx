import { useId, type ComponentProps, type ReactNode } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { problemOf, type Labels } from './refusal.tsx';

type InputProps = Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'>;

export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  ...input
}: InputProps & {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
}) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described.length > 0 ? described.join(' ') : undefined}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
      {error !== undefined && (
        <small id={`${id}-error`} className="field-error">
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
  children,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  );
}

/** What the API says about one field of a form. */
export function fieldError(error: unknown, field: string, labels?: Labels): string | undefined {
  if (!(error instanceof HourkeepError) || error.code !== 'VALIDATION_ERROR') return undefined;
  const found = error.details?.find((detail) => detail.field === field);
  return found && problemOf(found, labels);
}
