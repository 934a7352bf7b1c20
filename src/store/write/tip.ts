/** The tip of the chain that readers see. */
import type pg from 'pg';
import { medianTime } from '../../chain/median-time.ts';
import { MEDIAN_TIME_SPAN } from '../../chain/networks/network.ts';
import type { ChainTip } from '../../ledger/state.ts';
import { bytea } from '../postgres/connect.ts';
import { sqlStatement, type WriteStatement } from './transferable-statements.ts';

interface StoredTip {
  readonly height: number;
  readonly blockId: string;
  readonly isReady: boolean;
}

export async function readTip(client: pg.Client): Promise<StoredTip> {
  const { rows } = await client.query<StoredTip>(
    'select height, block_id as "blockId", is_ready as "isReady" from chain_tip',
  );
  if (rows[0] === undefined) throw new Error('the database has no tip');
  return rows[0];
}

/** Moves the tip that readers see; part of the transaction that writes the blocks. */
export function tipStatement(chain: ChainTip): WriteStatement {
  return sqlStatement(
    `insert into chain_tip (revision, height, block_id, timestamp, median_time, transaction_count, is_ready)
     values (extract(epoch from clock_timestamp()) * 1000, $1, $2, $3, $4, $5, false)
     on conflict (is_only) do update set
       revision = chain_tip.revision + 1, height = excluded.height, block_id = excluded.block_id,
       timestamp = excluded.timestamp, median_time = excluded.median_time,
       transaction_count = excluded.transaction_count`,
    `${chain.height}`,
    bytea(chain.blockId),
    `${chain.timestamps.at(-1) ?? 0}`,
    `${medianTime(chain.timestamps)}`,
    `${chain.transactionCount}`,
  );
}

/** Records that the indexes for reading exist. */
export async function markReady(client: pg.Client): Promise<void> {
  await client.query('update chain_tip set is_ready = true, revision = revision + 1 where not is_ready');
}

/** Reads the stored chain's tip, as it was at a height, for the ledger. */
export async function readChainTipAt(client: pg.Client, height: number): Promise<ChainTip> {
  const { rows } = await client.query<{
    block_id: string;
    timestamp: number;
    first_tx_index: number;
    tx_count: number;
    hour: number;
  }>(
    `select block_id, timestamp, first_tx_index, tx_count,
            (select hour from hours where first_height <= $2 order by first_height desc limit 1) as hour
       from blocks
      where height between $1 and $2 order by height`,
    [height - MEDIAN_TIME_SPAN + 1, height],
  );
  const newest = rows.at(-1);
  if (newest === undefined) throw new Error(`the database has no block at height ${height}`);
  return {
    height,
    blockId: newest.block_id,
    timestamps: rows.map(({ timestamp }) => timestamp),
    hour: newest.hour,
    transactionCount: newest.first_tx_index + newest.tx_count,
  };
}

/** Returns the id of the stored main-chain block at a height; null if there is none. */
export async function readBlockId(client: pg.Client, height: number): Promise<string | null> {
  const { rows } = await client.query<{ block_id: string }>('select block_id from blocks where height = $1', [height]);
  return rows[0]?.block_id ?? null;
}
