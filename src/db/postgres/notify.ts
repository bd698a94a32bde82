import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Pool } from 'pg';

const CHANNEL = 'hourkeep_work';
const RECONNECT_MS = 1000;
const PAUSE_MS = 5;

/**
 * LISTEN and NOTIFY. The notification is sent after the commit, in a statement of its own, and one for all
 * commits of a few milliseconds: inside the transaction it would make all committing transactions of the server
 * wait for one lock. A process that dies in between leaves it to the listeners' own poll.
 */
export class Notifications {
  readonly #pool: Pool;
  readonly #url: string;
  readonly #onConnectionLost: (error: Error) => void;
  readonly #listeners = new Set<() => void>();
  #sending: Promise<void> | undefined;
  #again = false;
  #client: Client | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pool: Pool, url: string, onConnectionLost: (error: Error) => void) {
    this.#pool = pool;
    this.#url = url;
    this.#onConnectionLost = onConnectionLost;
  }

  send(): void {
    this.#tell();
    this.#again = true;
    this.#sending ??= this.#sendAll();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#client === undefined && this.#reconnect === undefined) this.#connect();
    return () => this.#listeners.delete(listener);
  }

  /** The connection may be dead without knowing it. */
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

  /** A connection of its own, for as long as somebody listens; when it breaks, another. */
  #connect(): void {
    const client = new Client({
      connectionString: this.#url,
      keepAlive: true,
      application_name: 'hourkeep listen',
    });
    this.#client = client;
    client.on('notification', () => this.#tell());
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => this.#tell())
      .catch((error: Error) => this.#lost(client, error));
  }

  #lost(client: Client, error?: Error): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    if (error !== undefined) this.#onConnectionLost(error);
    client.end().catch(() => undefined);
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      this.#connect();
    }, RECONNECT_MS);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
