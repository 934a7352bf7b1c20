/** The scanner's threads: what they answer, and what happens when one of them dies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { BatchWriter } from '../../src/scanner/batch-writer.ts';
import { BlockReader } from '../../src/scanner/block-reader.ts';
import { queryStep } from '../../src/store/steps.ts';
import { testDatabase } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { lightChain } from '../support/simulated-chain.ts';

const chain = lightChain(60, 13);

function answerOf(blocks: readonly { readonly bytes: Buffer }[]): Buffer {
  const result = blocks.map(({ bytes }) => bytes.toString('hex'));
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
}

describe('the reader of blocks', () => {
  it('gives what the blocks hash to, whatever thread reads them', async (t) => {
    const reader = new BlockReader(2);
    t.after(() => reader.close());
    const pages = [chain.slice(0, 20), chain.slice(20, 21), chain.slice(21)];
    const read = await Promise.all([...pages.map((page) => reader.read(answerOf(page))), reader.read(answerOf([]))]);
    assert.deepEqual(
      read.flat(),
      chain.map(({ bytes }) => identifyBlock(bytes)),
    );
  });

  it('tells what is wrong with an answer and reads the next', async (t) => {
    const reader = new BlockReader(1);
    t.after(() => reader.close());
    const damaged = Buffer.from(chain[3]!.bytes);
    damaged[40]! ^= 1;
    const reads = [
      reader.read(answerOf([{ bytes: damaged }])),
      reader.read(Buffer.from('{"result":["0g"]}')),
      reader.read(Buffer.from('<html>')),
      reader.read(answerOf(chain.slice(0, 5))),
    ];
    const results = await Promise.allSettled(reads);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.match(String((results[0] as PromiseRejectedResult).reason), /merkle root/);
  });

  it('fails what a dying thread had to do, and goes on with another', async (t) => {
    const reader = new BlockReader(1);
    t.after(() => reader.close());
    await reader.read(answerOf(chain.slice(0, 1)));
    const reads = [reader.read(answerOf(chain)), reader.read(answerOf(chain))];
    await reader.close();
    for (const read of reads) await assert.rejects(read, /a hashing thread ended/);
    assert.equal((await reader.read(answerOf(chain.slice(0, 7)))).length, 7);
  });
});

describe('the writer of batches', () => {
  const insert = (n: number) => queryStep('insert into n values ($1)', `${n}`);

  it('commits orders together or not at all, says why, and writes nothing after a failure', async (t) => {
    const postgres = await testDatabase(t);
    await query(postgres, 'create schema chain_indexer; create table chain_indexer.n (n int primary key)');
    const stored = async () => {
      const { rows } = await query<{ n: number }>(postgres, 'select n from chain_indexer.n order by n');
      return rows.map(({ n }) => n);
    };
    const writer = new BatchWriter(postgres, () => {});
    t.after(() => writer.close());
    await writer.write({ steps: [insert(1), insert(2)], commits: false });
    assert.deepEqual(await stored(), []);
    await writer.write({ steps: [insert(3)], commits: true });
    assert.deepEqual(await stored(), [1, 2, 3]);

    const orders = [
      writer.write({ steps: [insert(4)], commits: false }),
      writer.write({ steps: [insert(5), insert(2)], commits: false }),
      writer.write({ steps: [insert(6)], commits: true }),
    ];
    const [first, ...others] = await Promise.allSettled(orders);
    assert.equal(first?.status, 'fulfilled');
    for (const other of others) {
      assert.ok(other.status === 'rejected');
      assert.match(String(other.reason), /duplicate key/);
      assert.equal(other.reason.code, '23505');
    }
    await assert.rejects(writer.write({ steps: [insert(7)], commits: true }), { code: '23505' });
    assert.deepEqual(await stored(), [1, 2, 3]);
  });

  it('fails what it was writing when its thread dies, and everything after', async (t) => {
    const postgres = await testDatabase(t);
    const writer = new BatchWriter(postgres, () => {});
    const writing = writer.write({ steps: [queryStep('select pg_sleep(20)')], commits: true });
    writing.catch(() => {});
    await sleep(300);
    await writer.close();
    await assert.rejects(writing, /the writing thread ended/);
    await assert.rejects(writer.write({ steps: [queryStep('select 1')], commits: true }), /the writing thread ended/);
    // The server notices that nobody waits any more.
    for (let waited = 0; ; waited += 100) {
      const { rows } = await query(
        postgres,
        `select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'
           and state = 'active' and pid <> pg_backend_pid()`,
      );
      if (rows.length === 0) break;
      assert.ok(waited < 5_000, 'the statement still runs');
      await sleep(100);
    }
  });
});
