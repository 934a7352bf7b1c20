/**
 * Reads from one, two and three streaming replicas, each with a web server of its own, and from the primary for comparison:
 * rates, and the processor time of each process for a read.
 */
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import { USUAL } from './endpoint-throughput.ts';
import { type Generator, LoadGenerator, type MeasuredLoad } from './load-generator.ts';
import type { BenchChain } from './measured-chain.ts';
import { familyCpuSeconds } from './process-usage.ts';
import { noReplication, type PostgresServer, startReplicated } from './replicated-postgres.ts';
import { count, microseconds, millisecondsText, type Report } from './report.ts';
import { readSampleIds } from './sample-ids.ts';
import type { Bed, WebServer } from './test-bed.ts';
import { watchTip } from './watch-database-tip.ts';
import { smallReads } from './well-behaved-requests.ts';

const REPLICAS = 3;
const CONNECTIONS = 10;

/** A web server, with the database server that it reads from. */
interface Reading {
  readonly server: WebServer;
  readonly from: PostgresServer;
}

type ArrangementResult = Awaited<ReturnType<typeof measureArrangement>>;

/** `seconds`: of each arrangement. Throws if there are no programs for replication. */
export async function measureReplicas(
  bed: Bed,
  { chain, seconds, generator }: { chain: BenchChain; seconds: number; generator: Generator },
): Promise<readonly ArrangementResult[]> {
  if (noReplication) throw new Error(noReplication);
  const ends: (() => unknown)[] = [];
  try {
    const { primary, replicas } = await startReplicated({ after: (end) => ends.push(end) }, REPLICAS);
    const devnet = await bed.startDevnet([`--replay=${chain.file}`]);
    const serving = { network: chain.networkArgument, node: devnet.address };
    const scanner = bed.startScanner({ ...serving, postgres: optionsOf(primary) });
    const client = await bed.connect(optionsOf(primary));
    await scanner.orEnd(watchTip(client, ({ height, isReady }) => isReady && height >= chain.height));
    await client.query('vacuum');
    const samples = await readSampleIds(client, chain.network);
    await bed.disconnect(client);
    for (const replica of replicas) {
      const reader = await bed.connect(optionsOf(replica));
      await watchTip(reader, ({ height, isReady }) => isReady && height >= chain.height);
      await bed.disconnect(reader);
    }
    const paths = smallReads(samples).map(({ path }) => path);
    const startOn = async (from: PostgresServer): Promise<Reading> => ({
      server: await bed.startWebServer({ ...serving, postgres: optionsOf(from), program: 'uncached-web-server' }),
      from,
    });
    const results: ArrangementResult[] = [];
    const measure = async (name: string, ...from: readonly PostgresServer[]) => {
      const reading: Reading[] = [];
      for (const each of from) reading.push(await startOn(each));
      results.push(
        await measureArrangement(name, reading, { primary, scanner: scanner.pid, paths, seconds, generator }),
      );
      // A web server that is not asked anything asks for the tip.
      for (const { server } of reading) await bed.stop(server.program);
    };
    await measure('1, on the primary', primary);
    await measure('1, on a replica', ...replicas.slice(0, 1));
    for (let n = 2; n <= REPLICAS; n++) await measure(`${n}, each on a replica`, ...replicas.slice(0, n));
    await bed.stop(scanner);
    await bed.stop(devnet.program);
    return results;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function optionsOf({ options }: PostgresServer): PostgresOptions {
  return { ...options, maxConnections: CONNECTIONS };
}

async function measureArrangement(
  name: string,
  reading: readonly Reading[],
  {
    primary,
    scanner,
    paths,
    seconds,
    generator,
  }: { primary: PostgresServer; scanner: number; paths: readonly string[]; seconds: number; generator: Generator },
) {
  const generators = reading.map(({ from }) => new LoadGenerator(generator, () => familyCpuSeconds(from.pid)));
  const cpu = () => ({ primary: familyCpuSeconds(primary.pid), scanner: familyCpuSeconds(scanner) });
  try {
    const before = cpu();
    const loads = await Promise.all(
      reading.map(({ server: { port, pid } }, i) =>
        generators[i]!.measure(
          { port, connections: USUAL, paths, unique: true, status: 200, warmUpSeconds: seconds * 0.3, seconds },
          pid,
        ),
      ),
    );
    const after = cpu();
    const sum = (of: (load: MeasuredLoad) => number) => loads.reduce((all, load) => all + of(load), 0);
    const answers = sum((load) => load.answers);
    const perAnswer = (cpuSeconds: number) => (cpuSeconds * 1e6) / answers;
    return {
      name,
      answers,
      perSecond: sum((load) => load.perSecond),
      p99Ms: Math.max(...loads.map(({ p99Ms }) => p99Ms)),
      /** The first response that was not one, with its status. */
      wrong: loads.find(({ wrong }) => wrong !== null)?.wrong ?? null,
      webServerMicroseconds: sum((load) => load.serverMicroseconds * load.answers) / answers,
      /** Of the database servers that are read from. */
      postgresMicroseconds: sum((load) => load.postgresMicroseconds * load.answers) / answers,
      primaryMicroseconds: perAnswer(after.primary - before.primary),
      scannerMicroseconds: perAnswer(after.scanner - before.scanner),
    };
  } finally {
    for (const each of generators) each.close();
  }
}

export function reportReplicas(report: Report, title: string, results: readonly ArrangementResult[]): void {
  report.rows(
    `Web servers and replicas: small reads, nothing cached, ${USUAL} connections to each; ${title}. µs of processor time for a read`,
    results,
    [
      ['web servers', ({ name }) => name],
      ['reads', ({ answers }) => count(answers)],
      ['failed', ({ wrong }) => wrong ?? '0'],
      ['reads/s', ({ perSecond }) => count(perSecond)],
      ['p99', ({ p99Ms }) => millisecondsText(p99Ms)],
      ['web server µs', ({ webServerMicroseconds }) => microseconds(webServerMicroseconds)],
      ['its PostgreSQL µs', ({ postgresMicroseconds }) => microseconds(postgresMicroseconds)],
      ['primary µs', ({ primaryMicroseconds }) => primaryMicroseconds.toFixed(1)],
      ['scanner µs', ({ scannerMicroseconds }) => scannerMicroseconds.toFixed(1)],
    ],
  );
}
