/** All that a wallet owns, and what it is worth in coins, as JSON. */
import Type from 'typebox';
import type { OwnedSummary } from '../../answers/address-holdings.ts';
import { decimalsOfCurrency } from '../../answers/currency-labels.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { arrayJson, nullableJson, numberJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, describedRef, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { CURRENCY_FIELDS, currencyFieldsJson } from './currency.ts';
import { objectWriter } from './object-writer.ts';
import { FROZEN_SINCE_SCHEMA } from './token-label.ts';

const AMOUNT = schemaRef('Amount');

const OWNED_TOKEN_SCHEMA = strictObject({
  ...CURRENCY_FIELDS,
  frozen_since: FROZEN_SINCE_SCHEMA,
  amount: describedRef('Amount', 'All of it: the sum of the next four'),
  spendable: AMOUNT,
  locked: AMOUNT,
  orders: AMOUNT,
  htlcs: AMOUNT,
  coin_value: {
    ...nullable(AMOUNT),
    description:
      'In coins, at the last trade of the 30 days before the tip; null for a frozen token, and where open orders offer less than 1,000 coins for it at half of that price or more',
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
    coins: describedRef('Amount', 'All coins: spendable, locked, staked, in orders and in HTLCs'),
    tokens_coin_value: describedRef('Amount', 'The sum of the `coin_value` of all tokens'),
    coin_value: describedRef('Amount', 'The sum of `coins` and `tokens_coin_value`'),
  },
  { description: 'All that is owned' },
);

const ownedJson = objectWriter(OWNED_SCHEMA);

const tokenJson = objectWriter(OWNED_TOKEN_SCHEMA);

const stakedJson = objectWriter(STAKED_SCHEMA);

/** All that is owned. */
export function presentOwned(network: Network, owned: OwnedSummary): JsonTextOf<typeof OWNED_SCHEMA> {
  const coins = (atoms: Atoms) => amountJson(atoms, network.coinDecimals);
  return ownedJson({
    spendable: coins(owned.spendable),
    locked: coins(owned.locked),
    staked: stakedJson({ pools: coins(owned.pools), delegations: coins(owned.delegations) }),
    orders: coins(owned.orders),
    htlcs: coins(owned.htlcs),
    tokens: arrayJson(
      owned.tokens.map((row) => {
        const amount = (atoms: Atoms) => amountJson(atoms, decimalsOfCurrency(network, row.currency, row));
        return tokenJson({
          ...currencyFieldsJson(network, row.currency, row),
          frozen_since: nullableJson(row.frozen_since, numberJson),
          amount: amount(row.amount),
          spendable: amount(row.spendable),
          locked: amount(row.locked),
          orders: amount(row.orders),
          htlcs: amount(row.htlcs),
          coin_value: nullableJson(row.coin_value, coins),
          traded_at: nullableJson(row.traded_at, numberJson),
        });
      }),
    ),
    coins: coins(owned.coins),
    tokens_coin_value: coins(owned.tokensValue),
    coin_value: coins(owned.coins + owned.tokensValue),
  });
}
