/** Lists walked by cursor while the chain grows and is reorganised: nothing twice, and nothing left out that was there. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tokenAddress } from '../../../src/chain/address.ts';
import { upgrading } from '../../devnet/sim/networks.ts';
import { simulatedHistory, TRADING, take } from '../../sim/history.ts';
import { answerOf } from '../../sim/patient-answers.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

const scope = fileScope();

// biome-ignore lint/suspicious/noExplicitAny: entries of any list
type Entry = any;

/**
 * Walks lists by the rules of mintlayer-core's Go SDK: it always sends a cursor, empty for the first page, and an offset
 * with it; takes a bare array for a last page; and ends at a null or empty `next_cursor`, or an empty page.
 */
class SdkWalker {
  readonly entries: Entry[] = [];
  isAtEnd = false;
  readonly #path: string;
  readonly #items: number;
  #cursor = '';

  constructor(path: string, items: number) {
    this.#path = path;
    this.#items = items;
  }

  /** Takes the next page. */
  async step(server: TestServer): Promise<void> {
    const mark = this.#path.includes('?') ? '&' : '?';
    const query = `offset=0&items=${this.#items}&cursor=${this.#cursor}`;
    const { status, body, text } = await answerOf(server, `${this.#path}${mark}${query}`);
    assert.equal(status, 200, `${this.#path}: ${text}`);
    const [items, next]: [Entry[], string] = Array.isArray(body) ? [body, ''] : [body.items, body.next_cursor ?? ''];
    this.entries.push(...items);
    this.#cursor = next;
    this.isAtEnd = next === '' || items.length === 0;
  }

  async toTheEnd(server: TestServer): Promise<Entry[]> {
    while (!this.isAtEnd) await this.step(server);
    return this.entries;
  }
}

interface Walk {
  readonly path: string;
  readonly items: number;
  /** What tells entries apart; with what they are ordered by, where that may change. */
  readonly key: (entry: Entry) => string;
  /** May an entry move over the cursor, and so come again under another key? */
  readonly isMoving?: boolean;
}

const held = ({ address, amount }: Entry) => `${address} ${amount.atoms}`;
const priced = ({ price }: Entry) => price.atoms;

/** The lists that mintlayer-core's SDKs walk. */
function walksOf(token: string, pair: string): Walk[] {
  return [
    // A reorganisation may move a transaction to another place of the list.
    { path: '/transaction', items: 9, key: ({ id, tx_global_index }) => `${tx_global_index} ${id}` },
    { path: '/pool', items: 2, key: ({ pool_id }) => pool_id },
    { path: '/token', items: 4, key: String },
    { path: '/statistics/coin/holders', items: 3, key: held, isMoving: true },
    { path: `/statistics/token/${token}/holders`, items: 1, key: held, isMoving: true },
    { path: `/order/pair/${pair}/book?side=ask`, items: 1, key: priced, isMoving: true },
    { path: `/order/pair/${pair}/book?side=bid`, items: 1, key: priced, isMoving: true },
  ];
}

/** A walk under way, and what was in the list all along. */
class Watched {
  readonly walk: Walk;
  readonly walker: SdkWalker;
  readonly #always: Set<string>;

  constructor(walk: Walk, always: Set<string>) {
    this.walk = walk;
    this.walker = new SdkWalker(walk.path, walk.items);
    this.#always = always;
  }

  static async begin(walk: Walk, server: TestServer): Promise<Watched> {
    return new Watched(walk, await keysOf(walk, server));
  }

  async forgetWhatChanged(server: TestServer): Promise<void> {
    const now = await keysOf(this.walk, server);
    for (const key of this.#always) if (!now.has(key)) this.#always.delete(key);
  }

  /** Fails when something came twice, or something that was there all along did not come. Gives how much that was. */
  check(): number {
    const { path, key, isMoving = false } = this.walk;
    const seen = this.walker.entries.map(key);
    if (!isMoving) assert.equal(new Set(seen).size, seen.length, `${path}: an entry came twice`);
    for (const wanted of this.#always) {
      assert.equal(seen.filter((entry) => entry === wanted).length, 1, `${path}: ${wanted}`);
    }
    return this.#always.size;
  }
}

async function keysOf({ path, key }: Walk, server: TestServer): Promise<Set<string>> {
  return new Set((await new SdkWalker(path, 100).toTheEnd(server)).map(key));
}

/** Waits until the server has seen the tip of the index, so that a step counts as taken. */
async function settled(server: TestServer, index: TestIndex): Promise<void> {
  const { blockId } = index.applier.chain;
  await until(async () => (await server.json('/chain/tip')).block_id === blockId, 'the server sees the tip');
}

for (const contract of ['mintlayer-core', 'described'] as const) {
  it(`lists walked by cursor while the chain moves neither repeat nor miss an entry that was there all along, in ${contract}`, async () => {
    const options = { network: upgrading, blocks: 120, seed: 'walks', mix: TRADING, reorganisationProbability: 0.2 };
    const { network, steps } = simulatedHistory(options);
    const index = await TestIndex.create(scope, network);
    const server = await index.serve(scope, { contract });
    const start = Math.floor((steps.length * 2) / 3);
    for (const step of steps.slice(0, start)) await take(index, step);
    await settled(server, index);
    const tokenBy = async (sql: string) => {
      const { rows } = await index.query<{ token: string }>(`${sql} limit 1`);
      return tokenAddress(network, rows[0]!.token);
    };
    const held = await tokenBy(
      `select currency as token from balances where currency <> '' group by 1 order by count(*) desc, 1`,
    );
    const traded = await tokenBy(
      `select ask_currency || give_currency as token from orders
       where is_open and (ask_currency = '') <> (give_currency = '') group by 1
       order by least(count(*) filter (where ask_currency = ''), count(*) filter (where give_currency = '')) desc, 1`,
    );
    const walks = walksOf(held, `${traded}_${network.coinTicker}`);
    const watched = await Promise.all(walks.map((walk) => Watched.begin(walk, server)));
    let reorganisations = 0;
    for (let at = start; at < steps.length; at += 3) {
      for (const { walker } of watched) if (!walker.isAtEnd) await walker.step(server);
      for (const step of steps.slice(at, at + 3)) {
        if (step.ancestor < index.applier.chain.height) reorganisations++;
        await take(index, step);
        await settled(server, index);
        for (const each of watched) if (!each.walker.isAtEnd) await each.forgetWhatChanged(server);
      }
    }
    for (const each of watched) {
      await each.walker.toTheEnd(server);
      assert.ok(each.check() > 0, `${each.walk.path}: nothing was there all along`);
    }
    assert.ok(reorganisations > 0);
  });
}
