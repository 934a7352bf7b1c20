/** The proxies of deploy, where they are installed, with the configuration of deploy but for the ports. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../src/embedded/free-port.ts';
import { eventually } from '../support/until.ts';
import { ROOT, start } from './run-as-stranger.ts';

export type ProxyName = 'haproxy' | 'nginx';

const has = (program: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/bin'].some((at) => existsSync(join(at, program)));

export const installedProxies = (['haproxy', 'nginx'] as const).filter(has);

/** For the `skip` of a test. */
export const noProxy: string | false =
  installedProxies.length === 0 && 'neither haproxy nor nginx is installed (apt-get install haproxy nginx-light)';

export interface ProxyOptions {
  /** Where it writes what it needs. */
  readonly home: string;
  /** Of the two web servers. */
  readonly ports: readonly number[];
  /** What is different from the file of deploy. */
  readonly change?: (configuration: string) => string;
}

/** A main file of nginx around a file of deploy. It writes to `home` only: the distribution's directories are root's. */
export function nginxMain(home: string, own: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  const main = `pid ${home}/nginx.pid; error_log stderr; events { worker_connections 4096; }`;
  return `${main} http { access_log off; ${paths.join(' ')} ${own} }`;
}

/** Gives the port on which it listens when a web server behind it is ready. It ends with the test. */
export async function startProxy(
  t: Pick<TestContext, 'after'>,
  proxy: ProxyName,
  { home, ports, change = (configuration) => configuration }: ProxyOptions,
): Promise<number> {
  const port = await freePort();
  const [one, two] = ports.map((each) => `127.0.0.1:${each}`);
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const env = { PATH, BIND: `127.0.0.1:${port}`, WEB_1: one!, WEB_2: two! };
  const file = join(home, `${proxy}.${port}.cfg`);
  const args: string[] = [];
  if (proxy === 'haproxy') {
    await writeFile(file, change(await readFile(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8')));
    args.push('-db', '-f', file);
  } else {
    const own = change(await readFile(join(ROOT, 'deploy/nginx/chain-indexer.conf'), 'utf8'))
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('127.0.0.1:3001', one!)
      .replace('127.0.0.1:3002', two!);
    await writeFile(file, `daemon off; ${nginxMain(home, own)}`);
    args.push('-c', file, '-e', 'stderr');
  }
  const running = start(t, home, proxy, args, { privileged: true, env });
  const isReady = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    return response?.status === 200 ? true : undefined;
  };
  await eventually(`${proxy} answers`, isReady, { explain: running.output });
  return port;
}
