/** The web server as an operator starts it: the program, with workers, in processes of its own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { optionsOfEachHost } from '../../src/store/postgres/hosts.ts';
import type { Scope } from './file-scope.ts';
import type { LogLine } from './running-scanner.ts';
import { until } from './until.ts';

const program = fileURLToPath(new URL('../../bin/web-server.ts', import.meta.url));

export interface WebServerSetup {
  readonly network: string;
  /** `HOST:PORT` of the node. */
  readonly node: string;
  readonly postgres: PostgresOptions;
  readonly workers: number;
  /** A free one unless given. */
  readonly port?: number;
  /** More options of the program. */
  readonly args?: readonly string[];
}

export interface RunningWebServer {
  readonly port: number;
  readonly pid: number;
  readonly log: readonly LogLine[];
  /** Returns how many times a worker has reported that it listens. */
  readonly listening: () => number;
  /** Stops it as a supervisor does; gives its exit status. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts the program and waits until it is ready. It is stopped with the test. */
async function spawnReady(t: Scope, postgres: PostgresOptions, options: readonly string[], givenPort?: number) {
  const port = givenPort ?? (await freePort());
  const servers = optionsOfEachHost(postgres);
  const child = spawn(process.execPath, [program, ...options], {
    env: {
      ...process.env,
      ML_API_WEB_SRV_BIND_ADDRESS: `127.0.0.1:${port}`,
      ML_API_WEB_SRV_NODE_RPC_USERNAME: 'user',
      ML_API_WEB_SRV_NODE_RPC_PASSWORD: 'password',
      ML_API_WEB_SRV_POSTGRES_HOST: servers.map((server) => server.host).join(),
      ML_API_WEB_SRV_POSTGRES_PORT: servers.map((server) => server.port).join(),
      ML_API_WEB_SRV_POSTGRES_USER: postgres.user,
      ML_API_WEB_SRV_POSTGRES_PASSWORD: postgres.password,
      ML_API_WEB_SRV_POSTGRES_DATABASE: postgres.database,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  t.after(async () => {
    await stop();
  });
  const log: LogLine[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void log.push(JSON.parse(line)));
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  // Connections go to the workers in turns: a worker may be ready before another.
  await until(async () => (await Promise.all([1, 2, 3, 4].map(isReady))).every(Boolean), 'the web server is ready');
  return { port, pid: child.pid!, log, stop };
}

/** Starts it without workers and without a node; gives its port when it is ready. */
export async function spawnWebServer(t: Scope, postgres: PostgresOptions, ...args: readonly string[]): Promise<number> {
  const { port } = await spawnReady(t, postgres, args);
  return port;
}

/** Starts the program. Resolves when all workers listen; it is stopped with the test. */
export async function runWebServer(t: Scope, setup: WebServerSetup): Promise<RunningWebServer> {
  const { network, node, postgres, workers, args = [] } = setup;
  const options = ['--network', network, '--workers', `${workers}`, '--node-rpc-address', node, ...args];
  const { port, pid, log, stop } = await spawnReady(t, postgres, options, setup.port);
  const listening = () => log.filter(({ msg }) => msg.startsWith('Listening')).length;
  await until(() => listening() >= workers, 'all workers listen');
  return { port, pid, log, listening, stop };
}
