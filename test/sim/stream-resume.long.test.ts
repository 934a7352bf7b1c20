/** Clients of the stream that are cut off at any moment and come back elsewhere: they end with what the index has. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../src/chain/address.ts';
import type { Id } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { EventStream, type StreamEvent } from '../support/event-stream.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { TestIndex } from '../support/test-index.ts';
import { eventually } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { simulatedHistory, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

/** What a client makes of events: of blocks the chain, of activities the transactions of each block. */
class Rebuilt {
  readonly chain: Id[];
  readonly activity = new Map<Id, Set<Id>>();

  constructor(genesis: Id) {
    this.chain = [genesis];
  }

  take({ name, data: { content } }: StreamEvent): void {
    switch (name) {
      case 'block':
        // A block that was told before comes again, never another one in its place.
        assert.ok(content.height <= this.chain.length, `${content.height} after ${this.chain.length - 1}`);
        if (content.height < this.chain.length) assert.equal(this.chain[content.height], content.block_id);
        this.chain[content.height] = content.block_id;
        return;
      case 'reorg': {
        const { common_ancestor_height: ancestor, removed_block_ids: removed } = content;
        if (this.chain.length > 1)
          assert.deepEqual(this.chain.slice(ancestor + 1), removed.slice(0, this.chain.length - ancestor - 1));
        this.chain.length = Math.min(this.chain.length, ancestor + 1);
        for (const id of removed) this.activity.delete(id);
        return;
      }
      case 'activity': {
        const known = this.activity.get(content.block_id) ?? new Set();
        if (content.tx_id !== null) known.add(content.tx_id);
        this.activity.set(content.block_id, known);
        return;
      }
      default:
        assert.fail(`there was a ${name}`);
    }
  }
}

/** Listens, is cut off at random moments and goes on at a random server, until it was told of the tip. */
async function wander(options: {
  readonly servers: () => readonly TestServer[];
  readonly query: string;
  readonly random: Random;
  readonly rebuilt: Rebuilt;
  readonly isOver: () => boolean;
  readonly tip: string;
}): Promise<number> {
  const { servers, query, random, rebuilt, isOver, tip } = options;
  let lastEventId: string | undefined = `0-${network.genesisId}`;
  for (let visits = 1; ; visits++) {
    const server = servers()[random.below(servers().length)]!;
    const stream = await EventStream.open({ port: server.port, query, lastEventId });
    if (stream.status !== 200) {
      stream.close();
      await sleep(20);
      continue;
    }
    if (isOver()) {
      await eventually('the tip', () => (stream.lastEventId === tip ? true : undefined), {
        explain: () => `${query} at ${stream.lastEventId}: ${stream.text.slice(-1_500)}`,
      });
    } else await sleep(random.below(40));
    stream.close();
    for (const event of stream.events) rebuilt.take(event);
    lastEventId = stream.lastEventId;
    if (isOver() && lastEventId === tip) return visits;
  }
}

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
      const common = { servers: () => open, random, isOver: () => isOver, tip };

      const whole = new Rebuilt(network.genesisId);
      const ofOwners = owners.map(([owner, ids]) => ({
        address: destinationAddress(network, owner),
        ids,
        rebuilt: new Rebuilt(network.genesisId),
      }));
      const everybody = [
        wander({ ...common, query: '', rebuilt: whole }),
        ...ofOwners.map(({ address, rebuilt }) =>
          wander({ ...common, query: `address=${address}&types=block`, rebuilt }),
        ),
      ];
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
      const [, ...visits] = await Promise.all([writing, ...everybody]);
      assert.ok(
        visits.every((count) => count > 10),
        `${visits}`,
      );

      const chain = [network.genesisId, ...mainChain.map(({ id }) => id)];
      assert.deepEqual(whole.chain, chain);
      for (const { address, rebuilt } of ofOwners) {
        assert.deepEqual(rebuilt.chain, chain);
        const told = new Set([...rebuilt.activity.values()].flatMap((ids) => [...ids]));
        const listed: string[] = (await servers[0]!.json(`/address/${address}`)).transaction_history;
        assert.deepEqual([...told].sort(), [...listed].sort());
      }
    },
  );
});
