/** The lines of a statement, what each is made of, and the sums of each currency, as JSON and CSV. */
import Type from 'typebox';
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import {
  kindsOfLine,
  MAX_SUMMED_LINES,
  type StatementAmounts,
  type StatementCurrency,
  type StatementLine,
  stakeOfLine,
  timeOfLine,
} from '../../answers/statement-lines.ts';
import { currencyInPair } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson, signedAmountJson } from '../../render/common-values.ts';
import { arrayJson, nullableJson, plainJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type CsvField, type CsvTable, csvDay, csvTime } from '../../serving/route/csv.ts';
import { CHANGE_KINDS } from '../../store/queries/addresses/balance-history.ts';
import type { PastWalletBalanceRow } from '../../store/queries/wallets/wallet-history.ts';
import { CURRENCY_FIELDS, currencyFieldsJson } from './currency.ts';
import { objectWriter } from './object-writer.ts';

const AMOUNTS = {
  income: schemaRef('Amount'),
  spent: schemaRef('Amount'),
  fee: schemaRef('Amount'),
  protocol_fee: schemaRef('Amount'),
  moved: describedRef(
    'SignedAmount',
    'Between what the addresses hold and their pools and delegations: above 0 where it arrives',
  ),
  rewards: describedRef('Amount', 'Of staking'),
};

function amountsJson(amounts: StatementAmounts, decimals: number) {
  return {
    income: amountJson(amounts.income, decimals),
    spent: amountJson(amounts.spent, decimals),
    fee: amountJson(amounts.fee, decimals),
    protocol_fee: amountJson(amounts.protocolFee, decimals),
    moved: signedAmountJson(amounts.moved, decimals),
    rewards: amountJson(amounts.rewards, decimals),
  };
}

export const STATEMENT_LINE_SCHEMA = strictObject({
  timestamp: { ...COUNT_SCHEMA, description: 'Of the block; of a pool or delegation: the first second of the UTC day' },
  height: { ...COUNT_SCHEMA, description: 'Of the block; of a pool or delegation: the first block of the day' },
  tx_id: { ...nullable(HEX_ID_SCHEMA), description: 'null for a block reward, the genesis, and a day of staking' },
  pool_id: { ...nullable(BECH32_SCHEMA), description: 'Of a day of staking' },
  delegation_id: { ...nullable(BECH32_SCHEMA), description: 'Of a day of staking' },
  kinds: Type.Array(Type.Enum([...CHANGE_KINDS], { type: 'string' }), { description: 'What was done' }),
  ...CURRENCY_FIELDS,
  change: describedRef('SignedAmount', '`income` − `spent` − `fee` − `protocol_fee` + `moved` + `rewards`'),
  ...AMOUNTS,
});

const lineJson = objectWriter(STATEMENT_LINE_SCHEMA);

/** A line of a statement. */
export function presentStatementLine(network: Network, line: StatementLine): JsonTextOf<typeof STATEMENT_LINE_SCHEMA> {
  const decimals = decimalsOfCurrency(network, line.currency, line);
  const { poolId, delegationId } = stakeOfLine(network, line);
  return lineJson({
    timestamp: timeOfLine(line),
    height: line.height,
    tx_id: nullableJson(line.tx_id, plainJson),
    pool_id: nullableJson(poolId, plainJson),
    delegation_id: nullableJson(delegationId, plainJson),
    kinds: arrayJson(kindsOfLine(line).map(plainJson)),
    ...currencyFieldsJson(network, line.currency, line),
    change: signedAmountJson(line.change, decimals),
    ...amountsJson(line, decimals),
  });
}

const SUMS_SCHEMA = strictObject(AMOUNTS);

export const STATEMENT_CURRENCY_SCHEMA = strictObject({
  ...CURRENCY_FIELDS,
  opening: describedRef('Amount', 'What the addresses held and had staked before the first day'),
  closing: describedRef('Amount', 'The same after the last day, or now'),
  sums: { ...nullable(SUMS_SCHEMA), description: `Of all lines; null if there are more than ${MAX_SUMMED_LINES}` },
});

const sumsJson = objectWriter(SUMS_SCHEMA);

const currencyJson = objectWriter(STATEMENT_CURRENCY_SCHEMA);

/** What a statement says of a currency. */
export function presentStatementCurrency(
  network: Network,
  row: StatementCurrency,
): JsonTextOf<typeof STATEMENT_CURRENCY_SCHEMA> {
  const decimals = decimalsOfCurrency(network, row.currency, row);
  return currencyJson({
    ...currencyFieldsJson(network, row.currency, row),
    opening: amountJson(row.opening, decimals),
    closing: amountJson(row.closing, decimals),
    sums: nullableJson(row.sums, (sums) => sumsJson(amountsJson(sums, decimals))),
  });
}

/** A row of an exported statement: a line, or a balance before the first line or after the last one. */
export type ExportedStatementRow =
  | StatementLine
  | (PastWalletBalanceRow & {
      readonly currency: Currency;
      readonly balance: Atoms;
      readonly what: 'opening' | 'closing';
    });

/** The columns of an exported statement. */
export function statementTable(network: Network): CsvTable<ExportedStatementRow> {
  return {
    columns: [
      ...['time_utc', 'height', 'what', 'tx_id', 'pool_or_delegation_id', 'currency', 'ticker', 'balance', 'change'],
      ...['income', 'spent', 'fee', 'protocol_fee', 'moved', 'rewards'],
    ],
    fields: (row) => {
      const decimals = decimalsOfCurrency(network, row.currency, row);
      const amount = (atoms: Atoms): CsvField => ({ atoms, decimals });
      const names = [currencyInPair(network, row.currency), tickerOfCurrency(network, row.currency, row)];
      if ('balance' in row) {
        const time = row.timestamp === null ? null : csvTime(row.timestamp);
        const balance = [`${row.what} balance`, null, null, ...names, amount(row.balance)];
        return [time, Math.max(0, row.height), ...balance, ...Array(7).fill(null)];
      }
      const { poolId, delegationId } = stakeOfLine(network, row);
      const time = row.is_pool === null ? csvTime(row.timestamp) : csvDay(row.timestamp);
      const what = row.is_pool === null ? kindsOfLine(row).join(' ') : 'staking';
      const { change, income, spent, fee, protocolFee, moved, rewards } = row;
      const amounts = [change, income, spent, fee, protocolFee, moved, rewards].map(amount);
      return [time, row.height, what, row.tx_id, poolId ?? delegationId, ...names, null, ...amounts];
    },
  };
}

/** A row of an export as JSON. */
export function presentExportedStatementRow(network: Network, row: ExportedStatementRow): string {
  if (!('balance' in row)) return presentStatementLine(network, row);
  const decimals = decimalsOfCurrency(network, row.currency, row);
  const { currency, ticker } = currencyFieldsJson(network, row.currency, row);
  const block = `"timestamp":${row.timestamp},"height":${Math.max(0, row.height)}`;
  return `{${block},"currency":${currency},"ticker":${ticker},"${row.what}":${amountJson(row.balance, decimals)}}`;
}
