/**
 * Deep reorganisations while the index is behind its node: whatever is listed or told is resolved, and within 2 s after the
 * index has the node's tip, everything that the node has is listed, and nothing else. `SEEDS=100` for so many seeds.
 */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Id } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MempoolMirror } from '../../src/mempool/mirror.ts';
import { mirroredNode } from '../../src/mempool/mirrored-node-interface.ts';
import { isResolved } from '../../src/mempool/pending-transaction.ts';
import { NodeClient } from '../../src/node/client.ts';
import { silentLogger } from '../../src/node/logger-interface.ts';
import { serveFaultyRpc } from '../support/faulty-rpc-server.ts';
import { MemoryIndex } from '../support/memory-index.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { SIMULATED_NETWORK as network } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

const BLOCKS = 210;
/** Depths of reorganisations: each seed has a short one, a middle one and a deep one. */
const DEPTHS = [
  [1, 5],
  [6, 60],
  [61, 200],
] as const;
/** Of a machine that does nothing else. */
const WHOLE_WITHIN_MS = 2_000;

testOverSeeds(
  'after deep reorganisations only resolved transactions are listed and told, and within 2 s all that the node has',
  async (seed, scope) => {
    const random = new Random(`deep ${seed}`);
    const node = await SimulatedNode.open({ network, seed: `deep ${seed}`, mix: 'dense' });
    node.growTo(BLOCKS);
    const rpc = await serveFaultyRpc(node, {});
    scope.after(() => rpc.close());
    const client = new NodeClient({ address: rpc.address, auth: { type: 'none' }, maxConnections: 1 });
    scope.after(() => client.close());
    const index = new MemoryIndex(network);
    const mirror = new MempoolMirror({
      network,
      // With the pauses of a web server.
      source: mirroredNode(client),
      index,
      logger: silentLogger,
    });
    scope.after(() => mirror.close());
    const told = new Set<Id>();
    /** What a client knows by the events and the blocks. */
    let copy = new Set<Id>();
    let sequence = -1;
    mirror.listen((change, event) => {
      if (event?.type === 'seen') {
        assert.ok(isResolved(event.transaction), 'what is told is resolved');
        assert.ok(!told.has(event.transaction.id), 'it is told once in a stay');
        told.add(event.transaction.id);
      }
      if (event?.type === 'dropped') told.delete(event.id);
      if (change.type === 'Confirmed' || change.type === 'Forgotten') told.delete(change.id);
      const { pool } = mirror;
      if (event?.type === 'seen') copy.add(event.transaction.id);
      if (event?.type === 'dropped') copy.delete(event.id);
      if (change.type === 'Confirmed') copy.delete(change.id);
      if (event !== undefined && sequence >= 0) assert.equal(pool.sequence, sequence + 1, 'each event has a number');
      else if (pool.sequence !== sequence) copy = new Set(pool.listedIds());
      sequence = pool.sequence;
      assert.deepEqual(copy, new Set(pool.listedIds()), 'a client knows what is listed');
      const listed = [...pool.transactions()];
      assert.ok(listed.every(isResolved), 'what is listed is resolved');
      assert.equal(mirror.pool.isComplete, listed.length === mirror.pool.ids().length);
    });
    let slowestMs = 0;
    const agrees = async () => {
      const ownMs = ownTime();
      const ofNode = () => node.simulation.pending.map(({ id, fee }) => `${id} ${fee}`).join('\n');
      const ofMirror = () => [...mirror.pool.transactions()].map(({ id, fee }) => `${id} ${fee}`).join('\n');
      await until(() => mirror.pool.isComplete && ofMirror() === ofNode(), 'the mirror lists what the node has', {
        explain: () => `node\n${ofNode()}\nmirror\n${ofMirror()}`,
      });
      slowestMs = Math.max(slowestMs, ownMs());
      assert.ok(slowestMs < WHOLE_WITHIN_MS, `it took ${slowestMs} ms`);
    };
    mirror.indexMoved(index.follow(node));
    await until(() => mirror.pool.isAvailable, 'the mirror follows the node');
    await agrees();
    for (const [least, most] of DEPTHS) {
      const depth = random.between(least, most);
      node.reorganise(depth, depth + 1, { shared: random.unit() });
      // The mirror learns of the node's new mempool while the index is at the old branch.
      const { questions } = index;
      await until(() => index.questions > questions || node.simulation.pending.length === 0, 'the node was listed', {
        withinMs: 500,
      }).catch(() => {});
      for (let turns = random.between(0, 20); turns > 0; turns--) await nextTurn();
      mirror.indexMoved(index.follow(node));
      await agrees();
      node.grow();
      if (random.chance(0.5)) await nextTurn();
      mirror.indexMoved(index.follow(node));
      await agrees();
    }
  },
);

/** Returns a function for the milliseconds since then in which this process worked or waited, not those of other processes. */
function ownTime(): () => number {
  const { idle } = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return performance.eventLoopUtilization().idle - idle + (user + system) / 1_000;
  };
}
