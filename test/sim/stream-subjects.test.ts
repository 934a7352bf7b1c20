/** What is told of addresses, tokens, pools, delegations, orders and pairs, against what the blocks themselves say. */

import assert from 'node:assert/strict';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { COIN, type Currency } from '../../src/chain/currency.ts';
import { deriveDelegationId, deriveOrderId } from '../../src/chain/derive-ids.ts';
import { isDelegatingOutput, isStakeOutput, isUtxoInput } from '../../src/chain/input-and-output-kinds.ts';
import type { Id, IdentifiedBlock, OutputValue, TxOutput } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { EventStream, type StreamEvent } from '../support/event-stream.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { simulatedHistory } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

const currencyOf = (value: OutputValue): Currency => (value.type === 'TokenV1' ? value.tokenId : COIN);
const sideOf = (currency: Currency) => (currency === COIN ? network.coinTicker : tokenAddress(network, currency));

/** The texts of subjects, each with the `transaction block` pairs that touch it; "null" for the block itself. */
class Naive {
  readonly touches = new Map<string, Set<string>>();
  readonly pairs = new Set<string>();
  readonly #outputs = new Map<string, TxOutput>();
  readonly #orders = new Map<Id, string>();
  readonly #delegations = new Map<Id, Id>();

  constructor(chain: readonly IdentifiedBlock[]) {
    const part = new TakingPart(network, chain);
    const blockOf = new Map(chain.flatMap(({ id, transactionIds }) => transactionIds.map((tx) => [tx, id] as const)));
    const addAll = (text: string, ids: readonly Id[]) => {
      for (const id of ids) this.#add(text, id, blockOf.get(id)!);
    };
    for (const [owner, ids] of part.ofAddress) addAll(destinationAddress(network, owner), ids);
    for (const [token, ids] of part.ofToken) addAll(tokenAddress(network, token), ids);
    for (const block of chain) this.#block(block);
  }

  #add(text: string, txId: Id | null, blockId: Id): void {
    this.touches.set(text, (this.touches.get(text) ?? new Set()).add(`${txId} ${blockId}`));
  }

  #block({ id, block, transactionIds }: IdentifiedBlock): void {
    for (const [position, { transaction }] of block.transactions.entries()) {
      const txId = transactionIds[position]!;
      const pool = (poolId: Id) => this.#add(poolAddress(network, poolId), txId, id);
      const delegation = (delegationId: Id) => {
        this.#add(delegationAddress(network, delegationId), txId, id);
        pool(this.#delegations.get(delegationId)!);
      };
      const order = (orderId: Id) => {
        this.#add(orderAddress(network, orderId), txId, id);
        this.#add(this.#orders.get(orderId)!, txId, id);
      };
      for (const input of transaction.inputs) {
        if (isUtxoInput(input)) {
          const spent = this.#outputs.get(`${input.outpoint.sourceId} ${input.outpoint.index}`);
          if (spent && isStakeOutput(spent)) pool(spent.poolId);
        } else if (input.type === 'Account') delegation(input.delegationId);
        else if ('orderId' in input.command) order(input.command.orderId);
      }
      for (const [index, output] of transaction.outputs.entries()) {
        this.#outputs.set(`${txId} ${index}`, output);
        if (output.type === 'CreateStakePool') pool(output.poolId);
        if (output.type === 'CreateDelegationId') {
          const created = deriveDelegationId(transaction.inputs)!;
          this.#delegations.set(created, output.poolId);
          delegation(created);
        }
        if (isDelegatingOutput(output)) delegation(output.delegationId);
        if (output.type === 'CreateOrder') {
          const pair = [output.order.ask, output.order.give].map(currencyOf).sort().map(sideOf).join('_');
          this.pairs.add(pair);
          this.#orders.set(deriveOrderId(transaction.inputs)!, pair);
          order(deriveOrderId(transaction.inputs)!);
        }
      }
    }
    block.reward.forEach((output, index) => void this.#outputs.set(`${id} ${index}`, output));
    const { consensus } = block.header;
    if (consensus.type === 'PoS') this.#add(poolAddress(network, consensus.data.stakePoolId), null, id);
  }
}

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
    const naive = new Naive(mainChain);
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
