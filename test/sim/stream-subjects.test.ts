/** What is told of addresses, tokens, pools, delegations, orders and pairs, against what the blocks themselves say. */

import assert from 'node:assert/strict';
import { delegationAddress, destinationAddress } from '../../src/chain/address.ts';
import type { Id, IdentifiedBlock } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { EventStream, type StreamEvent } from '../support/event-stream.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { simulatedHistory } from './history.ts';
import { NaiveSubjects } from './naive-subjects.ts';
import { seesTip } from './patient-answers.ts';

type Told = Map<string, Set<string>>;

function toldBy(stream: EventStream): Told {
  const told: Told = new Map();
  for (const { tx_id, block_id, subjects } of stream.of('activity').map(({ content }) => content)) {
    for (const subject of subjects) {
      const known = told.get(subject) ?? new Set();
      told.set(subject, known);
      assert.ok(!known.has(`${tx_id} ${block_id}`), 'told twice');
      known.add(`${tx_id} ${block_id}`);
    }
  }
  return told;
}

testOverSeeds(
  'a stream sends the activity of each address, token, pool, delegation, order and pair, the same live and replayed',
  async (seed, scope) => {
    const { mainChain } = simulatedHistory({ network, blocks: 60, seed, reorganisationProbability: 0 });
    const naive = new NaiveSubjects(network, mainChain);
    const index = await TestIndex.create(scope, network);
    const server = await startTestWebServer(scope, { network, postgres: index.postgres });
    await seesTip(server, network.genesisId);
    const kinds: Record<string, string[]> = {
      ...{ address: [], token: [], pool: [], delegation: [], order: [] },
      pair: [...naive.pairs],
    };
    for (const text of naive.touches.keys()) {
      if (naive.pairs.has(text)) continue;
      const kind = kindOf(text);
      kinds[kind]!.push(text);
    }
    for (const [kind, texts] of Object.entries(kinds)) assert.ok(texts.length > 2, `${kind}: ${texts.length}`);
    const all = Object.entries(kinds).flatMap(([kind, texts]) => texts.map((text) => `${kind}=${text}`));
    const queries = Array.from({ length: Math.ceil(all.length / 100) }, (_, i) =>
      all.slice(100 * i, 100 * i + 100).join('&'),
    );
    const open = (lastEventId?: string) =>
      Promise.all(
        queries.map((query) => EventStream.open({ port: server.port, query: `${query}&types=block`, lastEventId })),
      );

    const live = await open();
    const rewarded = await followWatchingRewards(index, mainChain);
    const past = await open(`0-${network.genesisId}`);
    const { length } = mainChain;
    const tip = mainChain.at(-1)!.id;
    for (const stream of [...live, ...past]) {
      await stream.sees('the tip', () => stream.position === `${length}-${tip}`);
      stream.close();
    }
    for (const [i, stream] of past.entries()) assert.deepEqual(live[i]!.events, stream.events);

    const told = new Map(live.flatMap((stream) => [...toldBy(stream)]));
    for (const [kind, texts] of Object.entries(kinds)) {
      for (const text of texts) {
        const expected = new Set(naive.touches.get(text)!);
        for (const touch of rewarded.get(text) ?? []) expected.add(touch);
        assert.deepEqual([...(told.get(text) ?? [])].sort(), [...expected].sort(), `${kind} ${text}`);
      }
    }
    const blockOf = ({ data }: StreamEvent): Id => data.content.block_id;
    for (const { events } of live) {
      for (const [i, event] of events.entries()) {
        const next = events[i + 1];
        const isLast = next === undefined || blockOf(next) !== blockOf(event);
        const height = mainChain.findIndex(({ id }) => id === blockOf(event)) + (isLast ? 1 : 0);
        assert.equal(event.id, `${height}-${mainChain[height - 1]?.id ?? network.genesisId}`);
      }
    }
  },
);

function kindOf(text: string): string {
  const { delegationId, orderId, poolId, tokenId } = network.prefixes;
  const prefix = text.slice(0, text.lastIndexOf('1'));
  if (prefix === orderId) return 'order';
  if (prefix === poolId) return 'pool';
  if (prefix === delegationId) return 'delegation';
  return prefix === tokenId ? 'token' : 'address';
}

/** Takes the blocks; gives, for each address and delegation, the blocks whose reward it had a part in. */
async function followWatchingRewards(index: TestIndex, chain: readonly IdentifiedBlock[]): Promise<Told> {
  const rewarded: Told = new Map();
  const { writer } = index.session;
  for (const block of chain) {
    const before = await balances();
    await index.follow([block]);
    const { consensus } = block.block.header;
    if (consensus.type !== 'PoS') continue;
    const pool = consensus.data.stakePoolId;
    const addText = (text: string) => {
      rewarded.set(text, (rewarded.get(text) ?? new Set()).add(`null ${block.id}`));
    };
    const add = (owner: string) => addText(destinationAddress(network, owner));
    // Without a reward for delegations, only transactions have changed them.
    const isShared = (
      await writer.query('select from blocks where block_id = $1 and delegations_reward > 0', [
        Buffer.from(block.id, 'hex'),
      ])
    ).rowCount;
    for (const [id, row] of isShared ? await balances() : []) {
      if (row.pool_id !== pool || before.get(id)?.balance === row.balance || row.balance === 0n) continue;
      add(row.spend_destination);
      addText(delegationAddress(network, id));
    }
    const { rows } = await writer.query('select decommission_destination as owner from pools where pool_id = $1', [
      Buffer.from(pool, 'hex'),
    ]);
    for (const { owner } of rows) add(owner);
    for (const output of block.block.reward) if ('destination' in output) add(output.destination);
  }
  return rewarded;

  async function balances() {
    const { rows } = await writer.query<{ delegation_id: Id; pool_id: Id; spend_destination: string; balance: bigint }>(
      'select delegation_id, pool_id, spend_destination, balance from delegations',
    );
    return new Map(rows.map((row) => [row.delegation_id, row]));
  }
}
