/** The scanner's threads: what they answer, and what happens when one of them dies. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { silentLogger } from '../../src/node/logger-interface.ts';
import { BlockFeed, startFeedThread } from '../../src/scanner/fetch/block-feed.ts';
import { BatchWriter } from '../../src/scanner/write/batch-writer.ts';
import { sqlStatement } from '../../src/store/write/transferable-statements.ts';
import { testDatabase } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

type Test = { after(end: () => Promise<void>): unknown };

const chain = lightChain(260, 13);

async function nodeWith(t: Test, blocks = chain): Promise<ScriptedNode> {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  node.grow(blocks);
  return node;
}

/** A feed of the whole chain, with what it logs and the thread that does its work. */
function feedOf(t: Test, { address }: ScriptedNode) {
  const logs: string[] = [];
  const log = (_: object, message: string) => void logs.push(message);
  const listener = { debug: log, info: log, warn: log, arrived() {} };
  const thread = startFeedThread({ address, auth: { type: 'none' } });
  const feed = new BlockFeed({ thread, listener, from: 1, parent: SIMULATED_NETWORK.genesisId, to: chain.length });
  t.after(() => feed.close());
  return { feed, thread, logs };
}

async function all(feed: BlockFeed): Promise<IdentifiedBlock[]> {
  const blocks: IdentifiedBlock[] = [];
  for (let batch = await feed.next(); batch !== null; batch = await feed.next()) blocks.push(...batch);
  return blocks;
}

it('the feed of blocks gives each block with what it hashes to, and then nothing', async (t) => {
  const { feed } = feedOf(t, await nodeWith(t));
  const identified = chain.map(({ bytes }) => identifyBlock(bytes));
  assert.deepEqual(await all(feed), identified);
  assert.equal(await feed.next(), null);
});

it('the feed of blocks says what is wrong with a damaged block', async (t) => {
  const node = await nodeWith(t);
  node.falsify = (id, bytes) => {
    if (id !== chain[200]!.id) return bytes;
    const damaged = Buffer.from(bytes);
    damaged[40]! ^= 1;
    return damaged;
  };
  const { feed } = feedOf(t, node);
  await assert.rejects(all(feed), { name: 'FeedError', message: /merkle root/ });
});

it('the feed of blocks waits for a node that is away, says so, and can be closed meanwhile', async (t) => {
  const node = await nodeWith(t);
  await node.stop();
  const { feed, logs } = feedOf(t, node);
  await until(() => logs.length > 0, 'a line of the log');
  assert.match(logs[0]!, /does not give its blocks/);
  await node.start();
  assert.equal((await all(feed)).length, chain.length);

  await node.stop();
  const other = feedOf(t, node);
  const waiting = other.feed.next();
  waiting.catch(() => {});
  await until(() => other.logs.length > 0, 'a line of the log');
  await other.feed.close();
  await assert.rejects(waiting, /the fetching thread ended/);
});

it('the feed of blocks fails when its thread dies, at work or before', async (t) => {
  const node = await nodeWith(t);
  node.faults = () => ({ type: 'delay', ms: 10_000 });
  const { feed, thread } = feedOf(t, node);
  await sleep(50);
  await thread.terminate();
  await assert.rejects(feed.next(), /the fetching thread ended/);

  const options = { address: node.address, auth: { type: 'none' } } as const;
  const dead = startFeedThread(options);
  await dead.terminate();
  const parent = SIMULATED_NETWORK.genesisId;
  const late = new BlockFeed({
    thread: dead,
    listener: { ...silentLogger, arrived() {} },
    from: 1,
    parent,
    to: chain.length,
  });
  await assert.rejects(late.next(), /the fetching thread ended before its work/);
});

const insert = (n: number) => sqlStatement('insert into n values ($1)', `${n}`);

it('the writer of batches commits orders together or not at all, says why, and writes nothing after a failure', async (t) => {
  const postgres = await testDatabase(t);
  await query(postgres, 'create schema chain_indexer; create table chain_indexer.n (n int primary key)');
  const stored = async () => {
    const { rows } = await query<{ n: number }>(postgres, 'select n from chain_indexer.n order by n');
    return rows.map(({ n }) => n);
  };
  const writer = new BatchWriter(postgres, () => {});
  t.after(() => writer.close());
  await writer.write({ statements: [insert(1), insert(2)], commits: false });
  assert.deepEqual(await stored(), []);
  await writer.write({ statements: [insert(3)], commits: true });
  assert.deepEqual(await stored(), [1, 2, 3]);

  const orders = [
    writer.write({ statements: [insert(4)], commits: false }),
    writer.write({ statements: [insert(5), insert(2)], commits: false }),
    writer.write({ statements: [insert(6)], commits: true }),
  ];
  const [first, ...others] = await Promise.allSettled(orders);
  assert.equal(first?.status, 'fulfilled');
  for (const other of others) {
    assert.ok(other.status === 'rejected');
    assert.match(String(other.reason), /duplicate key/);
    assert.equal(other.reason.code, '23505');
  }
  await assert.rejects(writer.write({ statements: [insert(7)], commits: true }), { code: '23505' });
  assert.deepEqual(await stored(), [1, 2, 3]);
});

const SLEEP_SECONDS = 60;

it('the writer of batches fails what it was writing when its thread dies, and everything after', async (t) => {
  const postgres = await testDatabase(t);
  const writer = new BatchWriter(postgres, () => {});
  const writing = writer.write({ statements: [sqlStatement(`select pg_sleep(${SLEEP_SECONDS})`)], commits: true });
  writing.catch(() => {});
  await sleep(300);
  await writer.close();
  await assert.rejects(writing, /the writing thread ended/);
  await assert.rejects(
    writer.write({ statements: [sqlStatement('select 1')], commits: true }),
    /the writing thread ended/,
  );
  // The server notices that nobody waits any more.
  const isCancelled = async () => {
    const { rows } = await query(
      postgres,
      `select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'
           and state = 'active' and pid <> pg_backend_pid()`,
    );
    return rows.length === 0;
  };
  await until(isCancelled, 'the end of the statement', { withinMs: SLEEP_SECONDS * 500 });
});
