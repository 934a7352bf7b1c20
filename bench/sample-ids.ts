/** Ids and addresses of a database, as they appear in URLs. */
import type pg from 'pg';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../src/chain/address.ts';
import type { Network } from '../src/chain/networks/network.ts';

export type SampleIds = Awaited<ReturnType<typeof readSampleIds>>;

/** Ids of one kind, at most; more would only make the list longer. */
const MOST = 20_000;
/** A recorded chain may begin with blocks of hundreds of transactions and megabytes, unlike all later ones. */
const MAX_TRANSACTIONS_OF_USUAL_BLOCK = 100;
/** An order by hash: the same random order at every run. */
const RANDOM = (column: string) => `order by hashtextextended(encode(${column}, 'hex'), 7) limit ${MOST}`;

export async function readSampleIds(client: pg.Client, network: Network) {
  const column = async <T = string>(sql: string): Promise<T[]> =>
    (await client.query<{ value: T }>(sql)).rows.map(({ value }) => value);
  const one = async (sql: string): Promise<number> => Number((await column<number>(sql))[0] ?? 0);
  const top = async (id: string, table: string): Promise<{ id: string; n: number }> => {
    const { rows } = await client.query<{ id: string; n: number }>(
      `select ${id} as id, count(*) as n from ${table} group by 1 order by n desc, 1 limit 1`,
    );
    if (!rows[0]) throw new Error('the chain is too short for a bench: not every kind of thing is in it');
    return rows[0];
  };
  const random = (id: string, table: string) => column(`select ${id} as value from ${table} ${RANDOM(id)}`);
  const some = (id: string, table: string) => column(`select distinct ${id} as value from ${table} limit ${MOST}`);

  const addresses = (owners: readonly string[]) => owners.map((owner) => destinationAddress(network, owner));
  const owners = async (owner: string, table: string) => addresses(await some(owner, table));
  const token = (id: string) => tokenAddress(network, id);
  const currency = (id: string) => (id === '' ? network.coinTicker : token(id));

  const histories = addresses(
    await column('select owner as value from address_transactions group by owner order by count(*) desc, owner'),
  );
  const busiestPool = await top('pool_id', 'delegations');
  const busiestToken = await top('token_id', 'token_transactions');
  const { rows: pairs } = await client.query<{ low: string; high: string; n: number }>(
    `select least(ask_currency, give_currency) as low, greatest(ask_currency, give_currency) as high, count(*) as n
     from orders where is_open group by 1, 2 order by n desc, low, high limit ${MOST}`,
  );
  const tickers = await some('fragment', "ticker_fragments where fragment ~ '^[a-z0-9]+$'");
  return {
    height: await one('select height as value from chain_tip'),
    transactions: await one('select transaction_count as value from chain_tip'),
    coin: network.coinTicker,
    /** Blocks of usual size. */
    blocks: await random('block_id', `blocks where height > 0 and tx_count <= ${MAX_TRANSACTIONS_OF_USUAL_BLOCK}`),
    /** The block with most transactions. */
    largestBlock: (await column('select block_id as value from blocks order by tx_count desc, height limit 1'))[0]!,
    txs: await random('tx_id', 'transactions'),
    /** `id/output/index` of outputs that are unspent. */
    unspent: await column(
      `select encode(x.tx_id, 'hex') || '/output/' || u.output_index as value
       from utxos u join blocks b on b.height = u.height
       join transactions x on x.tx_index = b.first_tx_index + u.position and x.height = u.height
       where not u.is_reward ${RANDOM('u.outpoint')}`,
    ),
    addresses: addresses(await random('owner', '(select distinct owner from address_transactions) o')),
    /** The address with the longest history. */
    busiestAddress: histories[0]!,
    /** An address whose history is of usual length. */
    usualAddress: histories[Math.floor(histories.length / 2)]!,
    delegators: await owners('spend_destination', 'delegations'),
    authorities: await owners('authority', 'tokens'),
    pools: (await random('pool_id', 'pools')).map((id) => poolAddress(network, id)),
    livingPools: await one('select count(*) as value from pools where staker_balance > 0'),
    /** The pool with most delegations, and how many they are. */
    busiestPool: poolAddress(network, busiestPool.id),
    /** The last day in which that pool changed: `2026-11-24`. */
    busiestPoolDay: (
      await column(
        `select to_char(date '1970-01-01' + changed_day, 'YYYY-MM-DD') as value from pools where pool_id = '\\x${busiestPool.id}'`,
      )
    )[0]!,
    busiestPoolDelegations: busiestPool.n,
    delegations: (await random('delegation_id', 'delegations')).map((id) => delegationAddress(network, id)),
    tokens: (await random('token_id', 'tokens')).map(token),
    allTokens: await one('select (select count(*) from tokens) + (select count(*) from nfts) as value'),
    /** The token with most transactions, and how many they are. */
    busiestToken: token(busiestToken.id),
    busiestTokenTransactions: busiestToken.n,
    nfts: (await random('token_id', 'nfts')).map(token),
    orders: (await random('order_id', 'orders')).map((id) => orderAddress(network, id)),
    openOrders: await one('select count(*) as value from orders where is_open'),
    /** The pairs of open orders, the most traded one first. */
    pairs: pairs.map(({ low, high }) => `${currency(high)}_${currency(low)}`),
    busiestPairOrders: pairs[0]?.n ?? 0,
    tickers,
    /** Seconds since the epoch: a moment of the chain's life each. */
    times: await column<number>(`select timestamp as value from blocks where height > 0 ${RANDOM('block_id')}`),
    /** Hashes of the secrets of HTLCs. */
    secretHashes: await some("encode(secret_hash, 'hex')", 'outputs where secret_hash is not null'),
    /** NFTs that changed hands. */
    wanderingNfts: (
      await column(
        `select token_id as value from nft_owners group by token_id order by count(*) desc, token_id limit ${MOST}`,
      )
    ).map(token),
    /** Addresses that may conclude orders, decommission pools, have NFTs, may use HTLCs, or have time-locked outputs. */
    concluders: await owners('conclude_destination', 'orders where not is_concluded'),
    decommissioners: await owners('decommission_destination', 'pools where staker_balance > 0'),
    collectors: await owners('owner', 'nfts where owner is not null'),
    htlcParties: await owners('owner', 'utxos where refund_height is not null or refund_time is not null'),
    lockedOwners: await owners('owner', 'utxos where unlock_height is not null or unlock_time is not null'),
    /** Searched texts: every kind in turn. */
    searches: interleaved([
      await random('block_id', 'blocks'),
      await column(`select left(encode(tx_id, 'hex'), 8) as value from transactions ${RANDOM('tx_id')}`),
      await column(`select height::text as value from blocks ${RANDOM('block_id')}`),
      tickers,
      await some('fragment', "name_fragments where fragment ~ '^[a-z0-9]+$'"),
    ]),
  };
}

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
