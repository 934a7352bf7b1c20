/** Checks stored counts and sums by counting again. */

import type pg from 'pg';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import { MONTH_SECONDS } from '../../chain/reward-rate-units.ts';
import type { Atoms, Hex, Id } from '../../chain/types.ts';
import { effectiveStakeOf } from '../../ledger/pool-stake.ts';
import { searchFragments } from '../../ledger/search-fragments.ts';
import type { TableCheck } from './check-result.ts';
import { CheckFindings, type CheckResult } from './check-result.ts';
import { rowsByCursor } from './database-cursor.ts';

/** Blocks of the last seconds up to the tip's timestamp. */
const inWindow = (seconds: number) => `b.timestamp > t.timestamp - ${seconds} and b.timestamp <= t.timestamp`;

export const RECOUNT_CHECKS: readonly TableCheck[] = [
  {
    name: 'a pool made the blocks that it says, in all and in the windows up to the tip',
    of: 'pools',
    differences: `
      select format('pool %s: %s, %s, %s, rate %s, not %s, %s, %s, rate %s', encode(pool_id, 'hex'), blocks_total, blocks_day,
                    blocks_month, month_rate, b.total, b.day, b.month, b.rate) as what
        from pools
             full join (select b.pool_id, count(*) as total, count(*) filter (where ${inWindow(DAY_SECONDS)}) as day,
                               count(*) filter (where ${inWindow(MONTH_SECONDS)}) as month,
                               sum(reward_rate) filter (where ${inWindow(MONTH_SECONDS)}) as rate
                          from blocks b, chain_tip t where pool_id is not null and b.height > 0 group by pool_id) as b using (pool_id)
       where (blocks_total, blocks_day, blocks_month, month_rate) is distinct from
             (coalesce(total, 0)::integer, coalesce(day, 0)::integer, coalesce(month, 0)::integer, coalesce(rate, 0))`,
  },
  {
    name: 'a pool has as many delegations with something in them as it says',
    of: 'pools',
    differences: `
      select format('pool %s: %s, not %s', encode(pool_id, 'hex'), delegation_count, count) as what
        from pools left join (select pool_id, count(*) from delegations where balance > 0 group by pool_id) as d using (pool_id)
       where delegation_count <> coalesce(count, 0)`,
  },
  {
    name: 'each currency has as many holders as it says',
    of: 'statistics',
    differences: `
      select format('currency %s: %s, not %s', encode(currency, 'hex'), holders, count) as what
        from statistics full join (select currency, count(*) from balances group by currency) as b using (currency)
       where coalesce(holders, 0) <> coalesce(count, 0)`,
  },
  {
    name: 'a spend names the owner of the output whose history does not have it',
    of: 'spends',
    differences: `
      select format('%s/%s/%s: %s, not %s', height, position, output_index, encode(unlisted_owner, 'hex'),
                    encode(should, 'hex')) as what
        from (
          select s.*, (select w.owner from (values (o.owner), (o.refund_owner)) as w (owner)
                        where w.owner is not null and not exists (
                          select from address_transactions a
                           where a.owner = w.owner and a.tx_index = b.first_tx_index + s.spent_position)) as should
            from spends s join outputs o using (height, position, output_index) join blocks b on b.height = s.spent_height
        ) as spent
       where unlisted_owner is distinct from should`,
  },
  {
    name: 'an HTLC is found by the hash of its secret, and nothing else is',
    of: 'outputs where secret_hash is not null',
    differences: `
      select format('%s/%s/%s', height, position, output_index) as what from outputs
       where encode(secret_hash, 'hex') is distinct from
             substring(entry from '"secret_hash":\\{"hex":"([0-9a-f]+)"')`,
  },
];

/** Checks that need the ledger's rules for counting, within the client's transaction. */
export async function* checkRecounts(client: pg.Client, network: Network): AsyncGenerator<CheckResult> {
  yield await checkStakes(client, network);
  yield await checkFragments(client, 'every piece of a ticker leads to its token', TICKERS);
  yield await checkFragments(
    client,
    'every piece of a name leads to its NFT',
    NAMES,
    ({ text }) => nftMetadataFromHex(text).name,
  );
}

async function checkStakes(client: pg.Client, network: Network): Promise<CheckResult> {
  const findings = new CheckFindings(
    'a pool has the effective stake that follows from its stake, and all together their sum',
  );
  const pools = rowsByCursor<{ pool_id: Id; pledge: Atoms; rewards: Atoms; delegated: Atoms; effective_stake: Atoms }>(
    client,
    'stakes',
    'select pool_id, pledge, rewards, delegations_balance as delegated, effective_stake from pools',
  );
  let sum = 0n;
  for await (const { pool_id, pledge, rewards, delegated, effective_stake } of pools) {
    const should = effectiveStakeOf(network, { pledge, rewards, delegationsBalance: delegated });
    sum += should;
    findings.add(effective_stake === should ? undefined : `pool ${pool_id}: ${effective_stake}, not ${should}`);
  }
  const { rows } = await client.query<{ currency: string; effective_stake: Atoms }>(
    `select currency, effective_stake from statistics where currency = '' or effective_stake <> 0`,
  );
  for (const { currency, effective_stake } of rows) {
    const should = currency === '' ? sum : 0n;
    findings.add(effective_stake === should ? undefined : `all of them: ${effective_stake}, not ${should}`);
  }
  return findings;
}

interface TextRow {
  readonly token_id: Id;
  /** The text of the fragments. */
  readonly text: Hex | null;
  /** The fragments in the order of their bytes; a line end marks the whole text. */
  readonly fragments: string[] | null;
}

const FRAGMENTS = `array_agg(fragment || case when is_whole then E'\\n' else '' end) as fragments`;

const TICKERS = `
  select token_id, text, is_nft, fragments
    from (select token_id, false as is_nft, ticker as text from tokens union all select token_id, true, metadata from nfts) as k
         full join (select token_id, is_nft, ${FRAGMENTS} from ticker_fragments group by token_id, is_nft) as f
         using (token_id, is_nft)`;
const NAMES = `
  select token_id, n.metadata as text, true as is_nft, fragments
    from nfts n full join (select token_id, ${FRAGMENTS} from name_fragments group by token_id) as f using (token_id)`;

async function checkFragments(
  client: pg.Client,
  name: string,
  sql: string,
  textOf: (row: { text: Hex; is_nft: boolean }) => Hex = ({ text, is_nft }) =>
    is_nft ? nftMetadataFromHex(text).ticker : text,
): Promise<CheckResult> {
  const findings = new CheckFindings(name);
  for await (const { token_id, text, is_nft, fragments } of rowsByCursor<TextRow & { is_nft: boolean }>(
    client,
    'pieces',
    sql,
  )) {
    const should =
      text === null
        ? []
        : searchFragments(textOf({ text, is_nft })).map(({ fragment, isWhole }) => fragment + (isWhole ? '\n' : ''));
    const isSame = should.toSorted().join('\t') === (fragments ?? []).toSorted().join('\t');
    findings.add(isSame ? undefined : `${token_id}: ${fragments?.length ?? 0} pieces, not ${should.length}`);
  }
  return findings;
}
