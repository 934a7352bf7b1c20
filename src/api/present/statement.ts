/** The lines of a statement, what each is made of, and the sums of each currency, as JSON and CSV. */
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
import { type CsvField, type CsvTable, csvDay, csvTime } from '../../serving/route/csv.ts';
import { CHANGE_KINDS } from '../../store/queries/addresses/balance-history.ts';
import type { PastWalletBalanceRow } from '../../store/queries/wallets/wallet-history.ts';
import { defineEntry, type Fields } from '../entry/define-entry.ts';
import { amountsIn, bech32, choice, count, hexId, listOf, nested } from '../entry/kinds.ts';
import { CURRENCY_FIELDS, type CurrencyRow, decimalsOfRow } from './currency.ts';

const amount = amountsIn(decimalsOfRow);

const amountFields = <Row extends CurrencyRow>(of: (row: Row) => StatementAmounts): Fields<Row> => ({
  income: amount<Row>((row) => of(row).income),
  spent: amount<Row>((row) => of(row).spent),
  fee: amount<Row>((row) => of(row).fee),
  protocol_fee: amount<Row>((row) => of(row).protocolFee),
  moved: amount.signed<Row>(
    (row) => of(row).moved,
    'Between what the addresses hold and their pools and delegations: above 0 where it arrives',
  ),
  rewards: amount<Row>((row) => of(row).rewards, 'Of staking'),
});

export const STATEMENT_LINE = defineEntry<StatementLine>({
  timestamp: count(timeOfLine, 'Of the block; of a pool or delegation: the first second of the UTC day'),
  height: count(({ height }) => height, 'Of the block; of a pool or delegation: the first block of the day'),
  tx_id: hexId.orNull(({ tx_id }) => tx_id, 'null for a block reward, the genesis, and a day of staking'),
  pool_id: bech32.orNull((line, network) => stakeOfLine(network, line).poolId, 'Of a day of staking'),
  delegation_id: bech32.orNull((line, network) => stakeOfLine(network, line).delegationId, 'Of a day of staking'),
  kinds: listOf(choice(CHANGE_KINDS))(kindsOfLine, 'What was done'),
  ...CURRENCY_FIELDS,
  change: amount.signed(({ change }) => change, '`income` − `spent` − `fee` − `protocol_fee` + `moved` + `rewards`'),
  ...amountFields((line) => line),
});

const SUMS = defineEntry(amountFields<StatementCurrency>(({ sums }) => sums!));

/** What a statement says of a currency. */
export const STATEMENT_CURRENCY = defineEntry<StatementCurrency>({
  ...CURRENCY_FIELDS,
  opening: amount(({ opening }) => opening, 'What the addresses held and had staked before the first day'),
  closing: amount(({ closing }) => closing, 'The same after the last day, or now'),
  sums: nested(SUMS).orNull(
    (row) => (row.sums === null ? null : row),
    `Of all lines; null if there are more than ${MAX_SUMMED_LINES}`,
  ),
});

/** A balance before the first line of an exported statement, or after its last one. */
interface StatementBalance extends PastWalletBalanceRow {
  readonly currency: Currency;
  readonly balance: Atoms;
  readonly what: 'opening' | 'closing';
}

/** A row of an exported statement. */
export type ExportedStatementRow = StatementLine | StatementBalance;

/** The columns of an exported statement. They are by hand because two kinds of rows, of other fields than the JSON, share them. */
export function statementTable(network: Network): CsvTable<ExportedStatementRow> {
  return {
    columns: [
      ...['time_utc', 'height', 'what', 'tx_id', 'pool_or_delegation_id', 'currency', 'ticker', 'balance', 'change'],
      ...['income', 'spent', 'fee', 'protocol_fee', 'moved', 'rewards'],
    ],
    fields: (row) => {
      const decimals = decimalsOfCurrency(network, row.currency, row);
      const amountOf = (atoms: Atoms): CsvField => ({ atoms, decimals });
      const names = [currencyInPair(network, row.currency), tickerOfCurrency(network, row.currency, row)];
      if ('balance' in row) {
        const time = row.timestamp === null ? null : csvTime(row.timestamp);
        const balance = [`${row.what} balance`, null, null, ...names, amountOf(row.balance)];
        return [time, Math.max(0, row.height), ...balance, ...Array(7).fill(null)];
      }
      const { poolId, delegationId } = stakeOfLine(network, row);
      const time = row.is_pool === null ? csvTime(row.timestamp) : csvDay(row.timestamp);
      const what = row.is_pool === null ? kindsOfLine(row).join(' ') : 'staking';
      const { change, income, spent, fee, protocolFee, moved, rewards } = row;
      const amounts = [change, income, spent, fee, protocolFee, moved, rewards].map(amountOf);
      return [time, row.height, what, row.tx_id, poolId ?? delegationId, ...names, null, ...amounts];
    },
  };
}

/** The columns of a file of rewards alone: what else changed on the day is left out. */
export function rewardTable(network: Network): CsvTable<ExportedStatementRow> {
  const { columns, fields } = statementTable(network);
  const kept = ['time_utc', 'height', 'what', 'pool_or_delegation_id', 'currency', 'ticker', 'rewards'];
  const places = kept.map((name) => columns.indexOf(name));
  return {
    columns: kept,
    fields: (row) => {
      const values = fields(row);
      return places.map((place) => values[place]!);
    },
  };
}

const balanceEntry = (what: StatementBalance['what']) =>
  defineEntry<StatementBalance>({
    timestamp: count.orNull(({ timestamp }) => timestamp),
    height: count(({ height }) => Math.max(0, height)),
    currency: CURRENCY_FIELDS.currency,
    ticker: CURRENCY_FIELDS.ticker,
    [what]: amount<StatementBalance>(({ balance }) => balance),
  });
const BALANCES = { opening: balanceEntry('opening'), closing: balanceEntry('closing') };

/** A row of an export as JSON. */
export function presentExportedStatementRow(network: Network, row: ExportedStatementRow): string {
  return 'balance' in row ? BALANCES[row.what].json(network, row) : STATEMENT_LINE.json(network, row);
}
