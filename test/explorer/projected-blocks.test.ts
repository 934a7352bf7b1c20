/** Pages about the next blocks, when more is pending than the next one has room for. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outpointKey } from '../../src/ledger/state-rows.ts';
import { NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { COIN, idOf, NETWORK, owner, spending, transfer } from '../support/fake-mempool.ts';
import { builtBefore } from '../support/file-scope.ts';
import { HandmadePending } from '../support/handmade-pending.ts';
import { getPage } from '../support/html-page.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { checkMempool } from './check-chain-pages.ts';

const A = 'aa'.repeat(32);
const SPENT = 10_000_000n * COIN;
/** Of some 650 kB, with a fee of so many coins. */
const long = (index: number, fee: bigint) =>
  spending([[A, index]], [{ type: 'DataDeposit', data: 'da'.repeat(650_000) }, transfer(SPENT - fee * COIN)]);

const dear = long(0, 7_000n);
const cheap = long(1, 1_000n);
const parent = spending([[A, 2]], [transfer(SPENT - COIN)]);
const child = spending([[idOf(parent), 0]], [transfer(SPENT - 101n * COIN)]);

const pending = new HandmadePending([cheap, dear, parent, child], {
  ...NOTHING_CONFIRMED,
  outputs: new Map([0, 1, 2].map((index) => [outpointKey(A, index), transfer(SPENT, owner(2))])),
});
const server = builtBefore(async (scope) => (await TestIndex.create(scope, NETWORK)).serve(scope, { pending }));

it('the page of the mempool has the next blocks, the first of them with what pays most', async () => {
  assert.equal(await checkMempool(server(), 10), 4);
  const { blocks } = await server().json('/mempool/blocks');
  assert.deepEqual(
    blocks.map(({ count }: { count: number }) => count),
    [3, 1],
  );
});

it('the page of a pending transaction says where it stands, and by which rate', async () => {
  const { main } = await getPage(server(), `/tx/${idOf(child)}`);
  assert.match(main.fact('Position').text, /^next block, transaction 2 /);
  assert.match(main.fact('First seen').text, /before this server started/);
  const { fee_rate } = await server().json(`/mempool/transaction/${idOf(child)}/place`);
  assert.deepEqual(main.fact('Fee rate with its ancestors').atoms(), [BigInt(fee_rate)]);
  assert.ok(!main.facts().has('To be in the next block'));
});

it('the page of a pending transaction without room in the next block says which rate has room', async () => {
  const { main } = await getPage(server(), `/tx/${idOf(cheap)}`);
  assert.match(main.fact('Position').text, /^block 2 from now, transaction 1 /);
  const place = await server().json(`/mempool/transaction/${idOf(cheap)}/place`);
  assert.deepEqual(main.fact('To be in the next block').atoms(), [BigInt(place.next_block_fee_rate)]);
  assert.match(main.fact('To be in the next block').text, /can be neither replaced nor sped up/);
  assert.equal(main.facts().has('Fee rate with its ancestors'), false);
});
