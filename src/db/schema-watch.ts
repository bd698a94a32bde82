import { isOlder, VERSION } from '../version.ts';
import { read, type Sql } from './database.ts';

/** A migration, as a database remembers it: processes of other versions do not have its file. */
export interface Applied {
  readonly name: string;
  readonly oldest: string;
}

export const selectApplied = read<Applied>('select name, oldest from schema_migrations order by name');

/** Why this version must not work on a database with these migrations. Undefined where it can. */
export function whyTooOld(applied: readonly Applied[], version = VERSION): string | undefined {
  const newest = applied.reduce<Applied | undefined>(
    (highest, each) => (highest === undefined || isOlder(highest.oldest, each.oldest) ? each : highest),
    undefined,
  );
  if (newest === undefined || !isOlder(version, newest.oldest)) return undefined;
  return `this is Hourkeep ${version}, and the database needs ${newest.oldest} or newer (since ${newest.name})`;
}

const LOOK_EVERY_MS = 2000;

/**
 * Notices when a newer version has migrated the database to what this one cannot run on. Looks every two seconds, when
 * `/readyz` is asked, and after an error that nobody expected, which may be the first sign of it. Migrations only go
 * forward, so what was noticed once stays.
 */
export class SchemaWatch {
  readonly #db: Sql;
  readonly #onTooOld: (reason: string) => void;
  #tooOld: string | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Sql, onTooOld: (reason: string) => void = () => undefined) {
    this.#db = db;
    this.#onTooOld = onTooOld;
  }

  /** As far as it is known. Costs nothing. */
  get tooOld(): string | undefined {
    return this.#tooOld;
  }

  /** Asks the database. Those who ask at the same time share one answer. */
  async look(): Promise<string | undefined> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    return this.#tooOld;
  }

  start(): void {
    // A database that is away is noticed by whoever needs it.
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const reason = whyTooOld(await this.#db.all(selectApplied));
    if (reason === undefined || this.#tooOld !== undefined) return;
    this.#tooOld = reason;
    this.#onTooOld(reason);
  }
}
