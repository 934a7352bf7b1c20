/** The pages of addresses against the API's answers, on a recorded chain. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import { describeLock, endedLock, lockedOrNot } from '../../src/explorer/parts/lock.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import { fileScope } from '../support/file-scope.ts';
import { filledIndex } from '../support/filled-servers.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import { ADDRESS_LISTS, checkAddressPages, type Holdings, readHoldings } from './check-address-pages.ts';
import { pagedRows, sectionCounts } from './page-values.ts';

const golden = goldenServers();
const scope = fileScope();
const index = filledIndex({ blocks: 60, transactionsPerBlock: 1 });
let holdings: Holdings;
let addresses: string[];

describe('the page of an address', () => {
  before(async () => {
    holdings = await readHoldings(golden.described);
    // Of every kind of address, those that have to do with the most kinds of things, and some of all others.
    const { rows } = await golden.index.query(`
      select owner from (
        select owner, row_number() over (partition by substring(owner, 1, 1) order by count(distinct thing) desc, owner) as place
        from (
          select owner, 'output' as thing from outputs union all select owner, 'history' from address_transactions
          union all select authority, 'token' from tokens union all select spend_destination, 'delegation' from delegations
          union all select decommission_destination, 'pool' from pools union all select owner, 'nft' from nfts
          union all select refund_owner, 'htlc' from utxos
          union all select owner, 'lock' from utxos where unlock_height is not null or unlock_time is not null
        ) everything where owner is not null group by owner
      ) ranked where place <= 5 or place % 301 = 0`);
    addresses = rows.map(({ owner }) => destinationAddress(golden.network, owner));
  });

  it('shows with its lists what the API answers, for addresses of every kind', async () => {
    const found = new Set<string>();
    const left = [...addresses];
    const checkNext = async (): Promise<void> => {
      for (let address = left.pop(); address !== undefined; address = left.pop()) {
        for (const name of await checkAddressPages(golden, address, holdings)) found.add(name);
      }
    };
    await Promise.all(Array.from({ length: 6 }, checkNext));
    const recorded = ADDRESS_LISTS.filter((name) => name !== 'orders');
    assert.deepEqual([...found].sort(), recorded.sort(), 'every list was there that the chain has');
  });

  it('says of a lock that the next block can be the first to spend it, and is unlocked from then on', () => {
    const site = new Site(golden.network, '', '', new StaticFiles());
    const lock = { type: 'UntilHeight', content: 10 } as const;
    const badges = [7, 9, 10].map((tip) => describeLock(site, lock, { height: 1, timestamp: 0 }, tip).text);
    assert.match(badges[0]!, /^until block 10 <.*\(about 6 minutes\)/);
    assert.match(badges[1]!, />spendable in the next block</);
    assert.match(badges[2]!, />unlocked</);
    const shown = (lock: Parameters<typeof describeLock>[1], place: Parameters<typeof describeLock>[2]) =>
      describeLock(site, lock, place, 10).text.replace(/<.*?>/g, '');
    const place = { height: 8, timestamp: 0 };
    assert.equal(shown({ type: 'ForBlockCount', content: 0 }, place), 'until block 8 unlocked');
    assert.equal(shown({ type: 'ForBlockCount', content: 0 }, null), 'until confirmation');
    assert.equal(shown({ type: 'ForSeconds', content: 0 }, place), 'until 1970-01-01 00:00:00 UTC unlocked');
    const said = (content: number) => lockedOrNot(site, { type: 'ForBlockCount', content }, place, 10).text;
    assert.equal(said(0).replace(/<.*?>/g, ''), 'Unlocked since block 8');
    assert.match(said(4), /^Locked for .*: until block 12 /);
    const ends = [9, 10].map((tip) => endedLock(site, lock, { height: 1, timestamp: 0 }, tip)?.text);
    assert.deepEqual([ends[0], ends[1]?.replace(/<.*?>/g, '')], [undefined, 'block 10']);
    site.pace = { ...site.pace, medianTime: 100, secondsPerBlock: 2.5 };
    const open = [90, 91].map((content) =>
      endedLock(site, { type: 'ForSeconds', content }, { height: 1, timestamp: 10 }, 5),
    );
    assert.deepEqual([/datetime="(.*?)"/.exec(open[0]!.text)?.[1], open[1]], ['1970-01-01T00:01:40Z', null]);
    const { text } = describeLock(site, lock, { height: 1, timestamp: 0 }, 6);
    assert.match(text, /\(about 1 minute\)/, 'at the pace of the chain, without seconds');
  });

  it('goes on behind the coin, which has no id', async () => {
    const [address, balances] = [...holdings].find(([, each]) => each.has('coin') && each.size > 2)!;
    const rows = await pagedRows(golden.described, `/address/${address}/balances?items=1`);
    assert.ok(rows.length >= balances.size);
    assert.equal(rows[0]![0]!.text, golden.network.coinTicker);
  });

  it('says of which kind the address is', async () => {
    const kinds = new Set<string>();
    for (const address of addresses) {
      kinds.add((await getPage(golden.described, `/address/${address}`)).main.one('.badge').text);
    }
    assert.ok(kinds.has('public key hash') && kinds.size > 1, [...kinds].join());
  });

  it('is not found for a right address that nobody has paid to, but its lists are there, and empty', async () => {
    const unused = destinationAddress(golden.network, `01${'ab'.repeat(20)}`);
    const { main } = await getPage(golden.described, `/address/${unused}`, 404);
    assert.match(main.text, /This is a valid address of regtest-pos, but it does not appear in the chain yet/);
    for (const name of ADDRESS_LISTS) {
      const list = await getPage(golden.described, `/address/${unused}/${name}`);
      assert.equal(list.main.all('.empty').length, 1, name);
    }
  });
});

it('unlocks come in the order of the times that the page expects, also from page to page', async () => {
  const owner = `01${'5a'.repeat(20)}`;
  const tip = 1_700_000_000 + 60 * 120;
  await index().query(`update blocks set timestamp = ${tip} - (60 - height) * 10`);
  const lock = (block: number, height: number | null, time: number | null) =>
    index().query(
      'update utxos set owner = $1, unlock_height = $2, unlock_time = $3 where height = $4 and output_index = 0',
      [Buffer.from(owner, 'hex'), height, time, block],
    );
  await lock(51, null, tip + 9);
  await lock(53, 61, null);
  await lock(55, null, tip + 5_000);
  await lock(57, 60 + 100, null);
  const server = await index().serve(scope);
  const address = destinationAddress(index().network, owner);
  const whole = await pagedRows(server, `/address/${address}/unlocks`);
  assert.deepEqual(
    whole.map(([, opens, , block]) => [block!.text, opens!.text]),
    [
      ['51', 'in one of the next blocks'],
      ['53', 'with the next block · block 61'],
      ['57', '2023-11-15 00:30:00 UTC (estimated) · block 160'],
      ['55', '2023-11-15 01:36:40 UTC'],
    ],
  );
  const times = whole.flatMap(([, opens]) => opens!.all('time'));
  assert.ok(
    times.every((time) => time.attribute('data-relative') === 'after' && !time.attributeNames.includes('data-bare')),
  );
  await lock(57, 60 + 20_000, null);
  const later = await pagedRows(server, `/address/${address}/unlocks`);
  assert.ok(
    later.some(([, opens]) => opens!.text === '2023-11-17 (estimated) · block 20060'),
    'of days only the day is told',
  );
  await lock(57, 60 + 100, null);
  for (const [, , amount] of whole)
    assert.ok(amount!.text.endsWith(` ${index().network.coinTicker}`), 'on phones, too');
  const single = await pagedRows(server, `/address/${address}/unlocks?items=1`);
  assert.deepEqual(
    single.map(([output]) => output!.text),
    whole.map(([output]) => output!.text),
  );
});

it('the coins that unlock within 7 and 30 days of the tip are told above the calendar', async () => {
  const owner = `01${'5b'.repeat(20)}`;
  const days = (count: number) => 86_400 * count;
  const { rows: tips } = await index().query('select height, timestamp from blocks order by height desc limit 1');
  const [tip, pace] = [Number(tips[0].timestamp), 10];
  await index().query(`update blocks set timestamp = ${tip} - (60 - height) * ${pace}`);
  const locks = [
    [51, 60 + days(7) / pace, null],
    [53, 61 + days(7) / pace, null],
    [55, null, tip + days(30)],
    [57, null, tip + days(30) + 1],
  ] as const;
  for (const lock of locks)
    await index().query(
      'update utxos set owner = $1, unlock_height = $3, unlock_time = $4 where height = $2 and output_index = 0',
      [Buffer.from(owner, 'hex'), ...lock],
    );
  const server = await index().serve(scope);
  const path = `/address/${destinationAddress(index().network, owner)}/unlocks`;
  const atoms = (await pagedRows(server, path)).map(([, , worth]) => worth!.atoms()[0]!);
  const sum = (count: number) => atoms.slice(0, count).reduce((total, each) => total + each, 0n);
  const soon = async () => {
    const { main } = await getPage(server, path);
    return main.all('p').find(({ text }) => text.startsWith('Within 7 days'))!;
  };
  assert.deepEqual((await soon()).atoms(), [sum(1), sum(3)]);
});

it('a list of an address says how many entries it has, up to 1,000', async () => {
  const owner = `01${'5c'.repeat(20)}`;
  const address = destinationAddress(index().network, owner);
  const server = await index().serve(scope);
  const addDelegations = (first: number, last: number) =>
    index().query(
      `insert into delegations select int8send(n), '\\x00', $1, 0, 0, 0, 0, 1, 0 from generate_series($2::int, $3) n`,
      [Buffer.from(owner, 'hex'), first, last],
    );
  const count = async () => {
    // The page of the same block would come from the cache.
    await index().query('update blocks set timestamp = timestamp + 1');
    return sectionCounts((await getPage(server, `/address/${address}`)).main).get('Delegations');
  };
  await addDelegations(1, 1_000);
  assert.equal(await count(), '1000');
  await addDelegations(1_001, 1_200);
  assert.equal(await count(), '1000+');
});
