/** The data for the page of a transaction, all at one tip. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { addLateTokenDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import { namePendingActors } from '../../answers/name-command-actors.ts';
import { findTransaction } from '../../answers/pending/find-transaction.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import {
  outlineOfText,
  type SummarizedActions,
  summaryOf,
  type TransactionOutline,
} from '../../answers/transaction-outline.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import { lowestRateOfNextBlock, type ProjectedPlace, projectedBlocks } from '../../mempool/projected-blocks.ts';
import { type ParsedTransaction, parseTransactionJson } from '../../render/stored-json.ts';
import {
  MAX_SUMMARIZED_LENGTH,
  summarizeTransaction,
  type TransactionSummary,
} from '../../render/transaction-summary.ts';
import type { ApiError } from '../../serving/errors/api-error.ts';
import { ANY_LENGTH } from '../../serving/pagination/whole-list-reader.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { getTransactionRemoval, type TransactionRemovalRow } from '../../store/queries/blocks/removed-blocks.ts';
import { getOrder, type OrderRow } from '../../store/queries/orders/orders.ts';
import { listOutspends, type OutspendRow } from '../../store/queries/transactions/outspends.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { PageData } from '../define-page.ts';
import type { SentenceNames } from '../parts/transaction-actors.ts';
import { readRemovedTransactions, readSentenceNames } from './listed-transactions.ts';
import { orderIdsOfCommands, tokensInTransaction } from './transaction-sums.ts';

/** Names and terms of the tokens and orders that transactions use. */
export interface TransactionNames {
  readonly labels: TokenLabels;
  /** The current state of the orders that exist. */
  readonly orders: ReadonlyMap<Id, OrderRow>;
}

/** The data beside the transaction itself. */
export interface TransactionPageContext extends PageData {
  readonly tip: SnapshotTip;
  /** The size with signatures, in bytes; null if it is unknown. */
  readonly size: number | null;
  /** The position in the chain; null while it is pending. */
  readonly place: { readonly height: number; readonly blockId: Id; readonly timestamp: number } | null;
  /** What is known of it while it is pending; null otherwise. */
  readonly waiting: WaitingTransaction | null;
  /** The last block of the transaction that a reorganisation removed. */
  readonly removal: TransactionRemovalRow | undefined;
}

/** A pending transaction among the others. */
export interface WaitingTransaction {
  /** When it came, in seconds since the epoch; undefined if the node had it before. */
  readonly seenAt: number | undefined;
  /** Undefined while what it spends is not known. */
  readonly place: ProjectedPlace | undefined;
  /** By what is pending here. */
  readonly lowestRateOfNextBlock: Atoms | null;
  readonly isComplete: boolean;
}

function waitingOf(pool: PendingSet, { id, seenAt }: PendingTransaction): WaitingTransaction {
  const { isComplete } = pool;
  return {
    seenAt,
    place: projectedBlocks(pool).placeOf(id),
    lowestRateOfNextBlock: lowestRateOfNextBlock(pool),
    isComplete,
  };
}

/** What is known about a transaction that neither the chain nor the mempool has. */
export interface UnknownTransactionData extends PageData {
  readonly tip: SnapshotTip;
  readonly removal: TransactionRemovalRow | undefined;
  /** What it did in the block that was removed; null if the index does not have it. */
  readonly content: TransactionPageData | null;
  /** The time when it left the mempool without a block, in seconds since the epoch. */
  readonly droppedAt: number | undefined;
  /** Is the mempool known? */
  readonly isMempoolKnown: boolean;
}

export interface TransactionPageData extends TransactionPageContext, TransactionNames, SentenceNames {
  readonly transaction: ParsedTransaction;
  readonly summary: TransactionSummary;
  readonly told: SummarizedActions;
  /** The inputs that spend its outputs, by output index. */
  readonly outspends: ReadonlyMap<number, OutspendRow>;
}

/** A transaction that is too long to show its inputs and outputs. */
export interface LongTransactionData extends TransactionPageContext {
  readonly outline: TransactionOutline;
}

/** `knownOutline`: the outline of a confirmed transaction that is known to be long. */
export async function readTransaction(
  answers: AnswersContext,
  store: QueryRunner,
  id: Id,
  knownOutline: TransactionOutline | null,
  caller: Caller,
): Promise<TransactionPageData | LongTransactionData | UnknownTransactionData> {
  const pool = answers.pending?.pool;
  const state = pool && { pool, revision: pool.revision };
  const [found, removals, outspends] = await Promise.all([
    findTransaction(answers, store, id, caller),
    getTransactionRemoval(store, id),
    knownOutline !== null
      ? null
      : answers.wholeLists.read(store, `outspends ${id}`, ANY_LENGTH, listOutspends, { txId: id }),
  ]);
  const tip = requireSameTip(found, removals);
  const [removal] = removals.rows;
  if (found.state === 'unknown') {
    const content = removal === undefined ? null : await readRemoved(answers, store, tip, id, removal);
    return { tip, removal, content, dependsOnMempool: true, ...unknownDetails(found.details) };
  }
  if (found.state === 'pending') {
    const pending = pool?.find(id);
    const transaction = pending?.state === 'Pending' || pending?.state === 'Confirmed' ? pending.transaction : null;
    const size = transaction?.sizeBytes ?? null;
    const waiting = transaction && waitingOf(pool!, transaction);
    const context = {
      tip,
      removal,
      size,
      waiting,
      place: null,
      dependsOnMempool: true,
      pool: state,
    };
    const height = tip.height + 1;
    if (found.text.length > MAX_SUMMARIZED_LENGTH) {
      return { ...context, outline: outlineOfText(answers.network, found.text, height) };
    }
    return {
      ...context,
      ...(await readWhole(answers, store, tip, found.text, height, null, found.transaction)),
      outspends: new Map(),
    };
  }
  const { row, lateDecimals } = found;
  const { height, block_id: blockId, timestamp } = row;
  const context = {
    tip,
    removal,
    size: row.size,
    waiting: null,
    place: { height, blockId, timestamp },
    dependsOnHistory: removals.dependsOnHistory ?? false,
  };
  if (outspends === null || row.body.length > MAX_SUMMARIZED_LENGTH) {
    return { ...context, outline: knownOutline ?? outlineOfText(answers.network, row.body, height) };
  }
  requireSameTip(found, outspends);
  return {
    ...context,
    ...(await readWhole(answers, store, tip, addLateTokenDecimals(row.body, lateDecimals), height, row.actors)),
    outspends: new Map(
      outspends.rows.flatMap((each) => (each.output_index === null ? [] : [[each.output_index, each]])),
    ),
  };
}

async function readRemoved(
  answers: AnswersContext,
  store: QueryRunner,
  tip: SnapshotTip,
  id: Id,
  removal: TransactionRemovalRow,
): Promise<TransactionPageData | null> {
  const [row] = await readRemovedTransactions(store, tip, [id]);
  if (row === undefined) return null;
  const whole = await readWhole(answers, store, tip, row.body, row.height, row.actors);
  return { tip, removal, size: null, waiting: null, place: null, ...whole, outspends: new Map() };
}

/** `actors`: those of a confirmed transaction. `pending`: the transaction if it is pending. */
async function readWhole(
  answers: AnswersContext,
  store: QueryRunner,
  tip: SnapshotTip,
  text: string,
  height: number,
  actors: string | null,
  pending: PendingTransaction | null = null,
) {
  const transaction = parseTransactionJson(text);
  const summary = summarizeTransaction(answers.network, transaction, height, actors);
  const told = summaryOf(transaction, summary);
  const [, names, { delegations, pools }] = await Promise.all([
    pending && namePendingActors(answers.network, store, answers.pending!.pool, [{ ...summary, transaction: pending }]),
    readTransactionNames(answers, store, tip, [transaction]),
    readSentenceNames(answers.network, store, tip, [told], { isWhole: true }),
  ]);
  return { transaction, summary, told, ...names, delegations, pools };
}

/** Reads the names that transactions need, at the same tip. */
export async function readTransactionNames(
  { network }: Pick<AnswersContext, 'network'>,
  store: QueryRunner,
  tip: SnapshotTip,
  transactions: readonly Pick<ParsedTransaction, 'inputs' | 'outputs'>[],
): Promise<TransactionNames> {
  const orderIds = new Set(transactions.flatMap((transaction) => [...orderIdsOfCommands(network, transaction)]));
  const tokens = new Set(transactions.flatMap((transaction) => [...tokensInTransaction(network, transaction)]));
  const found = await Promise.all(Array.from(orderIds, (id) => getOrder(store, id)));
  requireSameTip({ tip }, ...found);
  const orders = new Map(found.flatMap(({ rows: [row] }) => (row === undefined ? [] : [[row.order_id, row]])));
  for (const { ask_currency, give_currency } of orders.values()) {
    for (const currency of [ask_currency, give_currency]) if (currency !== '') tokens.add(currency);
  }
  return { labels: await readTokenLabels(store, tip, tokens), orders };
}

function unknownDetails(details: ApiError['details']): Pick<UnknownTransactionData, 'droppedAt' | 'isMempoolKnown'> {
  const { dropped_at: droppedAt } = details;
  return {
    droppedAt: typeof droppedAt === 'number' ? droppedAt : undefined,
    isMempoolKnown: !('mempool' in details),
  };
}
