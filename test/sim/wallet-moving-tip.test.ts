/** Wallets that ask all the time while branches come and go: what each knows is always what some tip has, and all of that. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Wallet } from '../../packages/client/src/index.ts';
import { destinationAddress } from '../../src/chain/address.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { simulatedHistory, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

/** What a wallet knows, as a text that is equal for equal knowledge. */
function knowledgeOf({ outputs, balances }: Wallet): string {
  const keys = outputs.map(({ outpoint, block_height }) => `${outpoint.source_id} ${outpoint.index} ${block_height}`);
  return JSON.stringify([keys.sort(), balances]);
}

testOverSeeds(
  'a wallet knows all of one tip and nothing of another while branches come and go',
  async (seed, scope) => {
    const { steps, mainChain } = simulatedHistory({ network, blocks: 16, seed, reorganisationProbability: 0.4 });
    const owners = [...new TakingPart(network, mainChain).ofAddress.keys()];
    const addresses = owners.slice(0, 60).map((owner) => destinationAddress(network, owner));
    // First in quiet: what each tip has.
    const quiet = await TestIndex.create(scope, network);
    const quietServer = await startTestWebServer(scope, { network, postgres: quiet.postgres });
    const known = new Map<string, string>();
    const remember = async (id: string) => {
      await seesTip(quietServer, id);
      const wallet = new Client(quietServer.url).wallet(addresses);
      await wallet.sync();
      assert.equal(wallet.position?.block_id, id);
      known.set(id, knowledgeOf(wallet));
    };
    await remember(network.genesisId);
    for (const step of steps) {
      await take(quiet, step);
      await remember(step.blocks.at(-1)!.id);
    }
    // Then with wallets that ask all the time.
    const index = await TestIndex.create(scope, network);
    const server = await startTestWebServer(scope, { network, postgres: index.postgres });
    await seesTip(server, network.genesisId);
    let isOver = false;
    let asked = 0;
    const client = new Client(server.url, { retries: 50, maxPauseMs: 2_000 });
    const ask = async (): Promise<void> => {
      const wallet = client.wallet(addresses);
      for (let isLast = false; !isLast; ) {
        isLast = isOver;
        await wallet.sync();
        assert.equal(knowledgeOf(wallet), known.get(wallet.position!.block_id), `at ${wallet.position!.height}`);
        asked++;
      }
      assert.equal(wallet.position?.block_id, mainChain.at(-1)!.id);
    };
    const asking = Promise.all([ask(), ask(), ask()]);
    const writing = (async () => {
      for (const step of steps) {
        const enough = asked + 3;
        while (asked < enough && !isOver) await sleep(1);
        await take(index, step);
      }
      await seesTip(server, mainChain.at(-1)!.id);
    })();
    await Promise.race([writing, asking]).finally(() => {
      isOver = true;
    });
    await Promise.all([writing, asking]);
    assert.ok(asked > 3 * steps.length, `${asked}`);
  },
);
