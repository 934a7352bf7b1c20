import { COIN } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Destination } from '../chain/types.ts';
import { OWNED_LIST, type OwnedEntryRow, type OwnedRow } from '../store/queries/addresses/owned-coins-and-tokens.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../store/read/query.ts';
import { leastDepth } from './market-depth.ts';

/** The coins of a wallet, by where they are. */
type OwnedCoins = Pick<OwnedRow, 'spendable' | 'locked' | 'pools' | 'delegations' | 'orders' | 'htlcs'>;

/** What a wallet owns. `tokens`: those worth most, as many as were asked for. */
export interface OwnedSummary extends OwnedCoins {
  readonly tip: SnapshotTip;
  readonly tokens: readonly OwnedEntryRow[];
  readonly tokenCount: number;
  /** In coins, of all tokens that have a value. */
  readonly tokensValue: Atoms;
  /** All coins. */
  readonly coins: Atoms;
}

const NO_COINS = { amount: 0n, spendable: 0n, locked: 0n, pools: 0n, delegations: 0n, orders: 0n, htlcs: 0n };

/** Reads all that addresses own. Throws a StoreError. */
export async function readOwned(
  network: Network,
  store: QueryRunner,
  owners: readonly Destination[],
): Promise<OwnedSummary> {
  return summarizeOwned(
    await OWNED_LIST.read(store, { owners, leastDepth: leastDepth(network), after: null, limit: null }),
  );
}

/** Returns what the rows of {@link OWNED_LIST} say, from its beginning on. */
export function summarizeOwned({ tip, rows }: SnapshotRows<OwnedRow>): OwnedSummary {
  const [{ tokens_value: tokensValue, token_count: tokenCount }] = rows as [OwnedRow];
  const entries = rows.filter((row) => OWNED_LIST.isEntry(row));
  const { amount, spendable, locked, pools, delegations, orders, htlcs } =
    entries.find(({ currency }) => currency === COIN) ?? NO_COINS;
  return {
    tip,
    spendable,
    locked,
    pools,
    delegations,
    orders,
    htlcs,
    tokensValue,
    tokenCount,
    tokens: entries.filter(({ currency }) => currency !== COIN),
    coins: amount,
  };
}
