/** The append-only tables: what happened, as COPY lines. */
import type pg from 'pg';
import type { AppliedBlock } from '../ledger/applied.ts';
import type { Utxo } from '../ledger/rows.ts';
import type { BlockTexts } from '../render/block-texts.ts';
import { bytes, CopyLines, numeric, text } from './copy.ts';
import { copySteps, type WriteStep } from './steps.ts';

const COLUMNS = {
  blocks: [
    'height',
    'block_id',
    'timestamp',
    'first_tx_index',
    'tx_count',
    'pool_id',
    'reward_hash',
    'header',
    'reward',
  ],
  transactions: ['tx_index', 'tx_id', 'height', 'body'],
  outputs: ['height', 'position', 'output_index', 'owner', 'refund_owner', 'entry'],
  spends: ['height', 'position', 'output_index', 'spent_height', 'spent_position'],
  address_transactions: ['owner', 'tx_index', 'tx_id'],
  token_transactions: ['token_id', 'tx_index', 'tx_id'],
} as const;

type HistoryTable = keyof typeof COLUMNS;
const TABLES = Object.keys(COLUMNS) as HistoryTable[];

/** The lines of a batch, gathered block by block. */
export class HistoryLines {
  readonly #lines: Record<HistoryTable, CopyLines> = {
    blocks: new CopyLines(),
    transactions: new CopyLines(),
    outputs: new CopyLines(),
    spends: new CopyLines(),
    address_transactions: new CopyLines(),
    token_transactions: new CopyLines(),
  };

  addBlock(applied: AppliedBlock, texts: BlockTexts): void {
    const { identified, height, firstTransactionIndex } = applied;
    const { header } = identified.block;
    const lines = this.#lines;
    const poolId = header.consensus.type === 'PoS' ? header.consensus.data.stakePoolId : null;
    lines.blocks.add(
      `${height}\t${bytes(identified.id)}\t${header.timestamp}\t${firstTransactionIndex}\t${applied.transactions.length}\t${bytes(poolId)}\t${bytes(identified.rewardHash)}\t${text(texts.header)}\t${text(texts.reward)}`,
    );
    for (const [position, transaction] of applied.transactions.entries()) {
      const index = firstTransactionIndex + position;
      const id = bytes(transaction.id);
      lines.transactions.add(`${index}\t${id}\t${height}\t${text(texts.transactions[position] ?? '')}`);
      for (const owner of transaction.addresses) lines.address_transactions.add(`${bytes(owner)}\t${index}\t${id}`);
      for (const tokenId of transaction.tokens) lines.token_transactions.add(`${bytes(tokenId)}\t${index}\t${id}`);
    }
    for (const [i, utxo] of applied.outputs.entries()) this.#addOutput(utxo, texts.entries[i] ?? '');
    for (const { utxo, position } of applied.spends) {
      lines.spends.add(`${utxo.height}\t${utxo.position}\t${utxo.outputIndex}\t${height}\t${numeric(position)}`);
    }
  }

  /** The genesis: a block without header, reward or transactions to show, and its outputs. */
  addGenesis(genesis: { id: string; timestamp: number }, outputs: readonly Utxo[], entries: readonly string[]): void {
    this.#lines.blocks.add(`0\t${bytes(genesis.id)}\t${genesis.timestamp}\t0\t0\t\\N\t${bytes('')}\t{}\t[]`);
    for (const [i, utxo] of outputs.entries()) this.#addOutput(utxo, entries[i] ?? '');
  }

  #addOutput(utxo: Utxo, entry: string): void {
    this.#lines.outputs.add(
      `${utxo.height}\t${utxo.position}\t${utxo.outputIndex}\t${bytes(utxo.owner)}\t${bytes(utxo.refundOwner)}\t${text(entry)}`,
    );
  }

  steps(): WriteStep[] {
    return TABLES.flatMap((table) => copySteps(table, COLUMNS[table], this.#lines[table]));
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
