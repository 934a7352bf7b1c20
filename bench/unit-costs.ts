/**
 * What everything costs, for docs/scaling.md: processor time and bytes for each kind of request, for each block and
 * transaction that is followed, for each second without requests, and the rows and bytes of each table.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { MAX_WALLET_ADDRESSES } from '../src/serving/parse/wallet-body.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import { batch } from './attack-kinds.ts';
import { API, onServers, type Servers, TIP, USUAL } from './endpoint-throughput.ts';
import { endpoints } from './endpoint-urls.ts';
import { fillDatabase } from './fill-database.ts';
import type { Generator } from './load-generator.ts';
import type { BenchChain } from './measured-chain.ts';
import { familyCpuSeconds } from './process-usage.ts';
import { bytesText, count, microseconds, type Report } from './report.ts';
import type { Bed, WebServer } from './test-bed.ts';
import { watchTip } from './watch-database-tip.ts';

/** Blocks that are followed one by one, and the pause between them. */
const FOLLOWED_BLOCKS = 300;
const BLOCK_INTERVAL_MS = 60;
/** The height at which tables are counted first, as a part of the chain's. */
const FIRST_PART = 0.2;
const IDLE_SECONDS = 5;
/** A hundred times the chain of `growth --large`: tables are projected to its length. */
const LONG_CHAIN_TRANSACTIONS = 150_000_000;
const BATCH_IDS = 100;
/** Bodies that are posted in turn. */
const BODIES = 20;

/** Endpoints of `bench -- read`, by name, and what they stand for. */
const KINDS: readonly (readonly [what: string, endpoint: string])[] = [
  ['a block’s header, by id', '/block/{id}/header'],
  ['a transaction, by id', '/transaction/{id}'],
  ['a whole block, by id', '/block/{id}'],
  ['an address', '/address/{a}'],
  ['the spendable outputs of an address', '/address/{a}/spendable-utxos'],
  ['the history of an address, a page', '/address/{a}/history'],
  ['a page of transactions, 10 entries', '/transaction'],
  ['a page of pools, 10 entries', '/pool'],
  ['a token', '/token/{id}'],
  ['an order book', '/order/pair/{pair}/book'],
  ['a search', '/search'],
];

interface RequestCost {
  readonly what: string;
  readonly bytes: number;
  readonly perSecond: number;
  readonly webServerMicroseconds: number;
  readonly postgresMicroseconds: number;
}

interface TableRows {
  readonly name: string;
  readonly rows: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
}

export type Costs = Awaited<ReturnType<typeof measureCosts>>;

export async function measureCosts(
  bed: Bed,
  { chain, seconds, generator }: { chain: BenchChain; seconds: number; generator: Generator },
) {
  const follow = await measureFollowed(bed, chain);
  const postgres = await fillDatabase(bed, chain, 'whole', chain.height);
  const requests = await onServers(bed, { chain, postgres, generator }, ['--upto=2'], (servers) =>
    measureRequests(bed, servers, seconds, postgres),
  );
  const whole = await tablesOf(bed, postgres);
  return { ...follow, requests, whole };
}

async function tablesOf(bed: Bed, postgres: PostgresOptions): Promise<readonly TableRows[]> {
  const client = await bed.connect(postgres);
  const { rows: tables } = await client.query<Omit<TableRows, 'rows'>>(
    `select relname as name, pg_table_size(oid) as "tableBytes", pg_indexes_size(oid) as "indexBytes" from pg_class
     where relnamespace = 'chain_indexer'::regnamespace and relkind = 'r' order by pg_total_relation_size(oid) desc`,
  );
  const counted: TableRows[] = [];
  for (const table of tables) {
    const { rows } = await client.query<{ rows: number }>(`select count(*) as rows from ${table.name}`);
    counted.push({ ...table, rows: Number(rows[0]!.rows) });
  }
  await bed.disconnect(client);
  return counted;
}

/** Fills a part of the chain, and follows some blocks from there with a web server without clients. */
async function measureFollowed(bed: Bed, chain: BenchChain) {
  const from = Math.floor(chain.height * FIRST_PART);
  const postgres = await fillDatabase(bed, chain, 'part', from);
  const part = await tablesOf(bed, postgres);
  const client = await bed.connect(postgres);
  const to = from + FOLLOWED_BLOCKS;
  const serving = { network: chain.networkArgument, postgres };
  const standing = await bed.startDevnet([`--replay=${chain.file}`, `--upto=${chain.lines[from]}`]);
  const idleServer = await bed.startWebServer({ ...serving, node: standing.address });
  const idle = await idleCost(bed, idleServer);
  await bed.stop(idleServer.program);
  await bed.stop(standing.program);

  const devnet = await bed.startDevnet([
    `--replay=${chain.file}`,
    `--resume-at=${chain.ids[from]}`,
    `--upto=${chain.lines[to]}`,
    `--block-interval=${BLOCK_INTERVAL_MS}`,
  ]);
  const scanner = bed.startScanner({ ...serving, node: devnet.address });
  const server = await bed.startWebServer({ ...serving, node: devnet.address });
  // The programs have started then.
  const [first] = (await scanner.orEnd(watchTip(client, ({ height }) => height >= from + 30))).slice(-1);
  const before = await followState(bed, client, scanner.pid, server);
  const [last] = (await scanner.orEnd(watchTip(client, ({ height }) => height >= to))).slice(-1);
  const after = await followState(bed, client, scanner.pid, server);
  for (const program of [server.program, scanner, devnet.program]) await bed.stop(program);
  await bed.disconnect(client);
  const blocks = last!.height - first!.height;
  const perBlock = (of: (state: typeof before) => number) => (of(after) - of(before)) / blocks;
  return {
    part,
    partHeight: from,
    idle,
    follow: {
      blocks,
      transactionsPerBlock: (last!.transactions - first!.transactions) / blocks,
      scannerMicroseconds: perBlock(({ scanner }) => scanner) * 1e6,
      postgresMicroseconds: perBlock(({ postgres }) => postgres) * 1e6,
      webServerMicroseconds: perBlock(({ webServer }) => webServer) * 1e6,
      walBytes: perBlock(({ walBytes }) => walBytes),
      connections: after.connections,
    },
  };
}

async function followState(bed: Bed, client: pg.Client, scanner: number, server: WebServer) {
  const { rows } = await client.query<{ walBytes: number; connections: string }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
            (select string_agg(format('%s: %s', application_name, n), ', ' order by application_name)
               from (select application_name, count(*) as n from pg_stat_activity
                      where application_name like 'chain-indexer %' and datname = current_database()
                        and application_name not like '%bench' group by 1) named) as connections`,
  );
  return {
    ...rows[0]!,
    scanner: familyCpuSeconds(scanner),
    webServer: familyCpuSeconds(server.pid),
    postgres: bed.postgresCpuSeconds(),
  };
}

/** The processor time of a second in which nothing happens. */
async function idleCost(bed: Bed, server: WebServer) {
  await sleep(1_000);
  const cpu = () => ({ webServer: familyCpuSeconds(server.pid), postgres: bed.postgresCpuSeconds() });
  const before = cpu();
  await sleep(IDLE_SECONDS * 1_000);
  const after = cpu();
  return {
    webServerMicroseconds: ((after.webServer - before.webServer) * 1e6) / IDLE_SECONDS,
    postgresMicroseconds: ((after.postgres - before.postgres) * 1e6) / IDLE_SECONDS,
  };
}

async function measureRequests(bed: Bed, servers: Servers, seconds: number, postgres: PostgresOptions) {
  const { samples, server, uncached, load } = servers;
  const known = endpoints(samples);
  const costs: RequestCost[] = [];
  const gets = async (what: string, asked: WebServer, paths: readonly string[], unique: boolean, headers = {}) => {
    const result = await load.rate(what, asked, {
      headers,
      connections: USUAL,
      paths,
      unique,
      status: 200,
      warmUpSeconds: seconds * 0.3,
      seconds,
    });
    costs.push({
      what,
      bytes: result.bytesPerAnswer,
      perSecond: result.perSecond,
      webServerMicroseconds: result.serverMicroseconds,
      postgresMicroseconds: result.postgresMicroseconds,
    });
  };
  await gets('the tip, and anything else from the cache', server, [TIP], false);
  for (const [what, name] of KINDS) {
    const endpoint = known.find((each) => each.name === name);
    if (endpoint === undefined) continue;
    await gets(
      what,
      uncached,
      endpoint.cold.map((path) => `${API}${path}`),
      true,
    );
  }
  await gets(
    'an address after a block in the past',
    uncached,
    samples.lockedOwners.map((address) => `${API}/address/${address}?height=${samples.height}`),
    true,
  );
  const page = (what: string, paths: readonly string[]) =>
    gets(`a page of the explorer: ${what}`, uncached, paths, true, { accept: 'text/html' });
  await page(
    'a transaction',
    samples.txs.map((id) => `/tx/${id}`),
  );
  await page(
    'an address',
    samples.addresses.map((address) => `/address/${address}`),
  );
  const pieces = (ids: readonly string[], length: number) =>
    Array.from({ length: Math.min(BODIES, Math.floor(ids.length / length)) }, (_, i) =>
      ids.slice(i * length, (i + 1) * length),
    );
  const batches = pieces(samples.txs, BATCH_IDS).map((ids) => batch('/transaction/:txid', ids).body!.text);
  costs.push(await posts(bed, `a batch of ${BATCH_IDS} transactions`, uncached, '/batch', batches, seconds));
  const wallets = pieces(samples.addresses, MAX_WALLET_ADDRESSES).map((addresses) =>
    JSON.stringify({ addresses, cursor: null }),
  );
  costs.push(
    await posts(bed, `a first wallet of ${MAX_WALLET_ADDRESSES} addresses`, uncached, '/wallet/sync', wallets, seconds),
  );
  const client = await bed.connect(postgres);
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
      where application_name = 'chain-indexer web server' and datname = current_database()`,
  );
  await bed.disconnect(client);
  /** Of both web servers together. */
  return { costs, databaseConnections: rows[0]!.n };
}

async function posts(
  bed: Bed,
  what: string,
  server: WebServer,
  path: string,
  bodies: readonly string[],
  seconds: number,
): Promise<RequestCost> {
  const cpu = () => ({ webServer: familyCpuSeconds(server.pid), postgres: bed.postgresCpuSeconds() });
  let asked = 0;
  let bytes = 0;
  const before = cpu();
  const begun = performance.now();
  const client = async () => {
    while (performance.now() - begun < seconds * 1_000) {
      const body = bodies[asked++ % bodies.length]!;
      const response = await fetch(`http://127.0.0.1:${server.port}${API}${path}`, { method: 'POST', body });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${what}: status ${response.status}: ${text.slice(0, 200)}`);
      bytes += text.length;
    }
  };
  await Promise.all([client(), client(), client()]);
  const after = cpu();
  return {
    what,
    bytes: bytes / asked,
    perSecond: (asked * 1_000) / (performance.now() - begun),
    webServerMicroseconds: ((after.webServer - before.webServer) * 1e6) / asked,
    postgresMicroseconds: ((after.postgres - before.postgres) * 1e6) / asked,
  };
}

export function reportCosts(report: Report, chain: BenchChain, costs: Costs): void {
  const { requests, idle, follow, part, partHeight, whole } = costs;
  report.rows(
    `Requests: processor time for each, nothing cached but in the first row; ${chain.title}`,
    requests.costs,
    [
      ['request', ({ what }) => what],
      ['bytes', ({ bytes }) => bytesText(bytes)],
      ['web server µs', (cost) => microseconds(cost.webServerMicroseconds)],
      ['PostgreSQL µs', (cost) => microseconds(cost.postgresMicroseconds)],
      ['/s', ({ perSecond }) => count(perSecond)],
    ],
  );
  report.say(`\n  database connections of two web servers under these loads: ${requests.databaseConnections}`);
  const perTransaction = (value: number) => value / follow.transactionsPerBlock;
  report.table(
    `Following: ${follow.blocks} blocks, ${follow.transactionsPerBlock.toFixed(1)} transactions in each`,
    ['what', 'for each block', 'for each transaction'],
    [
      ...(
        [
          ['scanner µs', follow.scannerMicroseconds],
          ['PostgreSQL µs', follow.postgresMicroseconds],
          ['a web server without clients µs', follow.webServerMicroseconds],
        ] as const
      ).map(([what, value]) => [what, microseconds(value), microseconds(perTransaction(value))]),
      ['write-ahead log, to each replica', bytesText(follow.walBytes), bytesText(perTransaction(follow.walBytes))],
    ],
  );
  report.say(`\n  database connections: ${follow.connections}`);
  report.table(
    'A second in which nothing happens, and a web server without clients',
    ['what', 'µs'],
    [
      ['web server', microseconds(idle.webServerMicroseconds)],
      ['PostgreSQL, for it', microseconds(idle.postgresMicroseconds)],
    ],
  );
  const before = new Map(part.map((table) => [table.name, table]));
  const transactions = whole.find(({ name }) => name === 'transactions')!.rows;
  const furtherTransactions = transactions - before.get('transactions')!.rows;
  /** Of a table that goes on to grow as it did between the two heights. */
  const rowsThen = ({ name, rows }: TableRows) => {
    const perTransaction = (rows - (before.get(name)?.rows ?? 0)) / furtherTransactions;
    return rows + perTransaction * (LONG_CHAIN_TRANSACTIONS - transactions);
  };
  const bytesThen = (table: TableRows) =>
    ((table.tableBytes + table.indexBytes) / Math.max(table.rows, 1)) * rowsThen(table);
  report.rows(`Tables, at ${chain.height} blocks and ${count(transactions)} transactions`, whole, [
    ['table', ({ name }) => name],
    [`rows at ${partHeight}`, ({ name }) => count(before.get(name)?.rows ?? 0)],
    [`at ${chain.height}`, ({ rows }) => count(rows)],
    ['row', (table) => bytesText(table.tableBytes / Math.max(table.rows, 1))],
    ['its indexes', (table) => bytesText(table.indexBytes / Math.max(table.rows, 1))],
    ['per transaction', (table) => bytesText((table.tableBytes + table.indexBytes) / transactions)],
    [`rows at ${count(LONG_CHAIN_TRANSACTIONS)} transactions`, (table) => count(rowsThen(table))],
    ['bytes then', (table) => bytesText(bytesThen(table))],
  ]);
  const allThen = whole.reduce((all, table) => all + bytesThen(table), 0);
  report.say(`\n  all tables then: ${bytesText(allThen)}`);
}
