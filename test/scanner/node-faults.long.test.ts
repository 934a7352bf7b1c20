/** What the node does to a scanner: broken answers, restarts, damaged blocks. The tables end as if nothing had been. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedBlock } from '../../src/devnet/sim/seal-block.ts';
import { NodeClient } from '../../src/node/client.ts';
import { commonAncestorHeight } from '../../src/scanner/sync/reorg.ts';
import { spendingNothing } from '../support/contradicting-block.ts';
import type { Fault } from '../support/faulty-rpc-server.ts';
import { fileScope, type Scope } from '../support/file-scope.ts';
import { dumpOf } from '../support/following-scanner.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, query, RunningScanner } from '../support/running-scanner.ts';
import { type NodeBlock, ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

const BULK_DISTANCE = 50;
const BLOCKS = 320;
const NEAR = 290;

const EVERY_FAULT: readonly Fault[] = [
  { type: 'drop' },
  { type: 'garbage', text: '<html>It works!</html>' },
  { type: 'garbage', text: '{"jsonrpc":"2.0","id":1,"result":["0102","zz"]}' },
  { type: 'garbage', text: '' },
  { type: 'unauthorized' },
  { type: 'truncate' },
  { type: 'status', status: 502 },
  { type: 'rpc', code: -32603, message: 'Internal error' },
  { type: 'delay', ms: 2_500 },
];

const chain = lightChain(BLOCKS);
const scope = fileScope();
let expected: Record<string, string[]>;

interface World {
  readonly node: ScriptedNode;
  readonly scanner: RunningScanner;
  /** The tables, once they have this block as the tip; the index is checked to fit together. */
  dumpAt(block: NodeBlock): Promise<Record<string, string[]>>;
  tipId(): Promise<string | undefined>;
}

/** A scanner of a node that has the first `height` blocks of the chain. */
async function world(t: Scope, height: number, prepare: (node: ScriptedNode) => void = () => {}): Promise<World> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(chain.slice(0, height));
  prepare(node);
  const postgres = await testDatabase(t);
  const scanner = await RunningScanner.start(t, { node, postgres, bulkDistance: BULK_DISTANCE });
  return {
    node,
    scanner,
    async dumpAt(block) {
      await scanner.reaches(block.id);
      return await consistentDump(postgres, SIMULATED_NETWORK);
    },
    async tipId() {
      const { rows } = await query<{ id: string }>(
        postgres,
        `select encode(block_id, 'hex') as id from chain_indexer.chain_tip`,
      ).catch((error: { code?: string }) => {
        // Not a block was taken: there is no index either.
        if (error.code === '42P01') return { rows: [] };
        throw error;
      });
      return rows[0]?.id;
    },
  };
}

const tip = chain.at(-1)!;
const at = (height: number): SimulatedBlock => chain[height - 1]!;

before(async () => {
  expected = await dumpOf(scope, chain);
});

describe('a scanner and what the node answers', { concurrency: 3 }, () => {
  it('a scanner whose node answers badly takes a chain in bulk, whatever goes wrong with every third answer', async (t) => {
    const { node, dumpAt } = await world(t, BLOCKS, (node) => {
      node.faults = everyThird();
    });
    assert.deepEqual(await dumpAt(tip), expected);
    assert.equal(node.network, SIMULATED_NETWORK);
  });

  it('a scanner whose node answers badly follows a chain, whatever goes wrong with every third answer', async (t) => {
    const { node, scanner, dumpAt } = await world(t, NEAR);
    await scanner.reaches(at(NEAR).id);
    node.faults = everyThird();
    for (const block of chain.slice(NEAR)) {
      node.grow([block]);
      await sleep(20);
    }
    assert.deepEqual(await dumpAt(tip), expected);
  });

  it('a scanner whose node answers badly goes on in bulk when the node restarts', async (t) => {
    let restarting: Promise<void> | undefined;
    const { scanner, dumpAt } = await world(t, BLOCKS, (node) => {
      node.onRead = (height) => {
        if (height > 100) restarting ??= node.restart(300);
      };
    });
    assert.deepEqual(await dumpAt(tip), expected);
    await restarting;
    assert.ok(await scanner.logged('asking again'));
  });

  it('a scanner whose node answers badly goes on in bulk when the node refuses the credentials for a moment', async (t) => {
    let refusals = 3;
    let hasGivenBlocks = false;
    const { scanner, dumpAt } = await world(t, BLOCKS, (node) => {
      node.onRead = () => {
        hasGivenBlocks = true;
      };
      node.faults = ({ method }) => {
        const confirms = method === 'chainstate_info' || method === 'chainstate_block_id_at_height';
        return hasGivenBlocks && confirms && refusals-- > 0 ? { type: 'unauthorized' } : undefined;
      };
    });
    assert.deepEqual(await dumpAt(tip), expected);
    assert.ok(refusals <= 0);
    assert.ok(await scanner.logged('the node does not confirm its blocks, asking again'));
    assert.ok(!scanner.logs.some(({ msg }) => msg.startsWith('indexing stopped')));
  });

  it('a scanner whose node answers badly starts when the node comes, and stops at once while it waits for it', async (t) => {
    const { node, scanner, dumpAt } = await world(t, BLOCKS, (node) => void node.stop());
    const isStoppedAtOnce = async () => {
      await scanner.logged('the node cannot be used');
      const before = performance.now();
      await scanner.stop();
      const tookMs = performance.now() - before;
      scanner.logs.length = 0;
      await scanner.start();
      return tookMs < 1_000;
    };
    await until(isStoppedAtOnce, 'a stop at once');
    await node.start();
    assert.deepEqual(await dumpAt(tip), expected);
  });

  it('a scanner whose node answers badly refuses a node of another network, naming both', async (t) => {
    const { scanner } = await world(t, 0, (node) => {
      let asked = 0;
      // A node without a genesis has answered wrongly, and is asked again.
      node.mainChainId = () => (asked++ === 0 ? undefined : 'ab'.repeat(32));
    });
    const error = await scanner.ended();
    assert.match(
      error.message,
      /is of another network: expected \S+ with the genesis \w{64}, found the genesis abab.*--network/,
    );
    assert.equal(error.exitCode, 2);
  });
});

it('the common ancestor is not told by a node whose chain got shorter meanwhile', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(chain.slice(0, 30).map(({ bytes }) => bytes));
  await index.session.writer.query('delete from undo where height <= 20');
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  const client = new NodeClient({ address: node.address, auth: { type: 'none' } });
  t.after(async () => client.close());
  const find = () =>
    commonAncestorHeight(index.session.reader, client, { ours: 30, node: 30 }, new AbortController().signal);
  await assert.rejects(find(), { name: 'ChainMovedError', message: 'the node has no block at height 30 any more' });
  node.grow(chain.slice(0, 25));
  node.mainChainId = (height) => (height <= 30 ? chain[height - 1]?.id : undefined);
  assert.equal(await find(), 30);
});

describe('a scanner that is given damaged blocks', () => {
  it('a scanner that is given damaged blocks never commits one in bulk, and goes on when it comes right', async (t) => {
    for (const [height, damage] of [
      [120, flip(40)],
      [BLOCKS, flip(1 + 32 + 32 + 32)],
    ] as const) {
      const { node, scanner, dumpAt, tipId } = await world(t, BLOCKS, (node) => {
        node.falsify = (id, bytes) => (id === at(height).id ? damage(bytes) : bytes);
      });
      await scanner.logged('indexing stopped');
      await sleep(50);
      assert.notEqual(await tipId(), at(height).id);
      node.falsify = (_id, bytes) => bytes;
      assert.deepEqual(await dumpAt(tip), expected);
      await scanner.stop();
    }
  });

  it('a scanner that is given damaged blocks never commits a whole block that contradicts the ledger, and takes the one that comes in its place', async (t) => {
    const { node, scanner, dumpAt, tipId } = await world(t, 30);
    await scanner.reaches(at(30).id);
    const wrong = spendingNothing(chain.slice(30).find(({ transactionIds }) => transactionIds.length > 0)!, at(30));
    node.grow([wrong]);
    const line = await scanner.logged('unknown or already spent');
    assert.equal(line.level, 50);
    assert.match(JSON.stringify(line), new RegExp(wrong.id));
    await sleep(300);
    assert.equal(await tipId(), at(30).id);
    node.grow(chain.slice(30));
    assert.deepEqual(await dumpAt(tip), expected);
  });
});

/** Every kind of fault in turn, each third message. */
function everyThird(): () => Fault | undefined {
  let count = 0;
  return () => {
    count++;
    return count % 3 === 0 ? EVERY_FAULT[(count / 3 - 1) % EVERY_FAULT.length] : undefined;
  };
}

function flip(offset: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    const damaged = Buffer.from(bytes);
    damaged[offset]! ^= 0x10;
    return damaged;
  };
}
