/** What the primary process does with the figures of its workers; here these are made by hand. */
import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { type Combine, WorkerCollector } from '../../src/processes/collect-from-workers.ts';

interface Sent {
  readonly gathering: string;
  readonly text?: string;
  readonly reason?: string;
}

/** Says its figure whenever it is asked, unless it is `silent`. */
class HandmadeWorker extends EventEmitter {
  figure: number;
  isSilent = false;
  questions = 0;
  readonly #answers: ((sent: Sent) => void)[] = [];
  readonly process = {
    send: (sent: Sent) => {
      if (sent.gathering !== 'question') return this.#answers.splice(0).forEach((answer) => void answer(sent));
      this.questions++;
      if (!this.isSilent) setImmediate(() => this.emit('message', { gathering: 'answer', figures: this.figure }));
    },
  };

  constructor(figure: number) {
    super();
    this.figure = figure;
  }

  /** Asks what all say. */
  ask(): Promise<Sent> {
    return new Promise((resolve) => {
      this.#answers.push(resolve);
      this.emit('message', { gathering: 'wanted' });
    });
  }
}

/** `1+2` for what workers 1 and 2 say, `?` for one that is silent; `(3)` for what those that have ended said together. */
const combine: Combine<number> = async (said, ended) => {
  const sum = ended.reduce((total, each) => total + each, 0);
  const living = said.map(({ figures = '', isSilent }) => `${figures}${isSilent ? '?' : ''}`);
  return { text: `${living.join('+')}(${sum})`, ended: sum };
};

function workers(combineWith: Combine<number>, ...figures: number[]) {
  const gathering = new WorkerCollector(combineWith);
  const all = figures.map((figure) => new HandmadeWorker(figure));
  for (const [i, worker] of all.entries()) gathering.add(worker as unknown as Worker, i + 1);
  return all as [HandmadeWorker, HandmadeWorker];
}

test('many who ask at the same time get one answer, and nobody is asked twice for it', async () => {
  const [first, second] = workers(combine, 1, 2);
  const answers = await Promise.all([first.ask(), second.ask(), first.ask()]);
  for (const { text } of answers) assert.equal(text, '1+2(0)');
  assert.equal(second.questions, 1);
  second.figure = 7;
  assert.equal((await first.ask()).text, '1+7(0)');
});

test('one that does not answer holds nobody up for longer than a second, and only once', async () => {
  const [first, second] = workers(combine, 1, 2);
  await first.ask();
  second.isSilent = true;
  let since = performance.now();
  assert.equal((await first.ask()).text, '1+2?(0)');
  assert.ok(performance.now() - since < 5_000);
  since = performance.now();
  assert.equal((await first.ask()).text, '1+2?(0)');
  assert.ok(performance.now() - since < 900);
  assert.equal(second.questions, 2);
  second.emit('message', { gathering: 'answer', figures: 3 });
  second.isSilent = false;
  assert.equal((await first.ask()).text, '1+2(0)');
});

test('one that ends while it is waited for holds nobody up', async () => {
  const [first, second] = workers(combine, 1, 2);
  await first.ask();
  second.isSilent = true;
  const since = performance.now();
  const answer = first.ask();
  second.emit('exit', 1, null);
  assert.equal((await answer).text, '1(2)');
  assert.ok(performance.now() - since < 900);
});

test('one that ends while the others are being added up is not forgotten', async () => {
  const combining = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const [first, second] = workers(
    async (said, ended) => {
      const combined = await combine(said, ended);
      combining.resolve();
      await going.promise;
      return combined;
    },
    1,
    2,
  );
  const answer = first.ask();
  await combining.promise;
  second.emit('exit', 1, null);
  going.resolve();
  assert.equal((await answer).text, '1+2(0)');
  assert.equal((await first.ask()).text, '1(2)');
  assert.equal((await first.ask()).text, '1(2)');
});

test('who asks is told when the figures cannot be added up', async () => {
  const [first] = workers(() => Promise.reject(new Error('no such sum')), 1, 2);
  assert.deepEqual(await first.ask(), { gathering: 'failed', reason: 'Error: no such sum' });
});
