/** Reads statements: their lines, and their balances and sums by currency. */

import { COIN, type Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Id } from '../chain/types.ts';
import type { ListOrder } from '../store/queries/lists/define-list.ts';
import type { TokenLabelRow } from '../store/queries/tokens/tokens.ts';
import {
  getStatementBounds,
  listStakesOfWallet,
  STATEMENT_LIST,
  type StatementLineKey,
  type StatementRow,
  type StatementSelection,
} from '../store/queries/wallets/statement.ts';
import { listWalletBalancesAt, type PastWalletBalanceRow } from '../store/queries/wallets/wallet-history.ts';
import { requireSameTip } from '../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';
import {
  MAX_SUMMED_LINES,
  NO_AMOUNTS,
  type StatementAmounts,
  type StatementCurrency,
  type StatementLine,
  statementLine,
} from './statement-lines.ts';
import { NO_LABEL } from './token-label.ts';

/** The lines that are read at a time: each may come with its transaction. */
const LINES_AT_A_TIME = 500;

/** The order of lines. */
export const STATEMENT_LINE_ORDER: ListOrder<StatementLineKey, StatementLine> = {
  ...STATEMENT_LIST,
  isEntry: (_): _ is StatementLine => true,
};

export interface Statement {
  readonly tip: SnapshotTip;
  /** The lines of the page, and one more if there is a next page. */
  readonly lines: readonly StatementLine[];
  /** The coin first, then tokens by id; null for a page after the first. */
  readonly currencies: readonly StatementCurrency[] | null;
  /** The block of the closing balances; null for a page after the first. */
  readonly closingBlock: StatementBalances['closingBlock'] | null;
}

/** Reads a page of a statement. Throws a StoreError, and {@link SnapshotChanged}. */
export async function readStatement(
  network: Network,
  store: QueryRunner,
  selection: StatementSelection,
  { after, limit }: { readonly after: StatementLineKey | null; readonly limit: number },
): Promise<Statement> {
  if (after !== null) {
    const stakes = await listStakesOfWallet(store, selection.owners, selection.currency);
    const read = await STATEMENT_LIST.read(store, { ...selection, after, limit: limit + 1 });
    const lines = linesOf(network, read.rows, new Set(stakes.rows.map(({ id }) => id)));
    return { tip: requireSameTip(stakes, read), lines, currencies: null, closingBlock: null };
  }
  const balances = await readStatementBalances(store, selection);
  const lines = await readLines(network, store, selection, balances);
  const isWhole = lines.length <= MAX_SUMMED_LINES;
  const { tip, closingBlock } = balances;
  return { tip, lines: lines.slice(0, limit + 1), currencies: currenciesOf(balances, lines, isWhole), closingBlock };
}

/** Reads the first lines of a statement: all lines, or more than {@link MAX_SUMMED_LINES}. */
async function readLines(
  network: Network,
  store: QueryRunner,
  selection: StatementSelection,
  { tip, stakes }: StatementBalances,
): Promise<StatementLine[]> {
  const lines: StatementLine[] = [];
  let after: StatementLineKey | null = null;
  while (lines.length <= MAX_SUMMED_LINES) {
    const read: { tip: SnapshotTip; rows: StatementRow[] } = await STATEMENT_LIST.read(store, {
      ...selection,
      after,
      limit: LINES_AT_A_TIME,
    });
    requireSameTip({ tip }, read);
    lines.push(...linesOf(network, read.rows, stakes));
    if (read.rows.length < LINES_AT_A_TIME) break;
    after = STATEMENT_LIST.sortKey(read.rows.at(-1)!);
  }
  return lines;
}

const linesOf = (network: Network, rows: readonly StatementRow[], stakes: ReadonlySet<Id>) =>
  rows.map((row) => statementLine(network, row, stakes));

export interface StatementBalances {
  readonly tip: SnapshotTip;
  /** The wallet's own pools and delegations. */
  readonly stakes: ReadonlySet<Id>;
  readonly opening: ReadonlyMap<Currency, PastWalletBalanceRow>;
  readonly closing: ReadonlyMap<Currency, PastWalletBalanceRow>;
  /** The block after which the closing balances are; before the genesis, the height −1 and no time. */
  readonly closingBlock: Pick<PastWalletBalanceRow, 'height' | 'timestamp'>;
}

/** Reads what the wallet held and had staked before and after a statement, by currency: nothing else is in it. */
export async function readStatementBalances(
  store: QueryRunner,
  { days, ...wallet }: StatementSelection,
): Promise<StatementBalances> {
  const { owners, currency } = wallet;
  const bounds = await getStatementBounds(store, owners, currency, days.since, days.below);
  const { first, below, staked_before, staked_after } = bounds.rows[0]!;
  const [stakes, opening, closing] = await Promise.all([
    listStakesOfWallet(store, owners, currency),
    listWalletBalancesAt(store, { ...wallet, boundary: { height: first } }),
    listWalletBalancesAt(store, { ...wallet, boundary: { height: Math.max(first, below) } }),
  ]);
  return {
    tip: requireSameTip(bounds, stakes, opening, closing),
    stakes: new Set(stakes.rows.map(({ id }) => id)),
    opening: withStaked(opening.rows, staked_before),
    closing: withStaked(closing.rows, staked_after),
    closingBlock: closing.rows[0]!,
  };
}

function withStaked(rows: readonly PastWalletBalanceRow[], staked: bigint): Map<Currency, PastWalletBalanceRow> {
  const held = new Map(rows.flatMap((row) => (row.currency === null ? [] : [[row.currency, row] as const])));
  const coins = held.get(COIN) ?? { ...rows[0]!, ...NO_LABEL, currency: COIN, balance: 0n };
  const balance = coins.balance! + staked;
  held.delete(COIN);
  return balance === 0n ? held : new Map([[COIN, { ...coins, balance }], ...held]);
}

/** Returns the currencies that had a balance or a line. */
function currenciesOf({ opening, closing }: StatementBalances, lines: readonly StatementLine[], isWhole: boolean) {
  const sums = new Map<Currency, StatementAmounts>();
  for (const line of lines) sums.set(line.currency, sumOf(sums.get(line.currency) ?? NO_AMOUNTS, line));
  const labels = new Map<Currency, TokenLabelRow>([...opening, ...closing]);
  for (const line of lines) labels.set(line.currency, line);
  return [...labels.keys()].sort().map((currency): StatementCurrency => {
    return {
      ...labels.get(currency)!,
      currency,
      opening: opening.get(currency)?.balance ?? 0n,
      closing: closing.get(currency)?.balance ?? 0n,
      sums: isWhole ? (sums.get(currency) ?? NO_AMOUNTS) : null,
    };
  });
}

function sumOf(one: StatementAmounts, other: StatementAmounts): StatementAmounts {
  return {
    income: one.income + other.income,
    spent: one.spent + other.spent,
    fee: one.fee + other.fee,
    protocolFee: one.protocolFee + other.protocolFee,
    moved: one.moved + other.moved,
    rewards: one.rewards + other.rewards,
  };
}
