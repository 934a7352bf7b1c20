/** Clients of the stream that are cut off at any moment and come back elsewhere: they end with what the index has. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../src/chain/address.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { simulatedHistory, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';
import { Wanderer } from './stream-clients.ts';

describe('clients of the stream that are cut off', () => {
  testOverSeeds(
    'stream clients that are disconnected end with the chain and the transactions of the index, whichever server they reconnect to',
    import.meta.url,
    async (seed, scope) => {
      const { steps, mainChain } = simulatedHistory({ network, blocks: 60, seed, reorganisationProbability: 0.4 });
      const takingPart = new TakingPart(network, mainChain);
      const owners = [...takingPart.ofAddress].sort((a, b) => b[1].length - a[1].length).slice(0, 3);
      const index = await TestIndex.create(scope, network);
      const servers = await Promise.all(
        [1, 2, 3].map(() => startTestWebServer(scope, { network, postgres: index.postgres })),
      );
      for (const server of servers) await seesTip(server, network.genesisId);
      const random = new Random(seed);
      const tip = `${mainChain.length}-${mainChain.at(-1)!.id}`;
      let isOver = false;
      let open: readonly TestServer[] = servers;
      const client = (query: string) =>
        new Wanderer({
          query,
          random,
          genesis: network.genesisId,
          next: () => open[random.below(open.length)]!.port,
          longestVisitMs: 40,
        });
      const whole = client('');
      const ofOwners = owners.map(([owner]) => {
        const address = destinationAddress(network, owner);
        return { address, wallet: client(`address=${address}&types=block,lag`) };
      });
      const everybody = [whole, ...ofOwners.map(({ wallet }) => wallet)];
      const writing = (async () => {
        for (const step of steps) {
          await take(index, step);
          await sleep(random.below(30));
        }
        // The same chain in another database, built anew: it has no branches that were left.
        const anew = await TestIndex.create(scope, network);
        await anew.follow(mainChain, 20);
        const server = await startTestWebServer(scope, { network, postgres: anew.postgres });
        for (const each of [...servers, server]) await seesTip(each, mainChain.at(-1)!.id);
        await Promise.all(servers.map((each) => each.json(`/block/${mainChain.at(-1)!.id}/header`)));
        isOver = true;
        await sleep(300);
        open = [server];
      })();
      await Promise.all([writing, ...everybody.map((each) => each.wander(() => (isOver ? tip : undefined)))]);
      const visits = everybody.map((each) => each.visits);
      assert.ok(
        visits.every((count) => count > 10),
        `${visits}`,
      );

      const chain = [network.genesisId, ...mainChain.map(({ id }) => id)];
      assert.deepEqual(whole.rebuilt.chain, chain);
      for (const { address, wallet } of ofOwners) {
        assert.deepEqual(wallet.rebuilt.chain, chain);
        const listed: string[] = (await servers[0]!.json(`/address/${address}`)).transaction_history;
        assert.deepEqual(wallet.rebuilt.confirmed, [...listed].sort());
      }
    },
  );
});
