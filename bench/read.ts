/** Reading: every endpoint hot and cold, against a bare server that sends the same bytes. */
import { request } from 'node:http';
import type { PostgresOptions } from '../src/store/connect.ts';
import { type BareAnswer, BareServer } from './bare-server.ts';
import type { Bed } from './bed.ts';
import type { BenchChain } from './chain.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { LoadGenerator, type MeasuredLoad } from './load.ts';
import { readSamples } from './samples.ts';

export const API = '/api/v2';
/** Connections of a usual and of a heavy load. */
const USUAL = 16;
const HEAVY = 32;
/** So much of a measurement's time goes before it, for the code to get warm. */
const WARM_UP = 0.3;
/** Texts up to this size leave in one piece with their headers, also from the bare server. */
const ONE_PIECE_BYTES = 16_384;

export interface EndpointResult {
  readonly name: string;
  readonly mintlayerCore: number | null;
  readonly page: Endpoint['page'] | null;
  readonly bytes: number;
  readonly bare: MeasuredLoad;
  readonly hot: { readonly usual: MeasuredLoad; readonly heavy: MeasuredLoad };
  readonly cold: { readonly usual: MeasuredLoad; readonly heavy: MeasuredLoad };
  /** What was to be reached; null where mintlayer-core was not measured. */
  readonly marks: Marks | null;
}

export interface Marks {
  /** Ten times mintlayer-core, or 60% of the bare server where that is less. */
  readonly hot: number;
  /** Five times mintlayer-core where it gives less than 3,500, twice elsewhere. */
  readonly cold: number;
}

export interface ReadResult {
  readonly endpoints: readonly EndpointResult[];
  readonly peakBytes: number | null;
}

export interface ReadOptions {
  readonly chain: Pick<BenchChain, 'network' | 'networkArgument' | 'file'>;
  readonly postgres: PostgresOptions;
  readonly seconds: number;
  /** Only endpoints whose name contains this. */
  readonly only: string;
  readonly onResult: (result: EndpointResult) => void;
}

/** Serves the database with one web server and loads it, one endpoint after the other. */
export async function measureReading(bed: Bed, options: ReadOptions): Promise<ReadResult> {
  const { chain, postgres, only } = options;
  const client = await bed.connect(postgres);
  const samples = await readSamples(client, chain.network);
  await bed.disconnect(client);
  // Fee rates come from the node; nothing else here needs its blocks.
  const devnet = await bed.startDevnet([`--replay=${chain.file}`, '--upto=2']);
  const server = await bed.startWebServer({ network: chain.networkArgument, node: devnet.address, postgres });
  const bare = await BareServer.start();
  const load = new LoadGenerator(() => bed.postgresCpuSeconds());
  const results: EndpointResult[] = [];
  try {
    for (const endpoint of endpoints(samples).filter(({ name }) => name.includes(only))) {
      const result = await measureEndpoint(endpoint, {
        bare,
        load,
        server,
        seconds: options.seconds,
      });
      options.onResult(result);
      results.push(result);
    }
  } finally {
    load.close();
    bare.close();
  }
  const peakBytes = server.program.usage()?.peakBytes ?? null;
  await bed.stop(server.program);
  await bed.stop(devnet.program);
  return { endpoints: results, peakBytes };
}

interface Measuring {
  readonly bare: BareServer;
  readonly load: LoadGenerator;
  readonly server: { readonly port: number; readonly program: { readonly pid: number } };
  readonly seconds: number;
}

async function measureEndpoint(endpoint: Endpoint, measuring: Measuring): Promise<EndpointResult> {
  const { bare, load, server, seconds } = measuring;
  const { headers, status = 200 } = endpoint;
  const common = { headers: headers ?? {}, status, seconds, warmUpSeconds: seconds * WARM_UP };
  const hotPath = `${API}${endpoint.hot}`;
  const answer = await ask(server.port, hotPath, common.headers);
  const run = async (
    what: string,
    port: number,
    pid: number,
    connections: number,
    paths: string[],
    unique: boolean,
  ) => {
    const result = await load.measure({ ...common, port, connections, paths, unique }, pid);
    if (result.wrong !== null) throw new Error(`${endpoint.name}, ${what}: status ${result.wrong}`);
    return result;
  };
  const ours = server.program.pid;
  const cold = endpoint.cold.map((path) => `${API}${path}`);
  await bare.use(answer);
  // The limit right beside what it limits: whatever else the machine does touches both.
  const limit = await run('bare', bare.port, bare.pid, USUAL, [hotPath], false);
  const hotUsual = await run('hot', server.port, ours, USUAL, [hotPath], false);
  const hotHeavy = await run('hot', server.port, ours, HEAVY, [hotPath], false);
  const coldUsual = await run('cold', server.port, ours, USUAL, cold, true);
  const coldHeavy = await run('cold', server.port, ours, HEAVY, cold, true);
  const mintlayerCore = endpoint.mintlayerCore ?? null;
  return {
    name: endpoint.name,
    mintlayerCore,
    page: endpoint.page ?? null,
    bytes: Buffer.byteLength(answer.body),
    bare: limit,
    hot: { usual: hotUsual, heavy: hotHeavy },
    cold: { usual: coldUsual, heavy: coldHeavy },
    marks:
      mintlayerCore === null
        ? null
        : {
            hot: Math.min(10 * mintlayerCore, 0.6 * limit.perSecond),
            cold: (mintlayerCore < 3_500 ? 5 : 2) * mintlayerCore,
          },
  };
}

/** The headers that Node adds by itself to any answer. */
const ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive']);

/** One answer with all that a bare server needs to send it again. */
export function ask(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<BareAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
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
