import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

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
  /**
   * From now on one in so many of the messages that contain this text reaches the server late, with all that follows it on its
   * connection. Also when whoever sent it has given up.
   */
  holdBack(text: string, oneIn: number, ms: number): void;
  holdNothingBack(): void;
  close(): void;
}

export async function networkTo(port: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let lost = false;
  let holdUp: (chunk: Buffer) => number = () => 0;
  const server = createServer((near) => {
    keep(near);
    if (lost) return;
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    keep(far);
    near.setNoDelay(true);
    const onTheWay = new Transform({
      transform: (chunk: Buffer, _, pass) => {
        const ms = holdUp(chunk);
        if (ms === 0) pass(null, chunk);
        else setTimeout(() => pass(null, chunk), ms);
      },
    });
    near.pipe(onTheWay).pipe(far);
    far.pipe(near);
    near.once('close', () => {
      if (!near.readableEnded) far.destroy();
    });
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
    holdBack: (text, oneIn, ms) => {
      let seen = 0;
      holdUp = (chunk) => (chunk.includes(text) && ++seen % oneIn === 0 ? ms : 0);
    },
    holdNothingBack: () => {
      holdUp = () => 0;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
