import { connect, type Socket } from 'node:net';
import { requestText, type Work } from './support/work.ts';

// The load generator: keep-alive connections, one request under way on each, as many as the server will take.
// A process of its own, on plain sockets and callbacks: an HTTP client would cost as much as the servers it
// measures. This one takes about 25 µs a request and drives a bare server as fast as wrk does.

export interface Job {
  /** Connections are dealt out to them in turns. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  readonly work: Work;
  /** Number of the first request. */
  readonly first: number;
}

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of the first request that was not sent. */
  readonly next: number;
  /** The first answer that was not expected. */
  readonly refusal: string | undefined;
}

process.on('message', (job: Job) => {
  run(job).then(
    (load) => process.send?.(load),
    (error: unknown) => process.send?.({ refusal: String(error) }),
  );
});

/** All connections are open before the clock starts: accepting them is not what is measured. */
async function run(job: Job): Promise<Load> {
  const clients = await Promise.all(
    Array.from({ length: job.connections }, (_, i) => Client.open(job.ports[i % job.ports.length]!)),
  );
  const times: number[] = [];
  const tooLate = job.work.kind === 'create' && job.work.crowd !== undefined ? 409 : 200;
  let next = job.first;
  let refusal: string | undefined;
  const deadline = performance.now() + job.seconds * 1000;
  await Promise.all(
    clients.map((client) => {
      let sent = 0;
      const ask = (): string => {
        sent = performance.now();
        return requestText(job.work, next++);
      };
      return client.converse(ask, (status, head) => {
        const now = performance.now();
        if (now <= deadline) times.push(now - sent);
        if (status !== 200 && status !== tooLate) refusal ??= head.toString();
        return now < deadline && refusal === undefined;
      });
    }),
  );
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    seconds: job.seconds,
    p50: times[Math.floor(times.length / 2)] ?? NaN,
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
    next,
    refusal,
  };
}

const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH = Buffer.from('content-length: ');
const END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** One connection. Answers are expected whole, head first; the rest of a longer one is only counted. */
class Client {
  readonly #socket: Socket;
  #missing = 0;
  #status = 0;
  #tail: Buffer = Buffer.alloc(0);
  #onRead: (chunk: Buffer) => void = () => undefined;
  #onBroken: (error: Error) => void = () => undefined;

  static async open(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const client: Client = new Client(port, () => resolve(client), reject);
    });
  }

  private constructor(port: number, opened: () => void, failed: (error: Error) => void) {
    this.#onBroken = failed;
    // One buffer for all that is read: the generator should not be busy collecting garbage.
    const buffer = Buffer.allocUnsafe(65_536);
    const callback = (count: number): boolean => {
      this.#onRead(buffer.subarray(0, count));
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    this.#socket.once('connect', opened);
    this.#socket.on('error', (error) => this.#onBroken(error));
    this.#socket.on('close', () => this.#onBroken(new Error('the server closed the connection')));
  }

  /** Asks and asks again, for as long as whoever hears the answer wants more. */
  async converse(ask: () => string, hear: (status: number, head: Buffer) => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#onBroken = reject;
      this.#onRead = (chunk) => {
        this.#count(chunk);
        if (this.#missing > 0) return;
        if (hear(this.#status, chunk)) this.#socket.write(ask(), 'latin1');
        else resolve();
      };
      this.#socket.write(ask(), 'latin1');
    });
    this.#socket.destroy();
  }

  #count(chunk: Buffer): void {
    if (this.#missing === 0) {
      this.#status = numberAt(chunk, STATUS_AT);
      const length = chunk.indexOf(LENGTH);
      // Without a length it ends with an empty chunk, which JSON cannot look like.
      this.#missing =
        length < 0 ? Infinity : chunk.indexOf(END) + END.length + numberAt(chunk, length + LENGTH.length);
    }
    this.#missing -= chunk.length;
    if (this.#missing !== Infinity) return;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
    if (this.#tail.equals(LAST_CHUNK)) this.#missing = 0;
  }
}

function numberAt(chunk: Buffer, start: number): number {
  let value = 0;
  for (let at = start; chunk[at]! >= 48 && chunk[at]! <= 57; at++) value = value * 10 + chunk[at]! - 48;
  return value;
}
