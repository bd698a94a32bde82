import { connect } from 'node:net';
import { CREATE } from './booking.ts';
import type { World } from './world.ts';

/** More than any crowd that a process takes in. */
const TOO_MANY = 1000;

/**
 * Keeps a service overloaded: each of these requests says that a body follows and never sends it. They are all
 * there when this resolves, and gone when the answer is called.
 */
export async function overload(world: World, key: string): Promise<() => void> {
  const { port } = new URL(world.url);
  const head =
    `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 5\r\n\r\n`;
  const sockets = Array.from({ length: TOO_MANY }, () => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
    return socket.on('error', () => undefined);
  });
  while ((await world.call('GET', '/api-listings/api/v1/spaces')).status !== 503);
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
