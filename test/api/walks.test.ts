/** Lists walked by cursor while the chain grows and is reorganised: nothing twice, and nothing left out that was there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { poolAddress, tokenAddress } from '../../src/chain/address.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { fileScope } from '../support/file-scope.ts';
import { goldenChain, type HistoryStep } from '../support/recorded-chain.ts';
import { TestIndex } from '../support/test-index.ts';
import { until } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const scope = fileScope();

interface Walk {
  readonly path: string;
  /** What tells entries apart. */
  // biome-ignore lint/suspicious/noExplicitAny: entries of any list
  readonly key: (entry: any) => string;
  /** The keys of all entries in the database. */
  readonly all: (index: TestIndex, network: Network) => Promise<Set<string>>;
}

const ids = async (index: TestIndex, sql: string, text: (id: string) => string) =>
  new Set((await index.session.writer.query<{ id: string }>(sql)).rows.map(({ id }) => text(id)));

const WALKS: readonly Walk[] = [
  {
    path: '/transaction?items=9',
    key: (entry) => entry.id,
    all: (index) => ids(index, 'select tx_id as id from transactions', (id) => id),
  },
  {
    path: '/token?items=4',
    key: String,
    all: (index, network) =>
      ids(index, 'select token_id as id from tokens union all select token_id from nfts', (id) =>
        tokenAddress(network, id),
      ),
  },
  {
    path: '/pool?items=2',
    key: (entry) => entry.pool_id,
    all: (index, network) =>
      ids(index, 'select pool_id as id from pools where staker_balance > 0', (id) => poolAddress(network, id)),
  },
];

/** A walk under way: what it saw so far, and what was in the list from its start on. */
class Walker {
  readonly seen: string[] = [];
  readonly always: Set<string>;
  isAtEnd = false;
  readonly #walk: Walk;
  #cursor: string | null = null;

  constructor(walk: Walk, always: Set<string>) {
    this.#walk = walk;
    this.always = always;
  }

  async step(server: TestServer): Promise<void> {
    const { path, key } = this.#walk;
    const answer = await server.get(this.#cursor === null ? path : `${path}&cursor=${this.#cursor}`);
    assert.equal(answer.status, 200);
    this.seen.push(...answer.body.map(key));
    this.#cursor = answer.headers.get('x-next-cursor');
    this.isAtEnd = this.#cursor === null;
  }

  async forgetWhatIsGone(index: TestIndex, network: Network): Promise<void> {
    const now = await this.#walk.all(index, network);
    for (const key of this.always) if (!now.has(key)) this.always.delete(key);
  }
}

/** Waits until the server has seen the tip of the index, so that a step counts as taken. */
async function settled(server: TestServer, index: TestIndex): Promise<void> {
  const { blockId } = index.indexer.chain;
  await until(async () => (await server.json('/chain/tip')).block_id === blockId, 'the server sees the tip');
}

async function take(index: TestIndex, { ancestor, blocks }: HistoryStep): Promise<void> {
  if (ancestor === index.indexer.chain.height) await index.follow(blocks, blocks.length);
  else await index.reorganise(ancestor, blocks);
}

describe('lists walked by cursor while the chain goes on', () => {
  it('neither repeat nor miss what was there all along', async () => {
    const chain = await goldenChain('r21');
    const { network } = chain;
    const index = await TestIndex.create(scope, network);
    const server = await startTestWebServer(scope, { network, postgres: index.postgres });
    const start = Math.floor(chain.steps.length / 3);
    for (const step of chain.steps.slice(0, start)) await take(index, step);
    await settled(server, index);
    const walkers: Walker[] = [];
    for (const walk of WALKS) walkers.push(new Walker(walk, await walk.all(index, network)));
    for (let at = start; at < chain.steps.length; at += 3) {
      for (const walker of walkers) if (!walker.isAtEnd) await walker.step(server);
      for (const step of chain.steps.slice(at, at + 3)) {
        await take(index, step);
        for (const walker of walkers) if (!walker.isAtEnd) await walker.forgetWhatIsGone(index, network);
      }
      await settled(server, index);
    }
    for (const walker of walkers) {
      while (!walker.isAtEnd) await walker.step(server);
      assert.equal(new Set(walker.seen).size, walker.seen.length, 'an entry came twice');
      const missed = [...walker.always].filter((key) => !walker.seen.includes(key));
      assert.deepEqual(missed, []);
      assert.ok(walker.always.size > 0);
    }
  });
});

describe('answers while the chain is reorganised', () => {
  it('always belong to one tip: confirmations fit the block of the answer', async () => {
    const chain = await goldenChain('r21');
    const index = await TestIndex.create(scope, chain.network);
    const server = await startTestWebServer(scope, { network: chain.network, postgres: index.postgres });
    await take(index, chain.steps[0]!);
    await settled(server, index);
    const heights = new Map(
      chain.steps.flatMap(({ ancestor, blocks }) => blocks.map((block, i) => [block.id, ancestor + 1 + i] as const)),
    );
    let isOver = false;
    let answers = 0;
    const reading = (async () => {
      while (!isOver) {
        const list = await server.json(`/transaction?items=20&x=${answers++}`);
        const tips = new Set(
          list.map(
            (entry: { confirmations: string; block_id: string }) =>
              heights.get(entry.block_id)! + Number(entry.confirmations),
          ),
        );
        assert.ok(tips.size <= 1, `an answer of the tips ${[...tips]}`);
        const indexes = list.map((entry: { tx_global_index: number }) => entry.tx_global_index);
        assert.deepEqual(
          indexes,
          indexes.map((_: number, i: number) => indexes[0] - i),
        );
      }
    })();
    for (const step of chain.steps.slice(1)) await take(index, step);
    isOver = true;
    await reading;
    assert.ok(answers > 10, `${answers} answers`);
  });
});
