/** Pages take turns, so that hundreds of visitors do not hold up the clients of the API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PageQueue } from '../../src/explorer/page-queue.ts';

/** Reads of pages that end when the test says so. */
class HeldReads {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  read(name: string): () => Promise<string> {
    return () => {
      this.begun.push(name);
      return new Promise((resolve, reject) =>
        this.#ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    };
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)!(error);
    await nextTurn();
  }
}

const names = (client: string, count: number) => Array.from({ length: count }, (_, i) => `${client} ${i}`);

test('16 pages are read at a time, and another one begins when one ends, also with an error', async () => {
  const queue = new PageQueue();
  const reads = new HeldReads();
  const pages = names('a', 20).map((name) => queue.run('a', reads.read(name)));
  pages[3]!.catch(() => {});
  await nextTurn();
  assert.deepEqual(reads.begun, names('a', 16));
  await reads.end('a 5');
  assert.deepEqual(reads.begun.slice(16), ['a 16']);
  await reads.end('a 3', new Error('failed'));
  assert.deepEqual(reads.begun.slice(16), ['a 16', 'a 17']);
  await assert.rejects(pages[3]!, /failed/);
  assert.equal(await pages[5], 'a 5');
  for (const name of names('a', 20)) if (name !== 'a 3' && name !== 'a 5') await reads.end(name);
  assert.equal((await Promise.allSettled(pages)).length, 20);
  const again = names('b', 17).map((name) => queue.run('b', reads.read(name)));
  await nextTurn();
  assert.equal(reads.begun.length, 20 + 16);
  for (const name of names('b', 17)) await reads.end(name);
  await Promise.all(again);
});

test('a visitor with one page does not wait for all pages of another', async () => {
  const queue = new PageQueue();
  const reads = new HeldReads();
  const pages = [...names('many', 100).map((name) => queue.run('many', reads.read(name)))];
  pages.push(queue.run('one', reads.read('one 0')));
  await nextTurn();
  await reads.end('many 0');
  await reads.end('many 1');
  assert.ok(reads.begun.includes('one 0'), reads.begun.slice(16).join(', '));
  for (const name of [...names('many', 100).slice(2), 'one 0']) await reads.end(name);
  await Promise.all(pages);
});
