/** Nodes that change their mind, as a scanner and its readers live through it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dumpOf, startFollowing } from '../../support/following-scanner.ts';
import { dumpTables } from '../../support/indexed-database.ts';
import { consistentDump, query, withClient } from '../../support/running-scanner.ts';
import { type NodeBlock, ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, lightSimulation, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';
import { until } from '../../support/until.ts';

/** A trunk, and what grew on it: `old` from the start, `branch` in its place later. */
interface Fork {
  readonly trunk: readonly NodeBlock[];
  readonly old: readonly NodeBlock[];
  readonly branch: readonly NodeBlock[];
}

function fork(trunkBlocks: number, oldBlocks: number, branchBlocks: number, seed = 5): Fork {
  const simulation = lightSimulation(seed);
  const trunk = simulation.mine(trunkBlocks);
  const old = simulation.mine(oldBlocks);
  return { trunk, old, branch: simulation.reorganise(oldBlocks, branchBlocks) };
}

const last = <T>(list: readonly T[]): T => list.at(-1)!;
const TIP_ID = `select encode(block_id, 'hex') as id from chain_indexer.chain_tip`;

it('a scanner whose node changes to another branch takes one that is lower but heavier, comes back from it, and takes a longer one', async (t) => {
  const { trunk, old, branch: lower } = fork(60, 12, 3);
  const { branch: longer } = fork(60, 12, 14);
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...old]);
  for (const branch of [lower, old, longer]) {
    node.grow(branch);
    await scanner.reaches(last(branch).id);
    assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, [...trunk, ...branch]));
  }
});

it('a scanner whose node changes to another branch takes one of hundreds of blocks that a node brings which never knew our tip', async (t) => {
  const { trunk, old, branch } = fork(40, 200, 205);
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...old]);
  node.replace([...trunk, ...branch]);
  await scanner.reaches(last(branch).id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, [...trunk, ...branch]));
});

it('a scanner whose node changes to another branch takes it when the scanner was away and the branch is so far ahead that it comes in bulk', async (t) => {
  const { trunk, old, branch } = fork(60, 4, 160);
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...old], 50);
  await scanner.stop();
  node.replace([...trunk, ...branch]);
  await scanner.start();
  await scanner.reaches(last(branch).id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, [...trunk, ...branch]));
});

it('a scanner whose node says that it is far higher than it is can still undo blocks that it took meanwhile', async (t) => {
  const { trunk, old, branch } = fork(60, 12, 14);
  const { node, postgres, scanner } = await startFollowing(t, trunk);
  const tip = () => ScriptedNode.prototype.tip.call(node);
  await scanner.stop();
  node.tip = () => ({ ...tip(), height: tip().height + 5_000 });
  node.grow(old);
  await scanner.start();
  const indexed = async () => (await query<{ id: string }>(postgres, TIP_ID)).rows[0]!.id;
  await until(async () => (await indexed()) === last(old).id, 'the blocks are indexed');
  node.tip = tip;
  node.grow(branch);
  await scanner.reaches(last(branch).id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, [...trunk, ...branch]));
});

it('a scanner whose node changes to another branch takes the last of several that come while the ones before are being read', async (t) => {
  const simulation = lightSimulation(6);
  const trunk = simulation.mine(40);
  const branches = [simulation.mine(6), simulation.reorganise(6, 7), simulation.reorganise(7, 9)];
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...branches[0]!]);
  node.add(branches[1]!);
  node.add(branches[2]!);
  let reads = 0;
  node.onRead = (height) => {
    // In the middle of the branch the node moves on, three times to and fro.
    if (height === 44 && reads++ < 4) node.setTip(last(branches[1 + (reads % 2)]!).id);
  };
  node.setTip(last(branches[1]!).id);
  await until(() => reads >= 4, 'the node has moved to and fro');
  // Here it stays.
  node.onRead = () => {};
  node.setTip(last(branches[2]!).id);
  await scanner.reaches(last(branches[2]!).id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, [...trunk, ...branches[2]!]));
});

it('a scanner whose node changes to another branch serves on while the node is behind on the same chain, and goes on when it has caught up', async (t) => {
  const chain = lightChain(80, 7);
  const { node, postgres, scanner } = await startFollowing(t, chain.slice(0, 60));
  node.setTip(chain[20]!.id);
  await scanner.logged('the node is behind the index');
  // It syncs itself, block by block.
  for (const { id } of chain.slice(21, 40)) {
    node.setTip(id);
    await sleep(10);
  }
  assert.equal(scanner.logs.filter(({ msg }) => msg.includes('is behind the index')).length, 1);
  const { rows } = await query<{ height: number }>(postgres, 'select height from chain_indexer.chain_tip');
  assert.equal(rows[0]?.height, 60);
  node.grow(chain);
  await scanner.reaches(last(chain).id);
  assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, chain));
});

it('a reader during reorganisations never sees a shorter chain, nor blocks of two branches at once', async (t) => {
  const simulation = lightSimulation(9);
  const trunk = simulation.mine(30);
  const first = simulation.mine(8);
  const { node, postgres, scanner } = await startFollowing(t, [...trunk, ...first]);
  let watching = true;
  let looks = 0;
  const revisions = new Set<number>();
  const watch = withClient(postgres, async (client) => {
    for (let height = 0; watching; looks++) {
      const { rows } = await client.query<{ revision: string; height: number; blocks: number; is_whole: boolean }>(`
          select revision, t.height, (select count(*)::int from chain_indexer.blocks) as blocks,
                 (select count(*) from chain_indexer.transactions) = t.transaction_count
                 and t.block_id = (select block_id from chain_indexer.blocks b where b.height = t.height)
                 and not exists (
                   select from chain_indexer.blocks b join chain_indexer.blocks below on below.height = b.height - 1
                    where substring(b.header from '"previous_block_id":"([0-9a-f]{64})"') <> encode(below.block_id, 'hex')
                 ) as is_whole
            from chain_indexer.chain_tip t`);
      const tip = rows[0]!;
      assert.ok(tip.height >= height, `the height fell from ${height} to ${tip.height}`);
      assert.equal(tip.blocks, tip.height + 1);
      assert.ok(tip.is_whole, `the chain at height ${tip.height} does not fit together`);
      height = tip.height;
      revisions.add(Number(tip.revision));
    }
  });
  let tip = last(first).id;
  for (let depth = 1; depth <= 8; depth++) {
    const branch = simulation.reorganise(depth, depth + 1);
    node.grow(branch);
    tip = last(branch).id;
    await scanner.reaches(tip);
    // The reader as well, however slowly it looks.
    const before = looks;
    await Promise.race([watch, until(() => looks > before + 1, 'a look at this tip')]);
  }
  watching = false;
  await watch;
  assert.ok(revisions.size >= 8 && looks > 10, `${looks} looks saw ${revisions.size} revisions`);
  const dump = await withClient(postgres, (client) => dumpTables(client));
  assert.match(dump.chain_tip![0]!, new RegExp(tip));
});
