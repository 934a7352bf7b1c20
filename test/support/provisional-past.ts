import type { NaivePast } from '../sim/naive-past.ts';
import type { TestIndex } from './indexed-database.ts';
export async function fillPast(index: TestIndex, past: NaivePast): Promise<void> {
  const { rows } = await index.query('select 1 from balance_changes limit 1');
  if (rows.length > 0) return;
  for (const { height, transactionId, owner, currency, change, balance } of past.changes) {
    await index.query(
      `insert into balance_changes select $1, coalesce((select tx_index - first_tx_index from transactions x join blocks b using (height) where tx_id = decode($2, 'hex')), (select tx_count from blocks where height = $1)), $6, decode($3, 'hex'), decode($4, 'hex'), $5, $7, 0, 0`,
      [height, transactionId, owner, currency, change, change > 0n ? 1 : 2, balance],
    );
  }
  await index.query(
    `insert into days select distinct on (day) height, day from (select height, max(timestamp / 86400) over (order by height) as day from blocks) x order by day, height`,
  );
  await index.query(
    `insert into supplies select b.height, s.currency, s.circulating_supply, s.preminted, s.burned, s.staked from statistics s, blocks b where b.height in (0, 50)`,
  );
}
