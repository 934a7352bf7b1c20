/** What the web server answers during reorganisations: every answer is of one tip, and of none before what was told. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress, poolAddress } from '../../src/chain/address.ts';
import type { Id } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import type { HistoryStep } from '../support/recorded-chain.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer, type TestAnswer, type TestServer } from '../support/web-server.ts';
import { simulatedHistory, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { answerOf, seesTip } from './patient-answers.ts';

/** The transaction that comes in the most blocks: reorganisations move it from one to the other. */
function mostMoved(steps: readonly HistoryStep[]): Id {
  const blocks = new Map<Id, number>();
  for (const id of steps.flatMap((step) => step.blocks.flatMap(({ transactionIds }) => transactionIds))) {
    blocks.set(id, (blocks.get(id) ?? 0) + 1);
  }
  return [...blocks].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** What a server answers at each tip, remembered while nothing changes; the tips in their order. */
class KnownAnswers {
  #tips = 0;
  readonly #places = new Map<string, number>();
  /** By the ETag, which names the tip and the URL; those without one, the errors, by the empty text. */
  readonly #answers = new Map<string, Set<string>>();

  /** The answers of the next tip. */
  async add(server: TestServer, urls: readonly string[]): Promise<void> {
    const place = this.#tips++;
    for (const url of urls) {
      const answer = await answerOf(server, url);
      const etag = answer.headers.get('etag') ?? '';
      if (etag !== '') this.#places.set(etag, place);
      const key = `${etag} ${url}`;
      this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(`${answer.status} ${answer.text}`));
    }
  }

  /** Which tip an answer is of, as the how manieth; null for an error, which does not say. */
  placeOf({ headers }: TestAnswer): number | null {
    const etag = headers.get('etag');
    if (etag === null) return null;
    const place = this.#places.get(etag);
    assert.ok(place !== undefined, `${etag} is of no tip`);
    return place;
  }

  check(url: string, { status, headers, text }: TestAnswer): void {
    const known = this.#answers.get(`${headers.get('etag') ?? ''} ${url}`);
    assert.ok(known?.has(`${status} ${text}`), `${url} answers of no tip: ${status} ${text.slice(0, 400)}`);
  }
}

testOverSeeds('every response belongs to one tip while branches come and go', async (seed, scope) => {
  const { steps, mainChain, simulation } = simulatedHistory({
    network,
    blocks: 16,
    seed,
    reorganisationProbability: 0.4,
  });
  const owner = [...new TakingPart(network, mainChain).ofAddress.keys()][0]!;
  const address = destinationAddress(network, owner);
  const moving = mostMoved(steps);
  const oldPool = poolAddress(network, [...simulation.world.pools.keys()][1]!);
  const urls = [
    '/chain/tip',
    '/transaction?items=20',
    '/pool?sort=by_pledge',
    '/order?items=50',
    '/token?items=100',
    '/statistics/coin',
    `/address/${address}`,
    `/address/${address}/all-utxos`,
    `/address/${address}/spendable-utxos`,
    `/address/${address}/transactions?items=50`,
    `/transaction/${moving}`,
    `/transaction/${moving}/merkle-path`,
    `/pool/${oldPool}/delegations`,
    `/pool/${oldPool}`,
  ];
  // First in quiet: what each tip's answers are.
  const quiet = await TestIndex.create(scope, network);
  const quietServer = await startTestWebServer(scope, { network, postgres: quiet.postgres });
  const known = new KnownAnswers();
  await seesTip(quietServer, network.genesisId);
  await known.add(quietServer, urls);
  for (const step of steps) {
    await take(quiet, step);
    await seesTip(quietServer, step.blocks.at(-1)!.id);
    await known.add(quietServer, urls);
  }
  // Then the same with clients that ask all the time.
  const index = await TestIndex.create(scope, network);
  const server = await startTestWebServer(scope, { network, postgres: index.postgres });
  let isOver = false;
  let asked = 0;
  const random = new Random(seed);
  const client = async (url: string) => {
    let held: TestAnswer | undefined;
    while (!isOver) {
      const told = known.placeOf(await answerOf(server, '/chain/tip'));
      const etag: string | null = held?.headers.get('etag') ?? null;
      const answer = await answerOf(server, url, etag === null ? {} : { 'if-none-match': etag });
      if (answer.status === 304) assert.equal(answer.headers.get('etag'), etag);
      else held = answer;
      known.check(url, held!);
      const place = known.placeOf(answer);
      assert.ok(place === null || place >= told!, `${url} answers of tip ${place} after tip ${told} was told`);
      asked++;
      // All work is this process's: without pauses the writer would hardly have a turn.
      await sleep(random.below(20));
    }
  };
  const clients = urls.map(client);
  const writing = (async () => {
    for (const step of steps) {
      // Each tip is there for long enough that clients see it, and all of them ask while it goes.
      const enough = asked + clients.length;
      while (asked < enough && !isOver) await sleep(1);
      await take(index, step);
    }
    await seesTip(server, simulation.tipId);
  })();
  await Promise.race([writing, ...clients]).finally(() => {
    isOver = true;
  });
  await Promise.all([writing, ...clients]);
});
