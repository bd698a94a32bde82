import { once } from 'node:events';
import { connect } from 'node:net';
import { quantile } from './figures.ts';
import { requestText, type Work } from './work.ts';

// The load generator: keep-alive connections, one request under way on each, as many as the server will take or with a pause.
// A process of its own, on plain sockets and callbacks: an HTTP client would cost as much as the servers it
// measures. This one takes about 25 µs a request and drives a bare server as fast as wrk does.

export interface Job {
  /** Connections are dealt out to them in turns. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** How long a connection waits after an answer before it asks again; not at all by default. */
  readonly pauseMs?: number | undefined;
  readonly work: Work;
  /** Number of the first request. */
  readonly first: number;
}

export interface Measured {
  readonly requests: number;
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
async function run({ ports, connections, seconds, pauseMs = 0, work, first }: Job): Promise<Measured> {
  const conversations = await Promise.all(
    Array.from({ length: connections }, (_, i) => connectTo(ports[i % ports.length]!, pauseMs)),
  );
  const times: number[] = [];
  const tooLate = work.kind === 'create' && work.crowd !== undefined ? 409 : 200;
  let next = first;
  let refusal: string | undefined;
  const deadline = performance.now() + seconds * 1000;
  const talk = async (converse: Converse): Promise<void> => {
    let sent = 0;
    const ask = (): string => {
      sent = performance.now();
      return requestText(work, next++);
    };
    await converse(ask, (status, head) => {
      const now = performance.now();
      if (now <= deadline) times.push(now - sent);
      if (status !== 200 && status !== tooLate) refusal ??= head.toString();
      return now < deadline && refusal === undefined;
    });
  };
  await Promise.all(conversations.map(talk));
  return { requests: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99), next, refusal };
}

/** Asks and asks again over one connection, for as long as whoever hears the answer wants more. */
type Converse = (ask: () => string, hear: (status: number, head: Buffer) => boolean) => Promise<void>;

const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH = Buffer.from('content-length: ');
const END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Answers are expected whole, head first; the rest of a longer one is only counted. */
async function connectTo(port: number, pauseMs: number): Promise<Converse> {
  let onRead: (chunk: Buffer) => void;
  // One buffer for all that is read: the generator should not be busy collecting garbage.
  const buffer = Buffer.allocUnsafe(65_536);
  const callback = (count: number): boolean => {
    onRead(buffer.subarray(0, count));
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
  await once(socket, 'connect');
  return async (ask, hear) => {
    let [missing, status, tail] = [0, 0, Buffer.alloc(0)];
    const say = (): boolean => socket.write(ask(), 'latin1');
    const done = new Promise<void>((resolve, reject) => {
      socket.once('close', () => reject(new Error('the server closed the connection')));
      onRead = (chunk) => {
        if (missing === 0) {
          status = numberAt(chunk, STATUS_AT);
          const length = chunk.indexOf(LENGTH);
          // Without a length it ends with an empty chunk, which JSON cannot look like.
          missing =
            length < 0 ? Infinity : chunk.indexOf(END) + END.length + numberAt(chunk, length + LENGTH.length);
        }
        missing -= chunk.length;
        if (missing === Infinity) {
          tail = Buffer.concat([tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
          if (tail.equals(LAST_CHUNK)) missing = 0;
        }
        if (missing > 0) return;
        if (!hear(status, chunk)) resolve();
        else if (pauseMs === 0) say();
        else setTimeout(say, pauseMs);
      };
    });
    say();
    await done;
    socket.destroy();
  };
}

function numberAt(chunk: Buffer, start: number): number {
  let value = 0;
  for (let at = start; chunk[at]! >= 48 && chunk[at]! <= 57; at++) value = value * 10 + chunk[at]! - 48;
  return value;
}
