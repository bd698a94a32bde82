import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach } from 'node:test';

/** Servers on this machine for one test each: they are gone, with their connections, when it has ended. */
export interface Servers {
  /** Each of these answers the port. */
  http(listener: RequestListener): Promise<number>;
  /** Answers the first bytes it gets in its own way, whatever they are. */
  raw(answer: (socket: Socket) => void): Promise<number>;
  listen(server: Server): Promise<number>;
  /** Resolves when the clients have closed every connection; a leak makes the test hang and fail. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

export function useServers(): Servers {
  let open: { server: Server; sockets: Set<Socket> }[] = [];
  const servers: Servers = {
    http: (listener) => servers.listen(createHttpServer(listener)),
    raw: (answer) =>
      servers.listen(
        createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => answer(socket))),
      ),
    listen: async (server) => {
      const sockets = new Set<Socket>();
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      });
      open.push({ server, sockets });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      if (typeof address !== 'object' || address === null) throw new Error('no port');
      return address.port;
    },
    allClosed: async () => {
      const sockets = open.flatMap((each) => [...each.sockets]);
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    },
    close: async () => {
      for (const { server, sockets } of open.splice(0)) {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  afterEach(() => servers.close());
  return servers;
}
