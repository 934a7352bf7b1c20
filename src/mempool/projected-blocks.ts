/**
 * The next blocks, as a node makes them (docs/api.md#projected-blocks): the highest fee rate first, but parents before their children,
 * until one has no room. The rate of a transaction with pending ancestors is that of all of them together, if that is lower than its
 * own; those that spend its outputs do not change it. Time locks are not looked at.
 */

import { feeRate } from '../chain/fee-rate.ts';
import { createsDelegation } from '../chain/input-and-output-kinds.ts';
import { MAX_BLOCK_BYTES } from '../chain/networks/network.ts';
import { forEachReference } from '../chain/transaction-references.ts';
import type { Atoms, Id } from '../chain/types.ts';
import { oncePerRevision } from './once-per-revision.ts';
import type { PendingSet } from './pending-set.ts';
import type { PendingTransaction } from './pending-transaction.ts';

/** The most ancestors that count: a node takes no more by default. */
const MAX_ANCESTORS = 64;

export interface ProjectedBlock {
  readonly count: number;
  readonly bytes: number;
  readonly totalFee: Atoms;
  /** Of the rates by which its transactions are chosen, per 1,000 bytes. */
  readonly lowestRate: Atoms;
  readonly highestRate: Atoms;
}

/** Where a pending transaction is; counted from 1. */
export interface ProjectedPlace {
  readonly block: number;
  readonly position: number;
  /** The rate by which it is chosen, per 1,000 bytes. */
  readonly rate: Atoms;
}

export interface ProjectedTransaction {
  readonly transaction: PendingTransaction;
  /** The rate by which it is chosen, per 1,000 bytes. */
  readonly rate: Atoms;
}

interface ProjectedBlocks {
  /** Each has at least one transaction. */
  readonly blocks: readonly ProjectedBlock[];
  /** The listed transactions as the blocks take them. */
  readonly order: readonly ProjectedTransaction[];
  /** Returns the place of a listed transaction. */
  placeOf(id: Id): ProjectedPlace | undefined;
}

export const projectedBlocks = oncePerRevision((pool): ProjectedBlocks => {
  const order = inBlockOrder(candidatesOf(pool));
  const ranks = new Map(order.map(({ transaction: { id } }, rank) => [id, rank]));
  const blocks: (ProjectedBlock & { readonly first: number })[] = [];
  for (let first = 0; first < order.length; first += blocks.at(-1)!.count) {
    blocks.push({ first, ...blockFrom(order, first) });
  }
  return {
    blocks,
    order,
    placeOf: (id) => {
      const rank = ranks.get(id);
      if (rank === undefined) return undefined;
      const block = blocks.findLastIndex(({ first }) => first <= rank);
      return { block: block + 1, position: rank - blocks[block]!.first + 1, rate: order[rank]!.rate };
    },
  };
});

/** The most blocks that are shown. */
const MAX_SHOWN = 8;

/** Returns the next blocks, as many as are shown, and the sums of those behind them. */
export function nextBlocks(pool: PendingSet) {
  const { blocks } = projectedBlocks(pool);
  const more = { blocks: 0, count: 0, bytes: 0, totalFee: 0n };
  for (const { count, bytes, totalFee } of blocks.slice(MAX_SHOWN)) {
    more.blocks++;
    more.count += count;
    more.bytes += bytes;
    more.totalFee += totalFee;
  }
  return { blocks: blocks.slice(0, MAX_SHOWN), more };
}

/** Returns the transactions of the next block, as it takes them. */
export function transactionsOfNextBlock(pool: PendingSet): readonly ProjectedTransaction[] {
  const { blocks, order } = projectedBlocks(pool);
  return order.slice(0, blocks[0]?.count ?? 0);
}

/** The lowest rate that the next block takes, by what is pending; null if it has room for all that is pending. */
export function lowestRateOfNextBlock(pool: PendingSet): Atoms | null {
  const { blocks } = projectedBlocks(pool);
  return blocks.length > 1 ? blocks[0]!.lowestRate : null;
}

/** Fills a block. */
function blockFrom(order: readonly Candidate[], first: number): ProjectedBlock {
  const { rate } = order[first]!;
  const block = { count: 0, bytes: 0, totalFee: 0n, lowestRate: rate, highestRate: rate };
  for (let candidate = order[first]; candidate !== undefined; candidate = order[first + block.count]) {
    const { transaction, rate } = candidate;
    const bytes = block.bytes + transaction.sizeBytes;
    if (block.count > 0 && compactLength(block.count + 1) + bytes > MAX_BLOCK_BYTES) break;
    block.count++;
    block.bytes = bytes;
    block.totalFee += transaction.fee!;
    if (rate < block.lowestRate) block.lowestRate = rate;
    if (rate > block.highestRate) block.highestRate = rate;
  }
  return block;
}

/** The bytes of the number of transactions in a block. */
const compactLength = (count: number) => (count < 64 ? 1 : count < 16_384 ? 2 : 4);

interface Candidate extends ProjectedTransaction {
  rate: Atoms;
  /** The rate with the precision that nearly always is enough to compare, which is faster. */
  roundRate: number;
  relatives: Relatives | null;
  isTaken: boolean;
}

/** The pending transactions around one. */
interface Relatives {
  readonly parents: Set<Candidate>;
  readonly children: Candidate[];
  /** Was the transaction passed over, because a parent was not taken yet? */
  isPassed: boolean;
}

const relativesOf = (candidate: Candidate): Relatives =>
  (candidate.relatives ??= { parents: new Set(), children: [], isPassed: false });

/** Returns the listed transactions with their rates. There are tens of thousands: nothing is made for those without relatives. */
function candidatesOf(pool: PendingSet): Candidate[] {
  const byId = new Map<Id, Candidate>();
  const byNonce = new Map<string, Candidate>();
  for (const transaction of pool.transactions()) {
    const candidate = { transaction, rate: 0n, roundRate: 0, relatives: null, isTaken: false };
    byId.set(transaction.id, candidate);
    for (const { id, nonce } of transaction.accounts) byNonce.set(`${id} ${nonce}`, candidate);
  }
  const all = [...byId.values()];
  let child = all[0]!;
  const addParent = (parent: Candidate | undefined): void => {
    if (parent === undefined || parent === child || child.relatives?.parents.has(parent)) return;
    relativesOf(child).parents.add(parent);
    relativesOf(parent).children.push(child);
  };
  const creator = (id: Id) => addParent(byId.get(pool.creatorOf(id) ?? ''));
  const output = ({ sourceId }: { readonly sourceId: Id }) => addParent(byId.get(sourceId));
  const uses = { output, delegation: creator, order: creator, token: creator };
  for (child of all) {
    const { signed, accounts } = child.transaction;
    forEachReference(signed.transaction, uses);
    for (const each of signed.transaction.outputs) if (createsDelegation(each)) creator(each.poolId);
    for (const { id, nonce } of accounts) addParent(byNonce.get(`${id} ${nonce - 1n}`));
  }
  for (const candidate of all) {
    candidate.rate = rateOf(candidate);
    candidate.roundRate = Number(candidate.rate);
  }
  return all;
}

function rateOf({ transaction: { fee, sizeBytes }, relatives }: Candidate): Atoms {
  const own = feeRate(fee!, sizeBytes);
  if (relatives === null || relatives.parents.size === 0) return own;
  let [fees, bytes] = [fee!, sizeBytes];
  const ancestors = new Set(relatives.parents);
  let left = MAX_ANCESTORS;
  // What is added to a set while it is iterated is visited, too.
  for (const { transaction, relatives: next } of ancestors) {
    fees += transaction.fee!;
    bytes += transaction.sizeBytes;
    if (--left === 0) break;
    if (next !== null) for (const each of next.parents) ancestors.add(each);
  }
  const all = feeRate(fees, bytes);
  if (own < all) return own;
  return all;
}

/** Sorts parents before children: one whose parents were missing when it had its turn comes right after the last of them. */
function inBlockOrder(candidates: Candidate[]): Candidate[] {
  const order: Candidate[] = [];
  const take = (candidate: Candidate): void => {
    candidate.isTaken = true;
    order.push(candidate);
  };
  for (const candidate of candidates.sort(byRate)) {
    if (candidate.relatives === null) take(candidate);
    else {
      const ready = [candidate];
      for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
        const { parents, children } = next.relatives!;
        next.relatives!.isPassed = true;
        if (next.isTaken || ![...parents].every(({ isTaken }) => isTaken)) continue;
        take(next);
        const freed = children.filter(({ relatives }) => relatives!.isPassed);
        if (freed.length > 0) {
          ready.push(...freed);
          ready.sort((a, b) => byRate(b, a));
        }
      }
    }
  }
  return order;
}

function byRate(a: Candidate, b: Candidate): number {
  if (a.roundRate !== b.roundRate) return b.roundRate - a.roundRate;
  if (a.rate !== b.rate) return a.rate > b.rate ? -1 : 1;
  return a.transaction.id > b.transaction.id ? -1 : 1;
}
