/** The checks of `verify --quick`, for an index that was just restored: seconds, however long the chain is. */

import type pg from 'pg';
import { identifyBlock } from '../../chain/codec/block.ts';
import { MAX_REORGANISATION_DEPTH } from '../../chain/reorganisation-depth.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { Id, IdentifiedBlock } from '../../chain/types.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { CheckFindings, type CheckResult, type TableCheck } from './check-result.ts';
import { TIP_CHECK } from './cross-table-checks.ts';
import { checkSqlIndexes, checkTable } from './run-sql-checks.ts';

/** Blocks that are in memory at a time. */
const BLOCKS_AT_ONCE = 100;

const COUNT_CHECK: TableCheck = {
  name: 'there are as many blocks and transactions as the tip says',
  of: 'blocks',
  differences: `
    select format('%s blocks and %s transactions; the tip says height %s, %s transactions', blocks, transactions, height,
                  transaction_count) as what
      from chain_tip, (select count(*) as blocks from blocks) as b, (select count(*) as transactions from transactions) as t
     where blocks <> height + 1 or transactions <> transaction_count`,
};

/** The node's main chain. */
export interface MainChain {
  /** The encoded blocks from a height on, at most `maxCount`, fewer where the chain ends. */
  mainchainBlocks(from: number, maxCount: number): Promise<readonly Uint8Array[]>;
}

/**
 * Checks the tip, the counts, that all indexes exist, and the newest blocks against the node, as many as
 * a reorganisation can replace, within the client's
 * transaction. Throws an OperatorError if the node has none of these blocks yet, and the node's error.
 */
export async function* checkQuickly(client: pg.Client, node: MainChain): AsyncGenerator<CheckResult> {
  yield await checkTable(client, TIP_CHECK);
  yield await checkTable(client, COUNT_CHECK);
  yield await checkSqlIndexes(client);
  yield await checkNewestBlocks(client, node);
}

interface IndexedBlock {
  readonly height: number;
  readonly id: Id;
  readonly transactions: readonly Id[];
}

async function checkNewestBlocks(client: pg.Client, node: MainChain): Promise<CheckResult> {
  const findings = new CheckFindings('the newest blocks are those of the node, with their transactions');
  const { rows } = await client.query<IndexedBlock>(`
    select b.height, encode(b.block_id, 'hex') as id,
           array(select encode(t.tx_id, 'hex') from transactions t
                  where t.tx_index >= b.first_tx_index and t.tx_index < b.first_tx_index + b.tx_count
                  order by t.tx_index) as transactions
      from blocks b, chain_tip
     where b.height > 0 and b.height > chain_tip.height - ${MAX_REORGANISATION_DEPTH} order by b.height`);
  for (let i = 0; i < rows.length; ) {
    const blocks = await node.mainchainBlocks(rows[i]!.height, Math.min(BLOCKS_AT_ONCE, rows.length - i));
    if (blocks.length === 0) break;
    for (const bytes of blocks) findings.add(differenceOf(rows[i++]!, bytes));
  }
  if (findings.checked === 0 && rows.length > 0) {
    throw new OperatorError(
      `the node has no block at height ${rows[0]!.height} yet, and the index is at ${rows.at(-1)!.height}; ask again when the node has synced.`,
    );
  }
  return findings;
}

function differenceOf({ height, id, transactions }: IndexedBlock, bytes: Uint8Array): string | undefined {
  const block = decoded(bytes);
  if (block instanceof DecodeError) return `block ${height}: what the node gave is no block (${block.message})`;
  if (block.id !== id) return `block ${height}: the index has ${id}, the node ${block.id}`;
  if (block.transactionIds.join() === transactions.join()) return undefined;
  return `block ${height}: its ${block.transactionIds.length} transactions at the node are not the ${transactions.length} of the index`;
}

function decoded(bytes: Uint8Array): IdentifiedBlock | DecodeError {
  try {
    return identifyBlock(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}
