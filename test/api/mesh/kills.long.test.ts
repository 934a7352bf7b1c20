/** A client that knows the chain by `/events/blocks` alone, while programs are killed and the chain is reorganised. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeSettings } from '../../../bench/test-bed.ts';
import { regtestPos as network } from '../../../src/chain/networks/known-networks.ts';
import { SCANNER_PREFIX } from '../../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../../src/config/web-server.ts';
import { serveRpc } from '../../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../../src/devnet/sim/transaction-mix.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { SupervisedProgram } from '../../../src/processes/supervised-program.ts';
import { environmentVariables, postgresSettings } from '../../../src/up/stack.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';
import { eventually, until } from '../../support/until.ts';
import type { Json } from './mesh-client.ts';

const BLOCKS = 260;
const DEEP = 200;
const MIX = { ...MIX_PRESETS.dense, name: 'light', transactionsPerBlock: 4, setupTransactionsPerBlock: 15 };
const PATIENCE = { withinMs: 240_000, pauseMs: 50 };
const REMOVED = 6;

/** Asks until it is answered; null if the block that it asks for was removed. `failures` counts what was in vain. */
class PatientClient {
  failures = 0;
  readonly #base: string;

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}/mesh`;
  }

  ask(path: string, body: object): Promise<Json> {
    const request = { network_identifier: { blockchain: 'Mintlayer', network: network.name }, ...body };
    return eventually(path, () => this.#try(path, JSON.stringify(request)), PATIENCE);
  }

  async #try(path: string, body: string): Promise<Json> {
    try {
      const response = await fetch(this.#base + path, { method: 'POST', body });
      const answer: Json = await response.json();
      if (response.ok) return answer;
      if (answer.code === REMOVED) return null;
      assert.ok(answer.retriable, JSON.stringify(answer));
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
    this.failures++;
    return undefined;
  }
}

type Change = readonly [key: string, amount: bigint];

/** What moved on which account in a block. */
const changesIn = (block: Json): Change[] =>
  block.transactions
    .flatMap(({ operations }: Json) => operations)
    .filter(({ amount }: Json) => amount !== undefined)
    .map(({ account, amount }: Json) => [JSON.stringify([account, amount.currency]), BigInt(amount.value)]);

class Follower {
  readonly told: string[] = [];
  readonly sums = new Map<string, bigint>();
  /** The main chain. The changes are null where the block was removed before it was read. */
  readonly chain: { readonly hash: string; readonly changes: readonly Change[] | null }[] = [];
  isStopped = false;
  readonly #client: PatientClient;

  constructor(client: PatientClient) {
    this.#client = client;
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      const { events } = await this.#client.ask('/events/blocks', { offset: this.told.length, limit: 50 });
      for (const event of events) await this.#take(event);
      if (events.length === 0) await sleep(20);
    }
  }

  async #take({ sequence, type, block_identifier }: Json): Promise<void> {
    assert.equal(sequence, this.told.length, 'no event is left out or told twice');
    this.told.push(`${type} ${block_identifier.hash}`);
    if (type === 'block_removed') {
      const { hash, changes } = this.chain.pop()!;
      assert.deepEqual(block_identifier, { index: this.chain.length, hash });
      for (const [key, amount] of changes ?? []) this.#add(key, -amount);
      return;
    }
    const answer = await this.#client.ask('/block', { block_identifier: { hash: block_identifier.hash } });
    const block = answer?.block;
    assert.equal(block_identifier.index, this.chain.length);
    if (block && this.chain.length > 0) assert.equal(block.parent_block_identifier.hash, this.chain.at(-1)!.hash);
    const changes = block ? changesIn(block) : null;
    this.chain.push({ hash: block_identifier.hash, changes });
    for (const [key, amount] of changes ?? []) this.#add(key, amount);
  }

  #add(key: string, amount: bigint): void {
    this.sums.set(key, (this.sums.get(key) ?? 0n) + amount);
  }
}

const stack = builtBefore(async (scope) => {
  const node = await SimulatedNode.open({ network, seed: 'kills', mix: MIX });
  node.growTo(BLOCKS);
  const rpc = await serveRpc(node);
  scope.after(() => rpc.close());
  const postgres = await testDatabase(scope);
  const port = await freePort();
  const settings = { network: network.name, ...nodeSettings(rpc.address), ...postgresSettings(postgres) };
  const log: string[] = [];
  const program = (name: string, env: Readonly<Record<string, string | undefined>>) => {
    const started = new SupervisedProgram({
      name,
      file: fileURLToPath(new URL(`../../../bin/${name}.ts`, import.meta.url)),
      args: [],
      env: { ...process.env, ...env },
      onLine: (_, line) => log.push(line),
      pauses: { firstMs: 50, maxMs: 500 },
    });
    scope.after(() => started.stop());
    started.start();
    return started;
  };
  const serving = { ...settings, 'bind-address': `127.0.0.1:${port}`, mesh: 'on' };
  return {
    node,
    log,
    client: new PatientClient(port),
    scanner: program('scanner', environmentVariables(SCANNER_PREFIX, settings)),
    server: program('web-server', environmentVariables(WEB_SERVER_PREFIX, serving)),
  };
});

it('who follows the events has every block in its order and the right balances, through kills and a reorganisation of 200 blocks', async () => {
  const { node, client, scanner, server, log } = stack();
  const follower = new Follower(client);
  const following = follower.run();
  const follows = () =>
    Promise.race([
      following,
      until(() => follower.chain.at(-1)?.hash === node.tip().id, 'the client has the tip', {
        ...PATIENCE,
        explain: () => log.slice(-20).join('\n'),
      }),
    ]);
  const kill = async (program: SupervisedProgram) =>
    process.kill(await eventually('a process', () => program.pid, PATIENCE), 'SIGKILL');
  const grow = () => node.growTo(node.tip().height + 3);

  await follows();
  for (const program of [server, scanner]) {
    grow();
    await kill(program);
    grow();
    await follows();
  }
  // The last ones while the scanner replaces the branch.
  for (const [i, pauseMs] of [0, 50, 200, 500].entries()) {
    node.reorganise(DEEP, DEEP + 1 + i);
    await sleep(pauseMs);
    await kill(scanner);
    if (i % 2 === 0) await kill(server);
    grow();
    await follows();
  }
  follower.isStopped = true;
  await following;

  assert.ok(client.failures > 0, 'the client noticed that programs were away');
  assert.ok(follower.told.filter((event) => event.startsWith('block_removed')).length >= DEEP);
  assert.ok(follower.chain.every(({ changes }) => changes !== null));
  const { max_sequence, events } = await client.ask('/events/blocks', { offset: 0 });
  assert.equal(max_sequence, follower.told.length - 1);
  const first = events.map(({ type, block_identifier }: Json) => `${type} ${block_identifier.hash}`);
  assert.deepEqual(first, follower.told.slice(0, first.length));
  const wrong: string[] = [];
  // Others were only in removed blocks.
  const keys = new Set(follower.chain.flatMap(({ changes }) => changes!.map(([key]) => key)));
  for (const [key, sum] of follower.sums) {
    if (!keys.has(key)) assert.equal(sum, 0n, key);
    const [account_identifier, currency] = JSON.parse(key);
    const { balances } = await client.ask('/account/balance', { account_identifier, currencies: [currency] });
    if (balances[0].value !== `${sum}`) wrong.push(`${key}: ${balances[0].value}, but the operations sum up to ${sum}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(follower.sums.size > 200, `${follower.sums.size} balances`);
});
