/** The mirror of a whole node: the devnet behind its RPC server, with everything that happens to a mempool. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Id } from '../../src/chain/types.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { inDependencyOrder } from '../../src/mempool/dependency-order.ts';
import type { MempoolChange } from '../../src/mempool/mempool-change.ts';
import { MempoolMirror, type MirrorOptions } from '../../src/mempool/mirror.ts';
import { mirroredNode } from '../../src/mempool/mirrored-node-interface.ts';
import { NodeClient } from '../../src/node/client.ts';
import { silentLogger } from '../../src/node/logger-interface.ts';
import { idOf } from '../support/fake-mempool.ts';
import { MemoryIndex } from '../support/memory-index.ts';
import { chained, paymentOf, submit } from '../support/payments.ts';
import { SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

interface Options {
  /** Nothing is pending, and people make nothing for the next block. */
  readonly isQuiet?: boolean;
  readonly mirror?: Partial<MirrorOptions>;
}

async function start(t: TestContext, { isQuiet = false, mirror: options = {} }: Options = {}) {
  const node = await SimulatedNode.open({ network: SIMULATED_NETWORK, seed: 'mirror', mix: 'demo' });
  node.growTo(15);
  if (isQuiet) node.emptyMempool();
  const rpc = await serveRpc(node);
  t.after(() => rpc.close());
  const client = new NodeClient({ address: rpc.address, auth: { type: 'none' }, maxConnections: 1 });
  t.after(() => client.close());
  const index = new MemoryIndex(SIMULATED_NETWORK);
  const source = mirroredNode(client, { pauses: { firstMs: 5, maxMs: 20 } });
  const common = { network: SIMULATED_NETWORK, source, index, logger: silentLogger, listPauseMs: 5 };
  const mirror = new MempoolMirror({ ...common, ...options });
  t.after(() => mirror.close());
  const changes: MempoolChange[] = [];
  mirror.listen((change) => changes.push(change));
  /** The index comes to the node's tip. */
  const follow = () => mirror.indexMoved(index.follow(node));
  /** Until the mirror has what the node has, in its order, with its fees. */
  const agrees = async () => {
    const ofNode = () => node.simulation.pending.map(({ id, fee }) => `${id} ${fee}`).join('\n');
    const ofMirror = () => [...mirror.pool.transactions()].map(({ id, fee }) => `${id} ${fee}`).join('\n');
    await until(() => ofMirror() === ofNode(), 'the mirror has what the node has', {
      explain: () => `node\n${ofNode()}\nmirror\n${ofMirror()}`,
    });
  };
  follow();
  // However late it is: the events are coming in.
  await until(() => mirror.pool.isAvailable, 'the mirror follows the node');
  await agrees();
  return { node, server: rpc, client, mirror, changes, follow, agrees };
}

it('the mirror of a devnet has what the node has after whatever happened, and tells each stay from its beginning to its end', async (t) => {
  const world = await start(t, { mirror: { listEveryMs: 50 } });
  const { node, server } = world;
  const random = new Random('what happens');
  const done = new Set<string>();
  const events: Readonly<Record<string, () => void | Promise<void>>> = {
    grow: () => node.grow(),
    growTwice: () => node.growTo(node.tip().height + 2),
    reorganise: () => {
      const depth = random.between(1, 4);
      node.reorganise(depth, random.between(1, depth + 1), { shared: random.unit() });
    },
    pay: () => {
      const first = paymentOf(node);
      for (const signed of [first, chained(node, first), first]) submit(node, signed);
    },
    evict: () =>
      node.evict(
        node
          .mempoolTransactions()
          .slice(0, 2)
          .map(({ id }) => id),
      ),
    invalidate: () => node.invalidateBlock(node.tip().id),
    upAndDown: () => {
      const { id } = node.tip();
      node.invalidateBlock(id);
      node.resetFailureFlags(id);
    },
    restart: async () => {
      node.emptyMempool();
      await server.restart();
    },
    dropConnections: () => server.dropConnections(),
  };
  const names = Object.keys(events);
  for (let step = 0; step < 60; step++) {
    for (let count = random.between(1, 3); count > 0; count--) {
      const name = names[random.below(names.length)]!;
      done.add(name);
      await events[name]!();
    }
    // The index is behind now and then, for a moment or longer.
    if (random.chance(0.3)) await new Promise((resolve) => setTimeout(resolve, random.between(0, 40)));
    if (random.chance(0.2)) continue;
    world.follow();
    await world.agrees();
  }
  assert.deepEqual([...done].sort(), names.sort());
  assertStays(world.changes);
});

it('the mirror of a devnet puts parents before their children in the order of dependency', async (t) => {
  const world = await start(t, { isQuiet: true });
  const { node, mirror } = world;
  const first = paymentOf(node);
  const second = chained(node, first);
  const other = paymentOf(node, 1);
  for (const signed of [first, second, other]) submit(node, signed);
  await world.agrees();
  const [a, b, c] = [...mirror.pool.transactions()];
  const ordered = inDependencyOrder([b!, c!, a!]).map(({ id }) => id);
  assert.deepEqual(ordered, [first, second, other].map(idOf));
});

/** Each transaction is told when it comes, once for each stay, and its stay ends in a block or without one. */
function assertStays(changes: readonly MempoolChange[]): void {
  const pending = new Set<Id>();
  let returned = 0;
  let dropped = 0;
  for (const change of changes) {
    switch (change.type) {
      case 'Added':
        assert.ok(!pending.has(change.transaction.id), 'it is not told twice in one stay');
        if (pending.size > 0 && change.transaction.origin === 'local') returned++;
        pending.add(change.transaction.id);
        break;
      case 'Confirmed':
      case 'Forgotten':
        pending.delete(change.id);
        break;
      case 'Dropped':
        if (pending.delete(change.id)) dropped++;
    }
  }
  assert.ok(returned > 0 && dropped > 0, `${returned} came back, ${dropped} were dropped`);
}
