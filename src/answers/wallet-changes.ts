/**
 * Reads what has changed for the addresses of a wallet since its cursor, confirmed and pending, at one tip
 * (docs/api.md#wallets).
 */

import { COIN } from '../chain/currency.ts';
import { MAX_HEIGHT, type Network } from '../chain/networks/network.ts';
import { MAX_REORGANISATION_DEPTH } from '../chain/reorganisation-depth.ts';
import type { Destination, Id } from '../chain/types.ts';
import { outpointJsonOfEntry } from '../render/output-entry.ts';
import { badRequest, notFound } from '../serving/errors/api-error.ts';
import { unavailable } from '../serving/errors/causes-of-503.ts';
import type { OutputSortKey } from '../store/queries/addresses/address-outputs.ts';
import { getBlockIdAtHeight } from '../store/queries/blocks/blocks.ts';
import { listBranch } from '../store/queries/blocks/blocks-since.ts';
import type { TransactionRow } from '../store/queries/transactions/transactions.ts';
import {
  END_OF_BLOCK,
  getTransactionRange,
  listWalletBalances,
  listWalletCreatedOutputs,
  listWalletTransactions,
  listWalletUnlistedSpends,
  listWalletUtxos,
  type TransactionPlace,
  type WalletBalanceRow,
  type WalletOutputRow,
  type WalletTransactionRow,
} from '../store/queries/wallets/wallet-changes.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../store/read/query.ts';
import { type LateTokenDecimals, readDecimalsOfLaterIssuedTokens } from './decimals-of-later-issued-tokens.ts';
import type { RecentlyTouchedOwners, TouchedOwners } from './recently-touched-owners.ts';
import { spentWalletOutpoints } from './spent-wallet-outpoints.ts';
import { readTokenLabels, type TokenLabels } from './token-label.ts';

/** What a wallet has been told: everything up to a block, and perhaps parts of more. */
export interface WalletCursor {
  readonly height: number;
  readonly blockId: Id;
  /** The number of transactions of this block that were told; null: the block was told completely. */
  readonly position: number | null;
  /** The first of the unspent outputs that were not told; null if all were told. */
  readonly unspentFrom: OutputSortKey | null;
}

export interface WalletChanges {
  readonly tip: SnapshotTip;
  readonly from: WalletCursor | null;
  readonly to: WalletCursor;
  readonly rolledBackTo: Pick<WalletCursor, 'height' | 'blockId'> | null;
  readonly transactions: readonly TransactionRow[];
  readonly created: readonly WalletOutputRow[];
  /** Their outpoints as JSON. */
  readonly spent: readonly string[];
  readonly balances: readonly WalletBalanceRow[] | null;
  readonly labels: TokenLabels;
  readonly lateDecimals: LateTokenDecimals;
  readonly isComplete: boolean;
}

/** The most in a response; the rest comes in further ones. */
const WALLET_LIMITS = {
  transactions: 500,
  /** The bytes of the stored JSON after which no more transactions are added. */
  transactionBytes: 8 * 1024 * 1024,
  /** Outputs in each list; a single transaction may have more. */
  outputs: 2_000,
};
type WalletLimits = typeof WALLET_LIMITS;
/** The most currencies of a wallet. */
const MAX_WALLET_CURRENCIES = 5_000;

/** The sort key of the first output of the genesis. */
const FIRST_OUTPUT: OutputSortKey = { height: 0, position: 0, outputIndex: 0 };

/** Runs queries at one tip, that of the first. */
class Snapshot {
  readonly store: QueryRunner;
  readonly limits: WalletLimits;
  tip: SnapshotTip | null = null;

  constructor(store: QueryRunner, limits: WalletLimits) {
    this.store = store;
    this.limits = limits;
  }

  /** Returns the rows. Throws SnapshotChanged if they are of another tip than others. */
  async rows<Row>(result: Promise<SnapshotRows<Row>>): Promise<Row[]> {
    const { tip, rows } = await result;
    this.noteTip(tip);
    return rows;
  }

  noteTip(tip: SnapshotTip): void {
    this.tip ??= tip;
    requireSameTip({ tip: this.tip }, { tip });
  }
}

/** What changed up to a point. */
interface Changes extends Pick<WalletChanges, 'transactions' | 'created' | 'spent'> {
  readonly end: TransactionPlace;
  /** Where the list of unspent outputs goes on; null if all were told. */
  readonly unspentFrom: OutputSortKey | null;
}

/** The place of a cursor. */
interface Beginning {
  readonly after: TransactionPlace;
  /** The global index of the last transaction that was told. */
  readonly lastTransaction: number;
  readonly rolledBackTo: WalletChanges['rolledBackTo'];
  readonly unspentFrom: OutputSortKey | null;
}

/**
 * Reads the changes of the index once. Throws SnapshotChanged, the error 404 for an unknown cursor, and the error
 * 503 for one that is ahead of the index.
 */
export async function readWalletChanges(
  store: QueryRunner,
  network: Network,
  owners: readonly Destination[],
  from: WalletCursor | null,
  recentlyTouched: RecentlyTouchedOwners,
  limits = WALLET_LIMITS,
): Promise<WalletChanges> {
  const snapshot = new Snapshot(store, limits);
  const touched = from === null ? null : await readTouched(snapshot, from, recentlyTouched);
  const changed = touched === null ? owners : owners.filter((owner) => touched.has(owner));
  if (from !== null && changed.length === 0) return noWalletChanges(snapshot.tip!, from);
  const beginning = from === null ? null : await findBeginning(snapshot, from);
  const [{ end, unspentFrom, ...changes }, held] = await Promise.all([
    beginning === null ? readAllUnspent(snapshot, owners) : readChangesSince(snapshot, network, changed, beginning),
    readBalances(snapshot, owners),
  ]);
  const tip = snapshot.tip!;
  const isComplete = end.height === tip.height && end.position === END_OF_BLOCK && unspentFrom === null;
  const balances = isComplete ? held : null;
  const tokens = (balances ?? []).map(({ currency }) => currency).filter((currency) => currency !== COIN);
  const bodies = changes.transactions.map(({ body }) => body);
  return {
    ...changes,
    tip,
    from,
    to: {
      height: end.height,
      blockId: end.height === tip.height ? tip.id : await blockIdAt(snapshot, end.height),
      // Only a client that was told the balances may later hear "nothing changed", for example after a reorganisation.
      position: isComplete ? null : Math.min(end.position + 1, END_OF_BLOCK),
      unspentFrom,
    },
    rolledBackTo: beginning?.rolledBackTo ?? null,
    balances,
    labels: await readTokenLabels(store, tip, tokens),
    lateDecimals: await readDecimalsOfLaterIssuedTokens(store, tip, bodies),
    isComplete,
  };
}

/** The changes if the addresses have none between the cursor and the tip. */
export function noWalletChanges(tip: SnapshotTip, from: WalletCursor): WalletChanges {
  const lists = { transactions: [], created: [], spent: [], balances: null, labels: new Map(), lateDecimals: null };
  const to = { height: tip.height, blockId: tip.id, position: null, unspentFrom: null };
  return { ...lists, tip, from, to, rolledBackTo: null, isComplete: true };
}

/** Is the cursor of a complete response: all of its block, all unspent outputs, and the balances? */
export function isCompleteCursor({ position, unspentFrom }: WalletCursor): boolean {
  return position === null && unspentFrom === null;
}

async function readTouched(
  snapshot: Snapshot,
  from: WalletCursor,
  recentlyTouched: RecentlyTouchedOwners,
): Promise<TouchedOwners | null> {
  if (!isCompleteCursor(from)) return null;
  const { tip, owners } = await recentlyTouched.read(snapshot.store, from.height, from.blockId);
  snapshot.noteTip(tip);
  return owners;
}

async function findBeginning(snapshot: Snapshot, cursor: WalletCursor): Promise<Beginning> {
  const { height, blockId, position, unspentFrom } = cursor;
  const [range] = await snapshot.rows(getTransactionRange(snapshot.store, height, blockId));
  if (range === undefined) return findCommonAncestor(snapshot, cursor);
  const told = position === null ? range.tx_count : Math.min(position, range.tx_count);
  return {
    after: { height, position: position === null || position === END_OF_BLOCK ? END_OF_BLOCK : position - 1 },
    lastTransaction: range.first_tx_index + told - 1,
    rolledBackTo: null,
    unspentFrom,
  };
}

/** The place of a cursor whose block was removed: its newest ancestor on the main chain, and all unspent outputs again. */
async function findCommonAncestor(snapshot: Snapshot, { height, blockId: id }: WalletCursor): Promise<Beginning> {
  const branch = await snapshot.rows(listBranch(snapshot.store, id, MAX_REORGANISATION_DEPTH));
  const ancestor = branch.at(-1);
  if (ancestor === undefined || ancestor.height === null || branch[0]!.removed_height !== height) {
    const ahead = height - snapshot.tip!.height;
    if (ahead > 0 && ahead <= MAX_REORGANISATION_DEPTH) throw unavailable('cursor ahead of index');
    throw notFound('Cursor not found', snapshot.tip);
  }
  const rolledBackTo = { height: ancestor.height, blockId: ancestor.block_id };
  const [range] = await snapshot.rows(getTransactionRange(snapshot.store, ancestor.height, ancestor.block_id));
  return {
    after: { height: ancestor.height, position: END_OF_BLOCK },
    lastTransaction: range!.first_tx_index + range!.tx_count - 1,
    rolledBackTo,
    unspentFrom: FIRST_OUTPUT,
  };
}

async function readAllUnspent(snapshot: Snapshot, owners: readonly Destination[]): Promise<Changes> {
  const last = { height: MAX_HEIGHT, position: END_OF_BLOCK };
  const { rows, unspentFrom } = await readUnspent(snapshot, owners, FIRST_OUTPUT, last);
  const end = { height: snapshot.tip!.height, position: END_OF_BLOCK };
  return { transactions: [], created: rows, spent: [], end, unspentFrom };
}

async function readUnspent(
  snapshot: Snapshot,
  owners: readonly Destination[],
  from: OutputSortKey,
  last: TransactionPlace,
): Promise<{ readonly rows: readonly WalletOutputRow[]; readonly unspentFrom: OutputSortKey | null }> {
  const { store, limits } = snapshot;
  const page = { from, last, limit: limits.outputs + 1 };
  const found = await snapshot.rows(listWalletUtxos(store, owners, page));
  const rows = found.slice(0, limits.outputs);
  const next = found[limits.outputs];
  if (next === undefined) return { rows, unspentFrom: null };
  const { height, position, output_index: outputIndex } = next;
  return { rows, unspentFrom: { height, position, outputIndex } };
}

async function readChangesSince(
  snapshot: Snapshot,
  network: Network,
  owners: readonly Destination[],
  { after, lastTransaction, unspentFrom }: Beginning,
): Promise<Changes> {
  const { store, limits } = snapshot;
  const [transactions, created, unlisted] = await Promise.all([
    snapshot.rows(
      listWalletTransactions(store, owners, lastTransaction, limits.transactionBytes, limits.transactions + 1),
    ),
    snapshot.rows(listWalletCreatedOutputs(store, owners, after, limits.outputs)),
    snapshot.rows(listWalletUnlistedSpends(store, owners, after, limits.outputs)),
  ]);
  const tipEnd = { height: snapshot.tip!.height, position: END_OF_BLOCK };
  const ends = [
    endOfTransactions(transactions, limits.transactions),
    endOfOutputs(created, limits.outputs),
    endOfOutputs(unlisted, limits.outputs),
  ];
  const end = ends.reduce<TransactionPlace>(
    (first, next) => (next !== null && isBefore(next, first) ? next : first),
    tipEnd,
  );
  const told = transactions.filter((row): row is ToldTransaction => row.body !== null && !isBefore(end, row));
  const spentUnlisted = unlisted.filter((row) => !isBefore(end, row)).map(({ entry }) => outpointJsonOfEntry(entry));
  const spent = new Set([...(await spentWalletOutpoints(network, owners, told)), ...spentUnlisted]);
  const newOutputs = created.filter((row) => !isBefore(end, row));
  const changes = { transactions: told, spent: [...spent], end };
  // A reorganisation that removes blocks after `end` is not told to a client that has reached only `end`. Unspent outputs
  // are of the tip, so they are continued only when this response reaches the tip.
  if (unspentFrom === null || end !== tipEnd) return { ...changes, created: newOutputs, unspentFrom };
  const old = await readUnspent(snapshot, owners, unspentFrom, after);
  return { ...changes, created: [...old.rows, ...newOutputs], unspentFrom: old.unspentFrom };
}

type ToldTransaction = WalletTransactionRow & TransactionRow;

/** Returns the point before the first transaction that does not fit; null if all do. */
function endOfTransactions(rows: readonly WalletTransactionRow[], limit: number): TransactionPlace | null {
  const first = rows.find(({ body }, i) => body === null || i === limit);
  if (first === undefined) return null;
  const { height, position } = first;
  return position > 0 ? { height, position: position - 1 } : { height: height - 1, position: END_OF_BLOCK };
}

/** Returns the point up to which a list has all outputs; null if it has all that there are. */
function endOfOutputs(rows: readonly WalletOutputRow[], limit: number): TransactionPlace | null {
  return rows.length < limit ? null : rows.at(-1)!;
}

function isBefore(a: TransactionPlace, b: TransactionPlace): boolean {
  return a.height < b.height || (a.height === b.height && a.position < b.position);
}

async function readBalances(snapshot: Snapshot, owners: readonly Destination[]): Promise<WalletBalanceRow[]> {
  const rows = await snapshot.rows(listWalletBalances(snapshot.store, owners, MAX_WALLET_CURRENCIES + 1));
  if (rows.length <= MAX_WALLET_CURRENCIES) return rows;
  throw badRequest(`The addresses have more than ${MAX_WALLET_CURRENCIES} currencies: ask for fewer of them at once`);
}

async function blockIdAt(snapshot: Snapshot, height: number): Promise<Id> {
  const [block] = await snapshot.rows(getBlockIdAtHeight(snapshot.store, height));
  return block!.block_id;
}
