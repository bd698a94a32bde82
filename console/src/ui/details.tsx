import type { ReactNode } from 'react';
import type { Input } from '../fields.ts';
import { readCount } from '../format.ts';
import { strings } from '../strings.ts';
import { TextArea, TextField } from './field.tsx';
import type { Labels } from './refusal.tsx';

// Optional fields of a record in a form, by their table in `fields.ts`.

type Details = Readonly<Record<string, Input>>;
type Name<D> = keyof D & string;
type Texts<D> = Readonly<Record<Name<D>, string>>;

interface Values {
  line: string | null;
  lines: string | null;
  count: number | null;
  list: string[];
}

const read: { [I in Input]: (text: string) => Values[I] } = {
  line: (text) => text || null,
  lines: (text) => text || null,
  count: (text) => readCount(text) ?? null,
  list: (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
};

const namesOf = <D extends Details>(details: D) => Object.keys(details) as Name<D>[];

/** A record's values as they are typed; of no record, empty. */
export function textsOf<D extends Details>(
  details: D,
  record?: { readonly [N in Name<NoInfer<D>>]: string | number | readonly string[] | null },
): Texts<D> {
  const texts = namesOf(details).map((name) => {
    const value = record?.[name] ?? '';
    return [name, typeof value === 'object' ? value.join('\n') : String(value)];
  });
  return Object.fromEntries(texts) as Texts<D>;
}

/** What is wrong before the API is asked. */
export function wrongDetails<D extends Details>(details: D, texts: Texts<NoInfer<D>>) {
  return Object.fromEntries(
    namesOf(details)
      .filter((name) => details[name] === 'count' && readCount(texts[name]) === undefined)
      .map((name) => [name, strings.spaces.notANumber((strings.fields as Labels)[name]!)]),
  );
}

/** The values of what was typed, where it is not as `before`. */
export function changedDetails<D extends Details>(
  details: D,
  texts: Texts<NoInfer<D>>,
  before: Texts<NoInfer<D>>,
) {
  return Object.fromEntries(
    namesOf(details)
      .filter((name) => texts[name].trim() !== before[name].trim())
      .map((name) => [name, read[details[name]!](texts[name].trim())]),
  ) as { [N in Name<D>]?: Values[D[N]] };
}

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  placeholder?: string;
  hint?: ReactNode;
}

export function DetailFields<D extends Details>({
  details,
  field,
}: {
  details: D;
  field: (name: Name<NoInfer<D>>) => FieldProps;
}) {
  return (
    <div className="pair">
      {namesOf(details).map((name) =>
        details[name] === 'lines' || details[name] === 'list' ? (
          <TextArea key={name} {...field(name)} rows={3} />
        ) : (
          <TextField
            key={name}
            {...field(name)}
            autoComplete="off"
            {...(details[name] === 'count' ? { inputMode: 'numeric' } : { dir: 'auto' })}
          />
        ),
      )}
    </div>
  );
}
