/** The lists and look-ups of simulated chains against a naive model: what the queries give, page by page. */
import assert from 'node:assert/strict';
import type { Destination, Hex, Id, IdentifiedBlock } from '../../src/chain/types.ts';
import {
  BLOCK_LIST,
  getBlockAtTime,
  type ListedBlockRow,
  POOL_BLOCK_LIST,
  type PoolBlockRow,
} from '../../src/store/queries/block-lists.ts';
import {
  ADDRESS_HTLC_LIST,
  type AddressHtlcRow,
  type HtlcRow,
  SECRET_HASH_HTLC_LIST,
} from '../../src/store/queries/htlcs.ts';
import {
  ADDRESS_NFT_LIST,
  type ListedNftRow,
  NFT_LIST,
  NFT_OWNER_LIST,
  type NftOwnerRow,
} from '../../src/store/queries/nft-lists.ts';
import { ADDRESS_ORDER_LIST, type OrderRow } from '../../src/store/queries/orders.ts';
import { listOutspends } from '../../src/store/queries/outspends.ts';
import {
  ADDRESS_POOL_LIST,
  EXPANDED_POOL_LISTS,
  type ExpandedPoolRow,
  type PoolSort,
  SORTED_POOL_LISTS,
} from '../../src/store/queries/pool-lists.ts';
import type { PoolRow } from '../../src/store/queries/pools.ts';
import {
  REORGANISATION_LIST,
  type ReorganisationColumns,
  readReorganisation,
} from '../../src/store/queries/reorganisations.ts';
import { type SearchTerms, searchIndex } from '../../src/store/queries/search.ts';
import {
  EXPANDED_TICKER_LIST,
  EXPANDED_TOKEN_LIST,
  type ExpandedTokenRow,
} from '../../src/store/queries/token-details.ts';
import { getTransaction, TRANSACTION_LIST } from '../../src/store/queries/transactions.ts';
import { UNLOCK_LIST, type UnlockRow } from '../../src/store/queries/unlocks.ts';
import type { UnbatchedQueryRunner } from '../../src/store/read/batched-query.ts';
import { verifyIndex } from '../../src/store/verify/verify.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { directStore, pages } from '../support/direct-store.ts';
import { TestIndex } from '../support/indexed-database.ts';
import type { HistoryStep } from '../support/recorded-chain.ts';
import { type SeedScope, testOverSeeds } from '../support/seeds.ts';
import { MONTHS, sample, simulatedHistory, take } from './history.ts';
import { type NaiveBlock, NaiveFacts } from './naive-facts.ts';
import { TakingPart, tokenIds, tokensByTicker } from './naive-lists.ts';

const BLOCKS = 90;

/** Follows a chain with its reorganisations; looks at it half-way and at its end. */
async function atTips(
  seed: string,
  scope: SeedScope,
  look: (store: UnbatchedQueryRunner, facts: NaiveFacts) => Promise<void>,
) {
  const options = { network, seed, mix: MONTHS };
  const history = simulatedHistory({ ...options, blocks: BLOCKS, reorganisationProbability: 0.1 });
  const index = await TestIndex.create(scope, network);
  const store = await directStore(scope, index.postgres);
  let mainChain: IdentifiedBlock[] = [];
  const reorganisations: object[] = [];
  const startedAt = Math.floor(Date.now() / 1000);
  for (const [i, step] of history.steps.entries()) {
    await take(index, step);
    if (step.ancestor < mainChain.length) reorganisations.push(reorganisation(step, mainChain));
    mainChain = [...mainChain.slice(0, step.ancestor), ...step.blocks];
    const isLast = i === history.steps.length - 1;
    if (isLast || i === history.steps.length >> 1) {
      await look(store, new NaiveFacts(options, mainChain));
    }
  }
  const log = await pages((row: ReorganisationColumns | null, limit) =>
    rowsOf(REORGANISATION_LIST.read(store, { after: row && { reorganisationId: row.reorganisation_id }, limit })),
  );
  assert.deepEqual(
    log.map((row) => {
      const { ancestor_height, removed, added, seen_at } = readReorganisation(row);
      assert.ok(seen_at >= startedAt - 1 && seen_at <= Date.now() / 1000 + 1, 'it was seen just now');
      return { ancestor: ancestor_height, removed, added };
    }),
    newestFirst(reorganisations),
  );
  for await (const { name, differences, examples } of verifyIndex(index.postgres, network)) {
    assert.equal(differences, 0, `${name}: ${examples.join('; ')}`);
  }
}

/** What a step leaves and brings. */
function reorganisation({ ancestor, blocks }: HistoryStep, mainChain: readonly IdentifiedBlock[]) {
  const logged = ({ id, block }: IdentifiedBlock, i: number) => {
    const { consensus } = block.header;
    return {
      height: ancestor + 1 + i,
      blockId: id,
      poolId: consensus.type === 'PoS' ? consensus.data.stakePoolId : null,
    };
  };
  return { ancestor, removed: mainChain.slice(ancestor).map(logged), added: blocks.map(logged) };
}

const newestFirst = <T>(oldestFirst: readonly T[]): T[] => oldestFirst.toReversed();
const byId = (a: { id: Id }, b: { id: Id }): number => (a.id < b.id ? -1 : 1);

function shown(block: NaiveBlock) {
  const { height, id, timestamp, poolId, size, fees } = block;
  return {
    ...{ height, timestamp, size, fees, block_id: id, pool_id: poolId },
    tx_count: block.transactionIds.length,
    kinds: block.kinds,
    staker_reward: block.stakerReward,
    delegations_reward: block.delegationsReward,
  };
}

const listed = ({ height, block_id, timestamp, tx_count, kinds, size, fees, ...row }: ListedBlockRow) => ({
  ...{ height, timestamp, size, fees, block_id, pool_id: row.pool_id, tx_count },
  kinds: JSON.parse(kinds),
  staker_reward: row.staker_reward,
  delegations_reward: row.delegations_reward,
});

/** What is compared at a tip, list by list. */
const COMPARISONS: Readonly<
  Record<string, (store: UnbatchedQueryRunner, facts: NaiveFacts, seen: Seen) => Promise<void>>
> = {
  async 'the blocks are those of a naive model'(store, { blocks }) {
    const all = await pages((after: ListedBlockRow | null, limit) => rowsOf(BLOCK_LIST.read(store, { after, limit })));
    assert.deepEqual(all.map(listed), newestFirst(blocks).map(shown));
    for (const poolId of new Set(blocks.map((block) => block.poolId))) {
      const made = await pages(async (after: ListedBlockRow | null, limit) =>
        (await rowsOf(POOL_BLOCK_LIST.read(store, { poolId, after, limit }))).filter(isBlock),
      );
      const expected = newestFirst(blocks.filter((block) => block.poolId === poolId)).map(shown);
      const found = made.map((row) => listed(row as ListedBlockRow));
      assert.deepEqual(found, expected);
    }
    assert.deepEqual(await rowsOf(POOL_BLOCK_LIST.read(store, { poolId: 'ab'.repeat(32), after: null, limit: 3 })), []);
    for (const { timestamp } of blocks) {
      for (const time of [timestamp - 1, timestamp, timestamp + 1, timestamp + 5_000]) {
        const last = blocks.findLast((block) => block.timestamp <= time);
        const [found] = await rowsOf(getBlockAtTime(store, time));
        assert.equal(found?.height ?? 0, last?.height ?? 0, `the last block at ${time}`);
      }
    }
    const [genesis] = await rowsOf(getBlockAtTime(store, blocks[0]!.timestamp - 1));
    assert.equal(genesis?.height, 0);
    assert.deepEqual(await rowsOf(getBlockAtTime(store, genesis!.timestamp - 1)), []);
  },

  async 'the transactions have the size and the spends of a naive model'(store, { blocks, spends, outputCounts }) {
    const sizes = blocks.flatMap(({ transactionSizes }) => transactionSizes);
    const newest = await rowsOf(TRANSACTION_LIST.read(store, { after: null, limit: 10_000 }));
    const foundSizes = newestFirst(newest).map(({ size }) => size);
    assert.deepEqual(foundSizes, sizes);
    const places = new Map(blocks.map(({ height, id, timestamp }) => [height, { block_id: id, timestamp }]));
    const ids = blocks.flatMap(({ transactionIds }) => transactionIds);
    for (const [i, id] of ids.entries()) {
      const [transaction] = await rowsOf(getTransaction(store, id));
      assert.equal(transaction?.size, sizes[i]);
      const rows = await rowsOf(listOutspends(store, { txId: id, limit: null }));
      assert.equal(rows[0]?.output_count, outputCounts.get(id));
      const expected = Array.from({ length: outputCounts.get(id)! }, (_, index) => {
        const spend = spends.get(`${id}:${index}`);
        if (spend === undefined) return [];
        const { transactionId, inputIndex, height } = spend;
        return [{ index, transactionId, inputIndex, height, ...places.get(height) }];
      }).flat();
      const found = rows
        .filter(({ output_index }) => output_index !== null)
        .map((row) => ({
          ...{ index: row.output_index, transactionId: row.spent_tx_id, inputIndex: row.input_index },
          ...{ height: row.height, block_id: row.block_id, timestamp: row.timestamp },
        }));
      assert.deepEqual(found, expected, `spends of ${id}`);
    }
  },

  async 'the pools are those of a naive model, in every order'(store, facts) {
    const expected = facts.activePools().map(({ pool, stake, allStake, delegationCount, blocks, rate }) => ({
      pool_id: pool.id,
      creation_height: pool.creationHeight,
      creation_timestamp: facts.blocks[pool.creationHeight - 1]?.timestamp,
      staker_balance: pool.stakerBalance,
      margin: BigInt(pool.marginRatioPerThousand),
      delegation_count: delegationCount,
      total_stake: pool.stakerBalance + pool.delegationsBalance,
      effective_stake: stake,
      all_effective_stake: allStake,
      blocks_total: blocks.total,
      blocks_day: blocks.day,
      blocks_month: blocks.month,
      apy_rank: rate,
    }));
    const keys: Record<PoolSort, (pool: (typeof expected)[number]) => bigint> = {
      by_height: (pool) => -BigInt(pool.creation_height),
      by_pledge: (pool) => -pool.staker_balance,
      by_stake: (pool) => -pool.total_stake,
      by_blocks: (pool) => -BigInt(pool.blocks_month),
      by_margin: (pool) => pool.margin,
      by_apy: (pool) => -pool.apy_rank,
    };
    for (const sort of Object.keys(keys) as PoolSort[]) {
      const key = keys[sort];
      const sorted = expected.toSorted((a, b) => Number(key(a) - key(b)) || (a.pool_id < b.pool_id ? -1 : 1));
      const rows = await pages((row: ExpandedPoolRow | null, limit) => {
        const after = row && EXPANDED_POOL_LISTS[sort].sortKey(row);
        return rowsOf(EXPANDED_POOL_LISTS[sort].read(store, { after, limit }));
      }, 2);
      const found = rows.map((row) => ({
        ...Object.fromEntries(Object.keys(expected[0]!).map((name) => [name, row[name as keyof ExpandedPoolRow]])),
        margin: BigInt(row.margin_ratio_per_thousand),
        creation_timestamp: row.creation_height === 0 ? undefined : row.creation_timestamp,
      }));
      assert.deepEqual(found, sorted, sort);
      const plain = await rowsOf(SORTED_POOL_LISTS[sort].read(store, { after: null, skip: 1, limit: 1_000 }));
      assert.deepEqual(
        plain.map(({ pool_id }) => pool_id),
        sorted.slice(1).map(({ pool_id }) => pool_id),
        `${sort} without the first`,
      );
      const { keys: anchors } = await SORTED_POOL_LISTS[sort].anchors!.read(store, {});
      assert.deepEqual(anchors, [], 'less than a hundred');
    }
  },

  async 'the tokens and NFTs are those of a naive model'(store, facts, seen) {
    const { world, blocks, nftOwners } = facts;
    const holders = facts.holders();
    const timeOf = (height: number) => blocks[height - 1]!.timestamp;
    const rows = await pages((row: ExpandedTokenRow | null, limit) => {
      const after = row && { isNft: row.is_nft, tokenId: row.token_id };
      return rowsOf(EXPANDED_TOKEN_LIST.read(store, { after, limit }));
    }, 4);
    const ids = rows.map(({ token_id }) => token_id);
    assert.deepEqual(ids, tokenIds(world));
    for (const row of rows) {
      const token = world.tokens.get(row.token_id);
      const thing = token ?? world.nfts.get(row.token_id)!;
      assert.equal(row.is_nft, token === undefined);
      assert.equal(row.authority, token?.authority ?? null);
      assert.equal(row.ticker, token?.issuance.ticker ?? null);
      assert.equal(row.decimals, token?.issuance.numberOfDecimals ?? null);
      assert.equal(row.holders, holders.get(row.token_id)?.size ?? 0, `holders of ${row.token_id}`);
      assert.equal(row.creation_height, thing.creationHeight);
      assert.equal(row.creation_timestamp, timeOf(thing.creationHeight));
      if (token) assert.equal(row.circulating_supply, token.minted - token.burned);
      else assert.equal(row.owner, nftOwners.get(row.token_id)!.at(-1)!.owner);
    }
    const everybody = await rowsOf(EXPANDED_TICKER_LIST.read(store, { fragment: 'a', after: null, limit: 1_000 }));
    const { tickers } = new TakingPart(network, facts.mainChain);
    const ofTicker = everybody.map(({ token_id }) => token_id);
    assert.deepEqual(ofTicker, tokensByTicker(world, tickers, 'a'));

    const youngest = [...world.nfts.values()].sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
    const nfts = await pages(
      (row: ListedNftRow | null, limit) => rowsOf(NFT_LIST.read(store, { after: nftKey(row), limit })),
      2,
    );
    assert.deepEqual(
      nfts.map(({ token_id, owner }) => [token_id, owner]),
      youngest.map(({ id }) => [id, nftOwners.get(id)!.at(-1)!.owner]),
    );
    for (const owner of new Set([...nftOwners.values()].map((owners) => owners.at(-1)!.owner))) {
      if (owner === null) continue;
      const had = await pages(
        (row: ListedNftRow | null, limit) => rowsOf(ADDRESS_NFT_LIST.read(store, { owner, after: nftKey(row), limit })),
        1,
      );
      assert.deepEqual(
        had.map(({ token_id }) => token_id),
        youngest.map(({ id }) => id).filter((id) => nftOwners.get(id)!.at(-1)!.owner === owner),
      );
    }
    for (const [id, owners] of nftOwners) {
      const history = await pages(async (row: NftOwnerRow | null, limit) => {
        const after = row && { txIndex: row.tx_index! };
        const rows = await rowsOf(NFT_OWNER_LIST.read(store, { tokenId: id, after, limit }));
        return rows.filter(({ tx_id }) => tx_id !== null);
      }, 2);
      const shownOwners = history.map(({ tx_id, owner }) => ({ transactionId: tx_id, owner }));
      assert.deepEqual(shownOwners, newestFirst(owners), `owners of ${id}`);
    }
    if ([...nftOwners.values()].some((owners) => owners.length > 3)) seen.hasWandered = true;
  },

  async 'the contracts are those of a naive model'(store, facts, seen) {
    const { wallet } = facts.world;
    const parties = new Set<Destination>();
    for (const { output } of facts.world.utxos.values()) {
      if (output.type === 'Htlc') parties.add(output.contract.spendKey).add(output.contract.refundKey);
    }
    for (const [secretHash, htlcs] of facts.htlcs()) {
      const rows = await pages(
        (row: HtlcRow | null, limit) =>
          rowsOf(SECRET_HASH_HTLC_LIST.read(store, { secretHash, after: outputKey(row), limit })),
        1,
      );
      const found = rows.map((row) => {
        const { outpoint, utxo } = JSON.parse(`${row.entry}}`);
        assert.equal(utxo.htlc.secret_hash.hex, secretHash);
        return [`${outpoint.source_id}:${outpoint.index}`, row.spent_tx_id, row.spent_input_index, row.secret];
      });
      const expected = htlcs.map(({ outpoint, spent, isClaimed }) => {
        seen.endings.add(isClaimed ? 'claimed' : spent === null ? 'open' : 'refunded');
        const secret = isClaimed ? (wallet.secretOf(secretHash) ?? '?') : null;
        return [outpoint, spent?.transactionId ?? null, spent?.inputIndex ?? null, secret];
      });
      assert.deepEqual(found, expected);
    }
    for (const owner of parties) {
      const rows = await pages(
        (row: AddressHtlcRow | null, limit) =>
          rowsOf(ADDRESS_HTLC_LIST.read(store, { owner, after: outputKey(row), limit })),
        2,
      );
      const places = new Map([...facts.htlcs().values()].flat().map((htlc) => [htlc.outpoint, htlc.place]));
      const expected = [...facts.world.utxos.values()].flatMap(({ output, outpoint }) => {
        if (output.type !== 'Htlc') return [];
        const { spendKey, refundKey } = output.contract;
        if (spendKey !== owner && refundKey !== owner) return [];
        const place = places.get(`${outpoint.sourceId}:${outpoint.index}`)!;
        return [{ place, maySpend: spendKey === owner, mayRefund: refundKey === owner }];
      });
      const found = rows.map(({ height, position, output_index, may_spend, may_refund }) => ({
        ...{ place: [height, position, output_index], maySpend: may_spend, mayRefund: may_refund },
      }));
      const inOrder = expected.sort((a, b) => compareRateKeys(b.place, a.place));
      assert.deepEqual(found, inOrder);
    }
  },

  async 'what an address may do is that of a naive model'(store, facts, seen) {
    const { world } = facts;
    const owners = [...new TakingPart(network, facts.mainChain).ofAddress.keys()];
    // Few have time-locked outputs: some of those are taken as well.
    const lockers = [...world.utxos.values()].filter(({ output }) => output.type === 'LockThenTransfer');
    const some = [...sample(owners, 40), ...sample(lockers, 20).map(({ destination }) => destination)];
    for (const owner of new Set(some)) {
      const orders = await pages((row: OrderRow | null, limit) => {
        const after = row && { height: row.creation_height, orderId: row.order_id };
        return rowsOf(ADDRESS_ORDER_LIST.read(store, { owner, after, limit }));
      }, 2);
      const youngestFirst = (things: { id: Id; creationHeight: number }[]) =>
        things.sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b)).map(({ id }) => id);
      assert.deepEqual(
        orders.map(({ order_id }) => order_id),
        youngestFirst([...world.orders.values()].filter((each) => each.concludeKey === owner && !each.isConcluded)),
      );
      const pools = await pages((row: PoolRow | null, limit) => {
        const after = row && { height: row.creation_height, poolId: row.pool_id };
        return rowsOf(ADDRESS_POOL_LIST.read(store, { owner, after, limit }));
      }, 1);
      assert.deepEqual(
        pools.map(({ pool_id }) => pool_id),
        youngestFirst(
          [...world.pools.values()].filter((each) => each.decommissionKey === owner && each.stakerBalance > 0n),
        ),
      );
      const unlocks = await pages(
        (row: UnlockRow | null, limit) =>
          rowsOf(UNLOCK_LIST.read(store, { owner, after: row && UNLOCK_LIST.sortKey(row), limit })),
        2,
      );
      const expected = facts.unlocks(owner);
      seen.locked += expected.length;
      assert.deepEqual(
        unlocks.map(({ entry, opens_at }) => {
          const { outpoint } = JSON.parse(`${entry}}`);
          return { outpoint: `${outpoint.source_id}:${outpoint.index}`, opensAt: Number(opens_at) };
        }),
        expected,
      );
    }
  },

  async 'a search finds what a naive one finds'(store, facts) {
    const { world, blocks } = facts;
    const find = (terms: Partial<SearchTerms>, limit = 1_000) =>
      rowsOf(searchIndex(store, { height: null, ids: null, text: null, time: null, ...terms, limit }));
    const found = async (terms: Partial<SearchTerms>) =>
      (await find(terms)).map(({ type, id }) => `${type} ${id}`).sort();
    const last = blocks.at(-1)!;
    assert.deepEqual(await found({ height: last.height }), [`block ${last.id}`]);
    assert.deepEqual(await found({ height: last.height + 1 }), []);
    const noon = last.timestamp - 100_000;
    const then = blocks.findLast(({ timestamp }) => timestamp <= noon);
    assert.deepEqual(
      await found({ time: noon }),
      then === undefined ? [`block ${network.genesisId}`] : [`block ${then.id}`],
    );

    const chain = blocks.flatMap(({ id, transactionIds }) => [
      `block ${id}`,
      ...transactionIds.map((transaction) => `transaction ${transaction}`),
    ]);
    const { ofAddress, tickers } = new TakingPart(network, facts.mainChain);
    const known: Record<string, string[]> = {
      'block or transaction': [...chain, `block ${network.genesisId}`],
      pool: [...world.pools.keys()].map((id) => `pool ${id}`),
      delegation: [...world.delegations.keys()].map((id) => `delegation ${id}`),
      token: tokenIds(world).map((id) => `${world.tokens.get(id) ? 'token' : 'nft'} ${id}`),
      order: [...world.orders.keys()].map((id) => `order ${id}`),
      address: [...ofAddress.keys()].map((owner) => `address ${owner}`),
    };
    for (const [of, things] of Object.entries(known)) {
      for (const thing of sample(things, 8)) {
        const id = thing.split(' ')[1]!;
        for (const prefix of [id, id.slice(0, 6), id.slice(0, 2)]) {
          const ids = { of: of as NonNullable<SearchTerms['ids']>['of'], first: prefix, last: padded(prefix) };
          const expected = things.filter((each) => each.split(' ')[1]!.startsWith(prefix)).sort();
          assert.deepEqual(await found({ ids }), expected, `${of} ${prefix}`);
        }
      }
    }
    const texts = [...tickers.values(), ...facts.names.values()].map((text) => text.toLowerCase());
    for (const text of new Set(sample(texts, 12).flatMap((each) => [each, each.slice(1, 4), each.slice(-1)]))) {
      if (text === '') continue;
      const expected = tokenIds(world).filter((id) =>
        [tickers.get(id), facts.names.get(id)].some((name) => name?.toLowerCase().includes(text)),
      );
      const results = await find({ text });
      assert.deepEqual(results.map(({ id }) => id).sort(), expected.sort(), `texts with ${text}`);
      const isWhole = results.map(({ id }) =>
        [tickers.get(id), facts.names.get(id)].some((name) => name?.toLowerCase() === text),
      );
      assert.deepEqual(isWhole, isWhole.toSorted().toReversed(), 'whole names come first');
      const first = await find({ text }, 3);
      assert.equal(first.length, Math.min(3, expected.length));
      assert.deepEqual(await find({ text }, 3), first);
    }
  },
};

testOverSeeds('all lists and look-ups are those of a naive model', async (seed, scope) => {
  const seen: Seen = { endings: new Set(), locked: 0, hasWandered: false };
  await atTips(seed, scope, async (store, facts) => {
    for (const [name, compare] of Object.entries(COMPARISONS)) {
      await compare(store, facts, seen).catch((cause) => {
        throw new Error(`At height ${facts.blocks.length}: ${name}`, { cause });
      });
    }
  });
  assert.deepEqual([...seen.endings].sort(), ['claimed', 'open', 'refunded']);
  assert.ok(seen.locked > 10);
  assert.ok(seen.hasWandered, 'no NFT wandered');
});

/** That there was something to compare. */
interface Seen {
  readonly endings: Set<string>;
  locked: number;
  hasWandered: boolean;
}

async function rowsOf<Row>(answer: Promise<{ readonly rows: readonly Row[] }>): Promise<readonly Row[]> {
  return (await answer).rows;
}

const isBlock = (row: PoolBlockRow): row is { readonly exists: boolean } & ListedBlockRow => row.height !== null;
const nftKey = (row: ListedNftRow | null) => row && { height: row.creation_height, tokenId: row.token_id };
const outputKey = (row: HtlcRow | AddressHtlcRow | null) =>
  row && { height: row.height, position: row.position, outputIndex: row.output_index };

function compareRateKeys(a: readonly number[], b: readonly number[]): number {
  return a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!;
}

/** The highest bytes that begin with these. */
function padded(prefix: Hex): Hex {
  return prefix.padEnd(80, 'f');
}
