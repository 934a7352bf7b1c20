/**
 * The lists and look-ups over simulated chains, in both profiles, against a naive model: values, order, and the same entries
 * with pages of every size.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { decimalText } from '../../../src/chain/amount.ts';
import { effectiveStake } from '../../../src/chain/effective-stake.ts';
import type { Destination, IdentifiedBlock } from '../../../src/chain/types.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory, take } from '../../sim/history.ts';
import { type NaiveBlock, NaiveFacts } from '../../sim/naive-facts.ts';
import { TakingPart, tokenIds } from '../../sim/naive-lists.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/test-index.ts';
import { startTestWebServer, type TestServer } from '../../support/web-server.ts';

const BLOCKS = 90;
const OPTIONS = { network, seed: 'beyond', mix: MONTHS };
const scope = fileScope();

let facts: NaiveFacts;
let taking: TakingPart;
let servers: readonly TestServer[];
/** What the reorganisations removed and brought, oldest first. */
const reorganisations: { ancestor: number; removed: string[]; added: string[] }[] = [];

before(async () => {
  const history = simulatedHistory({ ...OPTIONS, blocks: BLOCKS, reorganisationProbability: 0.1 });
  const index = await TestIndex.create(scope, network);
  let mainChain: IdentifiedBlock[] = [];
  for (const step of history.steps) {
    if (step.ancestor < mainChain.length) {
      const removed = mainChain.slice(step.ancestor).map(({ id }) => id);
      reorganisations.push({ ancestor: step.ancestor, removed, added: step.blocks.map(({ id }) => id) });
    }
    await take(index, step);
    mainChain = [...mainChain.slice(0, step.ancestor), ...step.blocks];
  }
  facts = new NaiveFacts(OPTIONS, mainChain);
  taking = new TakingPart(network, mainChain);
  const common = { network, postgres: index.postgres };
  servers = [
    await startTestWebServer(scope, common),
    await startTestWebServer(scope, { ...common, contract: 'mintlayer-core' }),
  ];
});

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;

/** The entries of a list in both profiles, which are the same whatever the size of the pages. */
async function listed(path: string): Promise<Json[]> {
  const mark = path.includes('?') ? '&' : '?';
  const [described, core] = servers as [TestServer, TestServer];
  const whole = (await described.pages(`${path}${mark}items=100`)).flat();
  const sizes = whole.length <= 12 ? [1, 2, 3, 5] : [7, 13];
  for (const size of sizes) {
    const pages = await described.pages(`${path}${mark}items=${size}`);
    assert.deepEqual(pages.flat(), whole, `${path} in pages of ${size}`);
    assert.ok(pages.slice(0, -1).every((page) => page.length === size));
  }
  assert.deepEqual((await core.pages(`${path}${mark}items=50`)).flat(), whole, `${path} in the other profile`);
  return whole;
}

/** What both profiles answer. */
async function got(path: string): Promise<Json> {
  const [described, core] = servers as [TestServer, TestServer];
  const answer = await described.json(path);
  assert.deepEqual(await core.json(path), answer, path);
  return answer;
}

async function error(path: string): Promise<[status: number, message: string]> {
  const [described, core] = servers as [TestServer, TestServer];
  const { status, body } = await described.get(path);
  const other = await core.get(path);
  assert.deepEqual([other.status, other.body], [status, body], path);
  return [status, body.error];
}

const newestFirst = <T>(oldestFirst: readonly T[]): T[] => oldestFirst.toReversed();
const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
const coins = (atoms: bigint) => ({ atoms: `${atoms}`, decimal: decimalText(atoms, network.coinDecimals) });
const timeOf = (height: number) => facts.blocks[height - 1]!.timestamp;
const createdAt = (height: number) => ({ height, timestamp: timeOf(height) });
const UNKNOWN = 'ab'.repeat(32);

function shown(block: NaiveBlock): Json {
  return {
    height: block.height,
    block_id: block.id,
    timestamp: block.timestamp,
    transaction_count: block.transactionIds.length,
    kinds: block.kinds,
    size: block.size,
    fees: coins(block.fees),
    staker_reward: coins(block.stakerReward),
    delegations_reward: coins(block.delegationsReward),
    pool_id: poolAddress(network, block.poolId),
  };
}

/** The ticker and decimals of a token or NFT. */
function labelOf(tokenId: string): { ticker: string; decimals: number } {
  const decimals = facts.world.tokens.get(tokenId)?.issuance.numberOfDecimals ?? 0;
  return { ticker: taking.tickers.get(tokenId)!, decimals };
}

describe('blocks', () => {
  it('are listed newest first with what is in them', async () => {
    assert.deepEqual(await listed('/block'), newestFirst(facts.blocks).map(shown));
  });

  it('are listed for each pool', async () => {
    for (const poolId of new Set(facts.blocks.map((block) => block.poolId))) {
      const made = facts.blocks.filter((block) => block.poolId === poolId);
      const path = `/pool/${poolAddress(network, poolId)}/blocks`;
      assert.deepEqual(await listed(path), newestFirst(made).map(shown));
    }
    assert.deepEqual(await error(`/pool/${poolAddress(network, UNKNOWN)}/blocks`), [404, 'Stake pool not found']);
    assert.deepEqual(await error('/pool/nonsense/blocks'), [400, 'Invalid pool Id']);
  });

  it('are found by time: the highest with a timestamp of at most that', async () => {
    for (const { timestamp } of facts.blocks) {
      for (const time of [timestamp - 1, timestamp, timestamp + 1]) {
        const last = facts.blocks.findLast((block) => block.timestamp <= time);
        const { height, block_id } = await got(`/chain/at?time=${time}`);
        assert.equal(height, last?.height ?? 0, `at ${time}`);
        assert.equal(block_id, last?.id ?? network.genesisId);
      }
    }
    assert.equal((await got(`/chain/at?time=${2n ** 63n - 1n}`)).height, facts.blocks.length);
    assert.deepEqual(await error('/chain/at?time=0'), [404, 'No block found at supplied time']);
    const prefix = 'Failed to deserialize query string:';
    assert.deepEqual(await error('/chain/at'), [400, `${prefix} missing field \`time\``]);
    assert.deepEqual(await error('/chain/at?time=x'), [400, `${prefix} invalid digit found in string`]);
  });

  it('that reorganisations removed and brought are listed, the newest reorganisation first', async () => {
    assert.ok(reorganisations.length > 3);
    const entries = await listed('/chain/reorganisations');
    assert.deepEqual(
      entries.map(({ ancestor_height, removed, added }) => ({
        ancestor: ancestor_height,
        removed: removed.map(({ block_id }: Json) => block_id),
        added: added.map(({ block_id }: Json) => block_id),
      })),
      newestFirst(reorganisations),
    );
    for (const { ancestor_height, removed, added, seen_at } of entries) {
      assert.ok(Math.abs(seen_at - Date.now() / 1_000) < 600);
      for (const [i, { height, pool_id }] of removed.entries()) {
        assert.equal(height, ancestor_height + 1 + i);
        assert.match(pool_id, new RegExp(`^${network.prefixes.poolId}1`));
      }
      assert.equal(added[0].height, ancestor_height + 1);
    }
  });

  it('refuse an offset, and cursors of other lists', async () => {
    const { next_cursor } = await got('/block?items=1');
    const [a, b] = facts.blocks.map(({ poolId }) => poolId);
    const other = await got(`/pool/${poolAddress(network, a!)}/blocks?items=1`);
    for (const path of ['/nft', '/chain/reorganisations', `/pool/${poolAddress(network, b!)}/blocks`]) {
      assert.deepEqual(await error(`${path}?cursor=${next_cursor}`), [400, 'Invalid cursor'], path);
    }
    if (other.next_cursor !== null) {
      assert.deepEqual(await error(`/block?cursor=${other.next_cursor}`), [400, 'Invalid cursor']);
    }
    for (const path of ['/block', '/nft', '/chain/reorganisations']) {
      assert.deepEqual(await error(`${path}?offset=1`), [400, 'Invalid offset: this list is paged by cursor']);
      assert.deepEqual(await error(`${path}?items=101`), [400, 'Invalid number of items']);
    }
  });
});

describe('pools', () => {
  it('are listed in every order with all that is known of them', async () => {
    const { world, blocks } = facts;
    const live = [...world.pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n).sort(byId);
    const stakeOf = ({ stakerBalance, delegationsBalance }: (typeof live)[number]) =>
      effectiveStake(network.finalSupply, stakerBalance, delegationsBalance);
    const all = live.reduce((sum, pool) => sum + stakeOf(pool), 0n);
    const expected = live.map((pool) => {
      const month = facts.window(pool.id, 720);
      const rate = month.reduce((sum, block) => sum + block.rate, 0n);
      const stake = stakeOf(pool);
      const isWithout = rate === 0n && pool.delegationsBalance === 0n;
      return {
        pool,
        month: month.length,
        rate: isWithout ? -1n : rate,
        shown: {
          delegation_count: pool.delegations.filter(({ balance }) => balance > 0n).length,
          total_stake: coins(pool.stakerBalance + pool.delegationsBalance),
          effective_stake: coins(stake),
          stake_share: decimalText((stake * 10n ** 9n) / all, 9),
          blocks: {
            day: facts.window(pool.id, 24).length,
            month: month.length,
            total: blocks.filter(({ poolId }) => poolId === pool.id).length,
          },
          expected_blocks_month: decimalText((stake * 21_600n * 1_000n) / all, 3),
          apy_month: isWithout ? null : decimalText((rate * 8_760n) / 720n / 10n ** 12n, 6),
        },
      };
    });
    const keys: Record<string, (entry: (typeof expected)[number]) => bigint> = {
      by_height: ({ pool }) => -BigInt(pool.creationHeight),
      by_pledge: ({ pool }) => -pool.stakerBalance,
      by_stake: ({ pool }) => -(pool.stakerBalance + pool.delegationsBalance),
      by_blocks: ({ month }) => -BigInt(month),
      by_margin: ({ pool }) => BigInt(pool.marginRatioPerThousand),
      by_apy: ({ rate }) => -rate,
    };
    for (const [sort, key] of Object.entries(keys)) {
      const sorted = expected.toSorted((a, b) => Number(key(a) - key(b)) || byId(a.pool, b.pool));
      const entries = await listed(`/pool?sort=${sort}&expand=true`);
      assert.deepEqual(
        entries.map(({ pool_id }) => pool_id),
        sorted.map(({ pool }) => poolAddress(network, pool.id)),
        sort,
      );
      for (const [i, { shown: fields, pool }] of sorted.entries()) {
        const entry = entries[i];
        assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, entry[name]])), fields);
        assert.equal(entry.created.height, pool.creationHeight);
        if (pool.creationHeight > 0) assert.equal(entry.created.timestamp, timeOf(pool.creationHeight));
        const { pool_id, staker_balance, cost_per_block } = entry;
        const plain = await got(`/pool/${pool_id}`);
        assert.deepEqual({ ...entry, ...plain }, entry, 'everything of the plain entry is there');
        assert.ok(staker_balance && cost_per_block);
      }
      // Without `expand` the same pools in the same order; an offset skips as many.
      const plain = await listed(`/pool?sort=${sort}`);
      assert.deepEqual(
        plain.map((entry) => Object.keys(entry).length),
        plain.map(() => 7),
      );
      assert.deepEqual(
        plain.map(({ pool_id }) => pool_id),
        entries.map(({ pool_id }) => pool_id),
      );
      assert.deepEqual(await got(`/pool?sort=${sort}&expand=true&offset=2&items=3`), entries.slice(2, 5));
    }
    assert.ok(expected.some(({ rate }) => rate < 0n) && expected.some(({ rate }) => rate > 0n));
    assert.deepEqual(await error('/pool?expand=yes'), [400, 'Invalid expand: `true` or `false` is expected']);
    assert.deepEqual(await error('/pool?sort=by_name'), [400, 'Invalid pools sort order']);
  });

  it('are listed for who may decommission them', async () => {
    const live = [...facts.world.pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
    const owners = new Set(live.map(({ decommissionKey }) => decommissionKey));
    assert.ok(owners.size > 1);
    for (const owner of owners) {
      const own = live
        .filter(({ decommissionKey }) => decommissionKey === owner)
        .sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
      const entries = await listed(`/address/${destinationAddress(network, owner)}/pools`);
      assert.deepEqual(
        entries.map(({ pool_id, creation_block_height }) => [pool_id, creation_block_height]),
        own.map(({ id, creationHeight }) => [poolAddress(network, id), creationHeight]),
      );
    }
  });
});

describe('tokens and NFTs', () => {
  it('are listed with all that is known of them, all and by ticker', async () => {
    const { world } = facts;
    const holders = facts.holders();
    const entries = await listed('/token?expand=true');
    assert.deepEqual(
      entries.map(({ token_id }) => token_id),
      tokenIds(world).map((id) => tokenAddress(network, id)),
    );
    for (const [i, id] of tokenIds(world).entries()) {
      const token = world.tokens.get(id);
      const held = holders.get(id)?.size ?? 0;
      if (token !== undefined) {
        const { numberOfDecimals: decimals } = token.issuance;
        const supply = token.minted - token.burned;
        assert.deepEqual(entries[i], {
          token_id: tokenAddress(network, id),
          type: 'fungible',
          ...labelOf(id),
          name: null,
          circulating_supply: { atoms: `${supply}`, decimal: decimalText(supply, decimals) },
          holders: held,
          authority: destinationAddress(network, token.authority),
          created: createdAt(token.creationHeight),
        });
      } else {
        const { owner } = facts.nftOwners.get(id)!.at(-1)!;
        const { circulating_supply, ...entry } = entries[i];
        assert.deepEqual(entry, {
          token_id: tokenAddress(network, id),
          type: 'nft',
          ...labelOf(id),
          name: facts.names.get(id),
          holders: held,
          owner: owner && destinationAddress(network, owner),
          created: createdAt(world.nfts.get(id)!.creationHeight),
        });
        assert.match(circulating_supply.atoms, /^[01]$/);
      }
    }
    const withA = entries.filter(({ ticker }) => ticker.toLowerCase().includes('a'));
    assert.ok(withA.length > 0);
    assert.deepEqual(await listed('/token/ticker/A?expand=true'), withA);
    assert.deepEqual(await got('/token?expand=true&offset=1&items=2'), entries.slice(1, 3));
    assert.deepEqual(await error('/token?expand='), [400, 'Invalid expand: `true` or `false` is expected']);
    assert.deepEqual(await error('/token/ticker/a?expand=1'), [400, 'Invalid expand: `true` or `false` is expected']);
  });

  it('NFTs are listed youngest first, all and those of an address', async () => {
    const { world, nftOwners } = facts;
    const youngest = [...world.nfts.values()].sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
    const ownerOf = (id: string) => nftOwners.get(id)!.at(-1)!.owner;
    const entries = await listed('/nft');
    assert.deepEqual(
      entries.map(({ token_id, owner, created, name, ticker }) => ({ token_id, owner, created, name, ticker })),
      youngest.map(({ id, creationHeight }) => {
        const owner = ownerOf(id);
        return {
          token_id: tokenAddress(network, id),
          owner: owner && destinationAddress(network, owner),
          created: createdAt(creationHeight),
          name: facts.names.get(id),
          ticker: taking.tickers.get(id),
        };
      }),
    );
    for (const entry of entries.slice(0, 5)) {
      const single = await servers[0]!.json(`/nft/${entry.token_id}`);
      assert.deepEqual({ ...entry, ...single }, entry, 'as the NFT itself says');
    }
    for (const owner of new Set(youngest.map(({ id }) => ownerOf(id)))) {
      if (owner === null) continue;
      const own = await listed(`/address/${destinationAddress(network, owner)}/nfts`);
      assert.deepEqual(
        own,
        entries.filter((entry) => entry.owner === destinationAddress(network, owner)),
      );
    }
  });

  it('the owners of an NFT are listed newest first, with the transactions that made them so', async () => {
    for (const [id, owners] of facts.nftOwners) {
      const entries = await listed(`/nft/${tokenAddress(network, id)}/owners`);
      assert.deepEqual(
        entries.map(({ tx_id, owner }) => ({ tx_id, owner })),
        newestFirst(owners).map(({ transactionId, owner }) => ({
          tx_id: transactionId,
          owner: owner && destinationAddress(network, owner),
        })),
      );
      const { tx_id, tx_global_index, block_id, height, timestamp } = entries[0];
      const transaction = await servers[0]!.json(`/transaction/${tx_id}`);
      assert.deepEqual(
        [transaction.tx_global_index, transaction.block_id, transaction.timestamp],
        [tx_global_index, block_id, timestamp],
      );
      assert.equal(facts.blocks[height - 1]!.id, block_id);
    }
    assert.deepEqual(await error(`/nft/${tokenAddress(network, UNKNOWN)}/owners`), [404, 'NFT not found']);
    assert.deepEqual(await error('/nft/x/owners'), [400, 'Invalid NFT Id']);
  });
});

describe('orders', () => {
  it('are listed for who may conclude them, the currencies with ticker and decimals', async () => {
    const orders = [...facts.world.orders.values()].filter(({ isConcluded }) => !isConcluded);
    const owners = new Set(orders.map(({ concludeKey }) => concludeKey));
    assert.ok(owners.size > 0);
    let labels = 0;
    for (const owner of owners) {
      const own = orders
        .filter(({ concludeKey }) => concludeKey === owner)
        .sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
      const entries = await listed(`/address/${destinationAddress(network, owner)}/orders`);
      assert.deepEqual(
        entries.map(({ order_id, creation_block_height, is_frozen }) => [order_id, creation_block_height, is_frozen]),
        own.map(({ id, creationHeight, isFrozen }) => [orderAddress(network, id), creationHeight, isFrozen]),
      );
      for (const entry of entries) {
        const plain = await got(`/order/${entry.order_id}`);
        const { give_currency, ask_currency } = entry;
        assert.deepEqual({ ...entry, ...plain, give_currency, ask_currency }, entry);
        for (const [currency, bare] of [
          [give_currency, plain.give_currency],
          [ask_currency, plain.ask_currency],
        ]) {
          const { ticker, decimals, ...rest } = currency;
          assert.deepEqual(rest, bare);
          if (bare.type === 'Coin') continue;
          labels++;
          const id = tokenIds(facts.world).find((token) => tokenAddress(network, token) === bare.token_id);
          assert.deepEqual({ ticker, decimals }, id === undefined ? { ticker: null, decimals: 0 } : labelOf(id));
        }
      }
    }
    assert.ok(labels > 3);
  });
});

describe('HTLCs', () => {
  it('are listed by the hash of their secret, with how they ended', async () => {
    const endings = new Set<string>();
    let labels = 0;
    for (const [secretHash, htlcs] of facts.htlcs()) {
      const entries = await listed(`/htlc/${secretHash}`);
      const expected = htlcs.map(({ outpoint, spent, isClaimed }) => {
        const status = isClaimed ? 'claimed' : spent === null ? 'open' : 'refunded';
        endings.add(status);
        const block = spent && facts.blocks[spent.height - 1]!;
        return {
          outpoint,
          status,
          secret: isClaimed ? facts.world.wallet.secretOf(secretHash) : null,
          spent: spent && {
            tx_id: spent.transactionId,
            input_index: spent.inputIndex,
            block_id: block!.id,
            height: block!.height,
            timestamp: block!.timestamp,
          },
        };
      });
      assert.deepEqual(
        entries.map(({ outpoint: { source_id, index }, status, secret, spent }) => ({
          outpoint: `${source_id}:${index}`,
          ...{ status, secret, spent },
        })),
        expected,
      );
      for (const { outpoint, value, secret_hash, spend_address, refund_address, refund_lock, block } of entries) {
        const { outputs, block_id, timestamp } = await servers[0]!.json(`/transaction/${outpoint.source_id}`);
        const output = outputs[outpoint.index];
        assert.equal(secret_hash, output.htlc.secret_hash.hex);
        assert.equal(secret_hash, secretHash);
        assert.equal(spend_address, output.htlc.spend_key);
        assert.equal(refund_address, output.htlc.refund_key);
        assert.deepEqual(refund_lock, output.htlc.refund_timelock);
        assert.deepEqual([block.block_id, block.timestamp], [block_id, timestamp]);
        labels += assertLabelled(value, output.value);
      }
    }
    assert.deepEqual([...endings].sort(), ['claimed', 'open', 'refunded']);
    assert.ok(labels > 0, 'none was of a token');
    assert.deepEqual(await got(`/htlc/${'00'.repeat(20)}`), { items: [], next_cursor: null });
    assert.deepEqual(await error('/htlc/00'), [400, 'Invalid secret hash']);
  });

  it('are listed for who may spend or refund them', async () => {
    const { world } = facts;
    const parties = new Set<Destination>();
    const places = new Map([...facts.htlcs().values()].flat().map((htlc) => [htlc.outpoint, htlc.place]));
    for (const { output } of world.utxos.values()) {
      if (output.type === 'Htlc') parties.add(output.contract.spendKey).add(output.contract.refundKey);
    }
    assert.ok(parties.size > 1);
    for (const party of parties) {
      const expected = [...world.utxos.values()].flatMap(({ output, outpoint }) => {
        if (output.type !== 'Htlc') return [];
        const { spendKey, refundKey } = output.contract;
        if (spendKey !== party && refundKey !== party) return [];
        const key = `${outpoint.sourceId}:${outpoint.index}`;
        return [{ key, place: places.get(key)!, may_spend: spendKey === party, may_refund: refundKey === party }];
      });
      expected.sort((a, b) => b.place[0] - a.place[0] || b.place[1] - a.place[1] || b.place[2] - a.place[2]);
      const entries = await listed(`/address/${destinationAddress(network, party)}/htlcs`);
      assert.deepEqual(
        entries.map(({ outpoint, may_spend, may_refund }) => ({
          key: `${outpoint.source_id}:${outpoint.index}`,
          ...{ may_spend, may_refund },
        })),
        expected.map(({ key, may_spend, may_refund }) => ({ key, may_spend, may_refund })),
      );
      for (const { refund_height, refund_time } of entries) {
        assert.equal(Number(refund_height === null) + Number(refund_time === null), 1);
      }
    }
  });
});

describe('unlocks', () => {
  it('are all time-locked outputs of an address, those first that open first', async () => {
    let locked = 0;
    const tip = facts.blocks.at(-1)!;
    for (const owner of taking.ofAddress.keys()) {
      const address = destinationAddress(network, owner);
      const entries = await listed(`/address/${address}/unlocks`);
      locked += entries.length;
      const opened = entries.map(({ opens_at }) => opens_at);
      assert.deepEqual(
        opened,
        opened.toSorted((a, b) => a - b),
      );
      const utxos = await servers[0]!.json(`/address/${address}/all-utxos`);
      const spendable = await servers[0]!.json(`/address/${address}/spendable-utxos`);
      const keyOf = ({ outpoint }: Json) => `${outpoint.source_id}:${outpoint.index}`;
      const free = new Set(spendable.map(keyOf));
      const expected = utxos
        .filter((entry: Json) => entry.spent === null && entry.utxo.type === 'LockThenTransfer' && !free.has(keyOf(entry)))
        .map(keyOf);
      assert.deepEqual(entries.map(keyOf).sort(), expected.sort(), address);
      for (const { lock, value, opens_at, is_estimate, unlock_height, unlock_time, block, outpoint } of entries) {
        assert.equal(is_estimate, lock.type === 'UntilHeight' || lock.type === 'ForBlockCount');
        const opens = lock.type === 'UntilTime' ? lock.content.timestamp : Number(lock.content);
        switch (lock.type) {
          case 'UntilHeight':
            assert.equal(unlock_height, opens);
            break;
          case 'ForBlockCount':
            assert.equal(unlock_height, block.height + opens);
            break;
          case 'UntilTime':
            assert.equal(unlock_time, opens);
            break;
          default:
            assert.equal(unlock_time, block.timestamp + opens);
        }
        assert.equal(opens_at, is_estimate ? tip.timestamp + (unlock_height - tip.height) * 120 : unlock_time);
        const entry = utxos.find((utxo: Json) => keyOf(utxo) === keyOf({ outpoint }));
        assertLabelled(value, entry.utxo.value);
      }
    }
    assert.ok(locked > 10);
  });
});

/** The value as it stands elsewhere, with ticker and decimals beside a token's id. Gives how many tokens there were. */
function assertLabelled(value: Json, plain: Json): number {
  const { ticker, decimals, ...rest } = value;
  assert.deepEqual(rest, plain);
  if (plain.type !== 'TokenV1') return 0;
  const id = tokenIds(facts.world).find((token) => tokenAddress(network, token) === plain.token_id)!;
  assert.deepEqual({ ticker, decimals }, labelOf(id));
  return 1;
}

describe('transactions', () => {
  it('say what spends each of their outputs', async () => {
    const places = new Map(facts.blocks.map(({ height, id, timestamp }) => [height, { block_id: id, timestamp }]));
    let spent = 0;
    for (const id of facts.blocks.flatMap(({ transactionIds }) => transactionIds)) {
      const expected = Array.from({ length: facts.outputCounts.get(id)! }, (_, index) => {
        const spend = facts.spends.get(`${id}:${index}`);
        if (spend === undefined) return null;
        spent++;
        const { transactionId, inputIndex, height } = spend;
        return { tx_id: transactionId, input_index: inputIndex, height, ...places.get(height) };
      });
      assert.deepEqual(await servers[0]!.json(`/transaction/${id}/outspends`), expected);
    }
    assert.ok(spent > 100);
    assert.deepEqual(await error(`/transaction/${UNKNOWN}/outspends`), [404, 'Transaction not found']);
    assert.deepEqual(await error('/transaction/12/outspends'), [400, 'Invalid transaction Id']);
  });

  it('have their size and fee rate in one profile, alone, in lists and in batches, and in the other not', async () => {
    const [described, core] = servers as [TestServer, TestServer];
    const sizes = new Map(
      facts.blocks.flatMap(({ transactionIds, transactionSizes }) =>
        transactionIds.map((id, i) => [id, transactionSizes[i]!] as const),
      ),
    );
    const check = ({ id, size, fee_rate, fee }: Json) => {
      assert.equal(size, sizes.get(id));
      assert.equal(fee_rate, `${(BigInt(fee.atoms) * 1_000n) / BigInt(size)}`);
    };
    const listedOnes = (await described.pages('/transaction?items=100')).flat();
    assert.equal(listedOnes.length, sizes.size);
    for (const transaction of listedOnes) check(transaction);
    assert.ok(listedOnes.some(({ fee_rate }) => fee_rate !== '0'));
    const ids = listedOnes.slice(0, 20).map(({ id }) => id);
    for (const id of ids) {
      check(await described.json(`/transaction/${id}`));
      assert.ok(!('size' in (await core.json(`/transaction/${id}`))));
    }
    const { results } = await postBatch(described, '/transaction/:txid', ids);
    for (const transaction of results) check(transaction);
    assert.ok(!('fee_rate' in (await core.json('/transaction?items=1'))[0]));
  });
});

async function postBatch(server: TestServer, type: string, ids: readonly string[]): Promise<Json> {
  const { status, body, text } = await server.request('/api/v2/batch', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, ids }),
  });
  assert.equal(status, 200, text);
  return body;
}

describe('a batch', () => {
  it('gives what the single requests give, of every list of a thing', async () => {
    const [server] = servers as [TestServer];
    const addresses = [...taking.ofAddress.keys()].slice(0, 8).map((owner) => destinationAddress(network, owner));
    const pools = [...facts.world.pools.keys()].slice(0, 4).map((id) => poolAddress(network, id));
    const nfts = [...facts.nftOwners.keys()].slice(0, 4).map((id) => tokenAddress(network, id));
    const transactions = facts.blocks.flatMap(({ transactionIds }) => transactionIds).slice(0, 6);
    const asked: [type: string, path: (id: string) => string, ids: string[]][] = [
      ...['orders', 'pools', 'nfts', 'htlcs', 'unlocks'].map((list): (typeof asked)[number] => [
        `/address/:address/${list}`,
        (address) => `/address/${address}/${list}`,
        addresses,
      ]),
      ['/pool/:pool/blocks', (id) => `/pool/${id}/blocks`, pools],
      ['/nft/:token/owners', (id) => `/nft/${id}/owners`, nfts],
      ['/transaction/:txid/outspends', (id) => `/transaction/${id}/outspends`, transactions],
      ['/htlc/:hash', (hash) => `/htlc/${hash}`, [...facts.htlcs().keys()].slice(0, 4)],
      ['/chain/at?time=:time', (time) => `/chain/at?time=${time}`, [`${timeOf(3)}`, `${timeOf(9)}`]],
      ['/search?q=:q', (q) => `/search?q=${q}`, ['12', addresses[0]!]],
    ];
    for (const [type, path, ids] of asked) {
      const { results } = await postBatch(server, type, ids);
      for (const [i, id] of ids.entries()) {
        const single = await server.json(path(id));
        assert.deepEqual(results[i], Array.isArray(single) ? single : { ...single, id }, `${type} ${id}`);
      }
    }
  });
});

describe('search', () => {
  const search = async (q: string): Promise<Json[]> => (await got(`/search?q=${encodeURIComponent(q)}`)).items;
  const found = async (q: string): Promise<string[]> => (await search(q)).map(({ type, id }) => `${type} ${id}`);

  it('finds things by whole ids, in hex and as bech32m, in either case', async () => {
    const { world, blocks } = facts;
    const first = <T>(map: ReadonlyMap<string, T>) => map.keys().next().value!;
    const transaction = blocks[20]!.transactionIds[0]!;
    assert.deepEqual(await found(blocks[20]!.id), [`block ${blocks[20]!.id}`]);
    assert.deepEqual(await found(`0x${blocks[20]!.id.toUpperCase()}`), [`block ${blocks[20]!.id}`]);
    assert.deepEqual(await found(transaction), [`transaction ${transaction}`]);
    assert.equal((await search(transaction))[0].detail, 'In block 21');
    const things = [
      ['pool', first(world.pools), poolAddress],
      ['delegation', first(world.delegations), delegationAddress],
      ['token', first(world.tokens), tokenAddress],
      ['nft', first(world.nfts), tokenAddress],
      ['order', first(world.orders), orderAddress],
    ] as const;
    for (const [type, id, write] of things) {
      const text = write(network, id);
      for (const q of [id, text, text.toUpperCase(), ` ${text} `, text.slice(0, -3), text.slice(0, -20)]) {
        assert.deepEqual(await found(q), [`${type} ${text}`], q);
      }
    }
    const used = destinationAddress(network, first(taking.ofAddress));
    assert.deepEqual(await search(used), [
      { type: 'address', id: used, label: 'Address', detail: 'With transactions' },
    ]);
    const unused = destinationAddress(network, `01${'77'.repeat(20)}`);
    assert.equal((await search(unused))[0].detail, 'Without transactions');
  });

  it('finds things by the beginning of ids from six characters on', async () => {
    const { world, blocks } = facts;
    const every = [
      ...blocks.flatMap(({ id, transactionIds }) => [
        [`block ${id}`, id],
        ...transactionIds.map((tx) => [`transaction ${tx}`, tx]),
      ]),
      ...[...world.pools.keys()].map((id) => [`pool ${poolAddress(network, id)}`, id]),
      ...[...world.delegations.keys()].map((id) => [`delegation ${delegationAddress(network, id)}`, id]),
      ...[...world.orders.keys()].map((id) => [`order ${orderAddress(network, id)}`, id]),
    ];
    for (const [name, id] of every.filter((_, i) => i % 23 === 0)) {
      for (const length of [6, 7, 12]) {
        const expected = every.filter(([, other]) => other!.startsWith(id!.slice(0, length))).map(([other]) => other);
        const results = await found(id!.slice(0, length));
        assert.deepEqual(results.filter((result) => !/^(token|nft) /.test(result) && !result.endsWith(`block ${id}`)).length > 0, true, name);
        for (const each of expected) assert.ok(results.includes(each!), `${each} by ${id!.slice(0, length)}`);
      }
      assert.ok(!(await found(id!.slice(0, 5))).includes(name!), 'five characters are too few');
    }
    for (const owner of [...taking.ofAddress.keys()].slice(0, 5)) {
      const text = destinationAddress(network, owner);
      for (const length of [12, 20, text.length - 7, text.length - 1]) {
        const expected = [...taking.ofAddress.keys()]
          .filter((other) => destinationAddress(network, other).startsWith(text.slice(0, length)))
          .sort()
          .map((other) => `address ${destinationAddress(network, other)}`);
        assert.deepEqual(await found(text.slice(0, length)), expected.slice(0, 20), text.slice(0, length));
      }
    }
  });

  it('finds blocks by height and by date', async () => {
    const block = facts.blocks[41]!;
    assert.equal((await search('42'))[0].id, block.id);
    assert.equal((await search('#42'))[0].label, 'Block 42');
    assert.equal((await search('0'))[0].id, network.genesisId);
    const time = new Date(block.timestamp * 1_000).toISOString().slice(0, 19);
    assert.deepEqual(await found(time), [`block ${block.id}`]);
    assert.deepEqual(await found(`${time.replace('T', ' ')}Z`), [`block ${block.id}`]);
    const day = new Date(block.timestamp * 1_000).toISOString().slice(0, 10);
    const start = Date.parse(`${day}T00:00:00Z`) / 1_000;
    const last = facts.blocks.findLast(({ timestamp }) => timestamp <= start);
    assert.deepEqual(await found(day), [`block ${last?.id ?? network.genesisId}`]);
    assert.deepEqual(await found('1999-01-01'), []);
    assert.deepEqual(await found('2024-02-31'), []);
  });

  it('finds tokens by tickers and NFTs by names, whole ones before parts', async () => {
    const nameOf = (id: string) => facts.names.get(id) ?? '';
    const all = tokenIds(facts.world);
    for (const text of ['a', taking.tickers.get(all[0]!)!, nameOf(all.at(-1)!), nameOf(all.at(-1)!).slice(1, 4)]) {
      const wanted = text.toLowerCase();
      const matching = all.filter((id) =>
        [taking.tickers.get(id)!, nameOf(id)].some((name) => name.toLowerCase().includes(wanted)),
      );
      const results = await search(text);
      assert.equal(results.length, Math.min(20, matching.length), text);
      const addresses = new Set(matching.map((id) => tokenAddress(network, id)));
      assert.ok(results.every(({ id }) => addresses.has(id)));
      const isWhole = results.map(({ id }) => {
        const hex = all.find((each) => tokenAddress(network, each) === id)!;
        return [taking.tickers.get(hex)!, nameOf(hex)].some((name) => name.toLowerCase() === wanted);
      });
      assert.deepEqual(isWhole, isWhole.toSorted((x, y) => Number(y) - Number(x)));
      assert.deepEqual(await search(text), results, 'the order is stable');
    }
  });

  it('says what is wrong with ids of other networks and mistyped ones', async () => {
    const mistyped = poolAddress(network, UNKNOWN).replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'));
    const [wrong] = await search(mistyped);
    assert.deepEqual([wrong.type, wrong.id], ['wrong_checksum', mistyped]);
    const [foreign] = await search('mtc1q95nhwph0a9ekg7xh08qk602guhypg7r95l7erhx');
    assert.deepEqual([foreign.type, foreign.label], ['other_network', 'Of mainnet']);
  });

  it('gives nothing for what means nothing, and refuses an empty text', async () => {
    assert.deepEqual(await got(`/search?q=${encodeURIComponent('no such thing ☂')}`), { items: [], next_cursor: null });
    assert.deepEqual(await got('/search?q=%00'), { items: [], next_cursor: null });
    assert.deepEqual(await error('/search'), [400, 'Invalid search: nothing is searched for']);
    assert.deepEqual(await error('/search?q=%20'), [400, 'Invalid search: nothing is searched for']);
    assert.deepEqual(await error(`/search?q=${'x'.repeat(1_001)}`), [400, 'Invalid search: the text is too long']);
  });
});
