/** What the first page says about the chain, the index and the node. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeeRatePoint } from '../../src/chain/fee-rate.ts';
import { ChainStatus } from '../../src/explorer/chain-status.ts';
import { INITIAL_MIRROR_STATE, type MempoolChange } from '../../src/mempool/mempool-change.ts';
import { NodeError } from '../../src/node/node-error.ts';
import type { NodeReport } from '../../src/serving/metrics/metrics.ts';
import type { ServedTip, TipWatch } from '../../src/store/read/tip-watch.ts';
import { SIMULATED_NETWORK } from '../support/simulated-chain.ts';

const MINUTE = 60_000;

const NODE: NodeReport = {
  ...{ address: 'node:1', onOurChain: null, height: null, lagBlocks: null, answerAgeSeconds: null, problem: null },
};

/** A node and a tip as the test sets them, and a clock that it moves. */
class World {
  now = 0;
  /** Null: it cannot be reached. */
  nodeHeight: number | null = 100;
  onOurChain: boolean | null = true;
  excessiveLag: TipWatch['excessiveLag'] = null;
  calls = 0;
  changes = 0;
  /** Has somebody a page open? */
  isOpen = false;
  /** What was told to open pages. */
  readonly told: (readonly string[])[] = [];
  rates: readonly FeeRatePoint[] = [{ sizeBytes: 1, atomsPerKilobyte: 5n }];
  tip: ServedTip;
  readonly status: ChainStatus;
  readonly #listeners: (() => void)[] = [];
  readonly #mirrorListeners: ((change: MempoolChange) => void)[] = [];

  constructor(t: TestContext, { hasNode = true, isReady = true } = {}) {
    this.tip = this.#tipAt(100, isReady);
    const world = this;
    const tipWatch = {
      get tip() {
        return world.tip;
      },
      get excessiveLag() {
        return world.excessiveLag;
      },
      ...{ isFresh: true, lacksPrivileges: false },
      onChange: (listener: () => void) => void this.#listeners.push(listener),
    } as unknown as TipWatch;
    const reportNode = async (): Promise<NodeReport> => {
      this.calls++;
      const height = this.nodeHeight;
      if (height === null) return { ...NODE, problem: new NodeError('unreachable', 'refused') };
      const lagBlocks = height < this.tip.height ? null : height - this.tip.height;
      return { ...NODE, onOurChain: this.onOurChain, height, lagBlocks };
    };
    this.status = new ChainStatus(
      {
        network: SIMULATED_NETWORK,
        isStopping: () => false,
        reportNode: hasNode ? reportNode : async () => null,
        tipWatch,
        pending: {
          listen: (listener) => {
            this.#mirrorListeners.push(listener);
            return () => {};
          },
        },
        feeRates: { points: { read: async () => this.rates } },
      },
      () => this.changes++,
      { areWanted: () => this.isOpen, tell: (warnings) => this.told.push(warnings) },
      () => this.now,
    );
    t.after(() => this.status.close());
  }

  move(height: number, isReady = true): void {
    this.tip = this.#tipAt(height, isReady);
    for (const listener of this.#listeners) listener();
  }

  /** The copy of the mempool loses or finds the node. */
  mirrorChanges(): void {
    for (const listener of this.#mirrorListeners) listener({ type: 'State', state: INITIAL_MIRROR_STATE });
  }

  /** The warnings when nobody has looked for long. */
  async warnings() {
    this.now += 2 * MINUTE;
    return this.status.warnings();
  }

  #tipAt(height: number, isReady: boolean): ServedTip {
    const { genesisId } = SIMULATED_NETWORK;
    return { height, isReady, timestamp: 1_600_000_000, genesisId } as ServedTip;
  }
}

test('nothing is said while the index follows its node', async (t) => {
  const world = new World(t);
  assert.deepEqual(await world.warnings(), []);
  world.nodeHeight = 101;
  assert.deepEqual(await world.warnings(), [], 'one block is on its way');
});

test('an index that is blocks behind its node says how many', async (t) => {
  const world = new World(t);
  world.nodeHeight = 130;
  assert.deepEqual(await world.warnings(), [{ type: 'behind', blocks: 30, since: 1_600_000_000 }]);
  assert.equal(world.status.isUpToDate, false);
  world.move(129);
  assert.deepEqual(await world.warnings(), []);
});

test('a node whose height is some seconds old is not called behind, however many blocks came since', async (t) => {
  const world = new World(t);
  assert.deepEqual(await world.warnings(), []);
  world.move(103);
  assert.deepEqual(await world.status.warnings(), []);
});

test('an index whose node is behind it, or on another branch, is not up to date', async (t) => {
  const world = new World(t);
  await world.warnings();
  assert.equal(world.status.isUpToDate, true);
  world.nodeHeight = 40;
  assert.deepEqual(await world.warnings(), [{ type: 'node_behind', blocks: 60 }]);
  assert.equal(world.status.isUpToDate, false);
  world.onOurChain = false;
  assert.deepEqual(await world.warnings(), [{ type: 'node_behind', blocks: 60 }], 'as in a reorganisation');
  assert.deepEqual(await world.warnings(), [{ type: 'node_on_another_branch' }]);
  world.nodeHeight = 150;
  assert.deepEqual(await world.warnings(), [{ type: 'node_on_another_branch' }]);
  assert.equal(world.status.isUpToDate, false);
});

test('a node on another branch is said to be there, though one call between two others had no answer', async (t) => {
  const world = new World(t);
  world.onOurChain = false;
  assert.deepEqual(await world.warnings(), []);
  world.onOurChain = null;
  await world.warnings();
  world.onOurChain = false;
  assert.deepEqual(await world.warnings(), [{ type: 'node_on_another_branch' }]);
});

test('the banner says so when /ready does not return 200 because the database is too far behind', async (t) => {
  const world = new World(t);
  world.excessiveLag = { behind: 'primary', seconds: 204 };
  assert.deepEqual(await world.warnings(), [{ type: 'not_ready' }]);
});

test('a node that cannot be reached is away, and back when it answers', async (t) => {
  const world = new World(t);
  world.nodeHeight = null;
  assert.deepEqual(await world.warnings(), [{ type: 'node_away' }]);
  world.nodeHeight = 100;
  assert.deepEqual(await world.warnings(), []);
});

test('a chain is quiet when no block came for half an hour, not when its blocks are of long ago', async (t) => {
  const world = new World(t);
  assert.deepEqual(await world.warnings(), []);
  world.now += 31 * MINUTE;
  assert.deepEqual(await world.warnings(), [{ type: 'quiet', since: 1_600_000_000 }]);
  world.nodeHeight = 101;
  world.move(101);
  assert.deepEqual(await world.warnings(), []);
});

test('a server without a node knows whether the chain is quiet', async (t) => {
  const world = new World(t, { hasNode: false });
  assert.deepEqual(await world.warnings(), []);
  world.now += 31 * MINUTE;
  assert.deepEqual(await world.warnings(), [{ type: 'quiet', since: 1_600_000_000 }]);
});

test('many who look at once are one call of the node', async (t) => {
  const world = new World(t);
  world.now += 2 * MINUTE;
  await Promise.all(Array.from({ length: 50 }, () => world.status.warnings()));
  assert.equal(world.calls, 1);
  await world.status.warnings();
  assert.equal(world.calls, 1);
});

test('a change is reported while somebody looks, and the checks end afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const world = new World(t);
  await world.status.warnings();
  // The fee rates are known now.
  await sleep(5);
  world.changes = 0;
  world.nodeHeight = null;
  world.now += 5_000;
  t.mock.timers.tick(5_000);
  await sleep(5);
  assert.equal(world.changes, 1);
  assert.deepEqual(await world.status.warnings(), [{ type: 'node_away' }]);
  world.now += 61_000;
  t.mock.timers.tick(5_000);
  await sleep(5);
  assert.equal(world.changes, 2, 'what was kept is not valid any more');
  const { calls } = world;
  t.mock.timers.tick(60_000);
  await sleep(5);
  assert.equal(world.calls, calls);
});

test('a page that was kept before it was known that the index follows its node, or while it did, is not kept afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const world = new World(t);
  world.nodeHeight = 99;
  await world.status.warnings();
  await sleep(5);
  for (const [height, isUpToDate] of [
    [100, true],
    [99, false],
  ] as const) {
    world.changes = 0;
    world.nodeHeight = height;
    world.now += 5_000;
    t.mock.timers.tick(5_000);
    await sleep(5);
    assert.deepEqual(await world.status.warnings(), []);
    assert.equal(world.status.isUpToDate, isUpToDate);
    assert.equal(world.changes, 1);
  }
});

test('an open page is told when the node goes and comes back, at once where the copy of the mempool notices it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const world = new World(t);
  world.isOpen = true;
  const pass = async (ms: number) => {
    world.now += ms;
    t.mock.timers.tick(ms);
    await sleep(5);
  };
  await pass(5_000);
  world.told.length = 0;
  await pass(5_000);
  assert.deepEqual(world.told, [], 'nothing has changed');
  world.nodeHeight = null;
  await pass(5_000);
  assert.deepEqual(world.told, [['node_away']]);
  world.nodeHeight = 100;
  world.mirrorChanges();
  await sleep(5);
  assert.deepEqual(world.told, [['node_away'], []]);
  for (let i = 0; i < 30; i++) await pass(5_000);
  world.rates = [{ sizeBytes: 1, atomsPerKilobyte: 6n }];
  await pass(5_000);
  assert.deepEqual(world.told, [['node_away'], [], []], 'the fee rates have changed, for a page that is open for long');
  world.isOpen = false;
  await pass(65_000);
  const { calls } = world;
  world.mirrorChanges();
  await pass(65_000);
  assert.equal(world.calls, calls, 'nobody looks any more');
});

test('a sync tells the height of the node, and the time left by its speed', async (t) => {
  const world = new World(t, { isReady: false });
  assert.deepEqual(world.status.sync, { nodeHeight: null, secondsLeft: null });
  world.nodeHeight = 10_000;
  await world.warnings();
  assert.deepEqual(world.status.sync, { nodeHeight: 10_000, secondsLeft: null });
  for (let height = 1_000; height <= 5_000; height += 1_000) {
    world.now += 1_000;
    world.move(height, false);
  }
  assert.deepEqual(world.status.sync, { nodeHeight: 10_000, secondsLeft: 5 });
  world.move(10_000, true);
  assert.deepEqual(world.status.sync, { nodeHeight: 10_000, secondsLeft: null });
});
