/** What the pages of the whole chain must show: the rich list, the supply, reorganisations, the mempool, fees. */
import assert from 'node:assert/strict';
import { getPage, type PageElement } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import { atoms, type Json, linked, listed, pagedRows, percent, secondsOf } from './page-values.ts';

export async function checkRichList(server: TestServer, items: number): Promise<number> {
  const supply = atoms((await server.json('/statistics/coin')).circulating_supply);
  let length = 0;
  for (const sort of ['total', 'amount']) {
    const holders = await listed(server, `/statistics/coin/holders?sort=${sort}`);
    const rows = await pagedRows(server, `/richlist?sort=${sort}&items=${items}`, 'holders');
    assert.deepEqual(
      rows.map(([address, rank, total, share, amount, locked]) => [
        rank!.text,
        linked(address!),
        [...total!.atoms(), ...amount!.atoms(), ...locked!.atoms()],
        share!.text,
      ]),
      holders.map(({ address, total, amount, locked }, i) => [
        String(i + 1),
        address,
        [atoms(total), atoms(amount), atoms(locked)],
        percent(atoms(total), supply),
      ]),
    );
    for (const [i, row] of rows.entries()) {
      if (i % 7 !== 0) continue;
      const { total } = await server.json(`/address/${holders[i]!.address}?expand=true`);
      const staked = atoms(total.staked.pools) + atoms(total.staked.delegations);
      assert.deepEqual(row[6]!.atoms(), [atoms(holders[i]!.total) + staked], holders[i]!.address);
    }
    length = rows.length;
  }
  return length;
}

export async function checkStatistics(server: TestServer): Promise<void> {
  const { circulating_supply, preminted, burned, staked } = await server.json('/statistics/coin');
  const { main } = await getPage(server, '/statistics');
  for (const [name, amount] of [
    ['Circulating supply', circulating_supply],
    ['Preminted', preminted],
    ['Burned', burned],
    ['Staked', staked],
  ] as const) {
    assert.deepEqual(main.fact(name).atoms(), [atoms(amount)], name);
  }
  assert.deepEqual(main.fact('Not staked').atoms(), [atoms(circulating_supply) - atoms(staked)]);
  assert.ok(main.fact('Staked').text.includes(percent(atoms(staked), atoms(circulating_supply))));
}

/** Gives how many there were. */
export async function checkReorganisations(server: TestServer): Promise<number> {
  const entries = await listed(server, '/chain/reorganisations');
  const shown: Json[] = [];
  let next: string | undefined = '/reorganisations?items=2';
  while (next !== undefined) {
    const { main } = await getPage(server, next);
    for (const section of main.all('details.reorganisation')) {
      const [removed, added] = section.all('table').map((table) =>
        table.rows().map(([height, block, pool]) => ({
          height: Number(height!.text),
          block_id: block!.text,
          pool_id: pool!.links().length === 0 ? null : linked(pool!),
        })),
      );
      const ancestor = Number(section.one('h2').text.split(' ').at(-1));
      shown.push({ seen_at: secondsOf(section), ancestor_height: ancestor, removed, added });
    }
    next = main.nextPages()[0];
  }
  // Of very long ones the page shows the beginning.
  const first = (blocks: Json[]) => blocks.slice(0, 10);
  const wanted = entries.map(({ removed, added, ...rest }) => ({
    ...rest,
    removed: first(removed),
    added: first(added),
  }));
  assert.deepEqual(shown, wanted);
  return entries.length;
}

/** Every page of `/mempool`. Gives how many are pending. */
export async function checkMempool(server: TestServer, items: number): Promise<number> {
  const totals = await server.json('/mempool');
  const pending: Json[] = [];
  while (pending.length < totals.count) {
    pending.push(...(await server.json(`/mempool/transactions?offset=${pending.length}&items=100`)));
  }
  const { main } = await getPage(server, '/mempool');
  assert.equal(main.fact('Pending transactions').text, String(totals.count));
  assert.equal(main.fact('Size').text.split(' ')[0], String(totals.bytes));
  assert.deepEqual(main.fact('Fees').atoms(), [atoms(totals.total_fee)]);
  const { blocks } = await server.json('/mempool/blocks');
  for (const [i, { count, bytes, total_fee }] of blocks.entries()) {
    const shown = main.fact(i === 0 ? 'Next block' : `Block ${i + 1} from now`);
    assert.ok(shown.text.startsWith(`${percent(BigInt(bytes), 1_048_576n)} full`), shown.text);
    assert.match(shown.text, count === 1 ? /One transaction, / : new RegExp(`${count} transactions, `));
    assert.equal(shown.atoms().at(-1), atoms(total_fee));
  }
  assertTiles(main, pending, blocks[0]?.count ?? 0);
  if (blocks.length > 0) {
    const bar = main.one('.meter').one('.share').attribute('width');
    const part = Math.floor((blocks[0].bytes * 10_000) / 1_048_576) / 100;
    assert.equal(Number(bar), Math.max(0.5, part), 'the bar is to scale, but is always seen');
  }
  const { status, body: recommended } = await server.get('/feerate/recommended');
  const enough = main.facts().get('Fee rate for the next block');
  assert.deepEqual(enough?.atoms(), status === 200 ? [BigInt(recommended.fastest)] : undefined);
  const rate = ({ fee_rate }: Json) => BigInt(fee_rate ?? -1);
  const byFeeRate = pending.toSorted((a, b) =>
    rate(a) === rate(b) ? (a.id < b.id ? -1 : 1) : rate(a) > rate(b) ? -1 : 1,
  );
  const rows = await pagedRows(server, `/mempool?items=${items}`, 'pending-transactions-highest-fee-rate-first');
  assert.deepEqual(
    rows.map((cells) => [linked(cells[0]!), cells[1]!.atoms(), cells.at(-2)!.atoms(), Number(cells.at(-1)!.text)]),
    byFeeRate.map(({ id, fee_rate, fee, size }) => [
      id,
      fee_rate === undefined ? [] : [BigInt(fee_rate)],
      fee === undefined ? [] : [atoms(fee)],
      size,
    ]),
  );
  return totals.count;
}

/** The tiles are the transactions of the next block: as large as they are, and weaker with each lower shade of fee rate. */
function assertTiles(main: PageElement, pending: readonly Json[], count: number): void {
  const sizes = new Map(pending.map(({ id, size }) => [id, size]));
  const tiles = main.all('.block-tiles').flatMap((picture) => picture.all('a'));
  assert.equal(tiles.length, count);
  const shown = tiles.map((tile) => {
    const [, rate, bytes] = /: (\S+) \S+ per kB, (\d+) bytes$/.exec(tile.one('title').text)!;
    const [width, height, opacity] = ['width', 'height', 'fill-opacity'].map((name) =>
      Number.parseFloat(tile.one('rect').attribute(name)!),
    );
    assert.equal(Number(bytes), sizes.get(decodeURIComponent(tile.attribute('href')!.split('/').at(-1)!)));
    return { bytes: Number(bytes), rate: Number(rate), area: width! * height!, opacity: opacity! };
  });
  const all = shown.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { bytes, area } of shown)
    assert.ok(Math.abs(area - (bytes / all) * 100 * 100) < 2, `${area} of ${bytes} bytes`);
  const byRate = shown.toSorted((a, b) => b.rate - a.rate);
  assert.deepEqual(
    byRate.map(({ opacity }) => opacity),
    byRate.map(({ opacity }) => opacity).toSorted((a, b) => b - a),
  );
}

export async function checkFees(server: TestServer): Promise<void> {
  const { main } = await getPage(server, '/fees');
  const recommended: Record<string, string> = await server.json('/feerate/recommended');
  // Of several speeds at the same rate only the fastest one is listed; one rate for all needs no list.
  const speeds = ['fastest', 'half_hour', 'hour', 'economy', 'minimum']
    .map((speed) => recommended[speed]!)
    .filter((rate, i, all) => rate !== all[i - 1]);
  const rates = main.all('#rates').length === 0 ? [] : main.table('rates');
  assert.deepEqual(
    rates.map(([, rate]) => rate!.atoms()),
    speeds.length === 1 ? [] : speeds.map((rate) => [BigInt(rate)]),
  );
  assert.deepEqual(main.fact('Fee rate for the next block').atoms(), [BigInt(recommended.fastest!)]);
  const usual = BigInt(await server.json('/feerate'));
  const { fastest, hour } = recommended as Record<string, string>;
  const isAllOne = fastest === hour && fastest === String(usual);
  for (const [name, bytes, soon, burned, all, later, asWallets] of main.table('usual')) {
    const feeAt = (rate: string | bigint) => (BigInt(bytes!.text) * BigInt(rate) + 999n) / 1_000n;
    const next = feeAt(fastest!);
    assert.deepEqual([...soon!.atoms(), ...all!.atoms()], [next, next + (burned!.atoms()[0] ?? 0n)], name!.text);
    const others = isAllOne ? [] : [feeAt(hour!), feeAt(usual)];
    assert.deepEqual([...(later?.atoms() ?? []), ...(asWallets?.atoms() ?? [])], others, name!.text);
  }
  const newest: Json[] = await server.json('/transaction?items=100');
  const feeRates = newest.map(({ fee_rate }) => BigInt(fee_rate)).sort((a, b) => (a < b ? -1 : 1));
  const median = feeRates[Math.floor((newest.length - 1) / 2)];
  assert.deepEqual(main.fact('Median fee rate').atoms(), [median]);
}
