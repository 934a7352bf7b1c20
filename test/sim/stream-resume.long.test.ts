/** Clients of the stream that are cut off at any moment and come back elsewhere: they end with what the index has. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../src/chain/address.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { simulatedHistory, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';
import { Wanderer } from './stream-clients.ts';

testOverSeeds(
  'stream clients that are disconnected end with the chain and the transactions of the index, whichever server they reconnect to',
  async (seed, scope) => {
    const { steps, mainChain } = simulatedHistory({ network, blocks: 60, seed, reorganisationProbability: 0.4 });
    const takingPart = new TakingPart(network, mainChain);
    const owners = [...takingPart.ofAddress].sort((a, b) => b[1].length - a[1].length).slice(0, 8);
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
    const addresses = owners.map(([owner]) => destinationAddress(network, owner));
    const ofOwners = addresses.slice(0, 3).map((address) => {
      return { address, wallet: client(`address=${address}&types=block,lag`) };
    });
    // It knows ids of blocks that touch them, and of reorganisations, but no others.
    const ofAll = client(addresses.map((address) => `address=${address}`).join('&'));
    const everybody = [whole, ofAll, ...ofOwners.map(({ wallet }) => wallet)];
    const writing = (async () => {
      for (const step of steps) {
        await take(index, step);
        await sleep(random.below(30));
      }
      // The same chain in another database, built anew: it has no removed branches.
      const anew = await TestIndex.create(scope, network);
      await anew.follow(mainChain, 20);
      const server = await startTestWebServer(scope, { network, postgres: anew.postgres });
      for (const each of [...servers, server]) await seesTip(each, mainChain.at(-1)!.id);
      await Promise.all(servers.map((each) => each.json(`/block/${mainChain.at(-1)!.id}/header`)));
      // Who knows a block that only the old database knew to be left would be told of a gap.
      const main = new Set(mainChain.map(({ id }, i) => `${i + 1}-${id}`).concat(`0-${network.genesisId}`));
      await until(() => everybody.every(({ lastEventId }) => main.has(lastEventId)), 'the main chain');
      open = [server];
      isOver = true;
    })();
    await Promise.all([writing, ...everybody.map((each) => each.wander(() => (isOver ? tip : undefined)))]);
    const visits = everybody.map((each) => each.visits);
    const areVisited = visits.every((count) => count > 10);
    assert.ok(areVisited, `${visits}`);

    const chain = [network.genesisId, ...mainChain.map(({ id }) => id)];
    assert.deepEqual(whole.rebuilt.chain, chain);
    for (const { address, wallet } of ofOwners) {
      assert.deepEqual(wallet.rebuilt.chain, chain);
      const listed: string[] = (await servers[0]!.json(`/address/${address}`)).transaction_history;
      assert.deepEqual(wallet.rebuilt.confirmed, [...listed].sort());
    }
    const lists = await Promise.all(addresses.map((address) => servers[0]!.json(`/address/${address}`)));
    const listed = new Set(lists.flatMap(({ transaction_history: ids }): string[] => ids));
    assert.deepEqual(ofAll.rebuilt.confirmed, [...listed].sort());
  },
);
