/** The mirror of a devnet over a real index: the scanner writes, the mirror reads what pending transactions use. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MempoolMirror } from '../../src/mempool/mirror.ts';
import { mirroredNode } from '../../src/mempool/mirrored-node-interface.ts';
import { NodeClient } from '../../src/node/client.ts';
import { silentLogger } from '../../src/node/logger-interface.ts';
import { ReadPool } from '../../src/serving/resources/read-pool.ts';
import { readBlocksSince } from '../../src/store/queries/blocks/blocks-since.ts';
import { readPendingReferences } from '../../src/store/queries/transactions/pending-references.ts';
import type { ChainPosition } from '../../src/store/read/query.ts';
import { chained, paymentOf } from '../support/payments.ts';
import { testDatabase } from '../support/postgres.ts';
import { RunningScanner } from '../support/running-scanner.ts';
import { SIMULATED_NETWORK as network } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { SILENT } from '../support/web-server.ts';

it('the mirror of a node is what the node has, with its fees, over an index in a database', async (t) => {
  const node = await SimulatedNode.open({ network, seed: 'mirror', mix: 'dense' });
  node.growTo(30);
  const server = await serveRpc(node);
  t.after(() => server.close());
  const postgres = await testDatabase(t);
  const scanner = await RunningScanner.start(t, { node: { address: server.address, network }, postgres });
  await scanner.reaches(node.tip().id);
  const reader = new ReadPool({ postgres: { ...postgres, maxConnections: 3 }, logger: SILENT });
  t.after(() => reader.close());
  await reader.open();
  const client = new NodeClient({ address: server.address, auth: { type: 'none' }, maxConnections: 1 });
  t.after(() => client.close());
  const mirror = new MempoolMirror({
    network,
    source: mirroredNode(client),
    index: { read: (asked) => readPendingReferences(reader, asked) },
    logger: silentLogger,
    listPauseMs: 5,
  });
  t.after(() => mirror.close());
  let known: ChainPosition = node.tip();
  const random = new Random('blocks');
  for (let step = 0; step < 25; step++) {
    const first = paymentOf(node);
    for (const signed of [first, chained(node, first)]) {
      node.submitTransaction(signed, encodeSignedTransaction(signed), { type: 'Local', by: 'P2p' });
    }
    if (random.chance(0.3)) node.reorganise(random.between(1, 5), random.between(2, 5));
    else if (random.chance(0.7)) node.grow();
    await scanner.reaches(node.tip().id);
    const move = (await readBlocksSince(reader, known))!;
    known = move.tip;
    mirror.indexMoved(move);
    const ofMirror = () => [...mirror.pool.transactions()].map(({ id, fee }) => `${id} ${fee}`).join('\n');
    const ofNode = () => node.simulation.pending.map(({ id, fee }) => `${id} ${fee}`).join('\n');
    await until(() => ofMirror() === ofNode(), 'the mirror has what the node has', {
      explain: () => `step ${step}\nnode\n${ofNode()}\nmirror\n${ofMirror()}`,
    });
  }
  assert.ok(mirror.pool.isComplete);
});
