/** `POST /wallet/sync`: what a wallet gets at first and afterwards, what it may ask, and what is refused. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import { MAX_WALLET_ADDRESSES } from '../../src/serving/parse/wallet-body.ts';
import { Slots } from '../../src/serving/resources/slots.ts';
import { ReadConnection } from '../../src/store/read/read-connection.ts';
import { busy, filledServers, network, SIZES, TRANSACTIONS } from '../support/filled-servers.ts';
import type { TestServer } from '../support/web-server.ts';

const filled = filledServers();

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;

function ask(server: TestServer, body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return server.request('/api/v2/wallet/sync', { method: 'POST', body: text });
}

async function sync(server: TestServer, addresses: readonly string[], cursor: unknown = null): Promise<Json> {
  const { status, body, text } = await ask(server, { addresses, cursor });
  assert.equal(status, 200, text);
  return body;
}

/** Addresses without anything. */
const strangers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, i) =>
    destinationAddress(network, `01${(first + i).toString(16).padStart(40, '0')}`),
  );

it('the first answer to a wallet has all unspent outputs, the balances, and no history', async () => {
  for (const server of [filled.server, filled.core]) {
    const { from, to, rolled_back_to, transactions, created, spent, balances, complete, pending } = await sync(server, [
      busy,
    ]);
    assert.deepEqual([from, rolled_back_to, transactions, spent, complete], [null, null, [], [], true]);
    const tip = await server.json('/chain/tip');
    assert.deepEqual(to, { height: tip.block_height, block_id: tip.block_id });
    const unspent = await filled.core.json(`/address/${busy}/all-utxos`);
    assert.deepEqual(
      created.map(({ outpoint, utxo }: Json) => ({ outpoint, utxo })),
      unspent,
    );
    const { coin_balance, locked_coin_balance, tokens } = await filled.core.json(`/address/${busy}`);
    assert.deepEqual(balances[0], { currency: { type: 'Coin' }, amount: coin_balance, locked: locked_coin_balance });
    const ofTokens = balances.slice(1).map(({ currency, amount }: Json) => ({ token_id: currency.token_id, amount }));
    assert.deepEqual(ofTokens, tokens);
    // This server has no node.
    assert.equal(pending, null);
  }
});

it('a wallet that goes on from an old block gets each transaction and output since, in the order of the chain', async () => {
  for (const server of [filled.server, filled.core]) {
    const height = 20;
    const block_id = await server.json(`/chain/${height}`);
    const { from, to, transactions, created, complete } = await sync(server, [busy], { height, block_id });
    assert.deepEqual(from, { height, block_id });
    assert.deepEqual([to.height, complete], [SIZES.blocks, true]);
    const listed = (await server.pages(`/address/${busy}/transactions?items=100`)).flat();
    const since = listed.filter((entry: Json) => entry.block_height > height).reverse();
    assert.ok(since.length > 50 && since.length < TRANSACTIONS);
    assert.deepEqual(
      transactions.map(({ id, height: at }: Json) => [id, at]),
      since.map((entry: Json) => [entry.tx_id, entry.block_height]),
    );
    const { height: _, ...first } = transactions[0];
    const whole = (await server.pages('/transaction?items=100')).flat().find(({ id }: Json) => id === first.id);
    assert.deepEqual(first, whole);
    const paid = (await filled.server.json(`/address/${busy}/all-utxos`)).filter(
      ({ block }: Json) => block.height > height,
    );
    assert.deepEqual(
      created.map(({ outpoint, block_height }: Json) => [outpoint, block_height]),
      paid.map(({ outpoint, block }: Json) => [outpoint, block.height]),
    );
  }
});

it('a wallet at the tip gets an empty answer without a query', async (t) => {
  const { to } = await sync(filled.server, [busy]);
  const run = t.mock.method(ReadConnection.prototype, 'run');
  const answer = await sync(filled.server, [busy, ...strangers(499)], to);
  const statements = run.mock.calls.filter(({ arguments: [{ name }] }) => !/tip/.test(name));
  assert.deepEqual(statements, []);
  const empty = { transactions: [], created: [], spent: [], unconfirmed_again: [], dropped: [] };
  assert.deepEqual(answer, {
    from: to,
    to,
    rolled_back_to: null,
    ...empty,
    pending: null,
    pending_complete: false,
    balances: null,
    complete: true,
  });
});

it('wallets that the newest blocks do not touch get an empty answer, with one statement for all of them', async (t) => {
  const tip = await filled.server.json('/chain/tip');
  const height = tip.block_height - 2;
  const cursor = { height, block_id: await filled.server.json(`/chain/${height}`) };
  const run = t.mock.method(ReadConnection.prototype, 'run');
  const named = () =>
    run.mock.calls.map(({ arguments: [{ name }] }) => name).filter((name) => !/tip|token_label/.test(name));
  for (const seed of [1, 2, 3]) {
    const answer = await sync(filled.server, strangers(500, 1_000 * seed), cursor);
    assert.deepEqual(answer.to, { height: tip.block_height, block_id: tip.block_id });
    assert.deepEqual([answer.from, answer.balances, answer.created, answer.complete], [cursor, null, [], true]);
  }
  assert.deepEqual(named(), ['owners_touched_since']);
  // A wallet with one address that was touched, among others.
  const { body } = await filled.server.json(`/block/${tip.block_id}`);
  const [touched] = body.reward.map(({ destination }: Json) => destination).filter(Boolean);
  const answer = await sync(filled.server, [touched ?? busy, ...strangers(499)], cursor);
  assert.ok(answer.created.length > 0);
  assert.ok(answer.balances.length > 0);
  // The same block id at another height is no cursor.
  const wrong = {
    method: 'POST',
    body: JSON.stringify({ addresses: strangers(1), cursor: { ...cursor, height: height - 1 } }),
  };
  assert.equal((await filled.server.request('/api/v2/wallet/sync', wrong)).status, 404);
});

it('a wallet of many addresses takes one statement for each kind of row', async (t) => {
  const block_id = await filled.server.json('/chain/50');
  const addresses = [busy, ...strangers(MAX_WALLET_ADDRESSES - 1)];
  const run = t.mock.method(ReadConnection.prototype, 'run');
  await sync(filled.server, addresses, { height: 50, block_id });
  const names = run.mock.calls.map(({ arguments: [{ name }] }) => name).filter((name) => !/tip|token_label/.test(name));
  assert.deepEqual(
    [...names].sort(),
    [
      'owners_touched_since',
      'transaction_range',
      'wallet_balances',
      'wallet_created',
      'wallet_transactions',
      'wallet_unlisted_spends',
    ].sort(),
  );
});

it('a wallet that begins, or that was away for long, counts as a long response, and one that asks after each block does not', async (t) => {
  const tip = await filled.server.json('/chain/tip');
  const cursorAt = async (height: number) => ({ height, block_id: await filled.server.json(`/chain/${height}`) });
  const run = t.mock.method(Slots.prototype, 'run');
  const unitsOf = async (addresses: readonly string[], cursor: unknown) => {
    run.mock.resetCalls();
    await sync(filled.server, addresses, cursor);
    return run.mock.calls.map(({ arguments: [, units] }) => units);
  };
  assert.deepEqual(await unitsOf([busy], null), [16]);
  assert.deepEqual(await unitsOf([busy], await cursorAt(tip.block_height - 11)), [16]);
  assert.deepEqual(await unitsOf([busy], { ...(await cursorAt(tip.block_height - 1)), position: 0 }), [16]);
  assert.deepEqual(await unitsOf([busy], await cursorAt(tip.block_height - 10)), [1]);
  const all = [busy, ...strangers(MAX_WALLET_ADDRESSES - 1)];
  assert.deepEqual(await unitsOf(all, await cursorAt(tip.block_height - 1)), [32]);
  assert.deepEqual(await unitsOf(all, null), [47]);
});

it('equal addresses of a wallet count once, in whatever case', async () => {
  const once = await sync(filled.server, [busy]);
  assert.deepEqual(await sync(filled.server, [busy, busy.toUpperCase(), busy]), once);
});

it('a wallet may have any content type and needs no permission to submit', async () => {
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    const request = { method: 'POST', body: JSON.stringify({ addresses: [busy] }), headers: { 'content-type': type } };
    assert.equal((await filled.server.request('/api/v2/wallet/sync', request)).status, 200, type);
  }
});

it('a wallet of unknown form is refused', async () => {
  const known = await sync(filled.server, [busy]);
  const cases: [body: unknown, error: string][] = [
    ['', 'Invalid wallet: the body is no JSON object'],
    ['[]', 'Invalid wallet: the body is no JSON object'],
    ['null', 'Invalid wallet: the body is no JSON object'],
    [{}, 'Invalid addresses: an array of 1 to 500 texts is expected'],
    [{ addresses: busy }, 'Invalid addresses: an array of 1 to 500 texts is expected'],
    [{ addresses: [] }, 'Invalid addresses: an array of 1 to 500 texts is expected'],
    [{ addresses: [busy, 5] }, 'Invalid addresses: an array of 1 to 500 texts is expected'],
    [{ addresses: strangers(501) }, 'Invalid addresses: an array of 1 to 500 texts is expected'],
    [{ addresses: [busy, 'nonsense'] }, 'Invalid address'],
    ...[
      5,
      'x',
      [],
      {},
      { height: 5 },
      { height: -1, block_id: known.to.block_id },
      { height: 1e300, block_id: known.to.block_id },
      { height: 1, block_id: 'ab' },
      { ...known.to, position: -1 },
      { ...known.to, position: 1.5 },
      { ...known.to, position: 2 ** 40 },
      { ...known.to, unspent_from: '5' },
      { ...known.to, unspent_from: '5-5-99999999999' },
      { ...known.to, unspent_from: '5-5-9999999999' },
      { ...known.to, unspent_from: { height: 5 } },
    ].map((cursor): [unknown, string] => [
      { addresses: [busy], cursor },
      'Invalid cursor: null, or the `to` of a response, is expected',
    ]),
  ];
  for (const [body, error] of cases) {
    const answer = await ask(filled.server, body);
    assert.deepEqual([answer.status, answer.body], [400, { error }], JSON.stringify(body));
  }
  assert.equal((await ask(filled.server, ' '.repeat(70_000))).status, 413);
});

it('a wallet whose cursor is not known begins again, and one that is ahead of the server waits', async () => {
  const unknown = { height: 5, block_id: 'ab'.repeat(32) };
  const lost = await ask(filled.server, { addresses: [busy], cursor: unknown });
  assert.deepEqual([lost.status, lost.body], [404, { error: 'Cursor not found' }]);
  // The block of the cursor is on the main chain, at another height.
  const misplaced = { ...unknown, block_id: await filled.server.json('/chain/6') };
  assert.equal((await ask(filled.server, { addresses: [busy], cursor: misplaced })).status, 404);
  const ahead = await ask(filled.server, { addresses: [busy], cursor: { ...unknown, height: SIZES.blocks + 1 } });
  assert.equal(ahead.status, 503);
  assert.match(ahead.body.error, /has not reached the block of the cursor/);
  assert.equal(ahead.headers.get('retry-after'), '1');
  const far = await ask(filled.server, { addresses: [busy], cursor: { ...unknown, height: SIZES.blocks + 1_001 } });
  assert.equal(far.status, 404);
});
