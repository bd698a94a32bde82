import { connect, createServer, type Socket } from 'node:net';

/** The way to a server, which can be lost and found again. */
export interface Network {
  port: number;
  /**
   * As a firewall that forgets: from now on nothing passes and nobody is told. Connections stay open and dead,
   * those that are made meanwhile too.
   */
  lose(): void;
  /** New connections pass again; the dead ones stay dead. */
  find(): void;
  close(): void;
}

export async function networkTo(port: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let lost = false;
  const server = createServer((near) => {
    keep(near);
    if (lost) return;
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    keep(far);
    near.setNoDelay(true);
    near.pipe(far);
    far.pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    port: address.port,
    lose: () => {
      lost = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    find: () => {
      lost = false;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
