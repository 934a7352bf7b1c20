/**
 * Ids of the served chain as examples in the OpenAPI document: every request on the documentation page works without
 * changes.
 */

import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  pairName,
  poolAddress,
  tokenAddress,
} from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { COIN } from '../../chain/currency.ts';
import { utf8OfHex } from '../../chain/scale/hex.ts';
import { OPEN_ORDER_LISTS } from '../../store/queries/orders/orders.ts';
import { POOL_DELEGATION_LIST } from '../../store/queries/pools/delegations.ts';
import { SORTED_POOL_LISTS } from '../../store/queries/pools/pool-lists.ts';
import { getToken, TOKEN_ID_LIST } from '../../store/queries/tokens/tokens.ts';
import { getTransactionOutput, TRANSACTION_LIST } from '../../store/queries/transactions/transactions.ts';
import type { SnapshotRows } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';

/** The kinds of example values: formats and names of parameters. */
export type ExampleIdKind =
  | 'height'
  | 'block-id'
  | 'transaction-id'
  | 'output-index'
  | 'address'
  | 'delegator'
  | 'authority'
  | 'pool-id'
  | 'delegation-id'
  | 'token-id'
  | 'nft-id'
  | 'order-id'
  | 'pair'
  | 'ticker'
  | 'secret-hash'
  | 'search'
  | 'day'
  | 'from'
  | 'to';

/** An example of each kind, if the chain has one. */
export type ExampleIds = Partial<Record<ExampleIdKind, string | number>>;

const SEARCHED_TRANSACTIONS = 100;
const SEARCHED_POOLS = 5;
const FIRST = { after: null, limit: 1 };
const SECRET_HASH = /"secret_hash":\{"hex":"([0-9a-f]{40})"/;
/** A valid hash without an HTLC, for a chain without recent HTLCs. */
const ANY_SECRET_HASH = '0'.repeat(40);

/** Reads an example of each kind, near the tip. Throws a StoreError. */
export async function readExampleIds(context: Pick<ApiContext, 'network' | 'store' | 'tipWatch'>): Promise<ExampleIds> {
  const { tipWatch } = context;
  if (tipWatch.tip === null || !tipWatch.tip.isReady) return {};
  const { height, id, timestamp } = tipWatch.tip;
  const found = await Promise.all([
    transactionExamples(context),
    poolExamples(context),
    tokenExamples(context),
    orderExamples(context),
  ]);
  return Object.assign(
    {
      height,
      search: `${height}`,
      'block-id': id,
      day: timestamp - (timestamp % DAY_SECONDS),
      from: Math.max(0, timestamp - DAY_SECONDS),
      to: timestamp,
    },
    ...found,
  );
}

type Source = Pick<ApiContext, 'network' | 'store'>;

/** A recent transaction with an unspent output, the address of that output, and an order if a recent transaction used one. */
async function transactionExamples({ store }: Source): Promise<ExampleIds> {
  const { rows } = await TRANSACTION_LIST.read(store, { after: null, limit: SEARCHED_TRANSACTIONS });
  const order = rows.map(({ body }) => /"order_id":"(\w+)"/.exec(body)?.[1]).find((id) => id !== undefined);
  const secretHash = rows.map(({ body }) => SECRET_HASH.exec(body)?.[1]).find((hash) => hash !== undefined);
  const examples: ExampleIds = {
    ...(order !== undefined && { 'order-id': order }),
    'secret-hash': secretHash ?? ANY_SECRET_HASH,
  };
  for (const { body } of rows) {
    const { id, outputs } = JSON.parse(body) as { id: string; outputs: { destination?: string }[] };
    for (const [index, { destination }] of outputs.entries()) {
      if (destination === undefined) continue;
      const output = first(await getTransactionOutput(store, id, index));
      if (output === undefined || output.spent_height !== null) continue;
      return { ...examples, 'transaction-id': id, 'output-index': index, address: destination };
    }
  }
  return examples;
}

/** One of the largest pools, if possible one with delegations. */
async function poolExamples({ network, store }: Source): Promise<ExampleIds> {
  const { rows } = await SORTED_POOL_LISTS.by_pledge.read(store, { after: null, limit: SEARCHED_POOLS });
  for (const { pool_id } of rows) {
    const delegation = first(await POOL_DELEGATION_LIST.read(store, { poolId: pool_id, ...FIRST }));
    if (delegation === undefined) continue;
    return {
      'pool-id': poolAddress(network, pool_id),
      'delegation-id': delegationAddress(network, delegation.delegation_id),
      delegator: destinationAddress(network, delegation.spend_destination),
    };
  }
  return rows[0] ? { 'pool-id': poolAddress(network, rows[0].pool_id) } : {};
}

async function tokenExamples({ network, store }: Source): Promise<ExampleIds> {
  const examples: ExampleIds = {};
  const any = first(await TOKEN_ID_LIST.read(store, FIRST));
  if (any !== undefined && !any.is_nft) {
    examples['token-id'] = tokenAddress(network, any.token_id);
    const token = first(await getToken(store, any.token_id));
    if (token !== undefined) {
      examples.authority = destinationAddress(network, token.authority);
      examples.ticker = utf8OfHex(token.ticker);
    }
  }
  const nft = first(await TOKEN_ID_LIST.read(store, { after: { isNft: true, tokenId: '' }, limit: 1 }));
  if (nft !== undefined) examples['nft-id'] = tokenAddress(network, nft.token_id);
  return examples;
}

async function orderExamples({ network, store }: Source): Promise<ExampleIds> {
  const order = first(await OPEN_ORDER_LISTS.by_height.read(store, FIRST));
  if (order === undefined) {
    const token = first(await TOKEN_ID_LIST.read(store, FIRST));
    return token === undefined ? {} : { pair: pairName(network, COIN, token.token_id) };
  }
  return {
    'order-id': orderAddress(network, order.order_id),
    pair: pairName(network, order.give_currency, order.ask_currency),
  };
}

function first<Row>({ rows }: SnapshotRows<Row>): Row | undefined {
  return rows[0];
}
