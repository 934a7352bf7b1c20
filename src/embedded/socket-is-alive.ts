import { connect } from 'node:net';

/** Does a server accept connections on a Unix socket? False if there is no socket. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // The socket's backlog is full.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'));
  });
}
