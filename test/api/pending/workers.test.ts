/** One mirror in the primary process, and pools like it in the workers. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerFeed } from '../../../src/api/pending/worker-feed.ts';
import type { ToWorker } from '../../../src/api/pending/worker-messages.ts';
import { type WorkerChannel, WorkerPendingTransactions } from '../../../src/api/pending/worker-pending.ts';
import { networkByName } from '../../../src/chain/networks/known.ts';
import type { MempoolChange } from '../../../src/mempool/changes.ts';
import { PendingPool } from '../../../src/mempool/pool.ts';
import { idOf, MirrorWorld, spending } from '../../support/fake-mempool.ts';
import { paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { runWebServer } from '../../support/running-web-server.ts';
import { eventually, until } from '../../support/until.ts';
import { TestServer } from '../../support/web-server.ts';

/** The primary's side and a worker's, in one process; `isRead`: does the worker take what it is sent? */
class Pair {
  readonly world: MirrorWorld;
  readonly feed: WorkerFeed;
  readonly worker: WorkerPendingTransactions;
  readonly channel = new EventEmitter();
  isRead = true;
  readonly #held: (() => void)[] = [];
  sent = 0;

  constructor(world: MirrorWorld) {
    this.world = world;
    const mirror = {
      pool: world.mirror.pool,
      revision: 7,
      find: (id: string) => world.mirror.find(id),
    };
    const toPrimary = (message: { pending: string; number: number; id: string }) => {
      if (message.pending === 'find') this.feed.find(message.number, message.id);
      return true;
    };
    const channel = Object.assign(this.channel, { send: toPrimary }) as unknown as WorkerChannel;
    this.worker = new WorkerPendingTransactions(world.mirror.pool.network, channel);
    this.feed = new WorkerFeed(mirror, (message, done) => this.#deliver(message, done));
    world.mirror.listen((change) => this.feed.change(change));
  }

  #deliver(message: ToWorker, done: () => void): void {
    const deliver = () => {
      this.sent++;
      // As it is after its way from process to process.
      this.channel.emit('message', JSON.parse(JSON.stringify(message)));
      done();
    };
    if (this.isRead) setImmediate(deliver);
    else this.#held.push(deliver);
  }

  /** The worker takes what was held back. */
  readOn(): void {
    this.isRead = true;
    for (const deliver of this.#held.splice(0)) deliver();
  }

  get ids(): string[] {
    return [...this.worker.pool.transactions()].map(({ id }) => id);
  }

  async isEqual(): Promise<void> {
    await until(() => this.ids.join() === this.world.ids.join(), 'the worker has what the mirror has', {
      withinMs: 5_000,
    });
  }
}

const source = (n: number) => n.toString(16).padStart(64, '0');
const payments = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => spending([[source(from + i), 0]]));

describe('the pool of a worker', () => {
  it('the pool of a worker is that of the mirror, whenever the worker begins, and stays so', async (t) => {
    const world = await MirrorWorld.start(t);
    const some = payments(600);
    world.node.accept(...some);
    await world.shows(...some);
    const pair = new Pair(world);
    await pair.isEqual();
    assert.equal(pair.worker.revision, 7);
    world.node.accept(...payments(20, 1_000));
    await until(() => world.ids.length === 620, 'the mirror has them');
    await pair.isEqual();
    world.node.evict(...some.slice(0, 5));
    world.indexMoves(10, [11]);
    world.node.setTip(11, 11);
    await until(() => world.ids.length === 615, 'they are dropped');
    await pair.isEqual();
    assert.equal(pair.ids.length, 615);
    const dropped = idOf(some[0]!);
    await until(() => pair.worker.pool.find(dropped, Date.now())?.state === 'Dropped', 'it was dropped');
  });

  it('the pool of a worker finds what only the node knows, after the changes that it is made of', async (t) => {
    const world = await MirrorWorld.start(t);
    const pair = new Pair(world);
    await pair.isEqual();
    await until(() => pair.worker.pool.isAvailable(Date.now()), 'the worker has begun');
    const [known, unknown] = payments(2) as [ReturnType<typeof spending>, ReturnType<typeof spending>];
    world.node.put(known);
    const found = await pair.worker.find(idOf(known));
    assert.equal(found?.state, 'Pending');
    assert.ok(pair.worker.pool.has(idOf(known)));
    assert.equal(await pair.worker.find(idOf(unknown)), undefined);
  });

  it('the pool of a worker that does not read costs little, and is made anew when it reads on', async (t) => {
    const world = await MirrorWorld.start(t);
    const pair = new Pair(world);
    await pair.isEqual();
    await pair.worker.begun(5_000);
    await until(() => pair.worker.revision === 7, 'nothing more is on its way');
    await sleep(20);
    const news: string[] = [];
    pair.worker.listen(({ type }) => news.push(type));
    pair.isRead = false;
    const { sent } = pair;
    const before = world.mirror.pool;
    // More than a worker may be behind.
    for (let i = 0; i < 25_000; i++) {
      const state = { isComplete: true, staleSince: null };
      pair.feed.change({ type: 'State', state } satisfies MempoolChange);
    }
    assert.equal(pair.sent, sent, 'nothing is written to one that does not read');
    assert.ok(before.isComplete);
    pair.readOn();
    await until(() => news.includes('Lost'), 'the worker has begun anew', {
      withinMs: 3_000,
      explain: () => `${news.length} changes in ${pair.sent - sent} messages`,
    });
    await pair.isEqual();
    assert.ok(pair.sent - sent < 60, `${pair.sent - sent} messages for the pool and what came since`);
    assert.equal(pair.worker.pool.isComplete, world.mirror.pool.isComplete);
  });

  it('the pool of a worker takes over nothing of a pool that is not whole', () => {
    const channel = Object.assign(new EventEmitter(), { send: () => true });
    const network = networkByName('regtest-pos');
    const worker = new WorkerPendingTransactions(network, channel as unknown as WorkerChannel);
    const tell = (message: ToWorker) => channel.emit('message', message);
    tell({ pending: 'begin' });
    tell({ pending: 'changes', changes: [{ type: 'State', state: { isComplete: true, staleSince: null } }] });
    assert.ok(!worker.pool.isAvailable(Date.now()));
    tell({ pending: 'whole' });
    assert.ok(worker.pool.isAvailable(Date.now()));
    assert.ok(worker.pool instanceof PendingPool);
  });
});

describe('a web server with two workers', () => {
  it('a web server with two workers shows what is pending whichever is asked, also when one of them has begun anew, by two connections', async (t) => {
    const world = await PendingWorld.start(t);
    const { port, log, listening } = await runWebServer(t, {
      network: 'regtest-pos',
      node: world.rpc.address,
      postgres: world.index.postgres,
      workers: 2,
      args: ['--enable-post-routes'],
    });
    const document = await (await fetch(`http://127.0.0.1:${port}/api/v2/openapi.json`)).json();
    const server = new TestServer(port, document, async () => {});
    // Connections of their own, which the workers get in turns.
    const ask = (path: string) => server.get(path, { connection: 'close' });
    const everywhere = async (path: string, check: (body: never) => boolean) => {
      for (let i = 0; i < 6; i++) {
        let said = '';
        const isSo = async () => {
          const { body, text } = await ask(path);
          said = text;
          return check(body as never);
        };
        await until(isSo, `${path} of each worker`, { withinMs: 5_000, explain: () => said });
      }
    };
    const signed = paymentOf(world.node);
    const { status, body } = await world.submit(signed, server);
    assert.equal(status, 200, JSON.stringify(body));
    for (let i = 0; i < 6; i++) {
      const answer = await ask(`/transaction/${body.tx_id}`);
      assert.deepEqual([answer.status, answer.body.block_id], [200, null]);
    }
    await everywhere('/mempool', ({ count }: { count: number }) => count === 1);

    const { pid } = log.find(({ worker, msg }) => worker === 2 && msg.startsWith('Listening'))!;
    process.kill(pid as number, 'SIGKILL');
    await until(() => listening() >= 3, 'another worker listens');
    await everywhere('/mempool/transactions', ([one]: { id: string }[]) => one?.id === body.tx_id);

    world.node.grow();
    await world.indexFollows();
    const tip = await eventually('the block', async () => {
      const { body: confirmed } = await ask(`/transaction/${body.tx_id}`);
      return confirmed.block_id ?? undefined;
    });
    assert.equal(tip, world.node.tip().id);
    await everywhere('/chain/tip', ({ block_id }: { block_id: string }) => block_id === tip);
    for (let i = 0; i < 6; i++) {
      const listed = await ask('/mempool/transactions?items=100');
      assert.ok(listed.body.every(({ id }: { id: string }) => id !== body.tx_id));
    }
  });
});
