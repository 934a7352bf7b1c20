/** The web server as an operator starts it: a process of its own over a test's database. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { until } from './until.ts';

const program = fileURLToPath(new URL('../../bin/web-server.ts', import.meta.url));

/** Starts it without a node, and waits until it is ready. It is stopped when the test has ended. Gives its port. */
export async function spawnWebServer(
  t: { after(end: () => Promise<void>): unknown },
  postgres: PostgresOptions,
  ...args: readonly string[]
): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...process.env,
      ML_API_WEB_SRV_BIND_ADDRESS: `127.0.0.1:${port}`,
      ML_API_WEB_SRV_NODE_RPC_USERNAME: 'user',
      ML_API_WEB_SRV_NODE_RPC_PASSWORD: 'password',
      ML_API_WEB_SRV_POSTGRES_HOST: postgres.host,
      ML_API_WEB_SRV_POSTGRES_PORT: String(postgres.port),
      ML_API_WEB_SRV_POSTGRES_USER: postgres.user,
      ML_API_WEB_SRV_POSTGRES_PASSWORD: postgres.password,
      ML_API_WEB_SRV_POSTGRES_DATABASE: postgres.database,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, 'the web server is ready');
  return port;
}
