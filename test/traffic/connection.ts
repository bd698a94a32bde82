import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const STATUS_AT = 'HTTP/1.1 '.length;
const LENGTH = Buffer.from('content-length: ');
const END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const EMPTY = Buffer.alloc(0);

/** One for all that is read, by all connections: what comes is looked at before anything else can come. */
const buffer = Buffer.allocUnsafe(65_536);

/**
 * A keep-alive connection with one request under way, on a plain socket and callbacks: an HTTP client would cost as much as the
 * servers that are measured. Answers are expected whole, head first; the rest of a longer one is only counted.
 */
export class Connection {
  /** `head` is for answers that are not 200. Status 0: the server closed the connection in place of an answer. */
  hear: (status: number, head: Buffer) => void = () => undefined;
  readonly #socket: Socket;
  #waits = false;
  #missing = 0;
  #status = 0;
  #head: Buffer = EMPTY;
  #tail: Buffer = EMPTY;

  static async to(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, 'connect');
    return connection;
  }

  private constructor(port: number) {
    const callback = (count: number): boolean => {
      this.#read(buffer.subarray(0, count));
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      if (this.#waits) this.#answer(0);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  ask(text: string): void {
    this.#waits = true;
    this.#socket.write(text, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#missing === 0) {
      this.#status = numberAt(chunk, STATUS_AT);
      // What comes next stands in the same place.
      this.#head = this.#status === 200 ? EMPTY : Buffer.from(chunk);
      const length = chunk.indexOf(LENGTH);
      // Without a length it ends with an empty chunk, which JSON cannot look like.
      this.#missing =
        length < 0 ? Infinity : chunk.indexOf(END) + END.length + numberAt(chunk, length + LENGTH.length);
    }
    this.#missing -= chunk.length;
    if (this.#missing === Infinity) {
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(
        -LAST_CHUNK.length,
      );
      if (this.#tail.equals(LAST_CHUNK)) this.#missing = 0;
    }
    if (this.#missing === 0) this.#answer(this.#status);
  }

  #answer(status: number): void {
    this.#waits = false;
    this.hear(status, this.#head);
  }
}

function numberAt(chunk: Buffer, start: number): number {
  let value = 0;
  for (let at = start; chunk[at]! >= 48 && chunk[at]! <= 57; at++) value = value * 10 + chunk[at]! - 48;
  return value;
}
