/** The proxies of deploy, where they are installed, with the configuration of deploy but for the ports. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../../src/embedded/free-port.ts';
import { eventually } from '../support/until.ts';
import { ROOT, start } from './run-as-stranger.ts';

export type ProxyName = 'haproxy' | 'nginx';

export const has = (program: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/bin'].some((at) => existsSync(join(at, program)));

export const installedProxies = (['haproxy', 'nginx'] as const).filter(has);

/** For the `skip` of a test. */
export const noProxy: string | false =
  installedProxies.length === 0 && 'neither haproxy nor nginx is installed (apt-get install haproxy nginx-light)';

export interface ProxyOptions {
  /** Where it writes what it needs. */
  readonly home: string;
  /** Of the web servers. The files of deploy have two; one more is a line more, as deploy/README.md says. */
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

/** Puts a line for each web server in the place of the lines of the two: the first line, changed for it. */
function withServers(
  configuration: string,
  lines: RegExp,
  servers: readonly string[],
  line: (first: string, i: number) => string,
): string {
  return configuration.replaceAll(lines, (both) => {
    const first = `${both.split('\n', 1)[0]}\n`;
    return servers.map((_, i) => line(first, i)).join('');
  });
}

/** Adds a port where clients say their address. HAProxy knows it when a session begins, after the connection. */
export function withAddresses(configuration: string, port: number): string {
  const address = `127.0.0.1:${port}`;
  return configuration
    .replace('listen 8080;', `listen 8080; listen ${address} proxy_protocol;`)
    .replace(
      /(?<!X-Forwarded-For; )client_body_timeout/,
      'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol; client_body_timeout',
    )
    .replace(/^ *bind ".*"$/m, (own) => `${own}\n    bind ${address} accept-proxy`)
    .replaceAll('tcp-request connection', 'tcp-request session');
}

/** Gives the port on which it listens when a web server behind it is ready. It ends with the test. */
export async function startProxy(
  t: Pick<TestContext, 'after'>,
  proxy: ProxyName,
  { home, ports, change = (configuration) => configuration }: ProxyOptions,
): Promise<number> {
  const port = await freePort();
  const servers = ports.map((each) => `127.0.0.1:${each}`);
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const env = {
    PATH,
    BIND: `127.0.0.1:${port}`,
    ...Object.fromEntries(servers.map((server, i) => [`WEB_${i + 1}`, server])),
  };
  const file = join(home, `${proxy}.${port}.cfg`);
  const args: string[] = [];
  if (proxy === 'haproxy') {
    const own = await readFile(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
    const line = (first: string, i: number) => first.replace('web-1', `web-${i + 1}`).replace('WEB_1', `WEB_${i + 1}`);
    await writeFile(file, change(withServers(own, /^ *server web-1 .*\n *server web-2 .*\n/gm, servers, line)));
    args.push('-db', '-f', file);
  } else {
    const own = change(await readFile(join(ROOT, 'deploy/nginx/chain-indexer.conf'), 'utf8'));
    const line = (first: string, i: number) => first.replace('127.0.0.1:3001', servers[i]!);
    const changed = withServers(own, /^ *server 127.0.0.1:3001.*\n *server 127.0.0.1:3002.*\n/gm, servers, line);
    await writeFile(file, `daemon off; ${nginxMain(home, changed.replace('listen 8080', `listen 127.0.0.1:${port}`))}`);
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
