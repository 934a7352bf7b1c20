/** The next blocks of the pending transactions, by the rules of the node's mempool, and against a plain model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { feeRate } from '../../src/chain/fee-rate.ts';
import type { Id, TxInput } from '../../src/chain/types.ts';
import { PendingSet } from '../../src/mempool/pending-set.ts';
import type { AccountUse, PendingTransaction } from '../../src/mempool/pending-transaction.ts';
import { projectedBlocks, transactionsOfNextBlock } from '../../src/mempool/projected-blocks.ts';
import { NETWORK } from '../support/fake-mempool.ts';

interface Made {
  /** The numbers of the transactions whose outputs it spends. */
  readonly spends?: readonly number[];
  readonly fee: number;
  readonly size?: number;
  readonly account?: AccountUse;
}

const idOf = (number: number): Id => number.toString(16).padStart(64, '0');

function input(parent: number, index: number): TxInput {
  return { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: idOf(parent), index } };
}

function pending(number: number, { spends = [], fee, size = 1_000, account }: Made): PendingTransaction {
  return {
    id: idOf(number),
    signed: {
      transaction: { flags: 0n, inputs: spends.map((parent) => input(parent, number)), outputs: [] },
      signatures: [],
    },
    sizeBytes: size,
    height: 5,
    inputs: spends.map(() => ({ output: { type: 'DataDeposit', data: '' } })) as never,
    fee: BigInt(fee),
    addresses: new Set(),
    tokens: new Set(),
    accounts: account === undefined ? [] : [account],
    isFinal: true,
    origin: 'remote',
  };
}

function setOf(all: readonly Made[]): PendingSet {
  const pool = new PendingSet(NETWORK);
  for (const [number, made] of all.entries()) {
    pool.apply({ type: 'Added', transaction: pending(number, made), isNew: true });
  }
  return pool;
}

/** The numbers of the transactions by block. */
function blocksOf(pool: PendingSet): number[][] {
  const { blocks, placeOf } = projectedBlocks(pool);
  const found: number[][] = blocks.map(() => []);
  for (const id of pool.listedIds()) {
    const { block, position } = placeOf(id)!;
    found[block - 1]![position - 1] = Number(`0x${id}`);
  }
  return found;
}

it('an empty mempool makes no block', () => {
  const { blocks, placeOf } = projectedBlocks(setOf([]));
  assert.deepEqual([blocks, placeOf(idOf(0))], [[], undefined]);
});

it('the highest fee rate comes first', () => {
  const ofNext = transactionsOfNextBlock(setOf([{ fee: 5 }, { fee: 7 }]));
  assert.deepEqual(
    ofNext.map(({ transaction, rate }) => [transaction.id, rate]),
    [
      [idOf(1), 7n],
      [idOf(0), 5n],
    ],
  );
  assert.deepEqual(blocksOf(setOf([{ fee: 5 }, { fee: 7 }, { fee: 12, size: 2_000 }])), [[1, 2, 0]]);
});

it('a child that pays more does not move its parent forward, and its own rate is that of both', () => {
  const pool = setOf([{ fee: 2 }, { fee: 100, spends: [0] }, { fee: 30 }, { fee: 60 }]);
  assert.deepEqual(blocksOf(pool), [[3, 2, 0, 1]]);
  const { placeOf } = projectedBlocks(pool);
  assert.deepEqual(placeOf(idOf(1)), { block: 1, position: 4, rate: 51n });
  assert.deepEqual(placeOf(idOf(0)), { block: 1, position: 3, rate: 2n });
});

it('a parent that pays more does not lift its child', () => {
  assert.deepEqual(blocksOf(setOf([{ fee: 100 }, { fee: 2, spends: [0] }, { fee: 30 }])), [[0, 2, 1]]);
});

it('the next nonce of an account comes after the one before it', () => {
  const account = (nonce: bigint): AccountUse => ({ account: 'token', id: idOf(99), nonce, owner: 'ab' });
  const pool = setOf([{ fee: 90, account: account(8n) }, { fee: 10, account: account(7n) }, { fee: 20 }]);
  assert.deepEqual(blocksOf(pool), [[2, 1, 0]]);
});

it('a block ends with the first transaction that has no room, also if a later one had', () => {
  const pool = setOf([
    { fee: 9_000_000, size: 600_000 },
    { fee: 7_000_000, size: 500_000 },
    { fee: 10, size: 1_000 },
    { fee: 9_000, size: 448_574 },
  ]);
  assert.deepEqual(blocksOf(pool), [[0], [1, 3, 2]]);
  const { blocks } = projectedBlocks(pool);
  assert.deepEqual(blocks[1], {
    first: 1,
    count: 3,
    bytes: 949_574,
    totalFee: 7_009_010n,
    lowestRate: 10n,
    highestRate: 14_000n,
  });
});

it('the transactions of a block and their number have exactly 1,048,576 bytes at most', () => {
  const pair = (size: number) =>
    blocksOf(
      setOf([
        { fee: 2_000_000, size: 1_000_000 },
        { fee: 1, size },
      ]),
    ).length;
  assert.equal(pair(48_575), 1);
  assert.equal(pair(48_576), 2);
});

it('blocks are made again after each change of the mempool, and not before', () => {
  const pool = setOf([{ fee: 5 }]);
  const before = projectedBlocks(pool);
  assert.equal(projectedBlocks(pool), before);
  pool.apply({ type: 'Confirmed', id: idOf(0), height: 5 });
  assert.deepEqual(projectedBlocks(pool).blocks, []);
});

/** Takes again and again the best of those whose parents are taken. */
function naiveOrder(all: readonly Made[]): number[] {
  const ancestorsOf = (number: number): Set<number> => {
    const parents = all[number]!.spends ?? [];
    return new Set(parents.flatMap((parent) => [parent, ...ancestorsOf(parent)]));
  };
  const rates = all.map(({ fee, size = 1_000 }, number) => {
    const family = [number, ...ancestorsOf(number)];
    const fees = family.reduce((sum, each) => sum + all[each]!.fee, 0);
    const bytes = family.reduce((sum, each) => sum + (all[each]!.size ?? 1_000), 0);
    const [own, together] = [feeRate(BigInt(fee), size), feeRate(BigInt(fees), bytes)];
    return { own, together };
  });
  const rateOf = (number: number) => {
    const { own, together } = rates[number]!;
    if (own < together) return own;
    return together;
  };
  const taken: number[] = [];
  while (taken.length < all.length) {
    const free = all
      .keys()
      .filter((each) => !taken.includes(each) && (all[each]!.spends ?? []).every((parent) => taken.includes(parent)));
    taken.push([...free].reduce((best, each) => (rateOf(each) >= rateOf(best) ? each : best)));
  }
  return taken;
}

it('the order is that of taking again and again the best transaction whose parents are taken', () => {
  const transaction = fc.record({
    fee: fc.integer({ min: 0, max: 50 }),
    size: fc.integer({ min: 200, max: 2_000 }),
    back: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 60 }), (made) => {
      const all = made.map(({ back, ...rest }, number) => ({
        ...rest,
        spends: back.map((step) => number - step).filter((parent) => parent >= 0),
      }));
      assert.deepEqual(blocksOf(setOf(all)).flat(), naiveOrder(all));
    }),
  );
});
