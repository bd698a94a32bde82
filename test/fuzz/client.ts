import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Pool } from 'undici';
import type { Exchange } from '../contract/check.ts';
import { rawConnection } from '../support/raw-connection.ts';
import type { Shot } from './shots.ts';

/** A shot as it goes out. */
export interface Sent {
  method: string;
  path: string;
  headers: string[];
  body: Buffer | null;
}

export function written({ method, path, headers, body, encoding }: Shot): Sent {
  return { method, path, headers: headers.flat(), body: body === null ? null : encode(body, encoding) };
}

function encode(text: string, encoding: Shot['encoding']): Buffer {
  if (encoding !== 'broken utf8') return Buffer.from(text, encoding);
  // At the end of one of the strings, so that all else about the body stays as right as it was.
  const ends = [...text.matchAll(/"(?=[,}\]])/g)].map(({ index }) => index);
  const at = ends[text.length % Math.max(1, ends.length)] ?? 0;
  const broken = NO_UTF8[text.length % NO_UTF8.length]!;
  return Buffer.concat([Buffer.from(text.slice(0, at)), broken, Buffer.from(text.slice(at))]);
}

/** A byte that never occurs, a character cut short, a lone surrogate, a slash in two bytes, a code point that is none. */
const NO_UTF8 = ['ff', 'c3', 'eda080', 'c0af', 'f4908080'].map((hex) => Buffer.from(hex, 'hex'));

export interface Client {
  fire(sent: Sent): Promise<Exchange>;
  close(): Promise<void>;
}

/** Without the courtesies of fetch: headers may be doubled, and any method has a body. */
export function openClient(base: string): Client {
  const pool = new Pool(base, { connections: 10 });
  return {
    fire: async ({ method, path, headers, body }) => {
      const answer = await pool.request({ method, path, headers, body });
      const headersBack = toHeaders(answer.headers);
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const text = unpack(bytes, headersBack.get('content-encoding')).toString();
      return { method, path, status: answer.statusCode, headers: headersBack, text };
    },
    close: () => pool.close(),
  };
}

/** An answer to HEAD names the encoding of a body that does not come. */
function unpack(bytes: Buffer, encoding: string | null): Buffer {
  if (bytes.length === 0 || encoding === null) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  if (encoding === 'br') return brotliDecompressSync(bytes);
  throw new Error(`answered in an encoding that nobody asked for: ${encoding}`);
}

function toHeaders(fields: Record<string, string | string[] | undefined>): Headers {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => [name, value]),
  );
  return new Headers(pairs as [string, string][]);
}

/** Bytes over a socket of their own, and all that comes back until the service hangs up. */
export async function fireBytes(base: string, bytes: Buffer): Promise<string> {
  const { socket, closed } = await rawConnection(base);
  // Half closed: what waits for more learns that there is none.
  socket.end(bytes);
  return closed();
}
