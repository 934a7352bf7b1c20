/** What the node does to a scanner: broken answers, restarts, damaged blocks. The tables end as if nothing had been. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedBlock } from '../../src/devnet/sim/seal-block.ts';
import { NodeClient } from '../../src/node/client.ts';
import { commonAncestorHeight } from '../../src/scanner/sync/follow-tip.ts';
import { spendingNothing } from '../support/contradicting-block.ts';
import type { Fault } from '../support/faulty-rpc-server.ts';
import { fileScope, type Scope } from '../support/file-scope.ts';
import { dumpOf } from '../support/following-scanner.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, type LogLine, query, RunningScanner } from '../support/running-scanner.ts';
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

  it('a scanner whose node answers badly goes on following when the node restarts', async (t) => {
    const { node, scanner, dumpAt } = await world(t, NEAR);
    await scanner.reaches(at(NEAR).id);
    const restarting = node.restart(600);
    node.grow(chain.slice(NEAR));
    await restarting;
    assert.deepEqual(await dumpAt(tip), expected);
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

  it('a scanner whose node comes back with another network waits for the right one, and says what it expects', async (t) => {
    const { node, scanner } = await world(t, NEAR);
    await scanner.reaches(at(NEAR).id);
    node.mainChainId = () => 'ab'.repeat(32);
    await node.restart(50);
    const isSaid = ({ msg, reason }: LogLine) =>
      msg === 'the node cannot be used' && /genesis abab/.test(String(reason));
    await until(() => scanner.logs.some(isSaid), 'the line about the other network');
    // A supervisor starts it again meanwhile.
    await scanner.stop();
    scanner.logs.length = 0;
    await scanner.start();
    await until(() => scanner.logs.some(isSaid), 'the same line');
    node.mainChainId = (height) => ScriptedNode.prototype.mainChainId.call(node, height);
    node.grow(chain.slice(NEAR));
    await scanner.reaches(tip.id);
    await scanner.logged('the node can be used again');
  });

  it('a scanner whose node says that it has more blocks than it has takes those that there are, and can undo all of them', async (t) => {
    const { node, scanner, dumpAt } = await world(t, BLOCKS, (node) => announce(node, 5_000, { times: 1 }));
    assert.deepEqual(await dumpAt(tip), expected);
    const branch = lightChain(BLOCKS, 77).slice(0, 4);
    assert.notEqual(branch[0]!.id, at(1).id);
    node.grow(branch);
    await scanner.reaches(branch.at(-1)!.id);
  });

  it('a scanner whose node says that it has more blocks than it has asks with pauses as long as it says so, and tells the operator', async (t) => {
    let asked = 0;
    let isLying = true;
    const { node, scanner } = await world(t, BLOCKS, (node) => {
      announce(node, 2 ** 31 - 1, { while: () => isLying });
      node.faults = ({ method }) => {
        if (method === 'chainstate_get_mainchain_blocks') asked++;
        return undefined;
      };
    });
    await scanner.logged('gives none');
    asked = 0;
    await sleep(1_000);
    assert.ok(asked < 30, `${asked} requests a second`);
    isLying = false;
    await scanner.reaches(tip.id);
    assert.equal(node.network, SIMULATED_NETWORK);
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
  let reached = 30;
  const damages = Object.entries({
    'whose version is unknown': flip(0),
    'whose parent is another': flip(10),
    'whose transactions are not those of its merkle root': flip(1 + 32 + 5),
    'whose witnesses are not those of its merkle root': flip(1 + 32 + 32 + 5),
    'whose timestamp is another': flip(1 + 32 + 32 + 32),
    'whose header is another': flip(1 + 32 + 32 + 32 + 4 + 40),
    'of which a transaction is damaged': (bytes) => flip(bytes.length - 120)(bytes),
    'of which a signature is damaged': (bytes) => flip(bytes.length - 1)(bytes),
    'that ends too early': (bytes) => bytes.subarray(0, bytes.length - 7),
    'that ends too late': (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
  } satisfies Record<string, (bytes: Buffer) => Buffer>);
  let following: World;

  before(async () => {
    following = await world(scope, reached);
    await following.scanner.reaches(at(reached).id);
  });

  for (const [kind, damage] of damages) {
    it(`a scanner that is given damaged blocks never commits one ${kind}, and goes on when it comes right`, async () => {
      const { node, scanner, tipId } = following;
      // Every kind of damage has its place in a block with transactions.
      const height = chain.findIndex(({ transactionIds }, i) => i >= reached && transactionIds.length > 0) + 1;
      const [before, damaged] = [at(height - 1), at(height)];
      node.grow(chain.slice(reached, height - 1));
      await scanner.reaches(before.id);
      node.falsify = (id, bytes) => (id === damaged.id ? damage(bytes) : bytes);
      scanner.logs.length = 0;
      node.grow([damaged]);
      const line = await scanner.logged('cannot be indexed');
      assert.ok(line.level >= 40);
      await sleep(50);
      assert.equal(await tipId(), before.id);
      node.falsify = (_id, bytes) => bytes;
      await scanner.reaches(damaged.id);
      reached = height;
    });
  }

  it('a scanner that is given damaged blocks has the right tables after all of them', async () => {
    following.node.grow(chain.slice(reached));
    assert.deepEqual(await following.dumpAt(tip), expected);
  });

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

/** Has the node name a height that it has not, so many times or as long as. */
function announce(node: ScriptedNode, height: number, until: { times: number } | { while: () => boolean }): void {
  const honest = node.tip.bind(node);
  let times = 0;
  node.tip = () => {
    const isLying = 'times' in until ? times++ < until.times : until.while();
    return isLying ? { ...honest(), height } : honest();
  };
}

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
