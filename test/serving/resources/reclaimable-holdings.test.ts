import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Holding, Holdings } from '../../../src/serving/resources/reclaimable-holdings.ts';

function world(total: number) {
  const ended: string[] = [];
  const holdings = new Holdings({
    resource: 'unsent_bytes',
    total,
    weightOf: (client) => (client === 'wallets' ? 4 : 1),
    onRefused: () => {},
  });
  const hold = (client: string, amount: number, shared: Buffer | null = null): Holding => {
    const holding: Holding = { client, amount, shared, takeBack: () => ended.push(`${client} ${amount}`) };
    holdings.add(holding);
    return holding;
  };
  return { ended, holdings, hold };
}

test('one client may hold all of a resource', () => {
  const { ended, holdings, hold } = world(100);
  hold('a', 60);
  hold('a', 40);
  assert.deepEqual(ended, []);
  assert.equal(holdings.used, 100);
});

test('when another client needs some, the largest holding of the client with most is taken back', () => {
  const { ended, holdings, hold } = world(100);
  hold('a', 30);
  hold('a', 60);
  hold('b', 20);
  assert.deepEqual(ended, ['a 60']);
  assert.equal(holdings.used, 50);
});

test('what is taken back may be what was just added', () => {
  const { ended, hold } = world(100);
  hold('b', 40);
  hold('a', 70);
  assert.deepEqual(ended, ['a 70']);
});

test('a client with a weight holds as much more before it loses something', () => {
  const { ended, hold } = world(100);
  hold('wallets', 60);
  hold('a', 30);
  hold('b', 20);
  assert.deepEqual(ended, ['a 30']);
});

test('what is shared counts once in all, and for each client', () => {
  const { ended, holdings, hold } = world(100);
  const body = Buffer.alloc(50);
  const first = hold('a', 1, body);
  hold('b', 1, body);
  assert.equal(holdings.used, 52);
  holdings.remove(first);
  assert.equal(holdings.used, 51);
  hold('c', 60);
  assert.deepEqual(ended, ['c 60']);
});

test('a holding that grows is counted anew, and ends once', () => {
  const { ended, holdings, hold } = world(100);
  const growing = hold('a', 10);
  hold('b', 40);
  holdings.resize(growing, 50);
  assert.equal(holdings.used, 90);
  holdings.resize(growing, 70);
  assert.deepEqual(ended, ['a 10']);
  assert.equal(holdings.used, 40);
  assert.equal(holdings.remove(growing), false);
  holdings.resize(growing, 90);
  assert.equal(holdings.used, 40);
});

test('whatever is added, resized and removed, the sum is that of what is held', () => {
  const { holdings, hold } = world(1_000);
  const held: Holding[] = [];
  let state = 12_345;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let step = 0; step < 2_000; step++) {
    const choice = random(3);
    if (choice === 0) held.push(hold(`client ${random(5)}`, random(200)));
    else if (held.length > 0) {
      const at = random(held.length);
      if (choice === 1) holdings.resize(held[at]!, random(200));
      else holdings.remove(held.splice(at, 1)[0]!);
    }
    assert.ok(holdings.used >= 0 && holdings.used <= 1_000);
  }
  const live = held.filter((holding) => holdings.remove(holding));
  assert.ok(live.length > 0);
  assert.equal(holdings.used, 0);
});
