/** The append-only tables: what happened, as COPY rows. */
import type pg from 'pg';
import type { AppliedBlock, AppliedTransaction } from '../../ledger/applied.ts';
import type { Utxo } from '../../ledger/rows.ts';
import { TRANSACTION_KINDS, type TransactionKind } from '../../ledger/transaction-kind.ts';
import type { BlockTexts } from '../../render/block-texts.ts';
import type { Columns } from '../postgres/column-types.ts';
import { CopyRows } from '../postgres/copy.ts';
import { copyStatements, type WriteStatement } from './write-plan.ts';

const COLUMNS = {
  blocks: {
    height: 'integer',
    block_id: 'bytea',
    timestamp: 'bigint',
    first_tx_index: 'bigint',
    tx_count: 'integer',
    pool_id: 'bytea',
    reward_hash: 'bytea',
    header: 'text',
    reward: 'text',
    place: 'text',
    median_time: 'bigint',
    size: 'integer',
    kinds: 'text',
    fees: 'numeric',
    staker_reward: 'numeric',
    delegations_reward: 'numeric',
    reward_rate: 'numeric',
  },
  transactions: {
    tx_index: 'bigint',
    tx_id: 'bytea',
    height: 'integer',
    size: 'integer',
    output_count: 'integer',
    body: 'text',
  },
  outputs: {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    owner: 'bytea',
    refund_owner: 'bytea',
    secret_hash: 'bytea',
    entry: 'text',
  },
  spends: {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    spent_height: 'integer',
    spent_position: 'integer',
    input_index: 'integer',
    secret: 'bytea',
  },
  address_transactions: { owner: 'bytea', tx_index: 'bigint', tx_id: 'bytea' },
  token_transactions: { token_id: 'bytea', tx_index: 'bigint', tx_id: 'bytea' },
  nft_owners: { token_id: 'bytea', tx_index: 'bigint', owner: 'bytea' },
} as const satisfies Record<string, Columns>;

type HistoryTable = keyof typeof COLUMNS;
const TABLES = Object.keys(COLUMNS) as HistoryTable[];

/** The rows of blocks, gathered block by block until they are taken. */
export class AppendOnlyRows {
  readonly #rows = Object.fromEntries(TABLES.map((table) => [table, new CopyRows(COLUMNS[table])])) as Record<
    HistoryTable,
    CopyRows
  >;

  addBlock(applied: AppliedBlock, texts: BlockTexts): void {
    const { identified, height, firstTransactionIndex, transactions } = applied;
    const { header } = identified.block;
    const rows = this.#rows;
    const poolId = header.consensus.type === 'PoS' ? header.consensus.data.stakePoolId : null;
    rows.blocks.add([
      height,
      identified.id,
      header.timestamp,
      firstTransactionIndex,
      transactions.length,
      poolId,
      identified.rewardHash,
      texts.header,
      texts.reward,
      texts.place,
      applied.medianTime,
      identified.size,
      kindsText(transactions),
      applied.fees,
      applied.reward.staker,
      applied.reward.delegations,
      applied.reward.rate,
    ]);
    for (let position = 0; position < transactions.length; position++) {
      const { id, addresses, tokens, size, transaction } = transactions[position]!;
      const index = firstTransactionIndex + position;
      const { outputs } = transaction;
      rows.transactions.add([index, id, height, size, outputs.length, texts.transactions[position] ?? '']);
      for (const owner of addresses) rows.address_transactions.add([owner, index, id]);
      for (const tokenId of tokens) rows.token_transactions.add([tokenId, index, id]);
    }
    this.#addOutputs(applied.outputs, texts.entries);
    for (const { utxo, position, inputIndex, secret } of applied.spends) {
      rows.spends.add([utxo.height, utxo.position, utxo.outputIndex, height, position, inputIndex, secret]);
    }
    for (const { tokenId, position, owner } of applied.nftOwners) {
      rows.nft_owners.add([tokenId, firstTransactionIndex + position, owner]);
    }
  }

  /** The genesis: a block without header, reward or transactions to show, and its outputs. */
  addGenesis(
    { id, timestamp, size }: { readonly id: string; readonly timestamp: number; readonly size: number },
    outputs: readonly Utxo[],
    texts: Pick<BlockTexts, 'place' | 'entries'>,
  ): void {
    const text = ['{}', '[]', texts.place];
    this.#rows.blocks.add([0, id, timestamp, 0, 0, null, '', ...text, timestamp, size, '{}', 0n, 0n, 0n, 0n]);
    this.#addOutputs(outputs, texts.entries);
  }

  #addOutputs(outputs: readonly Utxo[], entries: readonly string[]): void {
    for (let i = 0; i < outputs.length; i++) {
      const { height, position, outputIndex, owner, refundOwner, output } = outputs[i]!;
      const secretHash = output.type === 'Htlc' ? output.contract.secretHash : null;
      this.#rows.outputs.add([height, position, outputIndex, owner, refundOwner, secretHash, entries[i] ?? '']);
    }
  }

  /** Takes the rows of those tables that have so many bytes. */
  steps(atLeastBytes = 0): WriteStatement[] {
    return TABLES.filter((table) => this.#rows[table].byteLength >= atLeastBytes).flatMap((table) =>
      copyStatements(table, this.#rows[table]),
    );
  }
}

/** How many transactions there are of each kind, as a finished JSON object. */
function kindsText(transactions: readonly AppliedTransaction[]): string {
  const counts = new Map<TransactionKind, number>();
  for (const { kind } of transactions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const inOrder = TRANSACTION_KINDS.filter((kind) => counts.has(kind));
  return `{${inOrder.map((kind) => `"${kind}":${counts.get(kind)}`).join(',')}}`;
}

/** Removes everything that happened above a height; `transactionCount` is the chain's at that height. */
export async function deleteAbove(client: pg.Client, height: number, transactionCount: number): Promise<void> {
  await client.query('delete from blocks where height > $1', [height]);
  await client.query('delete from outputs where height > $1', [height]);
  await client.query('delete from spends where spent_height > $1', [height]);
  for (const table of ['transactions', 'address_transactions', 'token_transactions', 'nft_owners']) {
    await client.query(`delete from ${table} where tx_index >= $1`, [transactionCount]);
  }
}
