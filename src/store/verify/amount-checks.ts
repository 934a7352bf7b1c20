/** Recomputes balances and totals from the unspent outputs, row by row: memory does not grow with the chain. */
import type pg from 'pg';
import { outputFromHex } from '../../chain/codec/output.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { createsNft, isContractOutput, isPaymentOutput } from '../../chain/input-and-output-kinds.ts';
import { MAX_HEIGHT, type Network } from '../../chain/networks/network.ts';
import { currencyAndAmount } from '../../chain/output-owner-and-value.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { CheckFindings, type CheckResult } from './check-result.ts';
import { rowsByCursor } from './database-cursor.ts';

interface Holding {
  amount: Atoms;
  locked: Atoms;
}

interface Holder {
  readonly owner: Destination;
  readonly holdings: ReadonlyMap<Currency, Holding>;
}

interface UnspentRow {
  owner: string;
  is_locked: boolean;
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
  const inContracts = new Map<Currency, Atoms>();
  yield await checkBalances(client, inContracts);
  yield await checkTotals(client, inContracts);
  yield await checkMinted(client, network);
}

/** Each balance against the outputs; adds up what HTLCs hold. */
async function checkBalances(client: pg.Client, inContracts: Map<Currency, Atoms>): Promise<CheckResult> {
  const findings = new CheckFindings('each balance is the sum of the unspent outputs');
  const counted = holders(unspent(client), (holdings, row) => countOutput(holdings, inContracts, row));
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

function countOutput(holdings: Map<Currency, Holding>, inContracts: Map<Currency, Atoms>, row: UnspentRow): void {
  const output = outputFromHex(row.output);
  if (isPaymentOutput(output)) {
    const value = currencyAndAmount(output.value);
    if (value !== null) add(holdings, value.currency, value.amount, row.is_locked);
  } else if (createsNft(output)) {
    add(holdings, output.tokenId, 1n, false);
  } else if (isContractOutput(output)) {
    const value = currencyAndAmount(output.value);
    if (value !== null) inContracts.set(value.currency, (inContracts.get(value.currency) ?? 0n) + value.amount);
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
    `select owner, unlock_height is not null or unlock_time is not null as is_locked, output from utxos order by owner`,
  );
}

function balances(client: pg.Client): AsyncGenerator<BalanceRow> {
  return rowsByCursor(client, 'held', 'select owner, currency, amount, locked from balances order by owner');
}

/**
 * What circulates of each currency against where it is: balances, HTLCs, orders; for the coin pools and delegations
 * too. Tokens may be fewer, for a transaction can spend them and give them to nobody. So may coins where blocks are
 * made without proof of stake: nobody gets their fees (docs/indexing-rules.md#reward-distribution).
 */
async function checkTotals(client: pg.Client, inContracts: ReadonlyMap<Currency, Atoms>): Promise<CheckResult> {
  const findings = new CheckFindings('what circulates is what balances, contracts, orders and stakes hold');
  const totals = rowsByCursor<{ currency: Currency; circulating: bigint | null; found: bigint }>(
    client,
    'totals',
    `with place (currency, amount) as (
       select currency, sum(total) from balances group by currency
       union all select give_currency, sum(give_balance) from orders where not is_concluded group by give_currency
       union all select ask_currency, sum(initially_asked - ask_balance) from orders where not is_concluded group by ask_currency
       union all select ''::bytea, sum(staker_balance) from pools
       union all select ''::bytea, sum(balance) from delegations)
     select currency, circulating_supply as circulating, coalesce(found, 0) as found
       from statistics full join (select currency, sum(amount) as found from place group by currency) as p using (currency)`,
  );
  const losesFees = await client.query<{ is_so: boolean }>(
    'select exists (select from blocks where pool_id is null and height > 0 and tx_count > 0) as is_so',
  );
  const areAllCoinsHeld = !losesFees.rows[0]!.is_so;
  for await (const { currency, circulating, found: elsewhere } of totals) {
    const found = elsewhere + (inContracts.get(currency) ?? 0n);
    const says = circulating ?? 0n;
    const isRight = currency === COIN && areAllCoinsHeld ? found === says : found <= says;
    findings.add(isRight ? undefined : `${currency || 'coins'}: ${says} circulate, ${found} are held`);
  }
  return findings;
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
