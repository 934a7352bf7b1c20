/** Compares stakes and fragments of names with the functions of the ledger. */

import type pg from 'pg';
import { nftMetadataFromHex } from '../../src/chain/codec/nft.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Atoms, Hex, Id } from '../../src/chain/types.ts';
import { effectiveStakeOf } from '../../src/ledger/pool-stake.ts';
import { searchFragments } from '../../src/ledger/search-fragments.ts';
import { CheckFindings, type CheckResult } from '../../src/store/verify/check-result.ts';
import { rowsByCursor } from '../../src/store/verify/database-cursor.ts';

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
