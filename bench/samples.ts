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

export interface Samples {
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
}

/** Ids of one kind, at most; more would only make the list longer. */
const MOST = 20_000;
/** A recorded chain may begin with blocks of hundreds of transactions and megabytes, unlike all later ones. */
const MOST_TRANSACTIONS_OF_USUAL_BLOCK = 100;
/** The same rows in the same random order at every run. */
const RANDOM = (column: string) => `order by hashtextextended(encode(${column}, 'hex'), 7) limit ${MOST}`;

export async function readSamples(client: pg.Client, network: Network): Promise<Samples> {
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
  };
}
