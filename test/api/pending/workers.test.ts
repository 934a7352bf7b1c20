/** Workers are whole servers, each with a mirror of its own; a submission is known to all before its success is told. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../../src/chain/address.ts';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { hash } from '../../../src/chain/hash.ts';
import type { Atoms, Destination, Outpoint, TxOutput } from '../../../src/chain/types.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { builtBefore, type Scope } from '../../support/file-scope.ts';
import { FEE_ATOMS, paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { RawClient } from '../../support/raw-http.ts';
import { type RunningWebServer, runWebServer } from '../../support/running-web-server.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { eventually, until } from '../../support/until.ts';
import { TestServer } from '../../support/web-server.ts';

/** A server with that many workers; each request has a connection of its own, which the workers get in turns. */
async function startWorkers(t: Scope, world: PendingWorld, number: number) {
  const running = await runWebServer(t, {
    network: 'regtest-pos',
    node: world.rpc.address,
    postgres: world.index.postgres,
    workers: number,
    args: ['--enable-post-routes'],
  });
  const server = await TestServer.on(new RawClient(running.port), { enablePostRoutes: true }, async () => {});
  const ask = (path: string) => server.get(path, { connection: 'close' });
  const submit = (body: string) =>
    server.request('/api/v2/transaction', { method: 'POST', body, headers: { connection: 'close' } });
  /** Until each of some requests in a row is answered like this. */
  const everywhere = async (path: string, check: (body: never) => boolean) => {
    let said = '';
    const isSo = async () => {
      const answers = await Promise.all(Array.from({ length: 2 * number }, () => ask(path)));
      said = answers.map(({ text }) => text).join('\n');
      return answers.every(({ status, body }) => status === 200 && check(body as never));
    };
    await until(isSo, `${path} of each worker`, { explain: () => said });
  };
  await everywhere('/mempool', () => true);
  return { running, ask, submit, everywhere };
}

type Workers = Awaited<ReturnType<typeof startWorkers>>;

// Nobody asks servers of this process.
const world = builtBefore((scope) => PendingWorld.start(scope, { isServed: false }));
const workers = builtBefore((scope) => startWorkers(scope, world(), 3));

const pidOf = ({ log }: RunningWebServer, worker: number) =>
  log.findLast((line) => line.worker === worker && line.msg.startsWith('Listening'))!.pid as number;

it('a web server with workers shows a submission in the very next response of each, also after a worker has ended', async () => {
  const { running, ask, submit, everywhere } = workers();
  const signed = paymentOf(world().node);
  const id = transactionId(signed.transaction);
  const { status, body } = await submit(encodeSignedTransaction(signed).toString('hex'));
  assert.deepEqual([status, body], [200, { tx_id: id }]);
  const answers = await Promise.all(Array.from({ length: 9 }, () => ask(`/transaction/${id}`)));
  for (const answer of answers) assert.deepEqual([answer.status, answer.body.block_id], [200, null]);
  for (let i = 0; i < 6; i++) assert.equal((await ask('/mempool')).body.count, 1);

  process.kill(pidOf(running, 2), 'SIGKILL');
  await until(() => running.listening() >= 4, 'another worker listens');
  await everywhere('/mempool/transactions', ([one]: { id: string }[]) => one?.id === id);

  world().node.grow();
  await world().indexFollows();
  const tip = await eventually('the block', async () => {
    const { body: confirmed } = await ask(`/transaction/${id}`);
    return confirmed.block_id ?? undefined;
  });
  assert.equal(tip, world().node.tip().id);
  await everywhere('/chain/tip', ({ block_id }: { block_id: string }) => block_id === tip);
  for (let i = 0; i < 6; i++) {
    const listed = await ask('/mempool/transactions?items=100');
    assert.ok(listed.body.every((each: { id: string }) => each.id !== id));
  }
});

const COINS = 8;

/** Pays the other wallets with what any worker says it can spend. */
class Wallet {
  readonly destination: Destination;
  readonly address: string;
  /** What its accepted transactions spend, by outpoint. */
  readonly spent = new Map<string, string>();
  readonly #publicKey: string;
  readonly #workers: Workers;
  readonly #random: Random;

  constructor(world: PendingWorld, workers: Workers, number: number, random: Random) {
    this.#publicKey = `0002${`0${number}`.repeat(32)}`;
    this.destination = `01${hash(Buffer.from(this.#publicKey, 'hex')).slice(0, 40)}`;
    this.address = destinationAddress(world.network, this.destination);
    this.#workers = workers;
    this.#random = random;
  }

  /** One payment, if there is something to spend. Throws when it is offered, or refused, what it has spent. */
  async pay(to: Destination): Promise<void> {
    const listed = await this.#workers.ask(`/address/${this.address}/spendable-utxos?pending=exclude`);
    if (listed.status === 503) return;
    assert.equal(listed.status, 200, listed.text);
    const coins = (listed.body as object[]).map(coinOf);
    for (const { key } of coins) {
      assert.ok(!this.spent.has(key), `${key} is offered, and spent by ${this.spent.get(key)}`);
    }
    const coin = coins[this.#random.below(Math.max(1, coins.length))];
    if (coin === undefined) return;
    const left = coin.amount - FEE_ATOMS;
    const outputs = [to, this.destination].map((destination): TxOutput => {
      return { type: 'Transfer', value: { type: 'Coin', amount: left / 2n }, destination };
    });
    const transaction = { flags: 0n, inputs: [{ type: 'Utxo', outpoint: coin.outpoint } as const], outputs };
    // Its form is what the simulated node verifies.
    const rawSignature = `${this.#publicKey}00${'11'.repeat(64)}`;
    const witness = { type: 'Standard', sighashType: 1, rawSignature } as const;
    const encoded = encodeSignedTransaction({ transaction, signatures: [witness] });
    const { status, text } = await this.#workers.submit(encoded.toString('hex'));
    if (status === 503) return;
    assert.equal(status, 200, `${coin.key}: ${text}`);
    this.spent.set(coin.key, transactionId(transaction));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an output as its schema says, which is checked
function coinOf({ outpoint: { source_id: sourceId, index }, utxo }: any) {
  const outpoint: Outpoint = { sourceType: 'Transaction', sourceId, index };
  const amount: Atoms = BigInt(utxo.value.amount.atoms);
  return { key: `${sourceId}:${index}`, outpoint, amount };
}

/** Somebody on the chain gives each wallet some coins, by a block that no reorganisation of the test takes back. */
async function fund(world: PendingWorld, wallets: readonly Wallet[]): Promise<void> {
  const signed = paymentOf(world.node);
  const [rest] = signed.transaction.outputs;
  assert.ok(rest?.type === 'Transfer' && rest.value.type === 'Coin');
  const amount = rest.value.amount / BigInt(COINS * wallets.length);
  const outputs = wallets.flatMap(({ destination }) =>
    Array.from({ length: COINS }, (): TxOutput => ({ ...rest, value: { type: 'Coin', amount }, destination })),
  );
  world.receive({ ...signed, transaction: { ...signed.transaction, outputs } });
  world.node.growTo(world.node.tip().height + 6);
  await world.indexFollows();
}

testOverSeeds('two wallets, workers and a reorganisation: nothing is spent twice', async (seed) => {
  const { node } = world();
  const random = new Random(seed);
  const wallets = [1, 2].map((number) => new Wallet(world(), workers(), number, random));
  await fund(world(), wallets);
  const deepest = (height: number) => Math.min(4, node.tip().height - height);
  const funded = node.tip().height;
  let isOver = false;
  const paying = wallets.map(async (wallet, i) => {
    while (!isOver) {
      await wallet.pay(wallets[1 - i]!.destination);
      await sleep(random.below(60));
    }
  });
  let reorganisations = 0;
  const living = (async () => {
    // How many of the rounds reorganise depends on the order in which wallets and chain draw their numbers, and how many
    // payments there are meanwhile on the machine.
    const isEnough = () => reorganisations > 4 && wallets.every(({ spent }) => spent.size > 10);
    for (let round = 0; round < 12 || (!isEnough() && round < 200); round++) {
      const depth = random.between(0, deepest(funded));
      if (depth === 0 || random.chance(0.4)) node.grow();
      else {
        reorganisations++;
        if (random.chance(0.3)) node.rewind(depth);
        // Into one block, after which others follow: the simulation would lose children of what a later block takes.
        else node.reorganise(depth, 1, { shared: 1 });
        for (let more = random.between(0, depth); more > 0; more--) node.grow();
      }
      await sleep(random.below(120));
      if (random.chance(0.8)) await world().indexFollows();
      await sleep(random.below(120));
    }
  })();
  await Promise.race([living, ...paying]);
  isOver = true;
  await Promise.all([living, ...paying]);

  const accepted = wallets.map(({ spent }) => spent.size);
  assert.ok(Math.min(...accepted) > 10 && reorganisations > 4, `${accepted}, ${reorganisations}`);
  await world().indexFollows();
  for (const id of wallets.flatMap(({ spent }) => [...spent.values()])) {
    await workers().everywhere(`/transaction/${id}`, () => true);
  }
});
