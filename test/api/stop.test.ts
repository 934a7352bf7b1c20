/** A web server that is told to stop: clients on connections that were kept alive lose nothing. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtBefore } from '../support/file-scope.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { runWebServer } from '../support/running-web-server.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';

const index = builtBefore(async (scope) => {
  const made = await TestIndex.create(scope, SIMULATED_NETWORK);
  await made.followBytes(lightChain(20, 12).map(({ bytes }) => bytes));
  return made;
});

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
}

/** A client with one connection, which asks every 50 ms until its connection is not kept, and once more. */
class Client {
  answered = 0;
  /** The failure of a request on a connection that was to be kept alive. */
  lost: Error | null = null;
  last: Answer | null = null;
  readonly done: Promise<void>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    this.done = this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      try {
        this.last = await this.#ask();
        this.answered++;
        if (this.last.connection === 'close') return;
      } catch (error) {
        this.lost = error as Error;
        return;
      }
      await sleep(50);
    }
  }

  #ask(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Half of them from the cache.
      const path = this.answered % 2 === 0 ? '/api/v2/chain/tip' : `/api/v2/chain/${this.answered % 20}`;
      get({ port: this.#port, host: '127.0.0.1', path, agent: this.#agent }, (response) => {
        response.resume();
        response.once('end', () =>
          resolve({ status: response.statusCode!, connection: response.headers.connection?.toLowerCase() }),
        );
      }).once('error', reject);
    });
  }
}

for (const [workers, delay] of [
  [1, 0],
  [1, 1],
  [2, 0],
] as const) {
  it(`after SIGTERM each response ends its connection, and no request on a kept connection is lost (${workers} workers, a delay of ${delay} s)`, async (t) => {
    const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
    const server = await runWebServer(t, {
      network: 'regtest-pos',
      node: node.address,
      postgres: index().postgres,
      workers,
      args: ['--shutdown-delay', String(delay)],
    });
    const clients = Array.from({ length: 16 }, () => new Client(server.port));
    await until(() => clients.every(({ answered }) => answered >= 3), 'three answers for each');
    const ended = server.stop();
    await Promise.all(clients.map(({ done }) => done));
    for (const { lost, last } of clients) {
      assert.equal(lost, null, `lost: ${lost?.message}`);
      assert.deepEqual(last, { status: 200, connection: 'close' });
    }
    assert.equal(await ended, 0);
  });
}
