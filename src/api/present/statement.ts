/** The lines of a statement, what each is made of, and the sums of each currency, as JSON and CSV. */
import Type from 'typebox';
import { currencyInPair, delegationAddress, parseDelegationId, parsePoolId, poolAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
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
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import { type CsvField, type CsvTable, csvDay, csvTime } from '../../serving/route/csv.ts';
import { balanceChangeKinds, CHANGE_KINDS } from '../../store/queries/addresses/balance-history.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import type { StatementRow } from '../../store/queries/wallets/statement.ts';
import type { PastWalletBalanceRow } from '../../store/queries/wallets/wallet-history.ts';
import { CURRENCY_FIELDS, currencyFieldsJson, decimalsOfCurrency, tickerOfCurrency } from './currency.ts';
import { objectWriter } from './object-writer.ts';

/** What a change is made of: `income - spent - fee - protocolFee + moved + rewards`. */
export interface StatementAmounts {
  readonly income: Atoms;
  readonly spent: Atoms;
  readonly fee: Atoms;
  readonly protocolFee: Atoms;
  /** Between what addresses hold and their pools and delegations: above zero where it arrives. */
  readonly moved: Atoms;
  readonly rewards: Atoms;
}

/** A line without its transaction. */
export interface StatementLine extends StatementRow, StatementAmounts {
  readonly currency: Currency;
}

/** The most lines of a statement that are summed up. */
export const MAX_SUMMED_LINES = 5_000;

export const NO_AMOUNTS: StatementAmounts = { income: 0n, spent: 0n, fee: 0n, protocolFee: 0n, moved: 0n, rewards: 0n };

/**
 * Tells what a line is made of. `stakes`: the wallet's own pools and delegations; coins that go into others are spent. A
 * transaction whose JSON is above 512 kB only has income or spending besides its fee.
 */
export function statementLine(
  network: Network,
  { body, ...told }: StatementRow,
  stakes: ReadonlySet<Id>,
): StatementLine {
  const row = { ...told, body: null };
  if (row.is_pool !== null) {
    const { change, rewards, received: income, given: spent } = row;
    return { ...row, ...NO_AMOUNTS, currency: COIN, income, spent, moved: change - rewards - income + spent, rewards };
  }
  const summary = body === null || row.id !== COIN ? null : summarizeTransactionText(network, body, row.height);
  const protocolFee = row.fee === 0n ? 0n : (summary?.protocolFee ?? 0n);
  let moved = 0n;
  for (const { account, atoms } of summary?.netChanges ?? []) {
    const parse = account.type === 'pool' ? parsePoolId : account.type === 'delegation' ? parseDelegationId : null;
    if (parse !== null && stakes.has(parse(network, account.id!))) moved -= atoms;
  }
  const rest = row.change + row.fee + protocolFee - moved;
  const [income, spent] = rest > 0n ? [rest, 0n] : [0n, -rest];
  return { ...row, currency: row.id, income, spent, protocolFee, moved };
}

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
  kinds: Type.Array(Type.Enum([...CHANGE_KINDS]), { description: 'What was done' }),
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

/** Whether more or less was held is told by the amounts. */
export const kindsOfLine = ({ kinds }: Pick<StatementLine, 'kinds'>) =>
  balanceChangeKinds(kinds).filter((kind) => kind !== 'received' && kind !== 'sent');

function timeOfLine({ is_pool, timestamp }: StatementLine): number {
  return is_pool === null ? timestamp : timestamp - (timestamp % DAY_SECONDS);
}

function stakeOfLine(network: Network, { is_pool, id }: StatementLine) {
  return {
    poolId: is_pool === true ? poolAddress(network, id) : null,
    delegationId: is_pool === false ? delegationAddress(network, id) : null,
  };
}

/** A currency of a statement. `sums`: of all lines; null if there are too many. */
export interface StatementCurrency extends TokenLabelRow {
  readonly currency: Currency;
  readonly opening: Atoms;
  readonly closing: Atoms;
  readonly sums: StatementAmounts | null;
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
