import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test says exactly what it wants, byte by byte. */
export interface RawConnection {
  readonly socket: Socket;
  /** What has come back so far. */
  received(): string;
  /** Everything that came back, once the other side has closed. */
  closed(): Promise<string>;
}

export async function rawConnection(base: string): Promise<RawConnection> {
  const { hostname, port } = new URL(base);
  // The other side closes, not this one in answer to it: that is what some tests are about.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', () => undefined);
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    closed: async () => {
      if (!socket.readableEnded && !socket.destroyed) {
        await Promise.race([once(socket, 'end'), once(socket, 'close')]);
      }
      socket.destroy();
      return received;
    },
  };
}

/** Sends bytes, leaves its own side open, and answers with all that came back until the other side closed. */
export async function sendRaw(base: string, bytes: string | Buffer): Promise<string> {
  const connection = await rawConnection(base);
  connection.socket.write(bytes);
  return connection.closed();
}

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Answers with a Content-Length, one after the other. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    answers.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString(),
    });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
