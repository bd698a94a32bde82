import ICAL from 'ical.js';

/**
 * One line of a component: a name in capitals, parameters by their names in lower case, and the value, without the
 * backslashes that some put into rules and lists.
 */
export interface Line {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly value: string;
}

/** Tells ical.js that it knows no property and no type, so that it takes a line apart and leaves the value as it is written. */
const BARE = { value: {}, param: {}, property: {}, propertyGroups: false };

/** Throws when the line cannot be taken apart. */
export function readLine(text: string): Line {
  const [name, params, type, value] = takeApart(text);
  const bare = name === 'uid' || name === 'tzid' ? value : value.replaceAll('\\', '');
  return { name: name.toUpperCase(), params: { ...params, value: type.toUpperCase() }, value: bare.trim() };
}

/** Lines without a value count as absent. One that cannot be taken apart is kept with a value that nobody can read. */
export function readLines(texts: readonly string[]): Line[] {
  return texts.flatMap((text) => {
    try {
      const line = readLine(text);
      return line.value === '' && line.name !== 'RECURRENCE-ID' ? [] : [line];
    } catch {
      return [{ name: /^[\w-]*/.exec(text)![0].toUpperCase(), params: {}, value: NONSENSE }];
    }
  });
}

/** A value that nobody can read. */
export const NONSENSE = '?';

type Property = [name: string, params: Record<string, string>, type: string, value: string];

/** A zone such as `(UTC-05:00) Eastern Time` has a colon, so it needs quotes. Some exporters forget or misplace them. */
function takeApart(text: string): Property {
  try {
    return ICAL.parse.property(withQuotes(text), BARE) as Property;
  } catch {
    return ICAL.parse.property(withQuotes(text.replaceAll('"', '')), BARE) as Property;
  }
}

function withQuotes(text: string): string {
  return text.replace(/(;TZID=)([^";]*:[^";]*)(?=:[^:]*$)/i, '$1"$2"');
}

/** The text of a value in which commas, semicolons and the like are escaped. */
export function unescaped(value: string): string {
  return value
    .replace(/\\([\\;,])/g, '$1')
    .replace(/\\n/gi, '\n')
    .trim();
}
