import { useEffect, useRef, useState, type ReactNode } from 'react';
import { HourkeepError } from '@hourkeep/client';
import { newKey } from '../new-key.ts';
import { strings } from '../strings.ts';
import { useAction } from './action.ts';
import { fieldError } from './field.tsx';
import { MissingScope, problemOf, Refusal, useLacks, type Labels } from './refusal.tsx';

type Problems = Readonly<Record<string, string | undefined>>;

interface Options<V> {
  /** By the API's names, so that its errors find their fields. */
  values: V;
  /** Where a label is another than `strings.fields` has. */
  labels?: Labels;
  required?: readonly (keyof V & string)[];
  /** What is wrong before anything is sent, by field. */
  check?: (values: V) => Problems;
  /** The key is the same again until the API has rejected what was sent with it. */
  send: (values: V, key: string) => Promise<void>;
}

export type Fields<V> = ReturnType<typeof useFields<V>>;

/** What a form holds: values, what is wrong with each, and the state of what was sent. */
export function useFields<V>({ values: initial, labels, required = [], check, send }: Options<V>) {
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<Problems>({});
  const ref = useRef<HTMLFormElement>(null);
  const key = useRef(newKey());
  const { run, busy, error } = useAction(async () => {
    const found = Object.entries({
      ...Object.fromEntries(
        required
          .filter((name) => String(values[name] ?? '').trim() === '')
          .map((name) => [name, problemOf({ field: name, message: 'is required' }, labels)]),
      ),
      ...check?.(values),
    }).filter(([, problem]) => problem !== undefined);
    setProblems(Object.fromEntries(found));
    if (found.length > 0) return;
    try {
      await send(values, key.current);
    } catch (refusal) {
      // A rejection stores nothing. Without an answer it may have been done: then the same key must be sent again.
      if (refusal instanceof HourkeepError && refusal.status >= 400 && refusal.status < 500)
        key.current = newKey();
      throw refusal;
    }
  });
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  const set = (changes: Partial<V>): void => setValues((before) => ({ ...before, ...changes }));
  const errorOf = (name: string): string | undefined => problems[name] ?? fieldError(error, name, labels);
  /** All that a text field or a select needs. */
  const field = <Name extends keyof V & string>(name: Name) => ({
    label: labels?.[name] ?? (strings.fields as Labels)[name] ?? name,
    value: values[name],
    onChange: (value: V[Name]) => set({ [name]: value } as unknown as Partial<V>),
    error: errorOf(name),
    ...(required.includes(name) && { required: true }),
  });
  const reset = (): void => {
    setValues(initial);
    setProblems({});
  };
  const form = {
    ref,
    noValidate: true,
    onSubmit: (event: React.FormEvent) => (event.preventDefault(), run()),
  };
  return { values, set, reset, field, errorOf, problems, form, busy, error, labels };
}

/** A form of a dialog: its fields, what is wrong, and the button that sends it. */
export function Form<V>({
  of,
  button,
  scope,
  tone = 'primary',
  beside,
  children,
}: {
  of: Fields<V>;
  button: string;
  /** Which the key needs to send it. */
  scope?: string;
  tone?: 'primary' | 'danger';
  /** Stands in front of the button. */
  beside?: ReactNode;
  children: ReactNode;
}) {
  const lacksScope = useLacks(scope ?? '') && scope !== undefined;
  return (
    <form {...of.form}>
      {children}
      <Problem of={of} />
      {scope !== undefined && <MissingScope scope={scope} />}
      <div className="actions">
        {beside}
        <button type="submit" className={`button ${tone}`} aria-busy={of.busy} disabled={lacksScope}>
          {button}
        </button>
      </div>
    </form>
  );
}

/** What was wrong when it was sent, or before. */
export function Problem<V>({ of: { problems, error, labels } }: { of: Fields<V> }) {
  const said = Object.values(problems);
  if (said.length === 0) return <Refusal error={error} labels={labels} />;
  return (
    <p role="alert" className="alert">
      {said.join(' ')}
    </p>
  );
}

/** A box for each of many, to choose any of them. */
export function Checks<T extends string>({
  legend,
  all,
  chosen,
  onChange,
  wordsOf = (each) => each,
  className = '',
}: {
  legend: string;
  all: readonly T[];
  chosen: readonly T[];
  onChange: (chosen: readonly T[]) => void;
  wordsOf?: (each: T) => string;
  className?: string;
}) {
  return (
    <fieldset className={`checks ${className}`}>
      <legend>{legend}</legend>
      {all.map((each) => (
        <label key={each} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={({ target }) =>
              onChange(all.filter((other) => (other === each ? target.checked : chosen.includes(other))))
            }
          />
          <span>{wordsOf(each)}</span>
        </label>
      ))}
    </fieldset>
  );
}
