/**
 * Wallets that know only what `/wallet/sync` told them, cut off, reorganised, with other servers in between: they always
 * equal the index of the server that answered last. `SEEDS=100` for so many seeds.
 */
import assert from 'node:assert/strict';
import type { Described, MintlayerCore, Operations } from '../../packages/client/src/index.ts';
import { RecentlyTouchedOwners } from '../../src/answers/recently-touched-owners.ts';
import { readWalletChanges, type WalletCursor } from '../../src/answers/wallet-changes.ts';
import { WALLET_CHANGES } from '../../src/api/present/wallet.ts';
import { responseProfileByName } from '../../src/api/response-profile/profile-by-name.ts';
import { destinationAddress, parseDestination } from '../../src/chain/address.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { drawReorganisation } from '../../src/devnet/sim/build-chain.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { ApiError } from '../../src/serving/errors/api-error.ts';
import type { QueryRunner } from '../../src/store/read/query.ts';
import { directStore } from '../support/direct-store.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { PendingWorld } from '../support/pending-world.ts';
import { testOverSeeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { type WalletServer, WanderingWallet } from './syncing-wallets.ts';

const STEPS = 30;
const FIRST_BLOCKS = 12;

testOverSeeds('a wallet that knows only what it was told always equals the index', async (seed, scope) => {
  const random = new Random(`wallets ${seed}`);
  const world = await PendingWorld.start(scope, { seed: `wallets ${seed}`, blocks: FIRST_BLOCKS, isQuiet: false });
  const { node, network, index } = world;
  // The same chain in another database, which is behind and follows other branches.
  const other = await TestIndex.create(scope, network);
  const otherFollows = follower(world, other);
  await otherFollows();
  const otherServer = await startTestWebServer(scope, { network, postgres: other.postgres });
  const limits = { transactions: 1 + random.below(4), transactionBytes: 4_000, outputs: 1 + random.below(5) };
  const small = smallServer(await directStore(scope, index.postgres), network, limits);

  const described: WalletServer[] = [
    { url: world.server.url, index },
    { url: otherServer.url, index: other },
    { url: 'http://small', index, fetch: small },
  ];
  const { rows } = await index.query<{ owner: string }>(
    `select owner from (select owner from outputs union all select owner from address_transactions) o
     group by owner order by count(*) desc, owner`,
  );
  const owners = rows.map(({ owner }) => owner).filter((owner) => owner !== '');
  const walletOf = <Api extends Operations>(some: readonly string[]) =>
    new WanderingWallet<Api>(
      some,
      some.map((owner) => destinationAddress(network, owner)),
      random,
    );
  const wallets = [owners.slice(0, 1), owners.slice(1, 4), owners.slice(0, 500)].map(walletOf<Described>);
  const coreWallet = walletOf<MintlayerCore>(owners.slice(0, 20));
  const seesTips = async () => {
    for (const { url, index: served, fetch: own } of [...described, { url: world.core.url, index }] as WalletServer[]) {
      if (own === undefined) await serverSees(url, served.applier.chain.blockId);
    }
  };

  for (let step = 0; step < STEPS; step++) {
    node.grow();
    const shape = random.chance(0.35) ? drawReorganisation(random, node.simulation.undoable) : null;
    if (shape !== null) node.reorganise(Math.min(shape.depth, 6), Math.min(shape.length, 8));
    await world.indexFollows();
    if (random.chance(0.4)) await otherFollows();
    await seesTips();
    for (const wallet of wallets) {
      if (random.chance(0.7)) await wallet.ask(described[random.below(described.length)]!, true);
    }
    if (random.chance(0.7)) await coreWallet.ask({ url: world.core.url, index }, true);
    if (step % 10 !== 9) continue;
    // What is pending, too.
    await world.agrees();
    for (const [wallet, server] of [
      ...wallets.map((each) => [each, world.server] as const),
      [coreWallet, world.core] as const,
    ]) {
      await wallet.ask({ url: server.url, index }, false);
      const lists = await Promise.all(wallet.addresses.map((address) => server.json(`/mempool/address/${address}`)));
      const pending = new Set(lists.flatMap(({ transactions }): string[] => transactions));
      assert.deepEqual(new Set(wallet.wallet.pending.map(({ id }) => id)), pending);
    }
  }
  const counts = [...wallets, coreWallet].map((wallet) => wallet.counts);
  const total = (name: keyof (typeof counts)[number]) => counts.reduce((sum, each) => sum + each[name], 0);
  for (const name of ['lost', 'rollbacks', 'beginnings', 'parts'] as const) {
    assert.ok(total(name) > 0, `${name}: ${JSON.stringify(counts)}`);
  }
});

/** Lets an index follow the node, whatever it had before. */
function follower({ node, network }: PendingWorld, index: TestIndex): () => Promise<void> {
  const ids = [network.genesisId];
  return async () => {
    let common = Math.min(ids.length - 1, node.tip().height);
    while (node.mainChainId(common) !== ids[common]) common--;
    const blocks = Array.from({ length: node.tip().height - common }, (_, i) =>
      identifyBlock(node.blockBytes(node.mainChainId(common + 1 + i)!)!),
    );
    if (common === ids.length - 1) await index.follow(blocks);
    else await index.reorganise(common, blocks);
    ids.splice(common + 1, Number.POSITIVE_INFINITY, ...blocks.map(({ id }) => id));
  };
}

/** A server whose answers have few entries, so that most come in parts. */
function smallServer(
  store: QueryRunner,
  network: PendingWorld['network'],
  limits: Parameters<typeof readWalletChanges>[5],
): typeof fetch {
  const touched = new RecentlyTouchedOwners();
  return async (_, init) => {
    const { addresses, cursor } = JSON.parse(String(init?.body)) as { addresses: string[]; cursor: SentCursor | null };
    const owners = addresses.map((address) => parseDestination(network, address));
    try {
      const changes = await readWalletChanges(store, network, owners, cursor && cursorOf(cursor), touched, limits);
      const nothing = { transactions: null, isComplete: false, unconfirmedAgain: [], dropped: [] };
      return new Response(
        WALLET_CHANGES.json(network, { profile: responseProfileByName('described'), changes, pending: nothing }),
      );
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      return new Response(error.body, { status: error.status });
    }
  };
}

interface SentCursor {
  readonly height: number;
  readonly block_id: string;
  readonly position?: number;
  readonly unspent_from?: string;
}

function cursorOf({ height, block_id: blockId, position, unspent_from }: SentCursor): WalletCursor {
  const [outputHeight, outputPosition, outputIndex] = unspent_from?.split('-').map(Number) ?? [];
  return {
    height,
    blockId,
    position: position ?? null,
    unspentFrom:
      outputHeight === undefined
        ? null
        : { height: outputHeight, position: outputPosition!, outputIndex: outputIndex! },
  };
}

async function serverSees(url: string, id: string): Promise<void> {
  const tip = async () => {
    const response = await fetch(`${url}/api/v2/chain/tip`);
    return ((await response.json()) as { block_id: string }).block_id === id;
  };
  await until(tip, 'the web server sees the tip');
}
