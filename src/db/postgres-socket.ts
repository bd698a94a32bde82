import { Socket } from 'node:net';

/**
 * Statements that are sent together leave together: in one write instead of one each, which spares this process
 * eight system calls a booking, and PostgreSQL being woken for each.
 */
export function gatheringSocket(): Socket {
  const socket = new Socket();
  const write: (...args: never[]) => boolean = socket.write.bind(socket);
  let gathering = false;
  socket.write = (...args: never[]): boolean => {
    if (!gathering) {
      gathering = true;
      socket.cork();
      process.nextTick(() => {
        gathering = false;
        socket.uncork();
      });
    }
    return write(...args);
  };
  return socket;
}
