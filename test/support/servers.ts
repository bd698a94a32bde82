import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'node:test';
import { listening } from './listening.ts';

export type Servers = ReturnType<typeof useServers>;

/** Servers on this machine for one test each: they are gone, with their connections, when it has ended. */
export function useServers() {
  let open: Awaited<ReturnType<typeof listening>>[] = [];
  const listen = async (server: Server): Promise<number> => {
    const started = await listening(server);
    open.push(started);
    return started.port;
  };
  const close = async (): Promise<void> => {
    for (const server of open.splice(0)) await server.close();
  };
  afterEach(close);
  return {
    listen,
    close,
    http: (listener: RequestListener) => listen(createHttpServer(listener)),
    /** Answers the first bytes it gets in its own way, whatever they are. */
    raw: (answer: (socket: Socket) => void) =>
      listen(createTcpServer((socket) => socket.once('data', () => answer(socket)))),
    /** Resolves when the clients have closed every connection; a leak makes the test hang and fail. */
    allClosed: async () => {
      const sockets = open.flatMap((each) => [...each.sockets]);
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
  };
}
