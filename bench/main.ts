#!/usr/bin/env node
/** `npm run bench`: measures syncing and reading, each against a limit measured in the same run. */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { regtestPos } from '../src/chain/networks/known-networks.ts';
import { MIX_PRESETS, mixPresetByName } from '../src/devnet/sim/transaction-mix.ts';
import { etagHash } from '../src/serving/http/headers.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import { progressLine, reportReading } from './endpoint-report.ts';
import { type EndpointResult, measureReading } from './endpoint-throughput.ts';
import { measureEventStreams, possibleStreams, reportEventStreams } from './event-streams.ts';
import { measurePages, type PageResult, pageLine, reportPages } from './explorer-pages.ts';
import { measureFollowing, reportFollowing } from './follow-tip.ts';
import { measureInPlace, reportInPlace } from './in-place-indexes.ts';
import { createLargeDatabase } from './large-database.ts';
import { measureAttacks, measureSeeds } from './measure-attacks.ts';
import { type BenchChain, readChain, simulatedChainFile } from './measured-chain.ts';
import { MemoryLimit } from './memory-limit.ts';
import { measurePast, reportPast } from './past-balances.ts';
import { explainQueries, reportExplained } from './query-plans.ts';
import { measureSizeFactors, reportSizeFactors } from './query-time-by-size.ts';
import { measureReplicas, reportReplicas } from './replicas.ts';
import { bytesText, Report } from './report.ts';
import { chainOfNode, reportSync, resultOf, type Synced, syncChain } from './sync.ts';
import { costGrowthOf, growthOf, reportGrowth } from './sync-rate-by-height.ts';
import { Bed } from './test-bed.ts';
import { measureCosts, reportCosts } from './unit-costs.ts';
import { measureWallets, reportWallets } from './wallet-sync.ts';

const HELP = `Measures the indexer on this machine.

Usage: npm run bench -- [part ...] [options]

Parts (default: sync follow read):
  sync              a chain into an empty database in bulk, against decoding alone and COPY alone
  follow            from the node's event to the API, and blocks followed as fast as they come
  in-place          verify --quick; indexes built while clients read and blocks arrive, and with a scanner that is
                    killed; status 1 when a mark is missed
  read              every endpoint, hot and cold, against a bare HTTP server that sends the same bytes
  pages             the explorer's pages, hot and cold, and their sizes; status 1 when a mark is missed
  growth            blocks a second along one long chain (takes minutes); "growth read" reads that chain
  wallets           /wallet/sync with 500 addresses; status 1 when a mark is missed
  past              histories, balances and holders after a block, and exports, in a large database; status 1 when a
                    mark is missed
  replicas          web servers on streaming replicas, with the programs of TEST_REPLICATION_PROGRAMS: rates, and the
                    processor time of each process for a read
  costs             processor time and bytes for each kind of request, each block and each transaction; rows and bytes of
                    each table (docs/scaling.md)
  live              blocks and pending transactions on thousands of streams of events, and a large mempool; status 1
                    when a target is missed
  explain           the plans of all list queries at depth on a large database; status 1 if one is bad
  attacks           the effect of malicious clients on others, each kind alone (--seconds: duration, default 10); with
                    --seed or --seeds what these compose, status 1 when a mark is missed

Options:
  --chain FILE      a recorded chain instead of a simulated one (.ndjson, plain or gzip)
  --node ADDRESS    sync from a running node, up to its present tip; credentials as the scanner's, in the environment
  --network NAME    the network of that node (default mainnet)
  --preset NAME     kind of the simulated chain (default mainnet)
  --blocks N        its length (default 10000; for growth 100000)
  --seed TEXT       its seed (default 1); of attacks: theirs, a number
  --seeds A-B       the same for several attacks
  --shared          limits of attacks for a machine that others use as well
  --server DIR      the scanner and the web server of another checkout, to compare with
  --report FILE     add a line of JSON for each seed of attacks to this file
  --large           growth and in-place with 500,000 blocks
  --memory MB       growth and read within so much memory: PostgreSQL, scanner and web server together, as a machine
                    without swap; the second web server of read, which caches nothing, is outside
  --seconds X       how long each rate is measured (default 1)
  --streams N       number of event streams of live (default 10000), for at least 20 s
  --wrk             use wrk as load generator, if it is installed: it leaves more of a small machine to the server
  --only TEXT       only the endpoints or pages whose name contains this
  --rows N          transactions in the large database of explain and past (default 1000000)
  --small N         explain also on a database of so many transactions; status 1 if a query takes more than 1.5 times as
                    long on the large one
  --plans           print each plan of explain, not only bad ones
  --postgres DIR    use the PostgreSQL programs in this directory instead of the embedded ones
  --json FILE       write the results to this file
  --profile DIR     write CPU profiles of the scanner and the web server to this directory
  --help            this text
`;

const PARTS = [
  'sync',
  'follow',
  'in-place',
  'read',
  'pages',
  'wallets',
  'growth',
  'past',
  'replicas',
  'costs',
  'live',
  'explain',
  'attacks',
] as const;
type Part = (typeof PARTS)[number];

/** Blocks that are kept in memory for the limit of decoding. */
const HASHED_BLOCKS = 20_000;

const OPTIONS = {
  chain: { type: 'string' },
  node: { type: 'string' },
  network: { type: 'string', default: 'mainnet' },
  preset: { type: 'string', default: 'mainnet' },
  blocks: { type: 'string' },
  seed: { type: 'string' },
  seeds: { type: 'string' },
  shared: { type: 'boolean', default: false },
  server: { type: 'string' },
  report: { type: 'string' },
  large: { type: 'boolean', default: false },
  memory: { type: 'string' },
  seconds: { type: 'string' },
  streams: { type: 'string', default: '10000' },
  wrk: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  rows: { type: 'string', default: '1000000' },
  small: { type: 'string' },
  plans: { type: 'boolean', default: false },
  postgres: { type: 'string' },
  json: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const ATTACKED_BLOCKS = 5_000;
/** Ten blocks. */
const MIN_LIVE_SECONDS = 20;

/** The command line cannot be understood. */
class UsageError extends Error {}

type Settings = NonNullable<ReturnType<typeof readSettings>>;

/** The settings, undefined when only help is wanted. Throws a UsageError. */
function readSettings(args: string[]) {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const { preset, seed = '1' } = values;
  if (mixPresetByName(preset) === undefined) {
    throw new UsageError(`--preset must be ${Object.keys(MIX_PRESETS).join(', ')}, not "${preset}"`);
  }
  if (values.node !== undefined && positionals.join() !== 'sync')
    throw new UsageError('--node is for the part sync alone');
  const given = (option: 'blocks' | 'memory' | 'small') => {
    const text = values[option];
    return text === undefined ? undefined : wholeNumber(option, text);
  };
  return {
    ...values,
    parts: partsOf(positionals),
    seed,
    /** The seeds of attacks; none: each kind alone. */
    seeds: seedsOf(values),
    blocks: given('blocks'),
    memory: given('memory'),
    seconds: values.seconds === undefined ? undefined : secondsOf(values.seconds),
    streams: wholeNumber('streams', values.streams),
    generator: values.wrk ? ('wrk' as const) : ('own' as const),
    rows: wholeNumber('rows', values.rows),
    small: given('small'),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split('. ')[0] : String(error));
  }
}

function partsOf(names: readonly string[]): Set<Part> {
  const unknown = names.find((name) => !PARTS.includes(name as Part));
  if (unknown !== undefined) throw new UsageError(`there is no part "${unknown}"`);
  return new Set(names.length === 0 ? ['sync', 'follow', 'read'] : (names as Part[]));
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${option} must be a whole number from 1 on, not "${text}"`);
  return Number(text);
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0.1 && seconds <= 600)) throw new UsageError(`--seconds must be from 0.1 to 600, not "${text}"`);
  return seconds;
}

/** Returns the seeds of attacks; none if neither option is given. */
function seedsOf({ seed, seeds }: { readonly seed?: string; readonly seeds?: string }): number[] {
  if (seeds === undefined) return seed === undefined ? [] : [seedNumber(seed)];
  const [, first = 1, last = 0] = (/^(\d{1,9})-(\d{1,9})$/.exec(seeds) ?? []).map(Number);
  if (first > last) throw new UsageError(`--seeds must be two numbers, the smaller one first, as 1-20, not "${seeds}"`);
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

/** A number for any text: the number itself where it is one. */
function seedNumber(seed: string): number {
  return /^\d{1,9}$/.test(seed) ? Number(seed) : etagHash(seed);
}

async function sayMachine(report: Report, bed: Bed): Promise<void> {
  const machine = {
    at: new Date().toISOString(),
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? '?',
    memoryBytes: totalmem(),
    node: process.version,
    postgres: await bed.postgresVersion(),
    loadBefore: loadavg()[0] ?? 0,
  };
  report.keep('machine', machine);
  report.say(
    `${machine.at}  ${machine.cpus} × ${machine.cpu}, ${bytesText(machine.memoryBytes)}, Node ${machine.node}, ` +
      `PostgreSQL ${machine.postgres}, load before: ${machine.loadBefore.toFixed(2)}`,
  );
}

async function run(report: Report, bed: Bed, settings: Settings): Promise<void> {
  const { parts, preset, seed, generator, only, seconds = 1 } = settings;
  const say = (text: string) => report.say(text);
  const chainOf = async (usualBlocks: number, ofSeed = seed): Promise<BenchChain> => {
    const file = settings.chain ?? (await simulatedChainFile(preset, ofSeed, settings.blocks ?? usualBlocks, say));
    return readChain(file, bed.directory, HASHED_BLOCKS);
  };
  const read = async (chain: BenchChain, postgres: PostgresOptions): Promise<void> => {
    say(`\nmeasuring each endpoint${generator === 'wrk' ? ' with wrk' : ''} ...`);
    const onResult = (result: EndpointResult) => say(progressLine(result));
    const result = await measureReading(bed, { chain, postgres, seconds, generator, only, onResult });
    reportReading(report, chain.title, result);
    report.keep('read', result);
    if (bed.memory) say(bed.memory.describe());
  };
  if (settings.node !== undefined) {
    const chain = await chainOfNode(settings.node, settings.network);
    const synced = await syncChain(bed, chain, { database: 'bulk', limits: false });
    reportSync(report, chain, synced);
    return report.keep('sync', resultOf(synced));
  }
  const readsGrowth = parts.has('growth') && parts.delete('read');
  if (['sync', 'follow', 'read', 'pages', 'wallets'].some((part) => parts.has(part as Part))) {
    const chain = await chainOf(10_000);
    report.keep('chain', { title: chain.title, network: chain.network.name });
    let synced: Synced | undefined;
    if (['sync', 'read', 'pages', 'wallets'].some((part) => parts.has(part as Part))) {
      synced = await syncChain(bed, chain, { database: 'bulk', limits: parts.has('sync') });
      if (parts.has('sync')) reportSync(report, chain, synced);
      report.keep('sync', resultOf(synced));
    }
    if (parts.has('follow')) {
      const result = await measureFollowing(bed, chain);
      reportFollowing(report, result);
      report.keep('follow', result);
    }
    if (synced && parts.has('read')) await read(chain, synced.postgres);
    if (synced && parts.has('pages')) {
      say('\nmeasuring each page ...');
      const onResult = (result: PageResult) => say(pageLine(result));
      const result = await measurePages(bed, { chain, postgres: synced.postgres, seconds, generator, only, onResult });
      if (!reportPages(report, chain.title, result)) process.exitCode = 1;
      report.keep('pages', result);
    }
    if (synced && parts.has('wallets')) {
      const result = await measureWallets(bed, { chain, postgres: synced.postgres, seconds, generator });
      if (!reportWallets(report, result)) process.exitCode = 1;
      report.keep('wallets', result);
    }
  }
  if (parts.has('in-place')) {
    const result = await measureInPlace(bed, await chainOf(settings.large ? 500_000 : 20_000), generator, say);
    if (!reportInPlace(report, result)) process.exitCode = 1;
    report.keep('in-place', result);
  }
  if (parts.has('growth')) {
    const chain = await chainOf(settings.large ? 500_000 : 100_000);
    const synced = await syncChain(bed, chain, { database: 'growth', limits: false });
    const growth = { marks: growthOf(synced.samples), cost: costGrowthOf(synced.samples) };
    reportGrowth(report, chain, synced, growth);
    if (bed.memory) say(bed.memory.describe());
    report.keep('growth', { ...resultOf(synced), ...growth, memory: bed.memory?.samples });
    if (readsGrowth) await read(chain, synced.postgres);
  }
  if (parts.has('past')) {
    const result = await measurePast(bed, { rows: settings.rows, seconds, generator, say });
    if (!reportPast(report, result)) process.exitCode = 1;
    report.keep('past', result);
  }
  if (parts.has('replicas')) {
    const chain = await chainOf(2_000);
    const result = await measureReplicas(bed, { chain, seconds, generator });
    reportReplicas(report, chain.title, result);
    report.keep('replicas', result);
  }
  if (parts.has('costs')) {
    const chain = await chainOf(10_000);
    const result = await measureCosts(bed, { chain, seconds, generator });
    reportCosts(report, chain, result);
    report.keep('costs', result);
  }
  if (parts.has('attacks')) {
    // The same chain for all seeds: theirs are of the attacks.
    const chain = await chainOf(ATTACKED_BLOCKS, '1');
    const { seeds, shared: isShared, report: file, seconds = 10 } = settings;
    say('\nattacking ...');
    if (seeds.length === 0) await measureAttacks(bed, { chain, seconds, only, report });
    else if (!(await measureSeeds(bed, { chain, seeds, isShared, file, say }))) process.exitCode = 1;
  }
  if (parts.has('live')) {
    const { streams, hint } = possibleStreams(settings.streams);
    if (hint !== null) say(`\n${hint}`);
    say('\nlistening ...');
    const liveSeconds = Math.max(seconds, MIN_LIVE_SECONDS);
    const result = await measureEventStreams(bed, { streams, seconds: liveSeconds, preset, seed, generator, say });
    if (!reportEventStreams(report, result)) process.exitCode = 1;
    report.keep('live', result);
  }
  if (parts.has('explain')) {
    say('\nfilling a large database ...');
    const large = await createLargeDatabase(bed, regtestPos, settings.rows);
    const small = settings.small === undefined ? null : await createLargeDatabase(bed, regtestPos, settings.small);
    const explained = await explainQueries(bed, large);
    reportExplained(report, large, explained, settings.plans);
    report.keep('explain', explained);
    if (explained.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
    if (small !== null) {
      const factors = await measureSizeFactors(bed, small, large);
      if (!reportSizeFactors(report, [small, large], factors)) process.exitCode = 1;
      report.keep('sizes', factors);
    }
  }
}

async function measure(settings: Settings): Promise<void> {
  const report = new Report();
  const { postgres: programs, server: checkout, profile: profileDir } = settings;
  const memory = settings.memory === undefined ? undefined : new MemoryLimit(settings.memory);
  const bed = await Bed.open({ programs, checkout, profileDir, memory });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bed.close().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143)));
  }
  try {
    await sayMachine(report, bed);
    await bed.orEnd(run(report, bed, settings));
  } finally {
    await bed.close();
  }
  if (settings.json !== undefined) await report.write(settings.json);
}

async function main(): Promise<void> {
  try {
    const settings = readSettings(process.argv.slice(2));
    if (settings === undefined) process.stdout.write(HELP);
    else await measure(settings);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(isUsage ? `bench: ${reason}. See --help.\n` : `bench: ${reason}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

await main();
// After a failure, what still waits for a program that has ended must not keep the bench.
process.exit();
