/** A run: the chain grows and reorganises, and all kinds of clients ask the web server, until the time is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '../../bench/seeded-random.ts';
import { startAnswerClients } from '../faults/answer-clients.ts';
import { FaultyNode } from '../faults/faulty-node.ts';
import type { FaultyPostgres } from '../faults/faulty-postgres.ts';
import { QuietIndex } from '../faults/quiet-index.ts';
import { differentTables, settled } from '../faults/run-seed.ts';
import { Stack } from '../faults/stack.ts';
import { StreamClients } from '../faults/stream-clients.ts';
import type { Scope } from '../support/file-scope.ts';
import { Scrape } from '../support/prometheus.ts';
import { attackersOf, attackInTurn, attackTargets, startClients, submit } from './load.ts';
import { MemoryWatch } from './memory.ts';

/** Streams that begin with the first block are told of a thousand. */
const FIRST_BLOCKS = 250;
const MAX_BLOCK_MS = 400;
const REORGANISED = 0.1;
const MAX_REORGANISATION = 6;
/** The answers of each eighth tip are compared, and no errors, which name no tip: the quiet index stops at few tips. */
const COMPARED = /^W\/"[01]/;
const LONG_VISIT_MS = 20_000;
/** Two workers, with the least memory that they take: their caches are soon full. */
const SETTINGS = {
  scanner: { 'max-memory': '256M' },
  'web-server': { 'max-memory': '512M', 'enable-post-routes': 'true' },
};
/** The part of the responses that may be 503: a busy machine stands still for seconds now and then. */
export const MAX_UNAVAILABLE = 0.01;
const WARNING = 40;
/** What these do to clients that do not attack, the statuses tell. */
const TOLD_BY_STATUSES = /^A client was refused a shared resource|^Waiting for PostgreSQL/;

/** Gives what was wrong; says each minute how it goes. */
export async function soak(scope: Scope, postgres: FaultyPostgres, seed: number, minutes: number): Promise<string[]> {
  const random = new SeededRandom(seed);
  const problems: string[] = [];
  const node = await FaultyNode.open(seed, FIRST_BLOCKS);
  const quiet = await QuietIndex.open(scope, node);
  await quiet.follow();
  const samples = await quiet.samples();
  const stack = await Stack.start(scope, node, postgres, SETTINGS);
  // The quiet index is at a tip when it comes to it, which was long ago for the present one.
  node.mine();
  await settled(stack);

  const targets = attackTargets(stack, samples);
  const urls = await quiet.urls();
  const over = new AbortController();
  const perThird = Math.max(1, Math.round(minutes / 3));
  const attackers = attackersOf(
    targets,
    Array.from({ length: perThird }, (_, n) => seed * 100 + n),
  );
  const takeStatuses = await startClients(scope, stack, targets);
  const answers = startAnswerClients(stack.port, urls, random, ({ etag }) => COMPARED.test(etag ?? ''));
  const queries = ['', 'types=block,reorg,lag', `address=${samples.busiestAddress}&types=block,lag`];
  const streams = [{}, { longestVisitMs: LONG_VISIT_MS }].map(
    (visits, n) => new StreamClients(stack, seed + n, queries, { mayLag: false, ...visits }),
  );
  const counts = { blocks: 0, reorganisations: 0, taken: 0, compared: 0 };
  /** What fails beside the run is a problem, too. */
  const beside = (work: Promise<void>) =>
    work.catch((error: Error) => void problems.push(error.stack ?? error.message));
  const attacks = beside(attackInTurn(stack.port, attackers, (minutes * 20_000) / perThird, over.signal));
  const submissions = beside(submit(stack, random, counts, over.signal));
  const memory = new MemoryWatch(stack);
  const statuses: Record<number, number> = {};

  const grow = async () => {
    for (; !over.signal.aborted; await sleep(random.whole(0, MAX_BLOCK_MS))) {
      const isReorganised = random.isTrue(REORGANISED);
      if (isReorganised) node.reorganise(random.whole(1, MAX_REORGANISATION));
      else node.mine();
      counts[isReorganised ? 'reorganisations' : 'blocks']++;
    }
  };
  /** Compares what was answered about the first `shown` tips. */
  const compare = async (shown: number) => {
    counts.compared += answers.answers.size;
    quiet.keep(answers.answers.values());
    answers.answers.clear();
    problems.push(...(await quiet.follow(shown)));
    urls.splice(0, urls.length, ...(await quiet.urls()));
  };
  const report = async (minute: number) => {
    for (const status of await takeStatuses()) statuses[status] = (statuses[status] ?? 0) + 1;
    const sum = (name: 'visits' | 'events') => streams.reduce((all, each) => all + each[name], 0);
    // A busy machine may have no answer in time.
    const metrics = await Scrape.of(stack.port).catch(() => new Scrape(''));
    const served = metrics.samples('chain_indexer_responses_total').values();
    const said = [
      memory.recent(60),
      `${[...served].reduce((all, each) => all + each, 0)} responses`,
      `${answers.counts.answered} answers, ${counts.compared} compared, ${answers.counts.unavailable} × 503`,
      `others ${JSON.stringify(statuses)}`,
      `${sum('events')} events of ${sum('visits')} streams`,
      `${counts.taken} transactions submitted`,
      `${counts.blocks} blocks, ${counts.reorganisations} reorganisations`,
    ];
    console.log(`minute ${minute}: ${said.join('; ')}`);
  };

  console.log(`attackers of each third: ${attackers.map(({ kind }) => kind).join('; ')}`);
  const growing = beside(grow());
  let comparing = Promise.resolve();
  for (let minute = 1; minute <= minutes; minute++) {
    const { length } = node.shown;
    await sleep(60_000);
    await report(minute);
    // Nobody is told of these tips any more. The minutes do not wait for the quiet index.
    comparing = beside(comparing.then(() => compare(length)));
  }
  over.abort();
  const { figures, problems: grown } = memory.end();
  await Promise.all([growing, attacks, submissions, comparing, answers.end()]);
  node.mine();
  await settled(stack);
  await compare(node.shown.length);
  const tables = differentTables(scope, stack).catch((error: Error) => [`verify: ${error.message}`]);
  const ends = [...streams.map((each) => each.end()), tables];
  problems.push(...(await Promise.all(ends)).flat(), ...quiet.leftOver(), ...grown);
  if (counts.taken * counts.compared === 0) problems.push('nothing was submitted, or nothing compared');
  if (answers.counts.broken > 0) problems.push(`${answers.counts.broken} connections broke`);
  problems.push(...answers.problems, ...loggedProblems(stack));
  statuses[503] = (statuses[503] ?? 0) + answers.counts.unavailable;
  for (const [status, count] of Object.entries(statuses)) {
    const isUsual = ['200', '404'].includes(status) || (status === '503' && count <= MAX_UNAVAILABLE * statuses[200]!);
    if (!isUsual) problems.push(`${count} were answered with ${status}`);
  }
  console.log(figures.join('\n'));
  return problems;
}

/** Each warning once. */
function loggedProblems({ log }: Stack): string[] {
  const wrong = log.filter(({ level = WARNING, msg = '' }) => level >= WARNING && !TOLD_BY_STATUSES.test(msg));
  return [
    ...new Map(wrong.map((line) => [line.msg ?? line.text, `it was logged: ${line.text.slice(0, 500)}`])).values(),
  ];
}
