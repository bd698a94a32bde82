import type { Operation } from './operation.ts';

const REFERENCE = /\{\{(\d+):([^}|]*)(?:\|(\w+))?\}\}/g;
/** Stands for a value that is not there, because its step was left out or failed. */
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** An operation with every text of it changed. */
export function mapTexts(operation: Operation, change: (text: string) => string): Operation {
  switch (operation.kind) {
    case 'request': {
      const headers = Object.entries(operation.headers).map(
        ([name, value]) => [name, change(value)] as const,
      );
      const body = operation.body === null ? null : change(operation.body);
      return { ...operation, path: change(operation.path), headers: Object.fromEntries(headers), body };
    }
    case 'command':
      return { ...operation, argv: operation.argv.map(change) };
    case 'clock':
    case 'receiver':
    case 'calendar':
      break;
  }
  return operation;
}

/** With the values of earlier results in place of the references to them. */
export function resolved(operation: Operation, results: ReadonlyMap<number, unknown>): Operation {
  return mapTexts(operation, (text) =>
    text.replaceAll(REFERENCE, (_, at: string, path: string, parameter?: string) => {
      const value = path
        .split('.')
        .reduce<unknown>(
          (at, name) => (at as Record<string, unknown> | null | undefined)?.[name],
          results.get(Number(at)),
        );
      if (typeof value !== 'string') return NOBODY;
      return parameter === undefined ? value : (new URL(value).searchParams.get(parameter) ?? NOBODY);
    }),
  );
}

/** With what `write` makes of each reference. */
export function withReferences(
  text: string,
  write: (at: string, path: string, parameter?: string) => string,
): string {
  return text.replaceAll(REFERENCE, (_, at: string, path: string, parameter?: string) =>
    write(at, path, parameter),
  );
}

export function referredTo(operation: Operation): Set<number> {
  const found = new Set<number>();
  mapTexts(operation, (text) => withReferences(text, (at) => (found.add(Number(at)), '')));
  return found;
}
