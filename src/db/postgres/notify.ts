import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import { LISTENER_NAME } from './backends.ts';
import { PgClient } from './pg-client.ts';
import { CONNECT_TIMEOUT_MS, type Servers } from './servers.ts';

const CHANNEL = 'hourkeep_work';
const RECONNECT_MS = 1000;
const PAUSE_MS = 5;

/**
 * LISTEN and NOTIFY. The notification is sent after the commit, as a statement of its own, once for all commits of a few
 * milliseconds. Inside the transaction it would take a lock that all committing transactions of the server wait for.
 * When a process dies between commit and notification, listeners find the work by their own polling.
 */
export class Notifications {
  readonly #pool: Pool;
  readonly #servers: Servers;
  readonly #onConnectionLost: (error: Error) => void;
  readonly #listeners = new Set<() => void>();
  #sending: Promise<void> | undefined;
  #again = false;
  #listening = false;
  #client: Client | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pool: Pool, servers: Servers, onConnectionLost: (error: Error) => void) {
    this.#pool = pool;
    this.#servers = servers;
    this.#onConnectionLost = onConnectionLost;
  }

  send(): void {
    this.#tell();
    this.#again = true;
    this.#sending ??= this.#sendAll();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listening) this.#connect();
    this.#listening = true;
    return () => this.#listeners.delete(listener);
  }

  /** For after a network failure: the connection may be dead without an error. */
  reconnect(): void {
    this.#client?.connection.stream.destroy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    await this.#sending;
    await this.#client?.end().catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#pool.query(`notify ${CHANNEL}`).catch(() => undefined);
      await delay(PAUSE_MS);
    }
    this.#sending = undefined;
  }

  /** Listens on a connection outside the pool, to the server that takes writes, and opens a new one when it breaks. */
  #connect(): void {
    this.#servers.writer().then(
      (url) => this.#connectTo(url),
      (error: Error) => this.#tryAgain(error),
    );
  }

  #connectTo(url: string): void {
    if (this.#closed) return;
    const client = new PgClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: LISTENER_NAME,
    });
    this.#client = client;
    client.on('notification', () => this.#tell());
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => this.#tell())
      .catch((error: Error) => {
        this.#servers.doubt(url);
        this.#lost(client, error);
      });
  }

  #lost(client: Client, error?: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#tryAgain(error);
  }

  #tryAgain(error?: Error): void {
    if (this.#closed) return;
    if (error !== undefined) this.#onConnectionLost(error);
    this.#reconnect = setTimeout(() => {
      this.#connect();
    }, RECONNECT_MS);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
