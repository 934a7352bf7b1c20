/**
 * Runs the scanner and a web server on a real node of mintlayer-core that is killed again and again while it takes
 * recorded blocks and pending transactions. Clients of the event stream with parsers of npm packages are cut off at
 * random. In the end all hold the node's chain.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { SeededRandom } from '../../../bench/seeded-random.ts';
import { nodeSettings } from '../../../bench/test-bed.ts';
import { decodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { regtestPos as network } from '../../../src/chain/networks/known-networks.ts';
import type { Id } from '../../../src/chain/types.ts';
import { SCANNER_PREFIX } from '../../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../../src/config/web-server.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { SupervisedProgram } from '../../../src/processes/supervised-program.ts';
import { environmentVariables, postgresSettings } from '../../../src/up/stack.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { testDatabase } from '../../support/postgres.ts';
import { recording } from '../../support/recordings.ts';
import { consistentDump } from '../../support/running-scanner.ts';
import type { SeedScope } from '../../support/seeds.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { eventually, until } from '../../support/until.ts';
import { type LoggedLine, logProblems, parseLogLine } from '../stack.ts';
import { loadParsers, startEventSource, startFetching } from './event-parser-clients.ts';
import { NodeDaemon } from './node-daemon.ts';
import { NodeLoad, readRecordedBlocks } from './node-load.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/main.ts --node PROGRAM --parsers DIRECTORY [OPTION …]

  --node PROGRAM        mintlayer-core's node-daemon, 1.4
  --parsers DIRECTORY   where npm installed eventsource and eventsource-parser
  --seed N              [1]
  --blocks N            so many of each recorded chain at most; all take ten minutes on a quiet machine [1000]
`;

/** Chains with the same genesis: one with eight reorganisations, and one that is longer in the end. */
const RECORDINGS = ['r21.ndjson', 's31.ndjson'];
/** The last blocks of a chain, of which only transactions are submitted. */
const BLOCKS_KEPT_BACK = 4;
const PAUSE_BETWEEN_BLOCKS_MS = 400;
const PAUSE_BETWEEN_KILLS_MS = 5_000;
const TYPES = 'types=block,reorg,tx_seen,tx_dropped,lag';

/** Waits until the API shows the node's tip and what is pending at the node; gives the ids of that. */
async function settled(node: NodeDaemon, api: string): Promise<Id[]> {
  let seen = '';
  const look = async () => {
    const tip = await node.patientCall('chainstate_best_block_id');
    const hexes: string[] = await node.patientCall('mempool_transactions');
    const ids = hexes.map((hex) => transactionId(decodeSignedTransaction(Buffer.from(hex, 'hex')).transaction)).sort();
    const [ownTip, ownIds] = [(await ask(api, '/chain/tip'))?.block_id, await pendingIds(api)];
    seen = `the node has ${tip} and ${ids.length} pending, we ${ownTip} and ${ownIds?.length}`;
    return ownTip === tip && isDeepStrictEqual(ownIds, ids) ? ids : undefined;
  };
  return eventually('the API shows what the node has', look, { explain: () => seen });
}

async function pendingIds(api: string): Promise<Id[] | null> {
  const ids: Id[] = [];
  for (;;) {
    const page: { id: Id }[] | null = await ask(api, `/mempool/transactions?items=100&offset=${ids.length}`);
    if (page === null) return null;
    ids.push(...page.map(({ id }) => id));
    if (page.length < 100) return ids.sort();
  }
}

/** Null: no answer, or another than 200. */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows what it asks for
async function ask(api: string, path: string): Promise<any> {
  const response = await fetch(`${api}${path}`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
  return response?.ok ? response.json().catch(() => null) : null;
}

async function main(args: string[]): Promise<void> {
  const text = { type: 'string', default: '' } as const;
  const { values } = parseArgs({
    args,
    options: { node: text, parsers: text, seed: { ...text, default: '1' }, blocks: { ...text, default: '1000' } },
  });
  if (values.node === '' || values.parsers === '') return void console.log(HELP);
  const ends: (() => unknown)[] = [];
  const scope = { after: (end: () => unknown) => void ends.push(end) } as SeedScope;
  const random = new SeededRandom(Number(values.seed));
  const problems: string[] = [];
  const log: LoggedLine[] = [];
  const parsers = await loadParsers(values.parsers);

  const node = await NodeDaemon.start(values.node, await temporaryDirectory(scope));
  scope.after(() => node.kill());
  const postgres = await testDatabase(scope);
  const database = { network: network.name, ...postgresSettings(postgres) };
  const file = (name: string) => fileURLToPath(new URL(`../../../bin/${name}.ts`, import.meta.url));
  const start = (name: LoggedLine['program'], prefix: string, settings: Readonly<Record<string, string>>) => {
    const program = new SupervisedProgram({
      name,
      file: file(name),
      args: [],
      env: {
        ...process.env,
        ...environmentVariables(prefix, { ...database, ...nodeSettings(node.address), ...settings }),
      },
      onLine: (_, line) => void log.push(parseLogLine(name, line)),
    });
    void program.refused.then(() => problems.push(`the ${name} needs a hand`));
    program.start();
    scope.after(() => program.stop());
  };
  const port = await freePort();
  start('scanner', SCANNER_PREFIX, {});
  const serving = { 'bind-address': `127.0.0.1:${port}`, workers: '2', 'enable-post-routes': 'true' };
  start('web-server', WEB_SERVER_PREFIX, serving);
  const api = `http://127.0.0.1:${port}/api/v2`;
  await settled(node, api);

  const to = { parsers, port, genesis: network.genesisId };
  const clients = [
    await startEventSource(scope, { ...to, query: TYPES }, null),
    await startEventSource(scope, { ...to, query: TYPES }, random),
    startFetching({ ...to, query: TYPES }, random),
    startFetching({ ...to, query: 'types=block,reorg' }, random),
  ];
  const load = new NodeLoad(node, api, random);
  for (const [place, name] of RECORDINGS.entries()) {
    const endKilling = load.startKilling(PAUSE_BETWEEN_KILLS_MS);
    const blocks = (await readRecordedBlocks(recording(name))).slice(0, Number(values.blocks) + BLOCKS_KEPT_BACK);
    await load.takeChain(blocks, blocks.length - BLOCKS_KEPT_BACK, PAUSE_BETWEEN_BLOCKS_MS);
    if (place > 0) await load.leaveAndReturn(blocks[0]!.id);
    await endKilling();
    // A killed node forgets what was pending.
    for (let payments = 0; payments < 5; payments++) await load.submitPayments();
    const pending = await settled(node, api);
    console.log(`${name}: ${pending.length} pending\n${JSON.stringify(load.counts, null, 2)}`);
  }

  const height: number = await node.patientCall('chainstate_best_block_height');
  const chain: Id[] = [];
  const own: Id[] = [];
  const bytes: Buffer[] = [];
  for (let at = 0; at <= height; at++) {
    const id = await node.patientCall('chainstate_block_id_at_height', at);
    chain.push(id);
    own.push(await ask(api, `/chain/${at}`));
    if (at > 0) bytes.push(Buffer.from(await node.patientCall('chainstate_get_block', id), 'hex'));
  }
  if (!isDeepStrictEqual(own, chain)) problems.push('the chain of the API is not the node’s');
  for (const { reader, end } of clients) {
    const isThere = () => reader.lastEventId === `${height}-${chain.at(-1)}`;
    await until(isThere, `${reader.name} comes to the end`).catch(({ message }) => problems.push(message));
    await end();
    problems.push(...reader.problems);
    if (!isDeepStrictEqual(reader.rebuilt.chain, chain)) problems.push(`${reader.name} holds another chain`);
    console.log(`${reader.name}: cut off ${reader.cuts} times, ${JSON.stringify(reader.events)}`);
  }

  const env = { ...process.env, ...environmentVariables(SCANNER_PREFIX, database) };
  const verify = spawnSync(process.execPath, [file('verify')], { env, encoding: 'utf8' });
  if (verify.status !== 0) problems.push(`verify: ${verify.stdout} ${verify.stderr}`);
  const fresh = await TestIndex.create(scope, network);
  await fresh.followBytes(bytes);
  const [right, found] = [await fresh.dump(), await consistentDump(postgres, network)];
  for (const table of Object.keys(right)) {
    if (!isDeepStrictEqual(found[table], right[table]))
      problems.push(`the table ${table} is not that of a fresh index`);
  }
  problems.push(...logProblems(log));
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  console.log(problems.length === 0 ? `all hold the node's chain of ${height} blocks` : `${problems.length} problems`);
  for (const end of ends.reverse()) await end();
  process.exit(problems.length === 0 ? 0 : 1);
}

await main(process.argv.slice(2));
