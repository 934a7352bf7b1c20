/** A whole chain into an empty database, with the programs as they run in production. */
import type pg from 'pg';
import { networkOption } from '../src/config/network.ts';
import { nodeClientOptionsOf, nodeOptions } from '../src/config/node.ts';
import { readOptions } from '../src/config/option.ts';
import { SCANNER_PREFIX } from '../src/config/scanner.ts';
import { NodeClient } from '../src/node/client.ts';
import type { BenchChain } from './measured-chain.ts';
import { usageOf } from './process-usage.ts';
import { bytesText, count, type Report, ratio } from './report.ts';
import { measureCopy, measureHashing } from './sync-lower-bounds.ts';
import type { Bed } from './test-bed.ts';
import { type TipSample, watchTip } from './watch-database-tip.ts';

/** The result of a sync: its costs, its database, and its progress over time. */
export type Synced = Awaited<ReturnType<typeof syncChain>>;
export type SyncResult = Omit<Synced, 'postgres' | 'samples'>;

interface TableSize {
  readonly name: string;
  readonly tableBytes: number;
  readonly indexBytes: number;
}

/** A chain to sync: of a file, served by the devnet, or of a node that runs already. */
interface ChainToSync extends Pick<BenchChain, 'title' | 'networkArgument' | 'height' | 'blocks'> {
  readonly from: { readonly file: string } | { readonly running: string };
}

/** The chain of a running node up to its present tip. The environment of the scanner has the credentials. */
export async function chainOfNode(address: string, networkArgument: string): Promise<ChainToSync> {
  const table = { network: networkOption, ...nodeOptions };
  const args = [`--network=${networkArgument}`, `--node-rpc-address=${address}`];
  const values = readOptions(table, SCANNER_PREFIX, args, process.env);
  const { network } = values;
  const node = new NodeClient({ ...nodeClientOptionsOf(values, network), network });
  const { height } = (await node.chainInfo().finally(() => node.close())).bestBlock;
  const title = `${network.name} of the node at ${address}, ${height} blocks`;
  return { title, networkArgument, height, blocks: [], from: { running: address } };
}

/** Syncs the chain into a new database and leaves it there. */
export async function syncChain(bed: Bed, chain: ChainToSync, options: { database: string; limits: boolean }) {
  const postgres = await bed.createDatabase(options.database);
  const client = await bed.connect(postgres);
  const emptyBytes = await databaseBytes(client);
  const { from, networkArgument: network } = chain;
  const devnet = 'file' in from ? await bed.startDevnet([`--replay=${from.file}`]) : null;
  const serving = { network, node: devnet?.address ?? (from as { running: string }), postgres };
  const devnetSeconds = () => devnet?.program.usage().cpuSeconds ?? 0;
  const devnetCpu = devnetSeconds();
  const postgresCpu = bed.postgresCpuSeconds();

  const startedAt = performance.now();
  const scanner = bed.startScanner(serving);
  const cpu = () => usageOf(scanner.pid).cpuSeconds + bed.postgresCpuSeconds();
  const synced = watchTip(client, ({ height, isReady }) => isReady && height >= chain.height, cpu);
  // As in production it waits for the index. If either program ends, nobody waits for the other.
  const [samples, webServer] = await scanner.orEnd(Promise.all([synced, bed.memory && bed.startWebServer(serving)]));
  const usage = usageOf(scanner.pid);
  const cpuSeconds = {
    scanner: usage.cpuSeconds,
    devnet: devnetSeconds() - devnetCpu,
    postgres: bed.postgresCpuSeconds() - postgresCpu,
  };
  await bed.stop(scanner);
  if (webServer) await bed.stop(webServer.program);
  if (devnet) await bed.stop(devnet.program);

  const seconds = phases(startedAt, samples, chain.height);
  const transactions = samples.at(-1)!.transactions;
  const bytes = (await databaseBytes(client)) - emptyBytes;
  const tables = await tableSizes(client);
  const limits = options.limits
    ? { hashing: measureHashing(chain.blocks), copy: await measureCopy(bed, client) }
    : null;
  await bed.disconnect(client);
  return {
    blocks: chain.height,
    transactions,
    seconds,
    blocksPerSecond: chain.height / seconds.blocks,
    transactionsPerSecond: transactions / seconds.blocks,
    cpuSeconds: Number.isNaN(cpuSeconds.scanner) ? null : cpuSeconds,
    peakBytes: usage.peakBytes,
    databaseBytes: bytes,
    bytesPerTransaction: bytes / Math.max(transactions, 1),
    tables,
    limits,
    postgres,
    samples,
  };
}

/** Blocks: until the last one is in the database, the program's start included. Indexes: until readers are served. */
function phases(startedAt: number, samples: readonly TipSample[], height: number) {
  const last = samples.find((sample) => sample.height >= height)!.at;
  const ready = samples.at(-1)!.at;
  return { blocks: (last - startedAt) / 1000, indexes: (ready - last) / 1000, all: (ready - startedAt) / 1000 };
}

async function databaseBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
  return rows[0]!.bytes;
}

async function tableSizes(client: pg.Client): Promise<TableSize[]> {
  const { rows } = await client.query<TableSize>(
    `select relname as name, pg_table_size(oid) as "tableBytes", pg_indexes_size(oid) as "indexBytes" from pg_class
     where relnamespace = 'chain_indexer'::regnamespace and relkind = 'r'
     order by pg_total_relation_size(oid) desc`,
  );
  return rows;
}

/** The result without what only this process needs. */
export function resultOf({ postgres: _, samples: __, ...result }: Synced): SyncResult {
  return result;
}

export function reportSync(report: Report, chain: Pick<BenchChain, 'title'>, result: SyncResult): void {
  const { seconds, limits, cpuSeconds, peakBytes } = result;
  report.table(
    `Bulk sync: ${chain.title}, ${count(result.transactions)} transactions`,
    ['what', 'value'],
    [
      ['blocks/s', count(result.blocksPerSecond)],
      ['transactions/s', count(result.transactionsPerSecond)],
      ['seconds: start and blocks', seconds.blocks.toFixed(2)],
      ['seconds: indexes', seconds.indexes.toFixed(2)],
      ['seconds: all', seconds.all.toFixed(2)],
      ...(cpuSeconds
        ? [
            ['CPU seconds: scanner', cpuSeconds.scanner.toFixed(1)],
            ['CPU seconds: PostgreSQL', cpuSeconds.postgres.toFixed(1)],
            ...(cpuSeconds.devnet > 0 ? [['CPU seconds: devnet', cpuSeconds.devnet.toFixed(1)]] : []),
          ]
        : []),
      ['scanner memory, peak', Number.isNaN(peakBytes) ? '–' : bytesText(peakBytes)],
      ['database', bytesText(result.databaseBytes)],
      ['database per transaction', bytesText(result.bytesPerTransaction)],
    ],
  );
  report.table(
    'Where the database bytes are',
    ['table', 'rows', 'indexes', 'per transaction'],
    result.tables
      .filter(({ tableBytes, indexBytes }) => tableBytes + indexBytes > result.databaseBytes / 100)
      .map(({ name, tableBytes, indexBytes }) => [
        name,
        bytesText(tableBytes),
        bytesText(indexBytes),
        bytesText((tableBytes + indexBytes) / Math.max(result.transactions, 1)),
      ]),
  );
  if (limits) {
    const copyBlocks = result.blocks / limits.copy.seconds;
    report.table(
      'Bulk sync against its limits in the same run',
      ['limit', 'blocks/s', 'MB/s', 'the sync, of it'],
      [
        [
          'decoding and hashing alone, one thread',
          count(limits.hashing.blocksPerSecond),
          count((limits.hashing.megabytes / limits.hashing.blocks) * limits.hashing.blocksPerSecond),
          ratio(result.blocksPerSecond / limits.hashing.blocksPerSecond),
        ],
        [
          `COPY of the same ${count(limits.copy.rows)} rows alone`,
          count(copyBlocks),
          count(limits.copy.megabytes / limits.copy.seconds),
          ratio(result.blocksPerSecond / copyBlocks),
        ],
      ],
    );
  }
}
