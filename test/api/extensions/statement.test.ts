/** Statements of wallets over days, against a naive model and the other endpoints. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN } from '../../../src/chain/currency.ts';
import type { Destination } from '../../../src/chain/types.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { network } = chain;
const DAY = 86_400;
const served = () => chain.servers[0] as TestServer;
const atomsOf = ({ atoms }: Json) => BigInt(atoms);
const nameOf = ({ currency }: Json) => (currency.type === 'Coin' ? COIN : currency.token_id);
const addressesOf = (owners: readonly Destination[]) => owners.map((owner) => destinationAddress(network, owner));
const FIELDS = ['income', 'spent', 'fee', 'protocol_fee', 'moved', 'rewards'] as const;

/** The busiest addresses, all of them last. */
function wallets(): Destination[][] {
  const counts = new Map<Destination, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  for (const { owner } of chain.facts.world.delegations.values()) counts.set(owner, counts.get(owner) ?? 0);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([owner]) => owner);
  return [sorted.slice(0, 1), sorted.slice(2, 14), sorted.slice(0, 60)];
}

/** Periods of whole days: all, some in the middle, one day, one before the chain, and none. */
function periods(): { from?: number; to?: number }[] {
  const day = (height: number) => Math.floor(chain.timeOf(height) / DAY) * DAY;
  const middle = { from: day(25), to: day(70) };
  return [
    {},
    middle,
    { from: day(40), to: day(40) + DAY },
    { to: day(50) },
    { from: day(60) },
    { from: day(80), to: day(20) },
  ];
}

const urlOf = (owners: readonly Destination[], more: object) =>
  `/statement?${new URLSearchParams({ addresses: addressesOf(owners).join(), ...more } as Record<string, string>)}`;

/** All lines of a statement by its cursors, and its currencies. */
async function statement(owners: readonly Destination[], more: object = {}, items = 100) {
  const url = urlOf(owners, { ...more, items });
  const { currencies } = await chain.got(url);
  const pages = await served().pages(url);
  assert.ok(pages.slice(0, -1).every((page: Json[]) => page.length === items));
  return { currencies: currencies as Json[], lines: pages.flat() as Json[] };
}

/** What a wallet held and had staked after a block, by the model and by `/address`. */
async function ownedAt(owners: readonly Destination[], height: number): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  const add = (name: string, atoms: bigint) => sums.set(name, (sums.get(name) ?? 0n) + atoms);
  for (const owner of height < 0 ? [] : owners) {
    for (const [currency, balance] of chain.past.balancesAt(owner, height)) {
      add(currency === COIN ? COIN : tokenAddress(network, currency), balance);
    }
    const { status, body } = await served().get(`/address/${destinationAddress(network, owner)}?height=${height}`);
    if (status === 404 || body.staked === null) continue;
    assert.equal(body.staked.height, height);
    add(COIN, atomsOf(body.staked.pools) + atomsOf(body.staked.delegations));
  }
  return new Map([...sums].filter(([, atoms]) => atoms > 0n));
}

const entries = (map: ReadonlyMap<string, bigint>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
const balances = (currencies: readonly Json[], which: 'opening' | 'closing') =>
  entries(
    new Map(currencies.map((each) => [nameOf(each), atomsOf(each[which])] as const).filter(([, atoms]) => atoms > 0n)),
  );

/** The height of the last block before a time. */
const lastBefore = (time: number) => chain.facts.blocks.filter(({ timestamp }) => timestamp < time).length;

it('the opening balance and all lines are the closing balance, in each currency, of any days', async () => {
  for (const owners of wallets()) {
    for (const period of owners.length > 50 ? periods().slice(0, 2) : periods()) {
      const { currencies, lines } = await statement(owners, period);
      const { from, to } = { from: undefined, to: undefined, ...period };
      const first = from === undefined ? -1 : lastBefore(from);
      const last = Math.max(first, to === undefined ? 90 : lastBefore(to));
      assert.deepEqual(balances(currencies, 'opening'), entries(await ownedAt(owners, first)));
      assert.deepEqual(balances(currencies, 'closing'), entries(await ownedAt(owners, last)));
      for (const each of currencies) {
        const own = lines.filter((line) => nameOf(line) === nameOf(each));
        const sum = own.reduce((all, { change }) => all + atomsOf(change), 0n);
        assert.equal(atomsOf(each.opening) + sum, atomsOf(each.closing));
        for (const field of FIELDS) {
          assert.equal(
            atomsOf(each.sums[field]),
            own.reduce((all, line) => all + atomsOf(line[field]), 0n),
            field,
          );
        }
      }
      for (const line of lines) {
        const { income, spent, fee, protocol_fee, moved, rewards } = line;
        const parts = [income, moved, rewards].map(atomsOf).reduce((a, b) => a + b);
        const taken = [spent, fee, protocol_fee].map(atomsOf).reduce((a, b) => a + b);
        assert.equal(atomsOf(line.change), parts - taken, JSON.stringify(line));
        assert.ok(currencies.some((each) => nameOf(each) === nameOf(line)));
      }
      if (owners.length < 3) assert.deepEqual(await statement(owners, period, 7), { currencies, lines });
    }
  }
});

it('fees, protocol fees and rewards are those of the transactions and of the days, and only own stakes are moved', async () => {
  let paidByOthers = 0;
  let protocolFees = 0n;
  let withdrawals = 0;
  let gifts = 0;
  let received = 0n;
  let given = 0n;
  for (const owners of wallets()) {
    const { lines } = await statement(owners);
    const addresses = addressesOf(owners);
    const paid = new Map<string, bigint>();
    for (const address of addresses) {
      for (const { tx_id, fee } of (await served().pages(`/address/${address}/history?items=100`)).flat() as Json[]) {
        if (tx_id !== null && atomsOf(fee) > 0n) paid.set(tx_id, atomsOf(fee));
      }
    }
    const ofPayer = lines.filter(({ fee }) => atomsOf(fee) > 0n);
    assert.deepEqual(entries(new Map(ofPayer.map(({ tx_id, fee }) => [tx_id, atomsOf(fee)]))), entries(paid));
    assert.equal(ofPayer.length, paid.size);
    const staking = lines.filter(({ pool_id, delegation_id }) => pool_id !== null || delegation_id !== null);
    const own = new Set(staking.map(({ pool_id, delegation_id }) => pool_id ?? delegation_id));
    for (const line of ofPayer) {
      const { protocol_fee, net_changes } = await served().json(`/transaction/${line.tx_id}?expand=true`);
      assert.deepEqual(line.protocol_fee, protocol_fee, line.tx_id);
      const intoStakes = net_changes.filter(({ account_type: type }: Json) => type === 'pool' || type === 'delegation');
      if (intoStakes.some(({ account }: Json) => !own.has(account))) gifts++;
      const staked = intoStakes
        .filter(({ account }: Json) => own.has(account))
        .reduce((sum: bigint, { change }: Json) => sum + atomsOf(change), 0n);
      assert.equal(atomsOf(line.moved), -staked);
      protocolFees += atomsOf(protocol_fee);
      if (staked < 0n) withdrawals++;
    }
    for (const line of lines.filter(({ fee }) => atomsOf(fee) === 0n)) {
      assert.equal(atomsOf(line.protocol_fee), 0n);
      if (line.tx_id === null || nameOf(line) !== COIN || !line.kinds.includes('delegation_withdraw')) continue;
      const { net_changes } = await served().json(`/transaction/${line.tx_id}?expand=true`);
      const withdrawn = net_changes
        .filter(({ account }: Json) => own.has(account))
        .reduce((sum: bigint, { change }: Json) => sum - atomsOf(change), 0n);
      assert.equal(atomsOf(line.moved), withdrawn, line.tx_id);
      if (withdrawn > 0n) paidByOthers++;
    }

    // What others put into a delegation is income, what it paid to others alone is spent.
    const withCoins = new Set(lines.filter((line) => nameOf(line) === COIN).map(({ tx_id }) => tx_id));
    for (const line of staking.filter(({ delegation_id }) => delegation_id !== null)) {
      const { delegation_id: id, timestamp: day } = line;
      const moves = ((await served().pages(`/delegation/${id}/transactions?items=100`)).flat() as Json[]).filter(
        ({ tx_id, timestamp }) => timestamp >= day && timestamp < day + DAY && !withCoins.has(tx_id),
      );
      const sum = (field: string) => moves.reduce((all, move) => all + atomsOf(move[field]), 0n);
      assert.equal(atomsOf(line.income), sum('deposited'));
      assert.equal(atomsOf(line.spent), sum('withdrawn'));
      received += sum('deposited');
      given += sum('withdrawn');
    }

    const income: Json[] = (await served().pages(`/address/${addresses[0]}/staking?items=100`)).flat();
    const key = (stake: Json, time: number) => `${time} ${stake.pool_id ?? stake.delegation_id}`;
    const known = new Map(staking.map((line) => [key(line, line.timestamp), atomsOf(line.rewards)]));
    for (const day of income) assert.equal(known.get(key(day, day.day)), atomsOf(day.rewards));
    if (owners.length === 1) assert.equal(staking.length, income.length);
  }
  assert.ok(protocolFees > 0n);
  assert.ok(withdrawals > 0);
  assert.ok(paidByOthers > 0, 'nobody pays the fee of another who withdraws');
  assert.ok(gifts > 0, 'nobody delegates to others');
  assert.ok(received > 0n, 'no wallet gets something from others into a delegation');
  assert.ok(given > 0n, 'no wallet pays others from a delegation');
});

it('a statement of a currency has the lines of that currency, and staking is of the coin', async () => {
  const owners = wallets()[1]!;
  const { lines, currencies } = await statement(owners);
  assert.ok(currencies.length > 2);
  for (const each of currencies) {
    const currency = nameOf(each) === COIN ? network.coinTicker.toLowerCase() : nameOf(each);
    assert.deepEqual(await statement(owners, { currency }, nameOf(each) === COIN ? 50 : 7), {
      lines: lines.filter((line) => nameOf(line) === nameOf(each)),
      currencies: [each],
    });
  }
});

/** The fields of a CSV file that has no quotation marks. */
async function csv(owners: readonly Destination[], more: object): Promise<string[][]> {
  const { text, status } = await served().request(`/api/v2${urlOf(owners, { ...more, format: 'csv' })}`);
  assert.equal(status, 200, text);
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
}

it('an export has the opening balances, all lines and the closing balances', async () => {
  for (const owners of wallets().slice(1, 3)) {
    for (const period of periods().slice(0, 2)) {
      const { currencies, lines } = await statement(owners, period);
      const [head, ...rows] = await csv(owners, period);
      const values = rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]!])));
      const shown = (which: 'opening' | 'closing') =>
        currencies
          .filter((each) => atomsOf(each[which]) > 0n)
          .map((each) => [`${which} balance`, nameOf(each) || network.coinTicker, each[which].decimal]);
      assert.deepEqual(
        values.map(({ what, currency, balance, change }) => (balance === '' ? change : [what, currency, balance])),
        [...shown('opening'), ...lines.map(({ change }) => change.decimal), ...shown('closing')],
      );
      const [opened, closed] = ['opening', 'closing'].map((which) =>
        values.find(({ what }) => what === `${which} balance`),
      );
      for (const each of [opened, closed]) {
        if (each === undefined) continue;
        const time = Date.parse(`${each.time_utc!.replace(' ', 'T')}Z`) / 1_000;
        assert.equal(time, chain.timeOf(Number(each.height)));
        assert.equal(time < lines[0]!.timestamp, each === opened);
        assert.equal(time >= lines.at(-1)!.timestamp, each === closed);
      }
      const ndjson = await served().request(`/api/v2${urlOf(owners, { ...period, format: 'ndjson' })}`);
      const objects =
        ndjson.text === ''
          ? []
          : ndjson.text
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line));
      assert.deepEqual(
        objects.filter((each) => 'change' in each),
        lines,
      );
      assert.equal(objects.length, rows.length);
    }
  }
});

it('statements refuse what they do not understand', async () => {
  const [address] = addressesOf(wallets()[0]!);
  const many = `Invalid addresses: 1 to 100 with commas between them are expected`;
  assert.deepEqual(await chain.error('/statement'), [400, many]);
  assert.deepEqual(await chain.error('/statement?addresses='), [400, many]);
  assert.deepEqual(await chain.error(`/statement?addresses=${Array(101).fill(address)}`), [400, many]);
  assert.deepEqual(await chain.error('/statement?addresses=x'), [400, 'Invalid address']);
  assert.deepEqual(await chain.error(`/statement?addresses=${address}&currency=x`), [400, 'Invalid token Id']);
  assert.deepEqual(await chain.error(`/statement?addresses=${address}&cursor=x`), [400, 'Invalid cursor']);
  assert.match((await chain.error(`/statement?addresses=${address}&from=x`))[1], /^Invalid from/);
});

it('the file of rewards alone has the lines of the statement that have rewards, and nothing else', async () => {
  let rewarded = 0;
  for (const owners of wallets()) {
    for (const period of periods()) {
      const { lines } = await statement(owners, period);
      const expected = lines.filter(({ rewards }) => atomsOf(rewards) > 0n);
      const answer = await served().get(urlOf(owners, { ...period, lines: 'rewards', format: 'ndjson' }));
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.headers.get('content-disposition')!, /filename="rewards-/);
      const found = answer.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
      assert.deepEqual(
        found.map(({ height, pool_id, delegation_id, rewards }) => [height, pool_id, delegation_id, rewards]),
        expected.map(({ height, pool_id, delegation_id, rewards }) => [height, pool_id, delegation_id, rewards]),
      );
      rewarded += found.length;
    }
  }
  assert.ok(rewarded > 20, `${rewarded} lines`);
  const [owners] = wallets();
  const page = await served().get(urlOf(owners!, { lines: 'rewards' }));
  assert.deepEqual(
    [page.status, page.body.error],
    [400, 'Invalid lines: rewards alone need `format=csv` or `format=ndjson`'],
  );
});

/** The head and the rows of a file for a tax program. */
async function taxFile(owners: readonly Destination[], layout: string, more: object = {}) {
  const [head, ...rows] = await csv(owners, { ...more, layout });
  return { head: head!, rows: rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]!]))) };
}

/** Atoms of a decimal text with the decimals of the coin, or of tokens with as many. */
const units = (text: string | undefined) => Number(text === '' ? 0 : (text ?? 0));

it('files for tax programs have the columns that each asks for', async () => {
  const heads = {
    koinly:
      'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,' +
      'Net Worth Currency,Label,Description,TxHash',
    cointracker: 'Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag',
    cryptotaxcalculator:
      'Timestamp (UTC),Type,Base Currency,Base Amount,Quote Currency (Optional),Quote Amount (Optional),' +
      'Fee Currency (Optional),Fee Amount (Optional),From (Optional),To (Optional),Blockchain (Optional),ID (Optional),' +
      'Reference Price Per Unit (Optional),Reference Price Currency (Optional)',
    bitcointax: 'Date,Action,Symbol,Volume,Currency,Total,Fee,FeeCurrency,Memo',
  };
  for (const [layout, head] of Object.entries(heads)) {
    const file = await taxFile(wallets()[2]!, layout);
    assert.equal(file.head.join(), head);
    assert.ok(file.rows.length > 0);
  }
});

it('a file for a tax program has a trade as one line, and adds up to what the statement says of each currency', async () => {
  const seen = { trade: 0, staking: 0, cost: 0, send: 0, receive: 0 };
  for (const owners of wallets()) {
    const { lines } = await statement(owners);
    const { rows } = await taxFile(owners, 'koinly');
    const sums = new Map<string, number>();
    const add = (name: string, amount: number) => sums.set(name, (sums.get(name) ?? 0) + amount);
    for (const row of rows) {
      assert.match(row.Date!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
      if (row['Sent Currency']) add(row['Sent Currency'], -units(row['Sent Amount']));
      if (row['Received Currency']) add(row['Received Currency'], units(row['Received Amount']));
      if (row['Fee Currency']) add(row['Fee Currency'], -units(row['Fee Amount']));
      if (row['Sent Currency'] && row['Received Currency']) seen.trade++;
      else if (row.Label === 'staking') seen.staking++;
      else if (row.Label === 'cost') seen.cost++;
      else if (row['Sent Currency']) seen.send++;
      else seen.receive++;
    }
    const expected = new Map<string, number>();
    for (const line of lines) {
      const name = nameOf(line);
      const shown = name === COIN ? network.coinTicker : `${line.ticker}-${name.slice(-6)}`;
      const change = units(line.change.decimal) - units(line.moved.decimal);
      expected.set(shown, (expected.get(shown) ?? 0) + change);
    }
    for (const [name, sum] of expected) {
      assert.ok(Math.abs(sum - (sums.get(name) ?? 0)) <= 1e-6 * Math.max(1, Math.abs(sum)), `${name}: ${sum}`);
    }
    const ofTransactions = rows.filter(({ TxHash }) => TxHash !== '');
    const trades = rows.filter((row) => row['Sent Currency'] && row['Received Currency']);
    for (const { TxHash } of trades) assert.equal(ofTransactions.filter((row) => row.TxHash === TxHash).length, 1);

    const typed = (await taxFile(owners, 'cryptotaxcalculator')).rows;
    const tagged = (await taxFile(owners, 'cointracker')).rows;
    assert.equal(typed.filter(({ Type }) => Type === 'buy').length, trades.length);
    assert.deepEqual(
      tagged.map((row) => [row['Received Quantity'], row['Sent Quantity'], row['Fee Amount']]),
      rows.map((row) => [row['Received Amount'], row['Sent Amount'], row['Fee Amount']]),
    );
    const actions = (await taxFile(owners, 'bitcointax')).rows.map(({ Action }) => Action);
    assert.equal(actions.filter((action) => action === 'BUY').length, trades.length);
    assert.equal(
      actions.filter((action) => action === 'INCOME').length,
      rows.filter(({ Label }) => Label === 'staking').length,
    );
    const rewards = (await taxFile(owners, 'koinly', { lines: 'rewards' })).rows;
    assert.deepEqual(
      rewards,
      rows.filter(({ Label }) => Label === 'staking'),
    );
  }
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 0, `no ${kind}`);
});

it('a layout of a tax program is only there as CSV', async () => {
  const [owners] = wallets();
  for (const format of ['json', 'ndjson']) {
    const { status, body } = await served().get(urlOf(owners!, { layout: 'koinly', format }));
    assert.deepEqual([status, body.error], [400, 'Invalid layout: tax programs need `format=csv`']);
  }
  const { status, body } = await served().get(urlOf(owners!, { layout: 'excel', format: 'csv' }));
  assert.deepEqual(
    [status, body.error],
    [400, 'Invalid layout: `statement`, `koinly`, `cointracker`, `cryptotaxcalculator`, `bitcointax` are known'],
  );
});
