/** The append-only tables: what happened, as COPY rows. */
import type pg from 'pg';
import type { AppliedBlock } from '../../ledger/applied.ts';
import type { Utxo } from '../../ledger/rows.ts';
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
  },
  transactions: { tx_index: 'bigint', tx_id: 'bytea', height: 'integer', body: 'text' },
  outputs: {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    owner: 'bytea',
    refund_owner: 'bytea',
    entry: 'text',
  },
  spends: {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    spent_height: 'integer',
    spent_position: 'integer',
  },
  address_transactions: { owner: 'bytea', tx_index: 'bigint', tx_id: 'bytea' },
  token_transactions: { token_id: 'bytea', tx_index: 'bigint', tx_id: 'bytea' },
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
    ]);
    for (let position = 0; position < transactions.length; position++) {
      const { id, addresses, tokens } = transactions[position]!;
      const index = firstTransactionIndex + position;
      rows.transactions.add([index, id, height, texts.transactions[position] ?? '']);
      for (const owner of addresses) rows.address_transactions.add([owner, index, id]);
      for (const tokenId of tokens) rows.token_transactions.add([tokenId, index, id]);
    }
    this.#addOutputs(applied.outputs, texts.entries);
    for (const { utxo, position } of applied.spends) {
      rows.spends.add([utxo.height, utxo.position, utxo.outputIndex, height, position]);
    }
  }

  /** The genesis: a block without header, reward or transactions to show, and its outputs. */
  addGenesis(
    { id, timestamp }: { readonly id: string; readonly timestamp: number },
    outputs: readonly Utxo[],
    texts: Pick<BlockTexts, 'place' | 'entries'>,
  ): void {
    this.#rows.blocks.add([0, id, timestamp, 0, 0, null, '', '{}', '[]', texts.place]);
    this.#addOutputs(outputs, texts.entries);
  }

  #addOutputs(outputs: readonly Utxo[], entries: readonly string[]): void {
    for (let i = 0; i < outputs.length; i++) {
      const { height, position, outputIndex, owner, refundOwner } = outputs[i]!;
      this.#rows.outputs.add([height, position, outputIndex, owner, refundOwner, entries[i] ?? '']);
    }
  }

  /** Takes the rows of those tables that have so many bytes. */
  steps(atLeastBytes = 0): WriteStatement[] {
    return TABLES.filter((table) => this.#rows[table].byteLength >= atLeastBytes).flatMap((table) =>
      copyStatements(table, this.#rows[table]),
    );
  }
}

/** Removes everything that happened above a height; `transactionCount` is the chain's at that height. */
export async function deleteAbove(client: pg.Client, height: number, transactionCount: number): Promise<void> {
  await client.query('delete from blocks where height > $1', [height]);
  await client.query('delete from outputs where height > $1', [height]);
  await client.query('delete from spends where spent_height > $1', [height]);
  for (const table of ['transactions', 'address_transactions', 'token_transactions']) {
    await client.query(`delete from ${table} where tx_index >= $1`, [transactionCount]);
  }
}
