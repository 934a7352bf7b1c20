/**
 * An upgrade from the release before, as deploy/README.md tells it, under load and through the proxies of deploy: the new
 * release fills a second database, web servers are replaced one after the other, then the scanner. No request fails.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentName } from '../../src/config/option.ts';
import { SCANNER_PREFIX } from '../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../src/config/web-server.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { secondDatabaseName } from '../../src/scanner/upgrade-into-second-database.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { STORAGE_VERSION } from '../../src/store/schema/database-identity.ts';
import { testDatabase } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { eventually } from '../support/until.ts';
import { installedProxies, noProxy, startProxy } from './proxies.ts';
import { ROOT, skipped, start } from './run-as-stranger.ts';

/** What the database of everybody is filled by until now. */
const RELEASE_BEFORE = 'd3f36c3547892c8dd28f8ca192e0025ba2b4f453';
const BLOCKS = 1500;
const BLOCK_EVERY_MS = 400;
/** As deploy/README.md says. */
const PROXY_SECONDS = 2;
/** Of each of six clients that are one for the proxy, which allows 100 requests a second. */
const PAUSE_MS = 80;

describe('an upgrade under load', { skip: skipped || noProxy }, () => {
  it('an upgrade under load lets no request fail while the databases, the web servers and the scanner change', async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'chain-indexer-upgrade-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    await chmod(home, 0o755);
    const before = await releaseBefore(home);
    const node = await SimulatedNode.open({ network: SIMULATED_NETWORK, seed: 'upgrade', mix: MIX_PRESETS.demo });
    node.growTo(BLOCKS);
    const rpc = await serveRpc(node);
    t.after(() => rpc.close());
    const growing = setInterval(() => node.grow(), BLOCK_EVERY_MS);
    t.after(() => clearInterval(growing));

    const first = await testDatabase(t);
    const second = { ...first, database: secondDatabaseName(first.database) };
    t.after(() =>
      query({ ...first, database: 'postgres' }, `drop database if exists "${second.database}" with (force)`),
    );
    const cookie = join(home, 'cookie');
    await writeFile(cookie, '__cookie__:none');
    const program = (
      tree: string,
      name: string,
      prefix: string,
      postgres: PostgresOptions,
      more: Record<string, string> = {},
    ) => {
      const settings = {
        network: SIMULATED_NETWORK.name,
        'node-rpc-address': rpc.address,
        'node-rpc-cookie-file': cookie,
        'postgres-host': postgres.host,
        'postgres-port': String(postgres.port),
        'postgres-user': postgres.user,
        'postgres-password': postgres.password ?? '',
        'postgres-database': postgres.database,
        ...more,
      };
      const env = Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [environmentName(prefix, key), value]),
      );
      return start(t, home, process.execPath, [join(tree, `bin/${name}.ts`)], { privileged: true, cwd: tree, env });
    };
    const webServer = async (tree: string, postgres: PostgresOptions, port: number) => {
      const server = program(tree, 'web-server', WEB_SERVER_PREFIX, postgres, { 'bind-address': `127.0.0.1:${port}` });
      const isReady = async () => ((await get(`http://127.0.0.1:${port}/ready`)) === 200 ? true : undefined);
      await eventually(`the web server on ${port} is ready`, isReady, { explain: server.output });
      return server;
    };

    // The release before: its scanner and two web servers.
    const oldScanner = program(before, 'scanner', SCANNER_PREFIX, first);
    const ports = [await freePort(), await freePort()];
    const servers = [];
    for (const port of ports) servers.push(await webServer(before, first, port));
    const bases = await Promise.all(
      installedProxies.map(async (proxy) => `http://127.0.0.1:${await startProxy(t, proxy, { home, ports })}`),
    );
    const loads = bases.map((base) => new Load(base));
    t.after(() => Promise.all(loads.map((load) => load.stop())));
    await sleep(1_000);

    // 1. Fill.
    const upgrade = program(ROOT, 'upgrade', SCANNER_PREFIX, first);
    await eventually('it says when to switch', () => (/Switch now/.test(upgrade.output()) ? true : undefined), {
      withinMs: 60_000,
      explain: upgrade.output,
    });
    // 2. Switch the web servers, one after the other.
    for (const [i, port] of ports.entries()) {
      assert.equal(await servers[i]!.stop(), 0, servers[i]!.output());
      servers[i] = await webServer(ROOT, second, port);
      // Until HAProxy uses it again: after two checks.
      await sleep(PROXY_SECONDS * 1_000);
    }
    // 3. Switch the scanner.
    assert.equal(await upgrade.stop(), 0, upgrade.output());
    const newScanner = program(ROOT, 'scanner', SCANNER_PREFIX, second);
    assert.equal(await oldScanner.stop(), 0, oldScanner.output());
    // 4. Drop the old database.
    await query({ ...first, database: 'postgres' }, `drop database ${first.database} with (force)`);
    const height = node.tip().height + 3;
    for (const base of bases) {
      const isThere = async () => ((await get(`${base}/api/v2/chain/${height}`)) === 200 ? true : undefined);
      await eventually(`block ${height} is served`, isThere, { explain: newScanner.output });
    }
    for (const [i, load] of loads.entries()) {
      await load.stop();
      t.diagnostic(`${installedProxies[i]}: ${load.answered} requests, ${load.failures.length} failed`);
      assert.deepEqual(load.failures, [], installedProxies[i]!);
      assert.ok(load.answered > 100, `only ${load.answered} requests`);
    }
  });
});

/** The sources of the release before; of a storage version before ours, also while that has not changed. */
async function releaseBefore(home: string): Promise<string> {
  const tree = join(home, 'before');
  mkdirSync(tree);
  try {
    const archive = execFileSync('git', ['archive', RELEASE_BEFORE, 'bin', 'src', 'package.json'], {
      cwd: ROOT,
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    execFileSync('tar', ['--extract', '--directory', tree], { input: archive });
  } catch {
    // A clone without history.
    for (const part of ['bin', 'src', 'package.json']) cpSync(join(ROOT, part), join(tree, part), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  const schema = ['src/store/schema.ts', 'src/store/schema/schema.ts', 'src/store/schema/database-identity.ts']
    .map((path) => join(tree, path))
    .find((path) => existsSync(path))!;
  const text = await readFile(schema, 'utf8');
  const own = /STORAGE_VERSION = '([^']+)'/.exec(text)![1]!;
  if (own === STORAGE_VERSION)
    await writeFile(schema, text.replace(`STORAGE_VERSION = '${own}'`, `STORAGE_VERSION = '0.${own}'`));
  return tree;
}

/** Clients that ask without end, each one request after the other. */
class Load {
  answered = 0;
  readonly failures: string[] = [];
  readonly #stopping = new AbortController();
  readonly #clients: Promise<void>[];

  constructor(base: string) {
    const paths = [
      'chain/tip',
      'transaction?items=10',
      'pool?items=10',
      'chain/100',
      'token?items=10',
      'statistics/coin',
      'block/',
    ];
    this.#clients = Array.from({ length: 6 }, (_, i) => this.#ask(base, paths.slice(i).concat(paths)));
  }

  async #ask(base: string, paths: readonly string[]): Promise<void> {
    let block = '';
    for (let i = 0; !this.#stopping.signal.aborted; i++) {
      const path = paths[i % paths.length]!;
      if (path === 'block/' && block === '') continue;
      const url = `${base}/api/v2/${path === 'block/' ? `block/${block}` : path}`;
      try {
        const response = await fetch(url);
        const body: unknown = await response.json();
        if (path === 'chain/100') block = body as string;
        if (response.status === 200) this.answered++;
        else this.failures.push(`${url}: ${response.status} ${JSON.stringify(body)}`);
      } catch (error) {
        this.failures.push(`${url}: ${String((error as Error).cause ?? error)}`);
      }
      await sleep(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
  }
}

/** The status of an answer; 0 when there is none. */
async function get(url: string): Promise<number> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status ?? 0;
}
