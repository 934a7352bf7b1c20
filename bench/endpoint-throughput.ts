/** Reading: every endpoint hot and cold, against a bare server that sends the same bytes. */
import { type Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import { type BareAnswer, BareServer } from './bare-server.ts';
import { type Endpoint, endpointsAndLists } from './endpoint-urls.ts';
import { type Generator, type LoadedServer, LoadGenerator, type MeasuredLoad } from './load-generator.ts';
import type { BenchChain } from './measured-chain.ts';
import { readSampleIds, type SampleIds } from './sample-ids.ts';
import type { Bed, WebServer } from './test-bed.ts';

export const API = '/api/v2';
export const TIP = `${API}/chain/tip`;
/** Connections of a usual and of a heavy load. */
export const USUAL = 16;
export const HEAVY = 32;
/** The part of a measurement's time that is spent before it, to warm up the code. */
const WARM_UP = 0.3;
/** Texts up to this size leave in one piece with their headers, also from the bare server. */
const ONE_PIECE_BYTES = 16_384;

export type EndpointResult = Awaited<ReturnType<typeof measureEndpoint>>;
export type ReadResult = Awaited<ReturnType<typeof measureReading>>;

export interface Rates {
  readonly usual: MeasuredLoad;
  readonly heavy: MeasuredLoad;
}

export interface ReadOptions<Result> {
  readonly chain: Pick<BenchChain, 'network' | 'networkArgument' | 'file'>;
  readonly postgres: PostgresOptions;
  readonly seconds: number;
  readonly generator: Generator;
  /** Only endpoints or pages whose name contains this. */
  readonly only: string;
  readonly onResult: (result: Result) => void;
}

/** The measured servers, and the load. */
export interface Servers {
  readonly samples: SampleIds;
  readonly server: WebServer;
  /** Makes every response anew. What is asked again of the other one is given again. */
  readonly uncached: WebServer;
  readonly bare: BareServer;
  readonly load: LoadGenerator;
}

/** Measures while web servers serve the database. They know a node of the same chain, replayed with `replay` options. */
export async function onServers<Result>(
  bed: Bed,
  { chain, postgres, generator }: Omit<ReadOptions<never>, 'only' | 'seconds' | 'onResult'>,
  replay: readonly string[],
  measure: (servers: Servers, serving: Parameters<Bed['startWebServer']>[0]) => Promise<Result>,
): Promise<Result> {
  const client = await bed.connect(postgres);
  // What PostgreSQL does by itself some minutes after a sync: now, rather than in the middle of the measuring.
  await client.query('vacuum');
  const samples = await readSampleIds(client, chain.network);
  await bed.disconnect(client);
  const devnet = await bed.startDevnet([`--replay=${chain.file}`, ...replay]);
  const serving = { network: chain.networkArgument, node: devnet.address, postgres };
  const server = await bed.startWebServer(serving);
  const uncached = await bed.startWebServer({ ...serving, program: 'uncached-web-server' });
  const bare = await BareServer.start();
  const load = new LoadGenerator(generator, () => bed.postgresCpuSeconds());
  try {
    return await measure({ samples, server, uncached, bare, load }, serving);
  } finally {
    load.close();
    bare.close();
    for (const { program } of [server, uncached, devnet]) await bed.stop(program);
  }
}

/** Loads one web server, and one of several processes, endpoint by endpoint. */
export async function measureReading(bed: Bed, options: ReadOptions<EndpointResult>) {
  const { seconds, only, onResult } = options;
  // Fee rates come from the node; nothing else here needs its blocks.
  return onServers(bed, options, ['--upto=2'], async (servers, serving) => {
    const workers = availableParallelism();
    const manyWorkers = { ...serving, program: 'uncached-web-server', workers } as const;
    const byAll = workers > 1 ? await bed.startWebServer(manyWorkers) : null;
    const results: EndpointResult[] = [];
    const all = await endpointsAndLists(servers.samples, servers.server.port);
    for (const endpoint of all.filter(({ name }) => name.includes(only))) {
      const result = await measureEndpoint(endpoint, servers, byAll, seconds);
      onResult(result);
      results.push(result);
    }
    if (byAll !== null) await bed.stop(byAll.program);
    const peaks = [servers.server, servers.uncached].map(({ program }) => program.usage().peakBytes);
    // `workers`: the processes of `coldByAll`.
    return { endpoints: results, workers, peakBytes: Math.max(...peaks) };
  });
}

async function measureEndpoint(
  endpoint: Endpoint,
  { bare, load, server, uncached }: Servers,
  byAll: WebServer | null,
  seconds: number,
) {
  const { name, headers = {}, status = 200 } = endpoint;
  const common = { headers, status, seconds, warmUpSeconds: seconds * WARM_UP };
  const hotPath = `${API}${endpoint.hot}`;
  const answer = await ask(server.port, hotPath, headers);
  const run = (what: string, asked: LoadedServer, paths: string[], connections: number) =>
    load.rate(`${name}, ${what}`, asked, { ...common, connections, paths, unique: what === 'cold' });
  const rates = async (what: 'hot' | 'cold', asked: LoadedServer, paths: string[]): Promise<Rates> => ({
    usual: await run(what, asked, paths, USUAL),
    heavy: await run(what, asked, paths, HEAVY),
  });
  const coldPaths = endpoint.cold.map((path) => `${API}${path}`);
  await bare.use(answer);
  // The limit right beside what it limits: whatever else the machine does touches both.
  const limit = await run('bare', bare, [hotPath], USUAL);
  const hot = await rates('hot', server, [hotPath]);
  const cold = await rates('cold', uncached, coldPaths);
  const coldByAll = byAll && (await rates('cold', byAll, coldPaths));
  const mintlayerCore = endpoint.mintlayerCore ?? null;
  return {
    name,
    mintlayerCore,
    page: endpoint.page ?? null,
    bytes: Buffer.byteLength(answer.body),
    bare: limit,
    /** Both by one process. */
    hot,
    cold,
    /** Cold with a process for each processor of the machine (`--workers`); null where it has one processor. */
    coldByAll,
    /** The marks; null if mintlayer-core was not measured. */
    marks:
      mintlayerCore === null
        ? null
        : {
            /** Ten times mintlayer-core, or 60% of the bare server where that is less. */
            hot: Math.min(10 * mintlayerCore, 0.6 * limit.perSecond),
            /** Five times mintlayer-core where it gives less than 3,500, twice elsewhere. */
            cold: (mintlayerCore < 3_500 ? 5 : 2) * mintlayerCore,
          },
  };
}

/** The headers that Node adds by itself to any answer. */
const ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive']);

/** Requests a response, with all parts that a bare server needs to send it again. */
export function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent | false = false,
): Promise<BareAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const raw = response.rawHeaders;
        const kept = raw.filter((_, i) => !ADDED_BY_NODE.has(raw[i - (i % 2)]!.toLowerCase()));
        const isShortText = body.length <= ONE_PIECE_BYTES && response.headers['content-encoding'] === undefined;
        resolve({
          status: response.statusCode ?? 0,
          headers: kept,
          body: isShortText ? body.toString('utf8') : body,
        });
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}
