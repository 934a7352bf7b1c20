import { COIN } from '../chain/currency.ts';
import type { Atoms, Destination } from '../chain/types.ts';
import { OWNED_LIST, type OwnedEntryRow, type OwnedRow } from '../store/queries/addresses/address-holdings.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../store/read/query.ts';

/** What a wallet owns. `tokens`: those worth most, as many as were asked for. */
export interface OwnedSummary {
  readonly tip: SnapshotTip;
  /** Coins, by where they are. */
  readonly spendable: Atoms;
  readonly locked: Atoms;
  readonly pools: Atoms;
  readonly delegations: Atoms;
  readonly orders: Atoms;
  readonly htlcs: Atoms;
  readonly tokens: readonly OwnedEntryRow[];
  readonly tokenCount: number;
  /** In coins, of all tokens. */
  readonly tokensValue: Atoms;
  /** The part of it in tokens that are frozen. */
  readonly frozenValue: Atoms;
  /** In coins, of everything. */
  readonly value: Atoms;
}

const NO_COINS = { amount: 0n, spendable: 0n, locked: 0n, pools: 0n, delegations: 0n, orders: 0n, htlcs: 0n };

/** Reads all that addresses own. Throws a StoreError. */
export async function readOwned(store: QueryRunner, owners: readonly Destination[]): Promise<OwnedSummary> {
  return summarizeOwned(await OWNED_LIST.read(store, { owners, after: null, limit: null }));
}

/** Returns what the rows of {@link OWNED_LIST} say, from its beginning on. */
export function summarizeOwned({ tip, rows }: SnapshotRows<OwnedRow>): OwnedSummary {
  const [{ tokens_value: tokensValue, frozen_value: frozenValue, token_count: tokenCount }] = rows as [OwnedRow];
  const entries = rows.filter((row) => OWNED_LIST.isEntry(row));
  const { amount, spendable, locked, pools, delegations, orders, htlcs } =
    entries.find(({ currency }) => currency === COIN) ?? NO_COINS;
  return {
    tip,
    ...{ spendable, locked, pools, delegations, orders, htlcs, tokensValue, frozenValue, tokenCount },
    tokens: entries.filter(({ currency }) => currency !== COIN),
    value: amount + tokensValue,
  };
}
