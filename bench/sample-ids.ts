/** What a database holds that can be asked for: ids and addresses as they stand in URLs. */
import type pg from 'pg';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../src/chain/address.ts';
import type { Network } from '../src/chain/networks/network.ts';

export interface SampleIds {
  readonly height: number;
  readonly transactions: number;
  readonly coin: string;
  /** Of usual size. */
  readonly blocks: readonly string[];
  /** The block with most transactions. */
  readonly largestBlock: string;
  readonly txs: readonly string[];
  /** `id/output/index` of outputs that are unspent. */
  readonly unspent: readonly string[];
  readonly addresses: readonly string[];
  /** The address with the longest history. */
  readonly busiestAddress: string;
  /** An address whose history is of usual length. */
  readonly usualAddress: string;
  readonly delegators: readonly string[];
  readonly authorities: readonly string[];
  readonly pools: readonly string[];
  readonly livingPools: number;
  /** The pool with most delegations, and how many they are. */
  readonly busiestPool: string;
  readonly busiestPoolDelegations: number;
  readonly delegations: readonly string[];
  readonly tokens: readonly string[];
  readonly allTokens: number;
  /** The token with most transactions, and how many they are. */
  readonly busiestToken: string;
  readonly busiestTokenTransactions: number;
  readonly nfts: readonly string[];
  readonly orders: readonly string[];
  readonly openOrders: number;
  /** The pairs of open orders, the most traded one first. */
  readonly pairs: readonly string[];
  readonly busiestPairOrders: number;
  readonly tickers: readonly string[];
  /** Seconds since the epoch: a moment of the chain's life each. */
  readonly times: readonly number[];
  /** Hashes of the secrets of HTLCs. */
  readonly secretHashes: readonly string[];
  /** NFTs that changed hands. */
  readonly wanderingNfts: readonly string[];
  /** Addresses that may conclude orders, decommission pools, have NFTs, may use HTLCs, or have time-locked outputs. */
  readonly concluders: readonly string[];
  readonly decommissioners: readonly string[];
  readonly collectors: readonly string[];
  readonly htlcParties: readonly string[];
  readonly lockedOwners: readonly string[];
  /** What people search for: of every kind, one after the other. */
  readonly searches: readonly string[];
}

/** Ids of one kind, at most; more would only make the list longer. */
const MOST = 20_000;
/** A recorded chain may begin with blocks of hundreds of transactions and megabytes, unlike all later ones. */
const MOST_TRANSACTIONS_OF_USUAL_BLOCK = 100;
/** The same rows in the same random order at every run. */
const RANDOM = (column: string) => `order by hashtextextended(encode(${column}, 'hex'), 7) limit ${MOST}`;

export async function readSampleIds(client: pg.Client, network: Network): Promise<SampleIds> {
  const column = async <T>(sql: string): Promise<T[]> =>
    (await client.query<{ value: T }>(sql)).rows.map(({ value }) => value);
  const one = async (sql: string): Promise<number> => Number((await column<number>(sql))[0] ?? 0);
  const top = async (sql: string): Promise<{ id: string; n: number }> => {
    const { rows } = await client.query<{ id: string; n: number }>(sql);
    if (!rows[0]) throw new Error('the chain is too short for a bench: not every kind of thing is in it');
    return rows[0];
  };

  const owners = await column<string>(
    `select owner as value from (select distinct owner from address_transactions) o ${RANDOM('owner')}`,
  );
  const { rows: histories } = await client.query<{ owner: string }>(
    'select owner from address_transactions group by owner order by count(*) desc, owner',
  );
  const address = (owner: string) => destinationAddress(network, owner);
  const busiestPool = await top(
    'select pool_id as id, count(*) as n from delegations group by pool_id order by n desc, pool_id limit 1',
  );
  const busiestToken = await top(
    'select token_id as id, count(*) as n from token_transactions group by token_id order by n desc, token_id limit 1',
  );
  const { rows: pairs } = await client.query<{ low: string; high: string; n: number }>(
    `select least(ask_currency, give_currency) as low, greatest(ask_currency, give_currency) as high, count(*) as n
     from orders where is_open group by 1, 2 order by n desc, low, high limit ${MOST}`,
  );
  const currency = (id: string) => (id === '' ? network.coinTicker : tokenAddress(network, id));
  const owned = async (sql: string) => (await column<string>(`${sql} limit ${MOST}`)).map(address);
  const searched: string[][] = [];
  for (const sql of [
    `select encode(block_id, 'hex') as value from blocks ${RANDOM('block_id')}`,
    `select left(encode(tx_id, 'hex'), 8) as value from transactions ${RANDOM('tx_id')}`,
    `select height::text as value from blocks ${RANDOM('block_id')}`,
    `select distinct fragment as value from ticker_fragments where fragment ~ '^[a-z0-9]+$' limit ${MOST}`,
    `select distinct fragment as value from name_fragments where fragment ~ '^[a-z0-9]+$' limit ${MOST}`,
  ]) {
    searched.push(await column<string>(sql));
  }
  const fungible = await column<string>(`select token_id as value from tokens ${RANDOM('token_id')}`);
  return {
    height: await one('select height as value from chain_tip'),
    transactions: await one('select transaction_count as value from chain_tip'),
    coin: network.coinTicker,
    blocks: await column<string>(
      `select block_id as value from blocks
       where height > 0 and tx_count <= ${MOST_TRANSACTIONS_OF_USUAL_BLOCK} ${RANDOM('block_id')}`,
    ),
    largestBlock: (
      await column<string>('select block_id as value from blocks order by tx_count desc, height limit 1')
    )[0]!,
    txs: await column<string>(`select tx_id as value from transactions ${RANDOM('tx_id')}`),
    unspent: await column<string>(
      `select encode(x.tx_id, 'hex') || '/output/' || u.output_index as value
       from utxos u join blocks b on b.height = u.height
       join transactions x on x.tx_index = b.first_tx_index + u.position and x.height = u.height
       where not u.is_reward ${RANDOM('u.outpoint')}`,
    ),
    addresses: owners.map(address),
    busiestAddress: address(histories[0]!.owner),
    usualAddress: address(histories[Math.floor(histories.length / 2)]!.owner),
    delegators: (await column<string>(`select distinct spend_destination as value from delegations limit ${MOST}`)).map(
      address,
    ),
    authorities: (await column<string>(`select distinct authority as value from tokens limit ${MOST}`)).map(address),
    pools: (await column<string>(`select pool_id as value from pools ${RANDOM('pool_id')}`)).map((id) =>
      poolAddress(network, id),
    ),
    livingPools: await one('select count(*) as value from pools where staker_balance > 0'),
    busiestPool: poolAddress(network, busiestPool.id),
    busiestPoolDelegations: busiestPool.n,
    delegations: (
      await column<string>(`select delegation_id as value from delegations ${RANDOM('delegation_id')}`)
    ).map((id) => delegationAddress(network, id)),
    tokens: fungible.map((id) => tokenAddress(network, id)),
    allTokens: await one('select (select count(*) from tokens) + (select count(*) from nfts) as value'),
    busiestToken: tokenAddress(network, busiestToken.id),
    busiestTokenTransactions: busiestToken.n,
    nfts: (await column<string>(`select token_id as value from nfts ${RANDOM('token_id')}`)).map((id) =>
      tokenAddress(network, id),
    ),
    orders: (await column<string>(`select order_id as value from orders ${RANDOM('order_id')}`)).map((id) =>
      orderAddress(network, id),
    ),
    openOrders: await one('select count(*) as value from orders where is_open'),
    pairs: pairs.map(({ low, high }) => `${currency(high)}_${currency(low)}`),
    busiestPairOrders: pairs[0]?.n ?? 0,
    tickers: await column<string>(
      `select distinct fragment as value from ticker_fragments where fragment ~ '^[a-z0-9]+$' limit ${MOST}`,
    ),
    times: await column<number>(`select timestamp as value from blocks where height > 0 ${RANDOM('block_id')}`),
    secretHashes: await column<string>(
      `select distinct encode(secret_hash, 'hex') as value from outputs where secret_hash is not null limit ${MOST}`,
    ),
    wanderingNfts: (
      await column<string>(
        `select token_id as value from nft_owners group by token_id order by count(*) desc, token_id limit ${MOST}`,
      )
    ).map((id) => tokenAddress(network, id)),
    concluders: await owned('select distinct conclude_destination as value from orders where not is_concluded'),
    decommissioners: await owned(
      'select distinct decommission_destination as value from pools where staker_balance > 0',
    ),
    collectors: await owned('select distinct owner as value from nfts where owner is not null'),
    htlcParties: await owned(
      'select distinct owner as value from utxos where refund_height is not null or refund_time is not null',
    ),
    lockedOwners: await owned(
      'select distinct owner as value from utxos where unlock_height is not null or unlock_time is not null',
    ),
    searches: interleaved(searched),
  };
}

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
