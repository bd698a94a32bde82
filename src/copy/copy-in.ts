import { once } from 'node:events';
import { Query, type Client, type Connection } from 'pg';

/**
 * COPY … FROM STDIN: sends the pieces as fast as the server takes them. pg knows the messages, and leaves it to a query
 * of one's own to send them.
 */
export async function copyIn(client: Client, text: string, pieces: Iterable<Buffer>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const query = new CopyIn(text, pieces, (error) => (error === undefined ? resolve() : reject(error)));
  client.query(query);
  await promise;
}

class CopyIn extends Query {
  readonly #pieces: Iterable<Buffer>;
  readonly #end: (error?: unknown) => void;
  #ended = false;

  constructor(text: string, pieces: Iterable<Buffer>, onEnd: (error?: unknown) => void) {
    super(text, (error: Error | null | undefined) => this.#finish(error ?? undefined));
    this.#pieces = pieces;
    this.#end = onEnd;
  }

  /** Called by pg when the server waits for data. */
  handleCopyInResponse(connection: CopyConnection): void {
    void this.#send(connection);
  }

  async #send(connection: CopyConnection): Promise<void> {
    try {
      for (const piece of this.#pieces) {
        connection.sendCopyFromChunk(piece);
        // When the connection breaks here, pg ends the query, and nobody waits for this any more.
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
        if (this.#ended) return;
      }
      connection.endCopyFrom();
    } catch (error) {
      // The rows could not be read. The server's own answer to this only repeats it.
      this.#finish(error);
      connection.sendCopyFail('the rows could not be read');
    }
  }

  #finish(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#end(error);
  }
}

interface CopyConnection extends Connection {
  sendCopyFromChunk(piece: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}
