import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Caller, ClientGone } from '../../../src/serving/resources/caller.ts';
import { clientWeights } from '../../../src/serving/resources/client-weights.ts';
import type { ResourceRefusal } from '../../../src/serving/resources/shared-resources.ts';
import { type HeldUnits, Slots, type SlotsOptions } from '../../../src/serving/resources/slots.ts';
import { until } from '../../support/until.ts';

class TestCaller implements Caller {
  readonly client: string;
  readonly #listeners = new Set<() => void>();
  isGone = false;

  constructor(client: string) {
    this.client = client;
  }

  onGone(listener: () => void): void {
    this.#listeners.add(listener);
  }

  offGone(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  leave(): void {
    this.isGone = true;
    for (const listener of [...this.#listeners]) listener();
  }
}

const caller = (client: string) => new TestCaller(client);

function slots(options: Partial<SlotsOptions> = {}) {
  const refused: string[] = [];
  return {
    refused,
    slots: new Slots({
      resource: 'requests',
      total: 4,
      perClient: 3,
      maxWaitMs: 60_000,
      weightOf: (client) => (client === 'wallets' ? 3 : 1),
      onRefused: (resource, outcome, client) => refused.push(`${resource} ${outcome} ${client}`),
      ...options,
    }),
  };
}

/** Acquires, and notes the name of the client when it has its slot. */
function acquire(of: Slots, log: string[], client: string, units = 1, by: Caller = caller(client)): void {
  of.acquire(by, units).then(
    () => log.push(client),
    (error: Error) => log.push(`${client}: ${error.name}`),
  );
}

test('one client never holds all slots', () => {
  const { slots: of } = slots();
  const taken = [1, 2, 3, 4].map(() => of.tryAcquire('a'));
  assert.deepEqual(taken, [true, true, true, false]);
  assert.equal(of.tryAcquire('b'), true);
  assert.equal(of.used, 4);
});

test('a client at its limit holds up nobody', async () => {
  const { slots: of } = slots();
  const log: string[] = [];
  for (let i = 0; i < 5; i++) acquire(of, log, 'a');
  acquire(of, log, 'b');
  await nextTurn();
  assert.deepEqual(log, ['a', 'a', 'a', 'b']);
  assert.equal(of.waiting, 2);
});

for (const [title, clients, turns] of [
  ['clients that wait take turns, whoever came with more', 'a a a b c c', 'a b c a c a'],
  [
    'a client with a weight has as many in each turn',
    'a a wallets wallets wallets wallets',
    'a wallets wallets wallets a wallets',
  ],
] as const)
  test(title, async () => {
    const { slots: of } = slots({ total: 1, perClient: 1 });
    const log: string[] = [];
    assert.ok(of.tryAcquire('x'));
    for (const client of clients.split(' ')) acquire(of, log, client);
    let holder = 'x';
    for (let i = 0; i < 6; i++) {
      of.release(holder);
      await nextTurn();
      holder = log.at(-1)!;
    }
    assert.deepEqual(log, turns.split(' '));
  });

for (const [title, waitedMs, order] of [
  ['who needs more units than are free is passed by smaller ones at first', 400, ['small', 'large']],
  ['who has waited long for more units than are free is not passed by smaller ones', 600, ['large', 'small']],
] as const)
  test(title, async (t) => {
    const { slots: of } = slots({ total: 4, perClient: 3 });
    const log: string[] = [];
    assert.ok(of.tryAcquire('x', 3));
    acquire(of, log, 'large', 3);
    const now = performance.now() + waitedMs;
    t.mock.method(performance, 'now', () => now);
    acquire(of, log, 'small', 1);
    await nextTurn();
    assert.deepEqual(log, waitedMs > 500 ? [] : ['small']);
    of.release('x', 3);
    if (waitedMs < 500) of.release('small');
    await nextTurn();
    assert.deepEqual(log, order);
  });

test('more units than a client may hold count as all that it may', () => {
  const { slots: of } = slots();
  assert.ok(of.tryAcquire('a', 100));
  assert.equal(of.used, 3);
  of.release('a', 100);
  assert.equal(of.used, 0);
});

test('who waits too long is refused: for its share, or because the server is busy', async () => {
  const { slots: of, refused } = slots({ total: 2, perClient: 1, maxWaitMs: 20 });
  assert.ok(of.tryAcquire('greedy'));
  assert.ok(of.tryAcquire('other'));
  const errors = await Promise.allSettled([of.acquire(caller('greedy')), of.acquire(caller('modest'))]);
  const overShare = errors.map((result) => (result as { reason: ResourceRefusal }).reason.isOverShare);
  assert.deepEqual(overShare, [true, false]);
  assert.deepEqual(refused, ['requests over_share greedy', 'requests busy modest']);
  assert.equal(of.waiting, 0);
});

test('the cost of waiting grows with the number of clients, and not with its square', async () => {
  const clients = 500;
  let looks = 0;
  const weightOf = (): number => {
    looks++;
    return 1;
  };
  const { slots: of, refused } = slots({ total: 1, perClient: 1, maxWaitMs: 350, weightOf });
  of.tryAcquire('first');
  const log: string[] = [];
  for (let i = 0; i < clients; i++) acquire(of, log, `client ${i}`);
  await until(() => refused.length === clients, 'the refusal of all');
  assert.ok(looks <= 10 * clients, `${looks} looks at weights`);
});

test('a client that goes leaves the queue, and what it holds stays held until its work has ended', async () => {
  const { slots: of } = slots({ total: 1, perClient: 1 });
  const log: string[] = [];
  const holder = caller('holder');
  await of.acquire(holder);
  const leaving = caller('leaving');
  acquire(of, log, 'leaving', 1, leaving);
  acquire(of, log, 'staying');
  leaving.leave();
  holder.leave();
  await nextTurn();
  assert.deepEqual(log, ['leaving: ClientGone']);
  of.release('holder');
  await nextTurn();
  assert.deepEqual(log, ['leaving: ClientGone', 'staying']);
  await assert.rejects(of.acquire(leaving), ClientGone);
});

test('work gives its units back, also when it fails', async () => {
  const { slots: of } = slots();
  await assert.rejects(
    of.run(caller('a'), 2, () => {
      assert.equal(of.used, 2);
      throw new Error('failed');
    }),
    /failed/,
  );
  assert.equal(of.used, 0);
});

test('a client has the weight of the first network that contains it, otherwise one', () => {
  const weightOf = clientWeights([
    { network: '192.0.2.7', weight: 9 },
    { network: '192.0.2.0/24', weight: 3 },
    { network: '2001:db8::/48', weight: 5 },
  ]);
  const weights = ['192.0.2.7', '192.0.2.8', '192.0.3.1', '2001:db8:0:1::/64', '2001:db9:0:0::/64', 'nonsense'].map(
    weightOf,
  );
  assert.deepEqual(weights, [9, 3, 1, 5, 1, 1]);
  assert.equal(weightOf('192.0.2.7'), 9);
});

test('work that waits for something else returns its units, and acquires them again', async () => {
  const { slots: of } = slots();
  await of.run(caller('a'), 3, async (held) => {
    held.returnMeanwhile();
    held.returnMeanwhile();
    assert.equal(of.used, 0);
    assert.equal(of.tryAcquire('b', 3), true);
    const log: string[] = [];
    const again = Promise.all([held.acquireAgain(), held.acquireAgain()]).then(() => log.push('a'));
    await nextTurn();
    assert.deepEqual(log, []);
    of.release('b', 3);
    await again;
    assert.equal(of.used, 3);
  });
  assert.equal(of.used, 0);
});

test('units that are acquired again after the work has ended are released', async () => {
  const { slots: of } = slots();
  let late: HeldUnits | undefined;
  await of.run(caller('a'), 3, (held) => {
    late = held;
    held.returnMeanwhile();
    of.tryAcquire('b', 3);
    held.acquireAgain();
  });
  of.release('b', 3);
  await nextTurn();
  assert.equal(of.used, 0);
  await late!.acquireAgain();
  assert.equal(of.used, 0);
});
