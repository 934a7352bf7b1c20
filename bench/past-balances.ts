/**
 * Balances with a past, in a large database: pages of an address' history and its balances after a block, holders of a token
 * after a block, and exports beside small reads.
 */
import { availableParallelism } from 'node:os';
import { destinationAddress, tokenAddress } from '../src/chain/address.ts';
import { regtestPos } from '../src/chain/networks/known-networks.ts';
import { API, HEAVY } from './endpoint-throughput.ts';
import { createLargeDatabase, largeDatabaseOwner } from './large-database.ts';
import { type Generator, LoadGenerator } from './load-generator.ts';
import { familyMemory } from './process-usage.ts';
import { bytesText, count, millisecondsText, percentile, type Report, sorted } from './report.ts';
import { reportTargets, type Target, target } from './report-targets.ts';
import type { Bed, WebServer } from './test-bed.ts';

const network = regtestPos;
/** The token with many holders, each of which changed many times. */
const TOKEN = 'b1'.repeat(32);
const HOLDERS = 100_000;
const CHANGES_OF_EACH = 50;
/** The heights at which balances are asked for. */
const HEIGHTS = 500;
const FIRST_PAGES = 5;
const SMALL_READ_MS = 20;

const LEAST = { pages: 5_000, holderPages: 2_000, exported: 50_000 };
const MOST = { firstHoldersMs: 1_000, depth: 1.5, p99Ms: 50, memory: 96 * 1024 * 1024 };

/** Every holder changes once in each part of the chain, at a height of its own. $BLOCKS: the height of the tip. */
const FILL = `
  insert into balance_changes (height, position, kinds, owner, currency, change, balance, locked, fee)
  select 1 + (part::bigint * $BLOCKS / ${CHANGES_OF_EACH}) + n * 7919 % ($BLOCKS / ${CHANGES_OF_EACH}), 3 + n / 1000, 1,
         '\\x01'::bytea || substr(sha256(('holder' || n)::bytea), 1, 20), '\\x${TOKEN}'::bytea,
         case part when 0 then 1 + n % 97 else 1 end, part + 1 + n % 97, 0, 0
    from generate_series(0, ${CHANGES_OF_EACH - 1}) part, generate_series(1, ${HOLDERS}) n`;
const FILL_TOKEN = `
  insert into tokens (token_id, creation_height, ticker, decimals, metadata_uri, total_supply_type, circulating_supply,
                      is_locked, is_frozen, is_freezable, authority, next_nonce)
  values ('\\x${TOKEN}', 0, '\\x54', 2, '\\x', 'Unlimited', 1000000, false, false, false, '\\x00', 0);
  insert into statistics (currency, circulating_supply, preminted, burned, staked, holders, effective_stake)
  values ('\\x${TOKEN}', 1000000, 0, 0, 0, ${HOLDERS}, 0);
  insert into supplies (height, currency, circulating_supply, preminted, burned, staked)
  values (0, '\\x${TOKEN}', 1000000, 0, 0, 0)`;

interface Exported {
  readonly rows: number;
  readonly seconds: number;
  /** By how much the memory of the server grew, in bytes. */
  readonly grownBytes: number;
  /** Milliseconds of small reads of another client meanwhile. */
  readonly others: readonly number[];
}

export async function measurePast(
  bed: Bed,
  options: {
    readonly rows: number;
    readonly seconds: number;
    readonly generator: Generator;
    readonly say: (text: string) => void;
  },
) {
  const { say, seconds, rows } = options;
  say(
    `\nfilling a database with ${count(rows)} transactions and ${count(HOLDERS * CHANGES_OF_EACH)} changes of a token ...`,
  );
  const blocks = Math.floor(rows / 3);
  const { postgres } = await createLargeDatabase(bed, network, rows, [
    FILL.replaceAll('$BLOCKS', `${blocks}`),
    ...FILL_TOKEN.split(';'),
  ]);
  const devnet = await bed.startDevnet(['--preset=demo', '--blocks=2']);
  const load = new LoadGenerator(options.generator, () => bed.postgresCpuSeconds());
  const serving = { network: network.name, node: devnet.address, postgres };
  const asked = { connections: HEAVY, unique: false, status: 200, warmUpSeconds: seconds / 3, seconds };
  const whale = `/address/${destinationAddress(network, largeDatabaseOwner(0))}`;
  const holders = `/statistics/token/${tokenAddress(network, TOKEN)}/holders?height=`;
  /** Addresses that have appeared by then, each after a block of its own. */
  const afterBlocksFrom = (first: number) =>
    Array.from({ length: HEIGHTS }, (_, i) => {
      const address = destinationAddress(network, largeDatabaseOwner(2 + i));
      return `/address/${address}?height=${Math.floor(first + (i * blocks) / (4 * HEIGHTS))}`;
    });
  try {
    const server = await bed.startWebServer({
      ...serving,
      program: 'uncached-web-server',
      workers: availableParallelism(),
    });
    const rateOf = async (what: string, paths: readonly string[]) => {
      const { perSecond } = await load.rate(what, server, { ...asked, paths: paths.map((path) => `${API}${path}`) });
      say(`  ${what}: ${count(perSecond)}/s`);
      return perSecond;
    };
    const deep = await cursorAt(server, `${whale}/history?items=100`, Math.floor(rows / 200));
    const rates = {
      newest: await rateOf('history, first page', [`${whale}/history`]),
      deep: await rateOf('history, in its middle', [`${whale}/history?cursor=${deep}`]),
      early: await rateOf('an address after a block, early', afterBlocksFrom(blocks / 5)),
      late: await rateOf('an address after a block, late', afterBlocksFrom((3 * blocks) / 4)),
    };
    await bed.stop(server.program);

    const one = await bed.startWebServer(serving);
    const firstPages: number[] = [];
    for (let n = 0; n < FIRST_PAGES; n++) {
      const began = performance.now();
      await json(one, `${holders}${Math.floor(blocks / 2) + n}`);
      firstPages.push(performance.now() - began);
    }
    const middle = `${holders}${Math.floor(blocks / 2)}`;
    const cursors = [await cursorAt(one, `${middle}&items=100`, 10), await cursorAt(one, `${middle}&items=100`, 500)];
    const later = await load.rate('later pages of holders', one, {
      ...asked,
      paths: cursors.map((cursor) => `${API}${middle}&cursor=${cursor}`),
      unique: true,
    });
    say(`  later pages of holders: ${count(later.perSecond)}/s`);
    // The first export warms up.
    await exported(one, `${whale}/history?format=csv&to=%23100`);
    const history = await exported(one, `${whale}/history?format=csv`);
    const ofHolders = await exported(one, `${middle}&format=csv`);
    await bed.stop(one.program);
    return { rates, firstPages: sorted(firstPages), later: later.perSecond, history, holders: ofHolders };
  } finally {
    load.close();
    await bed.stop(devnet.program);
  }
}

async function json(server: WebServer, path: string): Promise<{ readonly next_cursor: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${API}${path}`);
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
  return (await response.json()) as { next_cursor: string };
}

/** Walks so many pages. */
async function cursorAt(server: WebServer, path: string, pages: number): Promise<string> {
  let cursor = '';
  for (let n = 0; n < pages; n++) cursor = (await json(server, `${path}&cursor=${cursor}`)).next_cursor;
  return cursor;
}

async function exported(server: WebServer, path: string): Promise<Exported> {
  const before = familyMemory(server.pid);
  let peak = before;
  let isOver = false;
  const others: number[] = [];
  const reads = (async () => {
    while (!isOver) {
      const began = performance.now();
      await json(server, `/chain/at?time=${1_700_000_000 + others.length * 120}`);
      others.push(performance.now() - began);
      peak = Math.max(peak, familyMemory(server.pid));
      await new Promise((resolve) => setTimeout(resolve, SMALL_READ_MS));
    }
  })();
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${server.port}${API}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
  let rows = -1;
  for await (const chunk of response.body!) for (const byte of chunk as Uint8Array) if (byte === 10) rows++;
  const seconds = (performance.now() - began) / 1_000;
  isOver = true;
  await reads;
  return { rows, seconds, grownBytes: peak - before, others: sorted(others) };
}

/** Prints all with their marks; gives whether they are met. */
export function reportPast(
  report: Report,
  { rates, firstPages, later, history, holders }: Awaited<ReturnType<typeof measurePast>>,
): boolean {
  const perSecond = (value: number) => `${count(value)}/s`;
  const factor = (value: number) => value.toFixed(2);
  const ofExport = (what: string, { rows, seconds, grownBytes, others }: Exported): Target[] => [
    target(`${what}: ${count(rows)} rows`, rows / seconds, perSecond, { least: LEAST.exported }),
    target(`${what}: growth of the server's memory`, grownBytes, bytesText, { most: MOST.memory }),
    target(`${what}: small reads of others meanwhile, p99`, percentile(others, 0.99), millisecondsText, {
      most: MOST.p99Ms,
    }),
  ];
  return reportTargets(report, `Balances with a past, nothing cached, ${HEAVY} connections`, [
    target('history, first page', rates.newest, perSecond, { least: LEAST.pages }),
    target('history, in its middle', rates.deep, perSecond, { least: LEAST.pages }),
    target('first page / deep page', rates.newest / rates.deep, factor, { most: MOST.depth }),
    target('an address after a block, early', rates.early, perSecond, { least: LEAST.pages }),
    target('an address after a block, late', rates.late, perSecond, { least: LEAST.pages }),
    target('holders after a block, first page, median', percentile(firstPages, 0.5), millisecondsText, {
      most: MOST.firstHoldersMs,
    }),
    target('holders after a block, later pages', later, perSecond, { least: LEAST.holderPages }),
    ...ofExport('export of holders', holders),
    ...ofExport('export of a history', history),
  ]);
}
