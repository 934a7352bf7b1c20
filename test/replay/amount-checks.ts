/** Recomputes balances from the unspent outputs, row by row: memory does not grow with the chain. */
import type pg from 'pg';
import { outputFromHex } from '../../src/chain/codec/output.ts';
import type { Currency } from '../../src/chain/currency.ts';
import { createsNft, isContractOutput, isPaymentOutput } from '../../src/chain/input-and-output-kinds.ts';
import { MAX_HEIGHT, type Network } from '../../src/chain/networks/network.ts';
import { currencyAndAmount } from '../../src/chain/output-owner-and-value.ts';
import type { Atoms, Destination } from '../../src/chain/types.ts';
import { CheckFindings, type CheckResult } from '../../src/store/verify/check-result.ts';
import { rowsByCursor } from '../../src/store/verify/database-cursor.ts';

interface Holding {
  amount: Atoms;
  locked: Atoms;
}

interface Holder {
  readonly owner: Destination;
  readonly holdings: ReadonlyMap<Currency, Holding>;
}

interface UnspentRow {
  outpoint: string;
  owner: string;
  is_locked: boolean;
  htlc_currency: Currency | null;
  htlc_amount: Atoms | null;
  output: string;
}

interface BalanceRow {
  owner: string;
  currency: Currency;
  amount: bigint;
  locked: bigint;
}

/** Makes the checks within the client's transaction. */
export async function* checkAmounts(client: pg.Client, network: Network): AsyncGenerator<CheckResult> {
  const contracts = new CheckFindings('an unspent HTLC says what it holds, and no other output does');
  yield await checkBalances(client, contracts);
  yield contracts;
  yield await checkMinted(client, network);
}

/** Each balance against the outputs, and what each HTLC holds. */
async function checkBalances(client: pg.Client, contracts: CheckFindings): Promise<CheckResult> {
  const findings = new CheckFindings('each balance is the sum of the unspent outputs');
  const counted = holders(unspent(client), (holdings, row) => countOutput(holdings, contracts, row));
  const stored = holders(balances(client), (holdings, { currency, amount, locked }) => {
    holdings.set(currency, { amount, locked });
  });
  let [left, right] = [await counted.next(), await stored.next()];
  while (!left.done || !right.done) {
    // Hex has the order of the bytes.
    const order = left.done ? 1 : right.done ? -1 : compare(left.value.owner, right.value.owner);
    const nobody: Holder = { owner: '', holdings: new Map() };
    compareHolder(findings, order <= 0 ? left.value! : nobody, order >= 0 ? right.value! : nobody);
    if (order <= 0) left = await counted.next();
    if (order >= 0) right = await stored.next();
  }
  return findings;
}

function compareHolder(findings: CheckFindings, counted: Holder, stored: Holder): void {
  const owner = counted.owner || stored.owner;
  for (const currency of new Set([...counted.holdings.keys(), ...stored.holdings.keys()])) {
    const should = counted.holdings.get(currency) ?? { amount: 0n, locked: 0n };
    const is = stored.holdings.get(currency) ?? { amount: 0n, locked: 0n };
    const isSame = should.amount === is.amount && should.locked === is.locked;
    // A row of nothing should not be there; nothing without a row is as it should be.
    const isEmptyRow = stored.holdings.has(currency) && is.amount === 0n && is.locked === 0n;
    findings.add(
      isSame && !isEmptyRow
        ? undefined
        : `${owner} in ${currency || 'coins'}: ${is.amount} free and ${is.locked} locked, ` +
            `the outputs have ${should.amount} and ${should.locked}`,
    );
  }
}

function countOutput(holdings: Map<Currency, Holding>, contracts: CheckFindings, row: UnspentRow): void {
  const output = outputFromHex(row.output);
  const held = isContractOutput(output) ? currencyAndAmount(output.value) : null;
  const isRight = row.htlc_currency === (held?.currency ?? null) && row.htlc_amount === (held?.amount ?? null);
  contracts.add(isRight ? undefined : `${row.outpoint}: ${row.htlc_amount}, not ${held?.amount ?? null}`);
  if (isPaymentOutput(output)) {
    const value = currencyAndAmount(output.value);
    if (value !== null) add(holdings, value.currency, value.amount, row.is_locked);
  } else if (createsNft(output)) {
    add(holdings, output.tokenId, 1n, false);
  }
  // The coins of the others are in pools, delegations and orders, or nowhere.
}

function add(holdings: Map<Currency, Holding>, currency: Currency, amount: Atoms, isLocked: boolean): void {
  if (amount === 0n) return;
  const holding = holdings.get(currency) ?? { amount: 0n, locked: 0n };
  holdings.set(currency, holding);
  if (isLocked) holding.locked += amount;
  else holding.amount += amount;
}

/** Gathers rows that come sorted by owner. */
async function* holders<Row extends { owner: string }>(
  rows: AsyncIterable<Row>,
  take: (holdings: Map<Currency, Holding>, row: Row) => void,
): AsyncGenerator<Holder> {
  let owner: string | undefined;
  let holdings = new Map<Currency, Holding>();
  for await (const row of rows) {
    if (row.owner !== owner) {
      if (owner !== undefined && holdings.size > 0) yield { owner, holdings };
      owner = row.owner;
      holdings = new Map();
    }
    take(holdings, row);
  }
  if (owner !== undefined && holdings.size > 0) yield { owner, holdings };
}

function unspent(client: pg.Client): AsyncGenerator<UnspentRow> {
  return rowsByCursor(
    client,
    'unspent',
    `select outpoint, owner, unlock_height is not null or unlock_time is not null as is_locked, htlc_currency, htlc_amount, output
       from utxos order by owner`,
  );
}

function balances(client: pg.Client): AsyncGenerator<BalanceRow> {
  return rowsByCursor(client, 'held', 'select owner, currency, amount, locked from balances order by owner');
}

/** Coins come from the genesis and from subsidies only, and go only by being burned. */
async function checkMinted(client: pg.Client, network: Network): Promise<CheckResult> {
  const findings = new CheckFindings('the coins that circulate or are burned were all minted');
  const { rows } = await client.query<{ says: bigint; preminted: bigint }>(
    `select circulating_supply + burned as says, preminted from statistics where currency = ''`,
  );
  let minted = rows[0]?.preminted ?? 0n;
  for (const [i, { height, atoms }] of network.subsidy.entries()) {
    const end = network.subsidy[i + 1]?.height ?? MAX_HEIGHT;
    const counted = await client.query<{ blocks: number }>(
      'select count(*) as blocks from blocks where pool_id is not null and height >= $1 and height < $2',
      [Math.max(height, 1), end],
    );
    minted += atoms * BigInt(counted.rows[0]!.blocks);
  }
  const says = rows[0]?.says ?? 0n;
  findings.add(says === minted ? undefined : `${says} coins circulate or are burned, ${minted} were minted`);
  return findings;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
