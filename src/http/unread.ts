import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const LOOK_MS = 10_000;
/** Up to twice as long: a first timer that meets some progress since the last write is not the last. */
const PATIENCE_MS = 60_000;

/**
 * Closes connections of those who have stopped reading, with the answers that wait for them. The timer that tells
 * is started only for who has something waiting: one on every connection, which is what a server's own
 * time limit is, took 7 µs of every request.
 */
export function cutUnread(server: Server, lookMs = LOOK_MS, patienceMs = PATIENCE_MS): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const look = setInterval(() => {
    for (const socket of sockets) {
      // Once is enough: it starts anew with every byte that is taken.
      if (socket.writableLength > 0 && socket.timeout !== patienceMs) socket.setTimeout(patienceMs);
    }
  }, lookMs);
  look.unref();
  server.once('close', () => clearInterval(look));
}
