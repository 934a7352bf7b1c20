import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The lowest port to try. It is below the ports that systems assign (from 32,768 on Linux, from 49,152 elsewhere):
 * otherwise any outgoing connection could take the port between this check and its use.
 */
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_767;
const ATTEMPTS = 20;

/** Returns a free port of this machine, but not `reserved`, which another program will listen on. Rejects if none is found. */
export async function freePort(reserved?: number): Promise<number> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (port !== reserved && (await probePort(port).catch(() => null))) return port;
  }
  return probePort(0);
}

/** Binds a port, 0 for any, and releases it at once. Rejects if it is in use. */
export function probePort(port: number, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
