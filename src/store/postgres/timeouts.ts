/** Timeouts of connections, and the detection of a server that has fallen silent. */
import type { Socket } from 'node:net';
import type pg from 'pg';

/** All in milliseconds. */
export interface ConnectionTimeouts {
  /** For a connection to be made. */
  readonly connectMs: number;
  /** For a lock that somebody else holds: then the statement fails, and is tried again later. */
  readonly lockMs: number;
  /**
   * For the lock of a scanner that was here before us: the server needs half a minute to notice that its machine has
   * vanished.
   */
  readonly writerMs: number;
  /** Silence during a statement after which it is reported for the first time. */
  readonly silenceMs: number;
  /** Without a sign of life during a statement, before the connection is given up. */
  readonly giveUpMs: number;
}

export const CONNECTION_TIMEOUTS: ConnectionTimeouts = {
  connectMs: 10_000,
  lockMs: 30_000,
  writerMs: 40_000,
  silenceMs: 30_000,
  giveUpMs: 600_000,
};

/** PostgreSQL was silent during a statement until the connection was given up. */
export class PostgresSilentError extends Error {
  override readonly name = 'PostgresSilentError';
}

/** How often a server is checked within the shortest of its limits. */
const LOOKS = 3;

/**
 * Watches an open connection until it closes. While a statement is under way and no byte comes or goes, `onSilence` is
 * called with the seconds every `silenceMs`; after `giveUpMs` the connection is closed, and the statement fails.
 */
export function watchStall(
  client: pg.Client,
  { silenceMs, giveUpMs }: Pick<ConnectionTimeouts, 'silenceMs' | 'giveUpMs'>,
  onSilence: (seconds: number) => void = () => {},
): void {
  const socket = socketOf(client);
  let moved = -1;
  let since = performance.now();
  let told = 0;
  const look = (): void => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (isIdle(client) || bytes !== moved) {
      moved = bytes;
      since = performance.now();
      told = 0;
      return;
    }
    const silentMs = performance.now() - since;
    if (silentMs >= giveUpMs) {
      const seconds = Math.round(silentMs / 1000);
      socket.destroy(
        new PostgresSilentError(`PostgreSQL has been silent for ${seconds} s; the connection was given up`),
      );
    } else if (silentMs >= (told + 1) * silenceMs) {
      told = Math.floor(silentMs / silenceMs);
      onSilence(Math.round(silentMs / 1000));
    }
  };
  const looking = setInterval(look, Math.min(silenceMs, giveUpMs) / LOOKS);
  looking.unref();
  socket.once('close', () => clearInterval(looking));
}

/** The driver knows whether a statement is under way, and its socket, but its types do not say so. */
interface Inside {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

function isIdle(client: pg.Client): boolean {
  return (client as unknown as Inside).readyForQuery;
}

/** The socket of an open connection. */
export function socketOf(client: pg.Client): Socket {
  return (client as unknown as Inside).connection.stream;
}
