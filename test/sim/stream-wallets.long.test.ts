/**
 * Wallets of a whole installation (a node, the scanner, two web servers with workers) that are cut off at random moments
 * while the chain reorganises, and come back to another worker each time: they end with what the index has, also after
 * `--resync`. What clients make of the stream alone is the chain of the index, to the last transaction.
 *
 * `STREAM_BLOCKS=200` for so many blocks; some by default.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../src/chain/address.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { drawReorganisation } from '../../src/devnet/sim/build-chain.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { testDatabase } from '../support/postgres.ts';
import { query, RunningScanner } from '../support/running-scanner.ts';
import { type RunningWebServer, runWebServer } from '../support/running-web-server.ts';
import { SIMULATED_NETWORK as network } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { TakingPart } from './naive-lists.ts';
import { type RebuiltBlock, Wanderer } from './stream-clients.ts';

const BLOCKS = Math.max(20, Number(process.env.STREAM_BLOCKS ?? 40));
/** So that the wallets have something in their past. */
const BLOCKS_BEFORE = 30;
const WALLETS = 3;
const REORGANISATION_PROBABILITY = 0.5;

test('wallets that come back to another worker each time end with what the index has, also after a resync', async (t) => {
  const node = await SimulatedNode.open({ network, seed: 'wallets', mix: 'dense' });
  node.growTo(BLOCKS_BEFORE);
  const rpc = await serveRpc(node);
  t.after(() => rpc.close());
  const postgres = await testDatabase(t);
  const scanner = await RunningScanner.start(t, { node: { address: rpc.address, network }, postgres });
  await scanner.reaches(node.tip().id);
  const setup = { network: network.name, node: rpc.address, postgres, workers: 2 };
  const servers = [await runWebServer(t, setup), await runWebServer(t, setup)];

  const random = new Random('wallets');
  const blocks = () => Array.from({ length: node.tip().height }, (_, i) => blockAt(node, i + 1));
  // Those that have most to do with what happens.
  const addresses = [...new TakingPart(network, blocks()).ofAddress]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, WALLETS)
    .map(([owner]) => destinationAddress(network, owner));
  const client = (text: string) =>
    new Wanderer({
      query: text,
      random,
      genesis: network.genesisId,
      // Never the worker where it was: that is one of the other server. Each server hands connections to its workers in turn.
      next: (last) => other(servers, last).port,
      longestVisitMs: 250,
    });
  const wallets = addresses.map((address) => client(`address=${address}&types=block,lag`));
  const whole = client('');
  // It knows ids of blocks that touch the addresses, and of reorganisations, but no others.
  const ofAll = client(addresses.map((address) => `address=${address}`).join('&'));
  const everybody = [...wallets, whole, ofAll];
  let end: string | undefined;
  const failed = new AbortController();
  const wandering = Promise.all(everybody.map((each) => each.wander(() => end))).finally(() => failed.abort());

  const tip = () => `${node.tip().height}-${node.tip().id}`;
  let reorganisations = 0;
  const grow = async (count: number) => {
    for (let i = 0; i < count && !failed.signal.aborted; i++) {
      node.grow();
      const shape = random.chance(REORGANISATION_PROBABILITY)
        ? drawReorganisation(random, node.simulation.undoable)
        : null;
      if (shape !== null) {
        // Some of the blocks that are left were told, others never were.
        if (random.chance(0.7)) await sleep(random.below(60));
        node.reorganise(shape.depth, shape.length);
        reorganisations++;
      }
      await sleep(random.below(120));
    }
  };
  const happening = (async () => {
    await grow(Math.ceil(BLOCKS * 0.7));
    // Who knows a block that only the old database knew to be left would be told of a gap.
    const isAtTip = () => [...wallets, whole].every(({ lastEventId }) => lastEventId === tip());
    const isOnMainChain = () => {
      const [height, id] = ofAll.lastEventId.split('-');
      return node.mainChainId(Number(height)) === id;
    };
    await until(() => failed.signal.aborted || (isAtTip() && isOnMainChain()), 'the tip');
    await scanner.stop();
    const anew = await RunningScanner.start(t, {
      node: { address: rpc.address, network },
      postgres,
      resync: true,
    });
    for (let i = 0; i < 5; i++) {
      node.grow();
      await sleep(random.below(60));
    }
    await anew.reaches(node.tip().id);
    await grow(Math.floor(BLOCKS * 0.3));
    await anew.reaches(node.tip().id);
    end = tip();
  })();
  await Promise.all([happening, wandering]);

  const visits = everybody.map((each) => each.visits);
  t.diagnostic(`${BLOCKS} blocks and more, ${reorganisations} reorganisations, visits: ${visits.join(', ')}`);
  const areVisited = visits.every((count) => count > BLOCKS / 5);
  assert.ok(areVisited, `${visits}`);
  assert.ok(reorganisations > BLOCKS / 4, `${reorganisations}`);
  const { rows: stored } = await query<{ id: string; timestamp: number; tx_ids: string[] }>(
    postgres,
    `select encode(block_id, 'hex') as id, timestamp::float as timestamp,
       array(select encode(x.tx_id, 'hex') from chain_indexer.transactions x
             where x.tx_index >= b.first_tx_index and x.tx_index < b.first_tx_index + b.tx_count
             order by x.tx_index) as tx_ids
     from chain_indexer.blocks b where height > 0 order by height`,
  );
  const chain = stored.map(({ id, timestamp, tx_ids: txIds }) => ({ id, timestamp, txIds }) satisfies RebuiltBlock);
  assert.equal(chain.length, node.tip().height);
  for (const each of [...wallets, whole]) assert.deepEqual(each.rebuilt.blocks.slice(1), chain);
  const confirmed = new Set<string>();
  for (const [i, address] of addresses.entries()) {
    const response = await fetch(`http://127.0.0.1:${servers[0]!.port}/api/v2/address/${address}`);
    const { transaction_history: listed } = (await response.json()) as { transaction_history: string[] };
    assert.ok(listed.length > 10, `${listed.length}`);
    assert.deepEqual(wallets[i]!.rebuilt.confirmed, listed.toSorted());
    for (const id of listed) confirmed.add(id);
  }
  assert.deepEqual(ofAll.rebuilt.confirmed, [...confirmed].sort());
  for (const server of servers) assert.equal(await server.stop(), 0);
});

function blockAt(node: SimulatedNode, height: number) {
  return identifyBlock(node.blockBytes(node.mainChainId(height)!)!);
}

function other(servers: readonly RunningWebServer[], last: number | undefined): RunningWebServer {
  return servers.find(({ port }) => port !== last)!;
}
