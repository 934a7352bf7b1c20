/** The page of reorganisations when there are none, and when one is long. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { filledIndex } from '../support/filled-servers.ts';
import { getPage } from '../support/html-page.ts';
import { until } from '../support/until.ts';
import { checkReorganisations } from './check-chain-pages.ts';

const index = filledIndex({ blocks: 60, transactionsPerBlock: 1 });
const server = builtBefore((scope) => index().serve(scope));

it('the page of reorganisations says that there was none', async () => {
  const { main } = await getPage(server(), '/reorganisations');
  assert.match(main.one('.empty').text, /has seen no reorganisation yet/);
  assert.equal(await checkReorganisations(server()), 0);
  assert.equal(await server().json('/chain/reorganisations/deepest'), null);
});

it('the page of reorganisations shows of a long one the beginning, and how many blocks follow', async () => {
  const blocks = (salt: string) =>
    Array.from({ length: 40 }, (_, i) => `${i + 10}:${salt.repeat(31)}${(i + 16).toString(16)}:`).join();
  await index().query(
    `insert into reorganisations (seen_at, event_count, ancestor_height, removed, added) values (1700000000, 1, 9, $1, $2)`,
    [blocks('ab'), blocks('cd')],
  );
  await index().query(`update chain_tip set revision = revision + 1`);
  const isSeen = async () => (await server().json('/chain/reorganisations')).items.length === 1;
  await until(isSeen, 'the server has the new tip');
  assert.equal(await checkReorganisations(server()), 1);
  const { main } = await getPage(server(), '/reorganisations');
  assert.match(main.one('h2').text, /^40 blocks replaced after block 9$/);
  assert.equal(main.text.match(/… and 30 more/g)?.length, 2);
  assert.match(main.text, /Deepest reorganisation seen: 40 blocks\./);
  assert.equal(main.one('details').all('table')[0]!.links()[0], `/block/${'ab'.repeat(31)}10`);
});

it('confirmations are enough for most payments from ten on, and above the deepest reorganisation that was seen', async () => {
  const said = async (height: number) => (await getPage(server(), `/block/${height}`)).main.fact('Confirmations').text;
  assert.match(await said(20), /^40 of 41 recommended because of a reorganisation of 40 blocks /);
  assert.match(await said(19), /^41, usually enough/);
  await index().query('delete from reorganisations');
  await index().query(`update chain_tip set revision = revision + 1`);
  await until(async () => /^9 of 10 recommended /.test(await said(51)), 'the page has the new revision');
  assert.match(await said(50), /^10, usually enough · final after/);
});

it('the page of reorganisations links all blocks, and the heights of those that no later one removed', async () => {
  const [{ id }] = (await index().query(`select encode(block_id, 'hex') as id from blocks where height = 12`)).rows;
  const added = `11:${'cd'.repeat(32)}:,12:${id}:`;
  await index().query(
    `insert into reorganisations (seen_at, event_count, ancestor_height, removed, added) values (1700000000, 1, 10, $1, $2)`,
    [`11:${'ab'.repeat(32)}:`, added],
  );
  await index().query(`update chain_tip set revision = revision + 1`);
  const isSeen = async () => (await server().json('/chain/reorganisations')).items.length === 1;
  await until(isSeen, 'the server has the new tip');
  const { main } = await getPage(server(), '/reorganisations');
  const [, table] = main.all('details')[0]!.all('table');
  assert.deepEqual(table!.links(), [`/block/${'cd'.repeat(32)}`, '/block/12', `/block/${id}`]);
});

it('the page of reorganisations says how many transactions a removed block had, and how many of them are not in any block now', async () => {
  const transactions = async () => {
    const [table] = (await getPage(server(), '/reorganisations')).main.one('details.reorganisation').all('table');
    return table!.rows()[0]!.at(-1)!.text;
  };
  assert.equal(await transactions(), '–', 'the index does not remember the block');
  await index().query(`insert into removed_blocks (block_id, height, parent_id) values ($1, 11, $1)`, [
    Buffer.alloc(32, 0xab),
  ]);
  await index().query(
    `insert into removed_transactions (tx_id, block_id, removed_at)
     select t.tx_id, $1, 1700000000 from (select tx_id from transactions where height = 12 union all select $2) t`,
    [Buffer.alloc(32, 0xab), Buffer.alloc(32, 0xef)],
  );
  await index().query(`update chain_tip set revision = revision + 1`);
  await until(async () => (await transactions()) === '2, 1 no longer in any block', 'the page has them');
  const { main } = await getPage(server(), `/block/${'ab'.repeat(32)}`);
  const places = main.table('transactions').map((row) => row.at(-1)!.text);
  assert.match(places.toSorted().join(), /^Not in any block,block 12 [0-9a-f]{64}$/);
});

it('the page of reorganisations has a line for each, and the newest is open', async () => {
  await index().query(`insert into reorganisations (seen_at, event_count, ancestor_height, removed, added)
    select seen_at + 60, 1, 11, removed, added from reorganisations`);
  await index().query(`update chain_tip set revision = revision + 1`);
  const shown = async () => (await getPage(server(), '/reorganisations')).main.all('details.reorganisation');
  await until(async () => (await shown()).length === 2, 'the page has both');
  const [newest, older] = await shown();
  assert.deepEqual(
    [newest, older].map((each) => each!.attribute('open')),
    ['', undefined],
  );
  assert.match(newest!.one('summary').text, /^1 block replaced after block 11 2023-11-14 22:14:20 UTC$/);
});
