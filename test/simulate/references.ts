import type { Operation } from './operation.ts';

/** `{{17,12:data.booking.id}}` is a value of what step 17 returned, or step 12 if there is none. */
const REFERENCE = /\{\{([\d,]+):([^}|]*)(?:\|(\w+))?\}\}/g;
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

/** What the steps so far have returned. */
export class Results {
  readonly #of = new Map<number, unknown>();

  set(at: number, result: unknown): void {
    this.#of.set(at, result);
  }

  /** With values in place of the references to them. */
  resolve(operation: Operation): Operation {
    return mapTexts(operation, (text) =>
      text.replaceAll(REFERENCE, (_, steps: string, path: string, parameter?: string) => {
        const value = steps
          .split(',')
          .map((at) => this.#valueAt(Number(at), path.split('.')))
          .find((found) => typeof found === 'string');
        if (typeof value !== 'string') return NOBODY;
        return parameter === undefined ? value : (new URL(value).searchParams.get(parameter) ?? NOBODY);
      }),
    );
  }

  #valueAt(at: number, path: readonly string[]): unknown {
    return path.reduce<unknown>(
      (found, name) =>
        Array.isArray(found) && name === '-1'
          ? found.at(-1)
          : (found as Record<string, unknown> | null | undefined)?.[name],
      this.#of.get(at),
    );
  }
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
