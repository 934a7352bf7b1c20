/** A run of a seed: a chain that grows and reorganises, clients on everything, and faults at random moments. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { SeededRandom } from '../../bench/seeded-random.ts';
import { SCHEMA_NAME } from '../../src/store/postgres/connect.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { consistentDump, query } from '../support/running-scanner.ts';
import type { SeedScope } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startAnswerClients } from './answer-clients.ts';
import { FAULT_KINDS, HOUR_MS, MAX_CLOCK_MOVE_HOURS } from './fault-kinds.ts';
import { FaultyNode } from './faulty-node.ts';
import type { FaultyPostgres } from './faulty-postgres.ts';
import { QuietIndex } from './quiet-index.ts';
import { logProblems, type ProgramName, Stack } from './stack.ts';
import { STANDSTILLS } from './standstills.ts';
import { StreamClients } from './stream-clients.ts';

const FIRST_BLOCKS = 250;
const RUN_MS = 5_000;
const MAX_RUN_MS = 30_000;
const MAX_REORGANISATION = 6;
const CLOCK_BACK_MS = 2 * MAX_CLOCK_MOVE_HOURS * HOUR_MS;
/** The kinds of faults that end processes: three times as frequent as others. */
const KILLS = /PostgreSQL restarts|dies|killed/;
/** A program without faults has half as much at most. */
const MAX_PROCESS_BYTES = 500_000_000;
/** A busy machine is no fault. */
const PATIENCE = { withinMs: 90_000 };

/** What happens when, in milliseconds since the beginning: the same for a seed. */
function planFaults(random: SeededRandom, only: string) {
  const kinds = Object.keys(FAULT_KINDS).filter((kind) => kind.includes(only));
  const kills = kinds.filter((kind) => KILLS.test(kind));
  const plan = Array.from({ length: random.whole(8, 14) }, () => ({
    kind: random.pick([...kinds, ...kills, ...kills]),
    at: random.whole(0, RUN_MS - 1_500),
    forMs: random.whole(100, 3_000),
  }));
  return plan.sort((a, b) => a.at - b.at);
}

/** Gives the faults, what was wrong, and how much was looked at. */
export async function runSeed(scope: SeedScope, postgres: FaultyPostgres, seed: number, only: string) {
  const random = new SeededRandom(seed);
  const plan = planFaults(random, only);
  const standstill = random.pick(Object.keys(STANDSTILLS));
  const faults = [...plan.map(({ kind }) => kind), standstill];
  const problems: string[] = [];
  const figures: string[] = [];
  const killsBefore = postgres.kills;
  try {
    const node = await FaultyNode.open(seed, FIRST_BLOCKS);
    const first = await QuietIndex.open(scope, node);
    await first.follow();
    const urls = await first.urls();
    const stack = await Stack.start(scope, node, postgres);
    // Some are disturbed from the beginning.
    const since = random.isTrue(0.3) ? node.network.genesisId : node.tip().id;
    if (since === node.tip().id) {
      await settled(stack);
      // Commits do not wait for the disk: without this, a PostgreSQL that is killed could lose what came before.
      await query(stack.database, 'checkpoint');
    }

    const address = /\/address\/(\w+)/.exec(urls.join(' '))![1]!;
    const streams = new StreamClients(stack, seed, ['', 'types=block,reorg,lag', `address=${address}&types=block,lag`]);
    const clients = startAnswerClients(stack.port, urls, new SeededRandom(seed));
    try {
      await disturb(stack, plan, random);
      await settled(stack);
      // What began while the node answered without end goes on until it is settled.
      const peakBytes = stack.peakBytes();
      figures.push(`${Math.round(peakBytes / 1e6)} MB`, `${stack.kills + postgres.kills - killsBefore} kills`);
      if (peakBytes > MAX_PROCESS_BYTES) problems.push(`a process had ${peakBytes} bytes`);
      // What is due goes on, though the clock is set back below what it ever was.
      stack.moveClock(-CLOCK_BACK_MS);
      node.evict();
      node.mine();
      await settled(stack);
      problems.push(...(await wrongReorganisations(stack)));
      problems.push(...(await STANDSTILLS[standstill]!(stack, random)));
      node.showOwn();
      node.mine();
      await settled(stack);
      problems.push(...(await streams.end()));
    } finally {
      streams.giveUp();
      await clients.end();
      problems.push(...clients.problems, ...logProblems(stack.log));
      figures.push(JSON.stringify(clients.counts), `${clients.answers.size} compared`, `${streams.visits} visits`);
    }
    const quiet = await QuietIndex.open(scope, node);
    quiet.keep(clients.answers.values());
    const compared = [differentTables(scope, stack), quiet.follow(undefined, since)];
    problems.push(...(await Promise.all(compared)).flat(), ...quiet.leftOver());
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { faults, problems, figures: figures.join(', ') };
}

/** Which tables are not those of an index that takes the node's chain at once. */
export async function differentTables(scope: SeedScope, { node, database }: Stack): Promise<string[]> {
  const chain = Array.from({ length: node.tip().height }, (_, above) => node.mainChainId(above + 1)!);
  const fresh = await TestIndex.create(scope, node.network);
  await fresh.followBytes(chain.map((id) => node.block(id).bytes));
  const [right, found] = [await fresh.dump(), await consistentDump(database, node.network)];
  return Object.keys(right)
    .filter((table) => !isDeepStrictEqual(found[table], right[table]))
    .map((table) => `the table ${table} differs`);
}

/** Those that removed a block and added it again, or one that the node never had. */
async function wrongReorganisations({ database, node }: Stack): Promise<string[]> {
  const { rows } = await query<{ ancestor_height: number; removed: string; added: string }>(
    database,
    `select ancestor_height, removed, added from ${SCHEMA_NAME}.reorganisations`,
  );
  return rows.flatMap(({ ancestor_height: height, removed, added }) => {
    const blocks = removed.split(',');
    const unknown = blocks.map((block) => block.split(':')[1]!).filter((id) => !node.has(id));
    const problems = unknown.map((id) => `the block ${id} was indexed, which the node never had`);
    if (blocks[0] === added.split(',')[0])
      problems.push(`a reorganisation went back to ${height}, below the common ancestor`);
    return problems;
  });
}

/** The chain grows; faults begin, last and end, until all is mended. */
async function disturb(stack: Stack, plan: ReturnType<typeof planFaults>, random: SeededRandom): Promise<void> {
  const begunAt = performance.now();
  const faults = plan.map(async ({ kind, at, forMs }) => {
    await sleep(at);
    // What cannot even begin because of another fault has been no fault.
    const end = await Promise.try(() => FAULT_KINDS[kind]!(stack, random)).catch(() => undefined);
    if (end === undefined) return;
    await sleep(forMs);
    const tryToEnd = async () => (await Promise.allSettled([Promise.try(end)]))[0]!.status === 'fulfilled';
    await until(tryToEnd, `the end of “${kind}”`, PATIENCE);
  });
  // However slowly the programs start here, some reorganisations must reach the index.
  const reorganised = () => stack.log.filter(({ msg }) => msg === 'reorganised').length;
  const lastedMs = () => performance.now() - begunAt;
  let areOver = false;
  const over = Promise.all(faults).finally(() => {
    areOver = true;
  });
  over.catch(() => {});
  while (!areOver || lastedMs() < RUN_MS || (reorganised() < 3 && !stack.needsHand && lastedMs() < MAX_RUN_MS)) {
    await sleep(random.whole(20, 400));
    stack.peakBytes();
    if (random.isTrue(0.2)) stack.node.reorganise(random.whole(1, MAX_REORGANISATION));
    else stack.node.mine();
  }
  await over;
}

/** Waits until both programs are ready at the node's tip, and the web server knows what is pending. */
export async function settled(stack: Stack): Promise<void> {
  const { id } = stack.node.tip();
  const lastLines = (name: ProgramName) => stack.log.filter(({ program }) => program === name).slice(-6);
  const explain = () => [...lastLines('scanner'), ...lastLines('web-server')].map(({ text }) => text).join('\n');
  await until(
    async () => {
      if (stack.needsHand) throw new Error(`a program needs a hand: ${explain()}`);
      const [scanner, server] = await Promise.all([stack.said('scanner'), stack.said('web-server')]);
      if (!scanner?.isReady || scanner.said.block_id !== id || !server?.isReady) return false;
      const mempool = await stack.said('web-server', '/api/v2/mempool');
      return mempool?.said.count === stack.node.mempoolTransactions().length;
    },
    `both programs are ready at ${id}, and know what is pending`,
    { ...PATIENCE, explain },
  );
}
