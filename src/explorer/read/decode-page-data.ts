/** Reads what the page `/decode` shows: what the index knows of a decoded transaction or block, with names. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { findDecodedBlock, findDecodedTransaction, type LookedUpTransaction } from '../../answers/look-up-decoded.ts';
import {
  outlineOfText,
  type SummarizedActions,
  summaryOf,
  type TransactionOutline,
} from '../../answers/transaction-outline.ts';
import type { ParsedOutput } from '../../render/stored-json.ts';
import type { PastedBlock, PastedTransaction } from '../../serving/decoding/pasted-text.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { SentenceNames } from '../parts/transaction-actors.ts';
import { readSentenceNames } from './listed-transactions.ts';
import { readTransactionNames, type TransactionNames } from './transaction-page-data.ts';

export interface DecodedTransactionData extends TransactionNames, Omit<LookedUpTransaction, 'told'> {
  readonly summary: SummarizedActions;
  readonly names: SentenceNames;
}

export interface DecodedBlockData extends TransactionNames {
  readonly tip: SnapshotTip;
  readonly reward: ParsedOutput[];
  /** The first transactions, each whole, without the outputs that their inputs spend. */
  readonly transactions: readonly TransactionOutline[];
  readonly names: SentenceNames;
  readonly isInChain: boolean;
}

/** Throws SnapshotChanged if the tip changes between queries. */
export async function readDecodedTransaction(
  answers: AnswersContext,
  store: QueryRunner,
  decoded: PastedTransaction,
  caller: Caller,
): Promise<DecodedTransactionData> {
  const { told, ...found } = await findDecodedTransaction(answers, store, decoded, caller);
  const { tip, transaction } = found;
  const summary = summaryOf(transaction, told);
  return {
    ...found,
    summary,
    names: await readSentenceNames(answers.network, store, tip, [summary], { isWhole: true }),
    ...(await readTransactionNames(answers, store, tip, [transaction])),
  };
}

/** Throws SnapshotChanged if the tip changes between queries. */
export async function readDecodedBlock(
  answers: AnswersContext,
  store: QueryRunner,
  decoded: PastedBlock,
): Promise<DecodedBlockData> {
  const { network } = answers;
  const found = await findDecodedBlock(answers, store, decoded);
  const { tip, reward } = found;
  const transactions = found.transactions.map((text) => outlineOfText(network, text, tip.height + 1));
  const summaries = transactions.flatMap(({ summary }) => summary ?? []);
  return {
    ...found,
    transactions,
    names: await readSentenceNames(network, store, tip, summaries),
    ...(await readTransactionNames(answers, store, tip, [{ inputs: [], outputs: reward }])),
  };
}
