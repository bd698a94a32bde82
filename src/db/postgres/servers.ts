import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig, type Connection } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import { NoWriter, reason } from './errors.ts';
import { serverUrls } from '../../postgres-url.ts';

/** Less than a stall takes (monitor.ts): whoever asks for a connection hears what each server said. */
export const CONNECT_TIMEOUT_MS = 1200;
/** Once a server takes writes, the others have this long to say that they do too. */
const GRACE_MS = 300;
/** When none takes writes, everybody gets the same answer for this long. */
const REST_MS = 200;

interface Writer {
  readonly url: string;
  /** Grows with each promotion, as PostgreSQL's files are named; '' where the server does not tell. */
  readonly timeline: string;
}

/**
 * Which of the servers in DATABASE_URL takes writes. With one server there is nothing to find out, and nothing is asked.
 *
 * With several, all are asked at once, so that one that does not answer keeps nobody waiting. Where two take writes, the
 * one that was promoted last is right: the other is an old primary that was cut off or started again, and what it
 * acknowledges would be lost. For the same reason there is no way back to an older one.
 */
export class Servers {
  readonly #urls: readonly string[];
  readonly #onMove: (url: string) => void;
  #writer: Writer | undefined;
  #finding: Promise<Writer> | undefined;
  /** The one that took writes last, whether or not it still does. */
  #last: Writer | undefined;

  /** `onMove`: another server takes writes now. Connections to the one before are not to be used any more. */
  constructor(url: string, onMove: (url: string) => void) {
    this.#urls = serverUrls(url) ?? [url];
    this.#onMove = onMove;
    if (!this.areSeveral) this.#writer = { url: this.first, timeline: '' };
  }

  get areSeveral(): boolean {
    return this.#urls.length > 1;
  }

  get first(): string {
    return this.#urls[0]!;
  }

  async writer(): Promise<string> {
    const { url } = this.#writer ?? (await (this.#finding ??= this.#find()));
    return url;
  }

  /** The address of the one that takes writes; undefined while that is not known. */
  get current(): string | undefined {
    return this.#writer?.url;
  }

  /** A connection to this server failed, or it refused to write: the next who wants one asks all servers again. */
  doubt(url: string | undefined): void {
    if (this.areSeveral && this.#writer?.url === url) this.#writer = undefined;
  }

  /** An old primary that is only cut off goes on serving us. So the others are asked even when all seems well. */
  async seeOthers(): Promise<void> {
    const now = this.#writer;
    if (now === undefined) return;
    const others = this.#urls.filter((url) => url !== now.url);
    const answers = await Promise.allSettled(others.map(askWhetherWriter));
    for (const answer of answers) {
      if (answer.status !== 'fulfilled' || this.#writer !== now) continue;
      if (answer.value.timeline > now.timeline) this.#moveTo(answer.value);
    }
  }

  async #find(): Promise<Writer> {
    let restMs = 0;
    try {
      const writer = await this.#ask();
      this.#moveTo(writer);
      return writer;
    } catch (error) {
      restMs = REST_MS;
      throw error;
    } finally {
      setTimeout(() => (this.#finding = undefined), restMs).unref();
    }
  }

  async #ask(): Promise<Writer> {
    const found: Writer[] = [];
    const asked = this.#urls.map(async (url, i) => {
      found[i] = this.#notOlder(await askWhetherWriter(url));
    });
    try {
      await Promise.any(asked);
    } catch (error) {
      const { errors } = error as AggregateError;
      throw new DatabaseAway(
        new NoWriter(this.#urls.map((url, i) => `${new URL(url).host}: ${reason(errors[i])}`)),
      );
    }
    await Promise.race([Promise.allSettled(asked), delay(GRACE_MS)]);
    // In the order of the URLs: among equals the first one, whoever answered first.
    return found.filter(Boolean).reduce((latest, each) => (each.timeline > latest.timeline ? each : latest));
  }

  #notOlder(writer: Writer): Writer {
    if (this.#last === undefined || writer.timeline >= this.#last.timeline) return writer;
    throw new Error('takes writes, but another server was promoted after it');
  }

  #moveTo(writer: Writer): void {
    const isOther = writer.url !== this.#last?.url;
    this.#writer = this.#last = writer;
    if (isOther) this.#onMove(writer.url);
  }
}

/** On a standby every transaction is read-only. */
export const IS_READ_ONLY = 'show transaction_read_only';
const TIMELINE = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline';

async function askWhetherWriter(url: string): Promise<Writer> {
  const client = new PgClient({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'hourkeep watch',
  });
  try {
    await client.connect();
    refuseReadOnly((await client.query(IS_READ_ONLY)).rows);
    // Some servers that speak PostgreSQL's language have no timelines.
    const timeline = await client.query<{ timeline: string }>(TIMELINE).then(
      ({ rows }) => rows[0]!.timeline,
      () => '',
    );
    return { url, timeline };
  } finally {
    // Not client.end(): that waits for the server, which may have stopped answering.
    client.connection.stream.destroy();
  }
}

export function refuseReadOnly(rows: readonly { transaction_read_only: string }[]): void {
  if (rows[0]?.transaction_read_only === 'on') throw new Error('is a standby or read-only');
}

/** pg's client, but a lost connection does not end the process, and `sslmode=prefer` goes on without encryption where the server has none, as in libpq. */
export class PgClient extends Client {
  readonly url: string | undefined;

  constructor(config: ClientConfig) {
    super(config);
    this.url = config.connectionString;
    // Whoever is using the connection gets the error from their statement.
    this.on('error', () => undefined);
    // When pg itself gives up, as without a password, it leaves the socket open. A failed start would then end only
    // when the server closes it, a minute later.
    this.connection.on('error', () => this.connection.stream.destroy());
    if (/[?&]sslmode=prefer(?:&|$)/.test(config.connectionString ?? '')) preferTls(this);
  }
}

/** The pool knows one time limit for waiting and for connecting. Connecting gets a shorter one here. */
export class ImpatientClient extends PgClient {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

const NO_TLS = 'N';

/** pg gives up when the server answers that it has no TLS. Here that answer is read first. */
function preferTls(client: Client): void {
  const { connection, getStartupConf } = client as unknown as Internals;
  const requestSsl = connection.requestSsl.bind(connection);
  connection.requestSsl = () => {
    const { stream } = connection;
    const judges = stream.listeners('data') as ((answer: Buffer) => void)[];
    stream.removeAllListeners('data');
    stream.once('data', (answer: Buffer) => {
      if (answer.toString() !== NO_TLS) {
        for (const judge of judges) judge.call(stream, answer);
        return;
      }
      connection.attachListeners(stream);
      connection.startup(getStartupConf.call(client));
    });
    requestSsl();
  };
}

/** What pg's types leave out. */
interface Internals {
  readonly connection: Connection & {
    requestSsl(): void;
    attachListeners(stream: Connection['stream']): void;
    startup(config: object): void;
  };
  getStartupConf(): object;
}
