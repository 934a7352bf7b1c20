/** What the page of a block, and rows of lists, must show by the answers of the API. */
import assert from 'node:assert/strict';
import { KIND_WORDS } from '../../src/explorer/parts/kind-words.ts';
import { roundNumber } from '../../src/explorer/parts/number.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import { addressesText, checkConfirmations, SENTENCES, sendersOf } from './check-transaction-page.ts';
import { assertCells, atoms, type Json, secondsOf } from './page-values.ts';

/** `listed`: the block's entry of the API's list of blocks. */
export async function checkBlockPage(server: TestServer, listed: Json): Promise<void> {
  const id = listed.block_id;
  const [block, { block_height: tip }] = [
    await server.json(`/block/${id}?expand=true`),
    await server.json('/chain/tip'),
  ];
  const { main, whole } = await getPage(server, `/block/${id}`);
  assert.ok(main.text.includes(id));
  assert.equal(main.one('h1').text, `Block ${listed.height}`);
  assert.deepEqual(main.one('h1').all('.number'), [], 'heights are not grouped');
  assert.equal(secondsOf(main.fact('Time')), listed.timestamp);
  await checkConfirmations(server, main.fact('Confirmations'), tip - listed.height);
  assert.equal(
    main.fact('Time').one('time').attribute('data-relative'),
    'after',
    'the script adds how long ago it was',
  );
  assert.deepEqual(main.fact('Previous block').links(), [`/block/${block.header.previous_block_id}`]);
  assert.deepEqual(main.fact('Pool').links(), listed.pool_id === null ? [] : [`/pool/${listed.pool_id}`]);
  assert.match(main.fact('Size').text, new RegExp(`^${listed.size} bytes · <?\\d+\\.\\d\\d% full$`));
  assert.deepEqual(main.fact('Fees').atoms(), [BigInt(listed.fees.atoms)]);
  assert.deepEqual(main.fact('Staker reward').atoms(), [BigInt(listed.staker_reward.atoms)]);
  assert.deepEqual(main.fact('Delegation rewards').atoms(), [BigInt(listed.delegations_reward.atoms)]);
  assert.equal(main.fact('Merkle root').text, block.header.merkle_root);
  assert.equal(main.fact('Witness Merkle root').text, block.header.witness_merkle_root);
  const target = block.header.consensus_data?.target;
  if (target !== undefined) assert.equal(main.fact('Target').text, target);
  if (listed.difficulty !== null) assert.ok(main.fact('Difficulty').text.startsWith(roundNumber(listed.difficulty)));
  const kinds =
    main
      .facts()
      .get('Transaction types')
      ?.all('.badge')
      .map(({ text }) => text) ?? [];
  const expected = Object.entries(listed.kinds).map(
    ([kind, number]) => `${KIND_WORDS[kind as keyof typeof KIND_WORDS]} ${number}`,
  );
  assert.deepEqual(kinds.sort(), expected.sort());
  const rows = await transactionRows(server, `/block/${id}`);
  assert.equal(rows.length, listed.transaction_count);
  for (const [i, cells] of rows.entries()) {
    const transaction = block.body.transactions[i];
    assert.ok(cells[0]!.links().includes(`/tx/${transaction.id}`));
    assert.deepEqual(cells.at(-1)!.atoms(), [BigInt(transaction.fee.atoms)]);
    assert.equal(cells[2]!.text, addressesText(await sendersOf(server, transaction)) ?? '–');
  }
  if (rows.length > PAGE) await checkPlaces(server, `/block/${id}`, rows.length);
  const rewards = main.items('reward');
  assert.equal(rewards.length, block.body.reward.length);
  for (const [i, item] of rewards.entries()) {
    const { pool_id, destination, type } = block.body.reward[i];
    if (type === 'ProduceBlockFromStake') assert.deepEqual(item.atoms(), [BigInt(listed.staker_reward.atoms)]);
    for (const each of [pool_id, destination]) if (each) assert.ok(item.text.includes(each));
  }
  const links = main.links();
  assert.equal(links.includes(`/block/${listed.height + 1}`), listed.height < tip);
  assert.ok(links.includes(`/block/${listed.height - 1}`));
  assert.equal(whole.one('a.json').attribute('href'), `/api/v2/block/${id}`);
}

/** Transactions of a block on one page. */
const PAGE = 25;

/** The rows of a block's transactions, over all pages of the list by the links between them, forwards and back. */
async function transactionRows(server: TestServer, first: string): Promise<PageElement[][]> {
  const rows: PageElement[][] = [];
  let path: string | undefined = first;
  let before: string | undefined;
  for (;;) {
    const { main } = await getPage(server, path);
    const shown = main.table('transactions');
    const [nav] = main.all('nav').filter((each) => each.attribute('aria-label') === 'Pages');
    const link = (text: string) =>
      nav
        ?.all('a')
        .find((each) => each.text === text)
        ?.attribute('href');
    assert.equal(link('Previous'), before, path);
    if (nav !== undefined) assert.match(nav.text, new RegExp(`${rows.length + 1} to ${rows.length + shown.length} of`));
    rows.push(...shown);
    before = path;
    path = link('Next');
    if (path === undefined) return rows;
    assert.equal(shown.length, PAGE);
  }
}

/** Any place of a page leads to it, one behind the last transaction to the last page. */
async function checkPlaces(server: TestServer, path: string, count: number): Promise<void> {
  const last = count - 1 - ((count - 1) % PAGE);
  for (const [place, page] of [
    [PAGE + 3, PAGE],
    [count - 1, last],
    [999_999, last],
  ]) {
    const [asked, meant] = [
      await getPage(server, `${path}?from=${place}`),
      await getPage(server, `${path}?from=${page}`),
    ];
    assert.equal(asked.main.text, meant.main.text);
  }
}

/** A row of `/blocks` by its entry of the API's list. */
export function checkBlockRow(cells: readonly PageElement[], json: Json): void {
  const reward = atoms(json.staker_reward) + atoms(json.delegations_reward);
  const expected = [
    ...[json.height, undefined, json.block_id, json.transaction_count, json.size],
    ...[json.difficulty === null ? '–' : roundNumber(json.difficulty), atoms(json.fees), reward],
    json.pool_id ?? 'none',
  ];
  assertCells(cells, expected, json.block_id);
  assert.equal(secondsOf(cells[1]!), json.timestamp);
}

/** A row of `/txs` by its entry of the API's list. */
export async function checkTransactionRow(
  cells: readonly PageElement[],
  json: Json,
  server: TestServer,
): Promise<void> {
  const [id, block, time, summary, by, fee, size] = cells;
  assert.deepEqual(id!.links(), [`/tx/${json.id}`]);
  assert.equal(block!.links()[0], `/block/${block!.text}`);
  const { timestamp } = typeof json.timestamp === 'object' ? json.timestamp : { timestamp: json.timestamp };
  assert.equal(secondsOf(time!), Number(timestamp));
  assert.equal(by!.text, addressesText(await sendersOf(server, json)) ?? '–');
  assert.deepEqual(fee!.atoms(), [BigInt(json.fee.atoms)]);
  assert.equal(size!.text, `${json.size}`);
  const [{ type }] = json.actions;
  assert.match(summary!.text, SENTENCES[type]!, type);
}
