import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { listening } from './listening.ts';

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
  let lost = false;
  let holdUp: (chunk: Buffer) => number = () => 0;
  const server = createServer((near) => {
    if (lost) return;
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    sockets.add(far);
    far.on('error', () => undefined).on('close', () => sockets.delete(far));
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
  const { port: ownPort, sockets, close } = await listening(server);
  return {
    port: ownPort,
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
    close: () => void close(),
  };
}
