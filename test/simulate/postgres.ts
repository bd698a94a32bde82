import { Client } from 'pg';

/** A database of its own on the server that the run has started, or was given. */
export class PostgresDatabase {
  readonly url: string;
  readonly #name: string;
  readonly #admin: Client;

  private constructor(name: string, admin: Client) {
    this.#name = name;
    this.#admin = admin;
    this.url = urlOf(name);
  }

  static async create(name: string, template?: string): Promise<PostgresDatabase> {
    const admin = new Client({ connectionString: server() });
    await admin.connect();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
    return new PostgresDatabase(name, admin);
  }

  /** As a network or a server does that goes away for a moment. */
  async cutConnections(): Promise<void> {
    await this.#admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      this.#name,
    ]);
  }

  async drop(): Promise<void> {
    await this.#admin.query(`drop database ${this.#name} with (force)`);
    await this.close();
  }

  async close(): Promise<void> {
    await this.#admin.end();
  }
}

function server(): string {
  return process.env['SIMULATE_POSTGRES'] ?? '';
}

function urlOf(database: string): string {
  const url = new URL(server());
  url.pathname = `/${database}`;
  return url.href;
}
