/** All that a wallet owns, and what it is worth in coins, as JSON. */
import Type from 'typebox';
import { parseTokenId } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { arrayJson, nullableJson, numberJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, describedRef, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { listOwned, listRefundable, type OwnedRow } from '../../store/queries/addresses/address-holdings.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { CURRENCY_FIELDS, currencyFieldsJson, decimalsOfCurrency } from './currency.ts';
import { objectWriter } from './object-writer.ts';

/** What a wallet owns. `tokens`: those worth most, as many as were asked for. */
export interface Owned {
  readonly tip: SnapshotTip;
  /** Coins, by where they are. */
  readonly spendable: Atoms;
  readonly locked: Atoms;
  readonly pools: Atoms;
  readonly delegations: Atoms;
  readonly orders: Atoms;
  readonly htlcs: Atoms;
  readonly tokens: readonly OwnedToken[];
  readonly tokenCount: number;
  /** In coins, of all tokens. */
  readonly tokensValue: Atoms;
  /** In coins, of everything. */
  readonly value: Atoms;
}

type OwnedToken = OwnedRow & { readonly currency: string };

const NO_COINS = { amount: 0n, spendable: 0n, locked: 0n, pools: 0n, delegations: 0n, orders: 0n, htlcs: 0n };

/**
 * Reads what addresses own, with at most `tokenLimit` tokens (null: all). `hasContracts`: false if no open HTLC is theirs. Throws
 * SnapshotChanged, and a StoreError.
 */
export async function readOwned(
  network: Network,
  store: QueryRunner,
  owners: readonly Destination[],
  tokenLimit: number | null,
  hasContracts = true,
): Promise<Owned> {
  const refundable = hasContracts ? await listRefundable(store, owners) : null;
  const byCurrency = new Map(
    refundable?.rows.map(({ token, amount }) => [token === null ? COIN : parseTokenId(network, token), amount]),
  );
  const owned = await listOwned(store, owners, byCurrency, tokenLimit === null ? null : tokenLimit + 1);
  const [{ tokens_value: tokensValue, token_count: tokenCount }] = owned.rows as [OwnedRow];
  const { amount, spendable, locked, pools, delegations, orders, htlcs } =
    owned.rows.find(({ currency }) => currency === COIN) ?? NO_COINS;
  return {
    tip: requireSameTip(owned, refundable ?? owned),
    ...{ spendable, locked, pools, delegations, orders, htlcs, tokensValue, tokenCount },
    tokens: owned.rows
      .filter((row): row is OwnedToken => row.currency !== null && row.currency !== COIN)
      .slice(0, tokenLimit ?? undefined),
    value: amount + tokensValue,
  };
}

const AMOUNT = schemaRef('Amount');

const OWNED_TOKEN_SCHEMA = strictObject({
  ...CURRENCY_FIELDS,
  amount: describedRef('Amount', 'Held, in orders and in HTLCs'),
  coin_value: {
    ...nullable(AMOUNT),
    description: 'In coins, at the last trade; null without a trade in the 30 days before the tip',
  },
  traded_at: { ...nullable(COUNT_SCHEMA), description: 'The time of that trade' },
});

const STAKED_SCHEMA = strictObject({
  pools: describedRef('Amount', 'Pledge and rewards of the pools that may be decommissioned'),
  delegations: AMOUNT,
});

export const OWNED_SCHEMA = strictObject(
  {
    spendable: AMOUNT,
    locked: describedRef('Amount', 'Under a time lock'),
    staked: STAKED_SCHEMA,
    orders: describedRef('Amount', 'The coins that orders hold which may be concluded'),
    htlcs: describedRef('Amount', 'The coins in open HTLCs that may be refunded, now or later'),
    tokens: Type.Array(OWNED_TOKEN_SCHEMA, { description: 'Tokens and NFTs: those worth most first, then by id' }),
    coin_value: describedRef('Amount', 'All of it in coins: tokens count by their `coin_value`, or not at all'),
  },
  { description: 'All that is owned' },
);

const ownedJson = objectWriter(OWNED_SCHEMA);
const tokenJson = objectWriter(OWNED_TOKEN_SCHEMA);
const stakedJson = objectWriter(STAKED_SCHEMA);

/** All that is owned. */
export function presentOwned(network: Network, owned: Owned): JsonTextOf<typeof OWNED_SCHEMA> {
  const coins = (atoms: Atoms) => amountJson(atoms, network.coinDecimals);
  return ownedJson({
    spendable: coins(owned.spendable),
    locked: coins(owned.locked),
    staked: stakedJson({ pools: coins(owned.pools), delegations: coins(owned.delegations) }),
    orders: coins(owned.orders),
    htlcs: coins(owned.htlcs),
    tokens: arrayJson(
      owned.tokens.map((row) =>
        tokenJson({
          ...currencyFieldsJson(network, row.currency, row),
          amount: amountJson(row.amount, decimalsOfCurrency(network, row.currency, row)),
          coin_value: nullableJson(row.coin_value, coins),
          traded_at: nullableJson(row.traded_at, numberJson),
        }),
      ),
    ),
    coin_value: coins(owned.value),
  });
}
