/** Notices a server that sends nothing during a statement. */
import type pg from 'pg';
import { socketOf } from './connect.ts';
import { PostgresSilentError } from './postgres-error.ts';
import type { ConnectionTimeouts } from './timeouts.ts';

/** Checks within the shorter of the two limits. */
const CHECKS = 3;

/**
 * Watches an open connection until it closes. While a statement is in flight and no byte is sent or received, calls
 * `onStall` with the seconds every `stallMs`; after `giveUpMs` it breaks the connection, and the statement fails with a
 * {@link PostgresSilentError}.
 */
export function watchStall(
  client: pg.Client,
  { stallMs, giveUpMs }: Pick<ConnectionTimeouts, 'stallMs' | 'giveUpMs'>,
  onStall: (seconds: number) => void = () => {},
): void {
  const socket = socketOf(client);
  // Whoever has a statement in flight has sent it since the last one ended.
  let writtenWhenIdle = socket.bytesWritten;
  client.on('drain', () => {
    writtenWhenIdle = socket.bytesWritten;
  });
  let bytesBefore = -1;
  let since = performance.now();
  let reports = 0;
  const check = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (socket.bytesWritten === writtenWhenIdle || bytes !== bytesBefore) {
      bytesBefore = bytes;
      since = performance.now();
      reports = 0;
      return;
    }
    const silentMs = performance.now() - since;
    if (silentMs >= giveUpMs) {
      const seconds = Math.round(silentMs / 1000);
      socket.destroy(
        new PostgresSilentError(`PostgreSQL has been silent for ${seconds} s; the connection was given up`),
      );
    } else if (silentMs >= (reports + 1) * stallMs) {
      reports = Math.floor(silentMs / stallMs);
      onStall(Math.round(silentMs / 1000));
    }
  };
  const timer = setInterval(check, Math.min(stallMs, giveUpMs) / CHECKS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}
