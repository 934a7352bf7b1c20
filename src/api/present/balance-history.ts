/** Changes of balances, and balances as they were, as JSON and CSV. */
import { COIN, type Currency } from '../../chain/currency.ts';
import {
  type BalanceChangeRow,
  balanceChangeKinds,
  CHANGE_KINDS,
} from '../../store/queries/addresses/balance-history.ts';
import type { BalanceDayRow } from '../../store/queries/addresses/balance-series.ts';
import type { BalanceAtRow } from '../../store/queries/addresses/balances-at-height.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, choice, coins, count, hexId, listOf, nested, time, utcDay } from '../entry/kinds.ts';
import { CURRENCY_FIELDS, type CurrencyRow, decimalsOfRow } from './currency.ts';

const LOCKED = 'The part of `balance` under a time lock';

const amount = amountsIn(decimalsOfRow);

/** A row of a history. */
export const BALANCE_CHANGE = defineEntry<BalanceChangeRow>({
  height: count(({ height }) => height),
  block_id: hexId(({ block_id }) => block_id),
  timestamp: time(({ timestamp }) => timestamp),
  tx_id: hexId.orNull(({ tx_id }) => tx_id, 'null for a lock that ended, a block reward and the genesis'),
  ...CURRENCY_FIELDS,
  change: amount.signed(({ change }) => change, 'Of all that is held, under a time lock or not'),
  fee: coins(({ fee }) => fee, 'The whole fee of the transaction, if this owner paid its first coin'),
  balance: amount(({ balance }) => balance, 'All that is held after it'),
  locked: amount(({ locked }) => locked, LOCKED),
  kinds: {
    ...listOf(choice(CHANGE_KINDS))(({ kinds }) => balanceChangeKinds(kinds), 'What was done'),
    csv: ({ kinds }) => balanceChangeKinds(kinds).join(' '),
  },
});

/** A row of what is held of a currency; null in a row without one. */
type CurrencyBalanceRow = CurrencyRow & Pick<BalanceAtRow, 'balance' | 'locked'>;

/** What is held of a currency, of a row with a balance. */
export const CURRENCY_BALANCE = defineEntry<CurrencyBalanceRow>(
  {
    ...CURRENCY_FIELDS,
    balance: amount(({ balance }) => balance!, 'All that is held'),
    locked: amount(({ locked }) => locked!, LOCKED),
  },
  { title: 'CurrencyBalance' },
);

const STAKED = defineEntry<BalanceAtRow>(
  {
    height: count(({ staked_height }) => staked_height!, 'The block after which they held it'),
    pools: coins(({ pools }) => pools, 'Pledge and rewards of the pools that it may decommission'),
    delegations: coins(({ delegations }) => delegations),
  },
  {
    description:
      'What its pools and delegations held, at the end of the UTC day before if the block is not the last of its day; null on the first day of the chain',
  },
);

const ofCoins = (rows: readonly BalanceAtRow[]) => rows.find(({ currency }) => currency === COIN);

/** A block, and balances after it, of at least one row. */
export const BALANCES_AT = defineEntry<readonly BalanceAtRow[]>({
  height: count(([row]) => row!.height),
  block_id: hexId(([row]) => row!.block_id),
  timestamp: count(([row]) => row!.timestamp),
  coin_balance: coins(
    (rows) => (ofCoins(rows)?.balance ?? 0n) - (ofCoins(rows)?.locked ?? 0n),
    'Not under a time lock',
  ),
  locked_coin_balance: coins((rows) => ofCoins(rows)?.locked ?? 0n, 'Under a time lock'),
  tokens: listOf(nested(CURRENCY_BALANCE))(
    (rows) => rows.filter(({ currency, balance }) => currency !== null && currency !== COIN && balance !== 0n),
    'Tokens and NFTs, by id',
  ),
  staked: nested(STAKED).orNull(([row]) => (row!.staked_height === null ? null : row!)),
});

interface BalanceDay extends BalanceDayRow, CurrencyRow {
  readonly currency: Currency;
}

/** A day of a balance of a currency. */
export const BALANCE_DAY = defineEntry<BalanceDay>({
  day: utcDay(({ day }) => day),
  height: count(({ last_height }) => last_height, 'Its last block'),
  ...CURRENCY_FIELDS,
  received: amount<BalanceDay>(({ received }) => received),
  sent: amount<BalanceDay>(({ sent }) => sent),
  balance: amount<BalanceDay>(({ balance }) => balance, 'All that was held at its end'),
  locked: amount<BalanceDay>(({ locked }) => locked, LOCKED),
});
