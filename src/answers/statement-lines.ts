/** The lines of a statement, and what each is made of. */

import { delegationAddress, parseDelegationId, parsePoolId, poolAddress } from '../chain/address.ts';
import { DAY_SECONDS } from '../chain/calendar.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms, Id } from '../chain/types.ts';
import type { NetChange } from '../render/net-changes.ts';
import { summarizeTransactionText } from '../render/transaction-summary.ts';
import { balanceChangeKinds } from '../store/queries/addresses/balance-history.ts';
import type { TokenLabelRow } from '../store/queries/tokens/tokens.ts';
import type { StatementRow } from '../store/queries/wallets/statement.ts';

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
  /** The wallet's pools and delegations to or from which the transaction moved coins. */
  readonly stakes: readonly NetChange['account'][];
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
    const moved = change - rewards - income + spent;
    return { ...row, ...NO_AMOUNTS, currency: COIN, stakes: [], income, spent, moved, rewards };
  }
  const summary = body === null || row.id !== COIN ? null : summarizeTransactionText(network, body, row.height);
  const protocolFee = row.fee === 0n ? 0n : (summary?.protocolFee ?? 0n);
  const moves = (summary?.netChanges ?? []).filter(({ account: { type, id } }) => {
    const parse = type === 'pool' ? parsePoolId : type === 'delegation' ? parseDelegationId : null;
    return parse !== null && stakes.has(parse(network, id!));
  });
  const moved = moves.reduce((sum, { atoms }) => sum - atoms, 0n);
  const rest = row.change + row.fee + protocolFee - moved;
  const [income, spent] = rest > 0n ? [rest, 0n] : [0n, -rest];
  return {
    ...row,
    ...{ currency: row.id, stakes: moves.map(({ account }) => account), income, spent, protocolFee, moved },
  };
}

/** Returns the kinds of a line but `received` and `sent`, which the amounts tell. */
export const kindsOfLine = ({ kinds }: Pick<StatementLine, 'kinds'>) =>
  balanceChangeKinds(kinds).filter((kind) => kind !== 'received' && kind !== 'sent');

export function timeOfLine({ is_pool, timestamp }: StatementLine): number {
  return is_pool === null ? timestamp : timestamp - (timestamp % DAY_SECONDS);
}

export function stakeOfLine(network: Network, { is_pool, id }: StatementLine) {
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
