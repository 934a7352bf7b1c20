/** Changes of balances, and balances as they were, as JSON. */
import Type from 'typebox';
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import { currencyInPair } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson, signedAmountJson } from '../../render/common-values.ts';
import { arrayJson, NULL_JSON, nullableJson, numberJson, objectJson, plainJson } from '../../render/compose-json.ts';
import {
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type CsvTable, csvTime } from '../../serving/route/csv.ts';
import {
  type BalanceChangeRow,
  balanceChangeKinds,
  CHANGE_KINDS,
} from '../../store/queries/addresses/balance-history.ts';
import type { BalanceDayRow } from '../../store/queries/addresses/balance-series.ts';
import type { BalanceAtRow } from '../../store/queries/addresses/balances-at-height.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { CURRENCY_FIELDS, currencyFieldsJson } from './currency.ts';
import { objectWriter } from './object-writer.ts';

const LOCKED = describedRef('Amount', 'The part of `balance` under a time lock');

export const BALANCE_CHANGE_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: COUNT_SCHEMA,
  tx_id: { ...nullable(HEX_ID_SCHEMA), description: 'null for a lock that ended, a block reward and the genesis' },
  ...CURRENCY_FIELDS,
  change: describedRef('SignedAmount', 'Of all that is held, under a time lock or not'),
  fee: describedRef('Amount', 'The whole fee of the transaction, if this owner paid its first coin'),
  balance: describedRef('Amount', 'All that is held after it'),
  locked: LOCKED,
  kinds: Type.Array(Type.Enum([...CHANGE_KINDS], { type: 'string' }), { description: 'What was done' }),
});

const balanceChangeJson = objectWriter(BALANCE_CHANGE_SCHEMA);

/** A row of a history. */
export function presentBalanceChange(
  network: Network,
  row: BalanceChangeRow,
): JsonTextOf<typeof BALANCE_CHANGE_SCHEMA> {
  const decimals = decimalsOfCurrency(network, row.currency, row);
  return balanceChangeJson({
    height: row.height,
    block_id: row.block_id,
    timestamp: row.timestamp,
    tx_id: nullableJson(row.tx_id, plainJson),
    ...currencyFieldsJson(network, row.currency, row),
    change: signedAmountJson(row.change, decimals),
    fee: amountJson(row.fee, network.coinDecimals),
    balance: amountJson(row.balance, decimals),
    locked: amountJson(row.locked, decimals),
    kinds: arrayJson(balanceChangeKinds(row.kinds).map(plainJson)),
  });
}

/** The columns of an exported history. */
export function balanceChangeCsv(network: Network): CsvTable<BalanceChangeRow> {
  return {
    columns: [
      ...['height', 'block_id', 'time_utc', 'tx_id', 'currency', 'ticker'],
      ...['change', 'fee', 'balance', 'locked', 'kinds'],
    ],
    fields: (row) => {
      const decimals = decimalsOfCurrency(network, row.currency, row);
      const ticker = tickerOfCurrency(network, row.currency, row);
      const amount = (atoms: Atoms) => ({ atoms, decimals });
      return [
        row.height,
        row.block_id,
        csvTime(row.timestamp),
        row.tx_id,
        currencyInPair(network, row.currency),
        ticker,
        amount(row.change),
        { atoms: row.fee, decimals: network.coinDecimals },
        amount(row.balance),
        amount(row.locked),
        balanceChangeKinds(row.kinds).join(' '),
      ];
    },
  };
}

export const CURRENCY_BALANCE_SCHEMA = strictObject(
  {
    ...CURRENCY_FIELDS,
    balance: describedRef('Amount', 'All that is held'),
    locked: LOCKED,
  },
  { title: 'CurrencyBalance' },
);

const STAKED_SCHEMA = strictObject(
  {
    height: { ...COUNT_SCHEMA, description: 'The block after which they held it' },
    pools: describedRef('Amount', 'Pledge and rewards of the pools that it may decommission'),
    delegations: schemaRef('Amount'),
  },
  {
    description:
      'What its pools and delegations held, at the end of the UTC day before if the block is not the last of its day; null on the first day of the chain',
  },
);

type CurrencyBalanceRow = TokenLabelRow & Pick<BalanceAtRow, 'currency' | 'balance' | 'locked'>;

/** A block, and balances after it. */
export const BALANCES_AT_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: COUNT_SCHEMA,
  coin_balance: describedRef('Amount', 'Not under a time lock'),
  locked_coin_balance: describedRef('Amount', 'Under a time lock'),
  tokens: Type.Array(CURRENCY_BALANCE_SCHEMA, { description: 'Tokens and NFTs, by id' }),
  staked: nullable(STAKED_SCHEMA),
});

/** Balances after a block; `rows` has at least one. */
export function presentBalancesAt(
  network: Network,
  rows: readonly BalanceAtRow[],
): JsonTextOf<typeof BALANCES_AT_SCHEMA> {
  const { height, block_id, timestamp, staked_height, pools, delegations } = rows[0]!;
  const amount = (atoms: Atoms) => amountJson(atoms, network.coinDecimals);
  const coins = rows.find(({ currency }) => currency === '');
  const locked = coins?.locked ?? 0n;
  const tokens = rows.filter(({ currency, balance }) => currency !== null && currency !== '' && balance !== 0n);
  return objectJson({
    height: numberJson(height),
    block_id: plainJson(block_id),
    timestamp: numberJson(timestamp),
    coin_balance: amount((coins?.balance ?? 0n) - locked),
    locked_coin_balance: amount(locked),
    tokens: arrayJson(tokens.map((row) => presentCurrencyBalance(network, row))),
    staked:
      staked_height === null
        ? NULL_JSON
        : objectJson({ height: numberJson(staked_height), pools: amount(pools), delegations: amount(delegations) }),
  });
}

const currencyBalanceWriter = objectWriter(CURRENCY_BALANCE_SCHEMA);

/** What is held of a currency, of a row with a balance. */
export function presentCurrencyBalance(
  network: Network,
  row: CurrencyBalanceRow,
): JsonTextOf<typeof CURRENCY_BALANCE_SCHEMA> {
  const decimals = decimalsOfCurrency(network, row.currency!, row);
  return currencyBalanceWriter({
    ...currencyFieldsJson(network, row.currency!, row),
    balance: amountJson(row.balance!, decimals),
    locked: amountJson(row.locked!, decimals),
  });
}

/** The columns of exported balances. */
export function currencyBalanceCsv(network: Network): CsvTable<CurrencyBalanceRow> {
  return {
    columns: ['currency', 'ticker', 'balance', 'locked'],
    fields: (row) => {
      const decimals = decimalsOfCurrency(network, row.currency!, row);
      return [
        currencyInPair(network, row.currency!),
        tickerOfCurrency(network, row.currency!, row),
        { atoms: row.balance!, decimals },
        { atoms: row.locked!, decimals },
      ];
    },
  };
}

export const BALANCE_DAY_SCHEMA = strictObject({
  day: { ...COUNT_SCHEMA, description: 'Its first second, UTC' },
  height: { ...COUNT_SCHEMA, description: 'Its last block' },
  ...CURRENCY_FIELDS,
  received: schemaRef('Amount'),
  sent: schemaRef('Amount'),
  balance: describedRef('Amount', 'All that was held at its end'),
  locked: LOCKED,
});

const balanceDayJson = objectWriter(BALANCE_DAY_SCHEMA);

/** A day of a balance of a currency with this label. */
export function presentBalanceDay(
  network: Network,
  currency: Currency,
  label: TokenLabelRow,
  row: BalanceDayRow,
): JsonTextOf<typeof BALANCE_DAY_SCHEMA> {
  const decimals = decimalsOfCurrency(network, currency, label);
  return balanceDayJson({
    day: row.day * DAY_SECONDS,
    height: row.last_height,
    ...currencyFieldsJson(network, currency, label),
    received: amountJson(row.received, decimals),
    sent: amountJson(row.sent, decimals),
    balance: amountJson(row.balance, decimals),
    locked: amountJson(row.locked, decimals),
  });
}
