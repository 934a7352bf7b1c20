/** All that a wallet owns, and what it is worth in coins, as JSON. */

import { LEAST_DEPTH_COINS } from '../../answers/market-depth.ts';
import type { OwnedSummary } from '../../answers/owned-coins-and-tokens.ts';
import type { OwnedEntryRow } from '../../store/queries/addresses/owned-coins-and-tokens.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, coins, count, listOf, nested } from '../entry/kinds.ts';
import { CURRENCY_FIELDS, decimalsOfRow } from './currency.ts';
import { frozenSince } from './token-label.ts';

const amount = amountsIn<OwnedEntryRow>(decimalsOfRow);

const OWNED_TOKEN = defineEntry<OwnedEntryRow>({
  ...CURRENCY_FIELDS,
  frozen_since: frozenSince<OwnedEntryRow>((row) => row.frozen_since),
  amount: amount((row) => row.amount, 'All of it: the sum of the next four'),
  spendable: amount(({ spendable }) => spendable),
  locked: amount(({ locked }) => locked),
  orders: amount(({ orders }) => orders),
  htlcs: amount(({ htlcs }) => htlcs),
  coin_value: coins.orNull(
    ({ coin_value }) => coin_value,
    'In coins, at the last trade of the 30 days before the tip, but at most what open orders offer for the token at half of ' +
      `this price or more; null for a frozen token, and where they offer less than ${LEAST_DEPTH_COINS} coins`,
  ),
  traded_at: count.orNull(({ traded_at }) => traded_at, 'The time of that trade'),
});

const STAKED = defineEntry<OwnedSummary>({
  pools: coins(({ pools }) => pools, 'Pledge and rewards of the pools that may be decommissioned'),
  delegations: coins(({ delegations }) => delegations),
});

export const OWNED_COINS_AND_TOKENS = defineEntry<OwnedSummary>(
  {
    spendable: coins(({ spendable }) => spendable),
    locked: coins(({ locked }) => locked, 'Under a time lock'),
    staked: nested(STAKED)((owned) => owned),
    orders: coins(({ orders }) => orders, 'The coins that orders hold which may be concluded'),
    htlcs: coins(({ htlcs }) => htlcs, 'The coins in open HTLCs that may be refunded, now or later'),
    tokens: listOf(nested(OWNED_TOKEN))(({ tokens }) => tokens, 'Tokens and NFTs: those worth most first, then by id'),
    coins: coins((owned) => owned.coins, 'All coins: spendable, locked, staked, in orders and in HTLCs'),
    tokens_coin_value: coins(({ tokensValue }) => tokensValue, 'The sum of the `coin_value` of all tokens'),
    coin_value: coins((owned) => owned.coins + owned.tokensValue, 'The sum of `coins` and `tokens_coin_value`'),
  },
  { description: 'All that is owned' },
);
