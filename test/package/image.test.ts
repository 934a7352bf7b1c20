/**
 * The container image: built with Debian's buildah upon a base that debootstrap makes (no registry is asked), and run as
 * a container engine runs it: a root file system that cannot be written, a number as user, process 1 of its own.
 */
import assert from 'node:assert/strict';
import { accessSync, constants, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { loadNetwork } from '../../src/config/network.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { fileScope } from '../support/file-scope.ts';
import { testDatabase } from '../support/postgres.ts';
import { eventually } from '../support/until.ts';
import { ROOT, run, skipped, start } from './run-as-stranger.ts';

const scope = fileScope();

const has = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const missing = ['buildah', 'debootstrap', 'unshare', 'nsenter'].filter((program) => !has(program));
const cannot =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'only root on Linux can build a base and run an image here'
    : missing.length > 0 && `not installed: ${missing.join(', ')} (apt-get install buildah debootstrap)`;

/** Of mintlayer-core's containers, and of the image. */
const USER = 10001;
const TAG = 'localhost/chain-indexer:test';

describe('the container image', { skip: skipped || cannot }, () => {
  let home: string;
  /** The file system of a container. */
  let root: string;
  let config: Readonly<Record<string, unknown>> & {
    readonly Env: string[];
    readonly Labels: Record<string, string>;
    readonly Healthcheck: { readonly Test: string[] };
    readonly Entrypoint: string[];
    readonly User: string;
  };
  let storage: string[];
  const buildah = async (...args: string[]): Promise<string> => {
    const done = await run(home, 'buildah', [...storage, ...args], { cwd: ROOT, privileged: true });
    assert.equal(done.code, 0, `buildah ${args.join(' ')}: ${done.output.slice(-3000)}`);
    return done.stdout.trim();
  };

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'chain-indexer-image-'));
    await chmod(home, 0o755);
    storage = ['--root', join(home, 'storage'), '--runroot', join(home, 'run')];
    const made: string[] = [];
    scope.after(async () => {
      for (const container of made) await run(home, 'buildah', [...storage, 'rm', container], { privileged: true });
      await run(home, 'buildah', [...storage, 'rmi', '--all', '--force'], { privileged: true });
      await rm(home, { recursive: true, force: true });
    });
    const base = await buildah('from', 'scratch');
    made.push(base);
    await buildah('add', '--quiet', base, await makeBase(home), '/');
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', base);
    if (process.env.NODE_EXTRA_CA_CERTS !== undefined)
      await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/extra-authority.pem', base);
    await buildah('commit', '--quiet', base, 'localhost/base:test');
    const args = ['BASE=localhost/base:test', 'VERSION=1.2.3', 'REVISION=abc'].flatMap((arg) => ['--build-arg', arg]);
    await buildah('build', '--isolation', 'chroot', '--format', 'docker', ...args, '--tag', TAG, '.');
    config = JSON.parse(await buildah('inspect', '--type', 'image', TAG)).Docker.config;
    const container = await buildah('from', TAG);
    made.push(container);
    root = await buildah('mount', container);
  });

  /** Runs a command in a new container, as an engine does with `--read-only` and `--user`. */
  function container(
    t: TestContext,
    command: readonly string[],
    env: Record<string, string>,
    user: string = config.User,
  ) {
    const settings = {
      ...Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s) as [string, string])),
      ...env,
    };
    const script = `
      set -e
      mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"
      mount -t proc proc "$0/proc"
      [ -z "$VOLUME" ] || mount --bind "$VOLUME" "$0/home/mintlayer"
      [ -z "$HOSTS" ] || mount --bind "$HOSTS" "$0/etc/hosts"
      cd "$0"; user=$1; shift
      exec chroot --userspec="$user" --groups= "$0" /usr/bin/env -i "$@"`;
    const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const args = ['--mount', '--pid', '--fork', '--kill-child', '--', 'sh', '-c', script, root, user];
    const { VOLUME = '', HOSTS = '', ...rest } = env;
    void rest;
    const inside = [...args, ...variables, ...config.Entrypoint, ...command];
    const running: ReturnType<typeof start> = start(t, home, 'unshare', inside, {
      privileged: true,
      env: { VOLUME, HOSTS },
      // It hands no signal on, and nothing ends with it.
      end: () => {
        const first = firstProcess();
        if (first !== '') process.kill(Number(first), 'SIGKILL');
      },
    });
    /** Its number as this machine counts; nothing when it has ended. */
    const firstProcess = (): string => {
      try {
        return readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim();
      } catch {
        return '';
      }
    };
    /** Runs a command beside it, in the same container. */
    const exec = async (...beside: string[]) => {
      const first = firstProcess();
      const [uid, gid = uid] = user.split(':');
      const enter = ['--target', first, '--mount', '--pid', '--', 'chroot', `--userspec=${uid}:${gid}`, root];
      return run(home, 'nsenter', [...enter, '/usr/bin/env', '-i', ...variables, ...beside], { privileged: true });
    };
    const processOne = () => readFile(`/proc/${firstProcess()}/status`, 'utf8');
    const terminate = () => process.kill(Number(firstProcess()), 'SIGTERM');
    return { ...running, exec, processOne, terminate };
  }

  it('the container image names itself by the labels of the OCI, and runs as a number', () => {
    const labels = Object.fromEntries(
      Object.entries(config.Labels).map(([name, value]) => [name.replace('org.opencontainers.image.', ''), value]),
    );
    assert.equal(labels.title, 'chain-indexer');
    assert.equal(labels.version, '1.2.3');
    assert.equal(labels.revision, 'abc');
    assert.equal(labels.licenses, 'MIT');
    assert.equal(labels['base.name'], 'localhost/base:test');
    assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/);
    assert.equal(config.Healthcheck.Test[0], 'CMD', 'the health check needs a shell');
  });

  it('the container image leaves out the embedded PostgreSQL, another Node, sources and what only development needs', async () => {
    const unwanted =
      '-name postgres -type f -o -name node -type f -o -name typescript -o -name *.test.* -path /app/test/*';
    const found = await run(home, 'find', [join(root, 'app'), ...unwanted.split(' ')], { privileged: true });
    assert.equal(found.stdout, '');
    const size = await run(home, 'du', ['-sm', join(root, 'app')], { privileged: true });
    assert.ok(Number.parseInt(size.stdout, 10) < 60, size.stdout);
  });

  it('the container image has the names of mintlayer-core’s programs as commands', async (t) => {
    for (const [name, pattern] of [
      ['api-blockchain-scanner-daemon', /Usage: chain-indexer scanner/],
      ['api-web-server', /Usage: chain-indexer web-server/],
    ] as const) {
      const first = container(t, [name, '--help'], {});
      assert.equal(await first.ended, 0, first.output());
      assert.match(first.output(), pattern);
    }
    const web = container(t, ['chain-indexer', 'devnet', '--preset', 'demo', '--rpc-bind-address', '127.0.0.1:0'], {});
    await eventually('it listens', () => (/listening/.test(web.output()) ? true : undefined), { explain: web.output });
    for (const name of ['api-blockchain-scanner-daemon', 'api-web-server', 'chain-indexer']) {
      const { code, output } = await web.exec(name, '--version');
      assert.equal(code, 0, output);
    }
    const unknown = container(t, ['bash'], {});
    assert.equal(await unknown.ended, 2);
    assert.match(unknown.output(), /there is no command "bash"/);
  });

  it('the container image takes over mintlayer-core’s container example, of which only the names of two images change', async (t) => {
    const network = loadNetwork('mainnet');
    const node = await SimulatedNode.open({ network, seed: 'example', mix: MIX_PRESETS.demo });
    node.growTo(20);
    const rpc = await serveRpc(node, { auth: { type: 'password', username: 'username', password: 'secret' } });
    t.after(() => rpc.close());
    const postgres = await testDatabase(t);
    const port = await freePort();
    const volume = await mkdtemp(join(home, 'mintlayer-data-'));
    const hosts = join(volume, 'hosts');
    await writeFile(hosts, '127.0.0.1 localhost\n127.0.0.1 api-postgres-db node-daemon\n');
    // The names are those of the example; the ports are free ones, as all containers share this machine's network here.
    const common = {
      RUST_LOG: 'debug',
      ML_USER_ID: String(USER),
      ML_GROUP_ID: String(USER),
      VOLUME: volume,
      HOSTS: hosts,
    };
    const settings = (prefix: string) =>
      Object.fromEntries(
        Object.entries({
          NETWORK: 'mainnet',
          POSTGRES_HOST: 'api-postgres-db',
          POSTGRES_PORT: String(postgres.port),
          POSTGRES_USER: postgres.user,
          POSTGRES_PASSWORD: postgres.password ?? '',
          POSTGRES_DATABASE: postgres.database,
          NODE_RPC_ADDRESS: `node-daemon:${rpc.address.split(':').at(-1)}`,
          NODE_RPC_USERNAME: 'username',
          NODE_RPC_PASSWORD: 'secret',
        }).map(([name, value]) => [`${prefix}${name}`, value]),
      );
    const scanner = container(t, ['api-blockchain-scanner-daemon'], {
      ...common,
      ...settings('ML_API_SCANNER_DAEMON_'),
    });
    const web = container(t, ['api-web-server'], {
      ...common,
      ...settings('ML_API_WEB_SRV_'),
      ML_API_WEB_SRV_BIND_ADDRESS: `0.0.0.0:${port}`,
    });
    const explain = () => `${scanner.output()}\n${web.output()}`;
    const tip = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/chain/tip`).catch(() => undefined);
      return response?.ok && ((await response.json()) as { block_height: number }).block_height === 20
        ? true
        : undefined;
    };
    await eventually('the chain is served', tip, { withinMs: 30_000, explain });
    // Its clients get what mintlayer-core answers.
    const description = await fetch(`http://127.0.0.1:${port}/api/v2/openapi.json`);
    assert.match(await description.text(), /in the `mintlayer-core` profile/);
    for (const each of [scanner, web]) {
      const status = await each.processOne();
      assert.match(status, new RegExp(`^Uid:\t${USER}\t${USER}\t${USER}\t${USER}$`, 'm'));
      assert.match(status, new RegExp(`^Gid:\t${USER}\t${USER}\t${USER}\t${USER}$`, 'm'));
      assert.deepEqual(await each.exec(...config.Healthcheck.Test.slice(1)).then(({ code }) => code), 0);
      assert.doesNotMatch(each.output(), /container:/, 'something of the example is not honoured');
    }
    assert.match(scanner.output(), /"level":"debug"/, 'RUST_LOG=debug is not honoured');
    const dead = await web.exec('env', 'ML_API_WEB_SRV_BIND_ADDRESS=0.0.0.0:1', ...config.Healthcheck.Test.slice(1));
    assert.equal(dead.code, 1);
    assert.match(dead.output, /127\.0\.0\.1:1\/health does not answer/);
    const began = performance.now();
    for (const each of [web, scanner]) {
      each.terminate();
      assert.equal(await each.ended, 0, each.output());
    }
    assert.ok(performance.now() - began < 10_000, 'stopping took too long');
  });

  it('the container image takes the user of ML_USER_ID when root starts it, and says so when it cannot', async (t) => {
    const command = ['chain-indexer', 'devnet', '--preset', 'demo', '--rpc-bind-address', '127.0.0.1:0'];
    const asked = container(t, command, { ML_USER_ID: '4711', ML_GROUP_ID: '4712' }, '0:0');
    await eventually('it listens', () => (/listening/.test(asked.output()) ? true : undefined), {
      explain: asked.output,
    });
    const status = await asked.processOne();
    assert.match(status, /^Uid:\t4711\t4711\t4711\t4711$/m);
    assert.match(status, /^Gid:\t4712\t4712\t4712\t4712$/m);
    assert.match(status, /^Groups:\t\s*$/m);
    const other = container(t, ['chain-indexer', '--version'], {
      ML_USER_ID: '4711',
      RUST_LOG: 'api_web_server=debug',
    });
    assert.equal(await other.ended, 0);
    assert.match(other.output(), /container: ML_USER_ID=4711 is not used, the program runs as 10001/);
    assert.match(other.output(), /container: RUST_LOG: "api_web_server=debug" says nothing here/);
  });
});

/** A small Debian with the Node and the npm of this machine. */
async function makeBase(home: string): Promise<string> {
  const base = join(home, 'base');
  const made = await run(home, 'debootstrap', ['--variant=minbase', '--include=libatomic1', 'bookworm', base], {
    privileged: true,
  });
  assert.equal(made.code, 0, made.output.slice(-2000));
  // What engines mount something upon.
  await writeFile(join(base, 'etc/hosts'), '', { flag: 'a' });
  await rm(join(base, 'var/cache/apt'), { recursive: true, force: true });
  const local = join(base, 'usr/local');
  await cp(await realpath(process.execPath), join(local, 'bin/node'));
  const npm = dirname(dirname(await realpath((await run(home, 'which', ['npm'])).stdout.trim())));
  await mkdir(join(local, 'lib/node_modules'), { recursive: true });
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  if (process.env.NODE_EXTRA_CA_CERTS !== undefined)
    await cp(process.env.NODE_EXTRA_CA_CERTS, join(base, 'etc/ssl/extra-authority.pem'));
  return base;
}
