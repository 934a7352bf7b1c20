/**
 * A cursor of each list, made when the list was new: clients keep them over an upgrade, so names and fields of lists may not
 * change. A new list gets a new cursor here.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { PENDING_BY_FEE_RATE } from '../../../src/explorer/read/pending-transactions.ts';
import { CURSOR_ONLY, encodeCursor } from '../../../src/serving/pagination/paging.ts';
import { ALL_UTXO_LIST, SPENDABLE_UTXO_LIST } from '../../../src/store/queries/addresses/address-outputs.ts';
import { HISTORY_LIST } from '../../../src/store/queries/addresses/balance-history.ts';
import { BALANCE_DAY_LIST } from '../../../src/store/queries/addresses/balance-series.ts';
import { ADDRESS_HTLC_LIST, SECRET_HASH_HTLC_LIST } from '../../../src/store/queries/addresses/htlcs.ts';
import { OWNED_LIST } from '../../../src/store/queries/addresses/owned-coins-and-tokens.ts';
import { UNLOCK_LIST } from '../../../src/store/queries/addresses/unlocks.ts';
import { BLOCK_LIST, POOL_BLOCK_LIST } from '../../../src/store/queries/blocks/block-lists.ts';
import { WHOLE_CHAIN } from '../../../src/store/queries/blocks/chain-points.ts';
import { REORGANISATION_LIST } from '../../../src/store/queries/blocks/reorganisations.ts';
import type { List } from '../../../src/store/queries/lists/define-list.ts';
import { CANDLE_LIST } from '../../../src/store/queries/orders/candles.ts';
import { ORDER_FILL_LIST, TRADE_LIST } from '../../../src/store/queries/orders/fills.ts';
import { MARKET_LIST } from '../../../src/store/queries/orders/markets.ts';
import { ADDRESS_ORDER_LIST, OPEN_ORDER_LISTS, PAIR_ORDER_LIST } from '../../../src/store/queries/orders/orders.ts';
import { PRICE_LEVEL_LIST } from '../../../src/store/queries/orders/price-levels.ts';
import {
  ADDRESS_DELEGATION_LIST,
  DELEGATION_MOVE_LIST,
  POOL_DELEGATION_LIST,
} from '../../../src/store/queries/pools/delegations.ts';
import {
  ADDRESS_POOL_LIST,
  EXPANDED_POOL_LISTS,
  SORTED_POOL_LISTS,
} from '../../../src/store/queries/pools/pool-lists.ts';
import {
  ALL_DAYS,
  DELEGATION_DAY_LIST,
  POOL_DAY_LIST,
  REWARD_SHARE_LIST,
} from '../../../src/store/queries/pools/staking-days.ts';
import { STAKING_INCOME_LIST } from '../../../src/store/queries/pools/staking-income.ts';
import { EXPANDED_TICKER_LIST, EXPANDED_TOKEN_LIST } from '../../../src/store/queries/tokens/expanded-token-lists.ts';
import { HOLDER_BALANCE_LIST, HOLDER_LISTS, PAST_HOLDER_LIST } from '../../../src/store/queries/tokens/holders.ts';
import { ADDRESS_NFT_LIST, NFT_LIST, NFT_OWNER_LIST } from '../../../src/store/queries/tokens/nft-lists.ts';
import { TOKEN_EVENT_LIST } from '../../../src/store/queries/tokens/token-events.ts';
import { AUTHORITY_TOKEN_LIST, TICKER_LIST, TOKEN_ID_LIST } from '../../../src/store/queries/tokens/tokens.ts';
import {
  ADDRESS_TRANSACTION_BODY_LIST,
  ADDRESS_TRANSACTION_LIST,
  TOKEN_TRANSACTION_BODY_LIST,
  TOKEN_TRANSACTION_LIST,
  TRANSACTION_LIST,
} from '../../../src/store/queries/transactions/transactions.ts';
import { STATEMENT_LIST } from '../../../src/store/queries/wallets/statement.ts';
import { filledServers, network } from '../../support/filled-servers.ts';

const ID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const OWNER = `01${'ef'.repeat(20)}`;
const OWNED = { owner: OWNER };
const EVERYTHING = { owner: OWNER, currency: null, kinds: [], directions: [], range: WHOLE_CHAIN };
const AT = { txIndex: 4_000_000_000 };
const LARGE = 10n ** 30n;
const PRICE = 10n ** 78n;
const SECRET_HASH = '12'.repeat(20);
const FILL = { height: 7, position: 2, inputIndex: 1 };
const PLACE = { height: 7, position: 2, outputIndex: 1 };
const ADDRESS = destinationAddress(network, OWNER);
const POOL = poolAddress(network, ID);
const DELEGATION = delegationAddress(network, ID);
const TOKEN = tokenAddress(network, ID);
const ORDER = orderAddress(network, ID);
const COIN = network.coinTicker;
const CHECKSUM_BYTES = 4;

interface Recorded {
  readonly cursor: string;
  readonly paths: readonly string[];
  readonly check: () => void;
}

/** `text` and `checksum`: what the cursor was made of. `paths`: what the API has of the list with this selection. */
function recorded<Selection, Key extends object>(
  { name, fields }: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: Selection,
  key: Key,
  text: string,
  checksum: string,
  paths: readonly string[] = [],
): Recorded {
  const cursor = Buffer.concat([Buffer.from(text), Buffer.from(checksum, 'hex')]).toString('base64url');
  const check = () => {
    const made = Buffer.from(encodeCursor(name(selection), fields, key), 'base64url');
    const [end, sum] = [made.subarray(0, -CHECKSUM_BYTES), made.subarray(-CHECKSUM_BYTES)];
    assert.deepEqual([end.toString(), sum.toString('hex')], [text, checksum], name(selection));
    assert.deepEqual(CURSOR_ONLY.parse({ cursor }, { name, fields }, selection).after, key);
  };
  return { cursor, paths, check };
}

const RECORDED: readonly Recorded[] = [
  recorded(TRANSACTION_LIST, {}, AT, '4000000000', '0732e2d2', ['/transaction']),
  recorded(TOKEN_TRANSACTION_LIST, { tokenId: ID }, AT, '4000000000', 'de0c9da1', [`/token/${TOKEN}/transactions`]),
  recorded(TOKEN_TRANSACTION_BODY_LIST, { tokenId: ID }, AT, '4000000000', 'de0c9da1'),
  recorded(ADDRESS_TRANSACTION_LIST, OWNED, AT, '4000000000', 'edbbd912', [`/address/${ADDRESS}/transactions`]),
  recorded(ADDRESS_TRANSACTION_BODY_LIST, OWNED, AT, '4000000000', 'edbbd912'),
  recorded(ADDRESS_DELEGATION_LIST, OWNED, { delegationId: OTHER }, OTHER, 'c3696880', [
    `/address/${ADDRESS}/delegations`,
  ]),
  recorded(AUTHORITY_TOKEN_LIST, OWNED, { tokenId: OTHER }, OTHER, '9ca2dd06', [`/address/${ADDRESS}/token-authority`]),
  recorded(ADDRESS_ORDER_LIST, OWNED, { height: 7, orderId: OTHER }, `7.${OTHER}`, '9abd070e', [
    `/address/${ADDRESS}/orders`,
  ]),
  recorded(ADDRESS_POOL_LIST, OWNED, { height: 7, poolId: OTHER }, `7.${OTHER}`, '97920f4e', [
    `/address/${ADDRESS}/pools`,
  ]),
  recorded(ADDRESS_NFT_LIST, OWNED, { height: 7, tokenId: OTHER }, `7.${OTHER}`, 'e41439c4', [
    `/address/${ADDRESS}/nfts`,
  ]),
  recorded(ADDRESS_HTLC_LIST, OWNED, PLACE, '7.2.1', '7b7c35e8', [`/address/${ADDRESS}/htlcs`]),
  recorded(
    UNLOCK_LIST,
    OWNED,
    { anchorHeight: 9, anchorTime: 1_700_000_000, opensAt: 1_999_999_999_999_999_999n, ...PLACE },
    '9.1700000000.1999999999999999999.7.2.1',
    '82307e31',
    [`/address/${ADDRESS}/unlocks`],
  ),
  recorded(HISTORY_LIST, EVERYTHING, { height: 7, place: 3, currency: OTHER }, `7.3.${OTHER}`, 'f9b05d87', [
    `/address/${ADDRESS}/history`,
  ]),
  recorded(BALANCE_DAY_LIST, { owner: OWNER, currency: '', range: WHOLE_CHAIN }, { height: 7 }, '7', 'ecf46630', [
    `/address/${ADDRESS}/balance-series`,
  ]),
  recorded(DELEGATION_DAY_LIST, { id: ID, days: ALL_DAYS }, { day: 7 }, '7', '33b92e63', [
    `/delegation/${DELEGATION}/history`,
  ]),
  recorded(POOL_DAY_LIST, { id: ID, days: ALL_DAYS }, { day: 7 }, '7', 'e193310c', [`/pool/${POOL}/history`]),
  recorded(DELEGATION_MOVE_LIST, { id: ID }, AT, '4000000000', '9952f106', [`/delegation/${DELEGATION}/transactions`]),
  recorded(REWARD_SHARE_LIST, { poolId: ID, day: 7 }, { delegationId: OTHER }, OTHER, 'e921207c', [
    `/pool/${POOL}/history/${7 * 86_400}/delegations`,
  ]),
  recorded(
    STAKING_INCOME_LIST,
    { owners: [OWNER], days: ALL_DAYS },
    { day: 7, stakeId: OTHER },
    `7.${OTHER}`,
    'fc7237aa',
    [`/address/${ADDRESS}/staking`],
  ),
  recorded(
    STATEMENT_LIST,
    { owners: [OWNER], currency: null, days: ALL_DAYS },
    { height: 7, place: 3, id: OTHER },
    `7.3.${OTHER}`,
    '5c372b10',
    [`/statement?addresses=${ADDRESS}`],
  ),
  recorded(TOKEN_EVENT_LIST, { tokenId: ID }, { height: 7, position: 2, eventIndex: 1 }, '7.2.1', '3ca87469', [
    `/token/${TOKEN}/events`,
  ]),
  recorded(
    TOKEN_EVENT_LIST,
    { tokenId: ID, kind: 'mint' },
    { height: 7, position: 2, eventIndex: 1 },
    '7.2.1',
    '0da080db',
    [`/token/${TOKEN}/events?kind=mint`],
  ),
  recorded(
    PAST_HOLDER_LIST,
    { currency: ID, point: { height: 7 } },
    { amount: LARGE, owner: OWNER },
    `${LARGE}.${OWNER}`,
    '6b970b31',
  ),
  recorded(
    OWNED_LIST,
    { owners: [OWNER], leastDepth: 0n },
    { value: LARGE, currency: OTHER },
    `${LARGE}.${OTHER}`,
    '19ab57ff',
  ),
  recorded(SPENDABLE_UTXO_LIST, { owner: OWNER, refundWaitsForLock: true }, PLACE, '7.2.1', 'd3babded', [
    `/address/${ADDRESS}/spendable-utxos`,
  ]),
  recorded(ALL_UTXO_LIST, OWNED, PLACE, '7.2.1', '4fc90295', [`/address/${ADDRESS}/all-utxos`]),
  recorded(BLOCK_LIST, {}, { height: 7 }, '7', 'bf5c10f1', ['/block']),
  recorded(POOL_BLOCK_LIST, { poolId: ID }, { height: 7 }, '7', '9eda7eb5', [`/pool/${POOL}/blocks`]),
  recorded(POOL_DELEGATION_LIST, { poolId: ID }, { delegationId: OTHER }, OTHER, 'bbcd0fd4', [
    `/pool/${POOL}/delegations`,
  ]),
  recorded(SORTED_POOL_LISTS.by_height, {}, { sortKey: 7, poolId: OTHER }, `7.${OTHER}`, '1b1e21a5', [
    '/pool',
    '/pool?expand=true',
  ]),
  recorded(EXPANDED_POOL_LISTS.by_pledge, {}, { sortKey: LARGE, poolId: OTHER }, `${LARGE}.${OTHER}`, 'ace38712', [
    '/pool?sort=by_pledge',
  ]),
  recorded(EXPANDED_POOL_LISTS.by_stake, {}, { sortKey: LARGE, poolId: OTHER }, `${LARGE}.${OTHER}`, '619c0877', [
    '/pool?sort=by_stake',
  ]),
  recorded(EXPANDED_POOL_LISTS.by_blocks, {}, { sortKey: 7, poolId: OTHER }, `7.${OTHER}`, '04854a63', [
    '/pool?sort=by_blocks',
  ]),
  recorded(EXPANDED_POOL_LISTS.by_margin, {}, { sortKey: 7, poolId: OTHER }, `7.${OTHER}`, 'c9575c89', [
    '/pool?sort=by_margin',
  ]),
  recorded(EXPANDED_POOL_LISTS.by_apy, {}, { sortKey: -1n, poolId: OTHER }, `-1.${OTHER}`, 'bea1aedc', [
    '/pool?sort=by_apy',
  ]),
  recorded(OPEN_ORDER_LISTS.by_height, {}, { height: 7, orderId: OTHER }, `7.${OTHER}`, '14c565f7', ['/order']),
  recorded(PAIR_ORDER_LIST, { pair: [ID, ''] }, { height: 7, orderId: OTHER }, `7.${OTHER}`, '1df43512', [
    `/order/pair/${TOKEN}_${COIN}`,
    `/order/pair/${COIN}_${TOKEN}`,
  ]),
  recorded(
    PRICE_LEVEL_LIST,
    { base: '', quote: ID, side: 'buys', order: 'worst' },
    { price: PRICE },
    `${PRICE}`,
    '7747d337',
    [`/order/pair/${COIN}_${TOKEN}/book?side=ask`],
  ),
  recorded(
    PRICE_LEVEL_LIST,
    { base: '', quote: ID, side: 'sells', order: 'best' },
    { price: PRICE },
    `${PRICE}`,
    '0fdda59a',
    [`/order/pair/${COIN}_${TOKEN}/book?side=bid&order=best`],
  ),
  recorded(MARKET_LIST, {}, { newest: 8, base: ID, quote: '' }, `8.${ID}.`, '77904655', ['/market']),
  recorded(TRADE_LIST, { market: { base: ID, quote: '' }, range: WHOLE_CHAIN }, FILL, '7.2.1', 'f2fd52bb', [
    `/order/pair/${TOKEN}_${COIN}/trades`,
    `/order/pair/${COIN}_${TOKEN}/trades`,
  ]),
  recorded(ORDER_FILL_LIST, { orderId: ID }, FILL, '7.2.1', '7662dfb3', [`/order/${ORDER}/fills`]),
  recorded(
    CANDLE_LIST,
    { market: { base: ID, quote: '' }, interval: 'hour', from: null, to: null },
    { start: 3_600n },
    '3600',
    '1f4c2f4e',
    [`/order/pair/${TOKEN}_${COIN}/candles`],
  ),
  recorded(HOLDER_LISTS.amount, { currency: '' }, { amount: LARGE, owner: OWNER }, `${LARGE}.${OWNER}`, 'de74204e', [
    '/statistics/coin/holders',
  ]),
  recorded(HOLDER_LISTS.total, { currency: ID }, { amount: LARGE, owner: OWNER }, `${LARGE}.${OWNER}`, '04cfdce5', [
    `/statistics/token/${TOKEN}/holders?sort=total`,
  ]),
  recorded(HOLDER_BALANCE_LIST, { currency: ID }, { amount: LARGE, owner: OWNER }, `${LARGE}.${OWNER}`, '04cfdce5'),
  recorded(SECRET_HASH_HTLC_LIST, { secretHash: SECRET_HASH }, PLACE, '7.2.1', '3f46be23', [`/htlc/${SECRET_HASH}`]),
  recorded(NFT_LIST, {}, { height: 7, tokenId: OTHER }, `7.${OTHER}`, 'db1aedb6', ['/nft']),
  recorded(NFT_OWNER_LIST, { tokenId: ID }, AT, '4000000000', '13eba47d', [`/nft/${TOKEN}/owners`]),
  recorded(TOKEN_ID_LIST, {}, { isNft: true, tokenId: OTHER }, `1.${OTHER}`, 'b8e614d2', ['/token']),
  recorded(EXPANDED_TOKEN_LIST, {}, { isNft: true, tokenId: OTHER }, `1.${OTHER}`, 'b8e614d2', ['/token?expand=true']),
  recorded(TICKER_LIST, { fragment: 'abc' }, { isNft: false, tokenId: OTHER }, `0.${OTHER}`, 'af8ac402', [
    '/token/ticker/ABC',
  ]),
  recorded(EXPANDED_TICKER_LIST, { fragment: 'abc' }, { isNft: false, tokenId: OTHER }, `0.${OTHER}`, 'af8ac402', [
    '/token/ticker/ABC?expand=true',
  ]),
  recorded(REORGANISATION_LIST, {}, { reorganisationId: 5 }, '5', '4f797fb4', ['/chain/reorganisations']),
  recorded(PENDING_BY_FEE_RATE, {}, { rate: -1n, id: OTHER }, `-1.${OTHER}`, '9c394a9d'),
];

const filled = filledServers();
const REFUSED = 'Invalid cursor';

/** The error of a page of a list; undefined where there is none. */
async function errorOf(path: string, cursor: string): Promise<string | undefined> {
  return (await filled.server.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)).body.error;
}

it('lists have the names and the fields that cursors of version 0.2.0 were made of', () => {
  for (const { check } of RECORDED) check();
});

it('a route with the parameter cursor takes that of version 0.2.0 of its list, and refuses that of another', async () => {
  const { server } = filled;
  const untried = new Set(server.operations.filter(hasCursor));
  for (const [i, { cursor, paths }] of RECORDED.entries()) {
    const others = RECORDED.filter((other) => other.cursor !== cursor);
    for (const path of paths) {
      untried.delete(server.operation('GET', `/api/v2${path}`)!);
      assert.notEqual(await errorOf(path, cursor), REFUSED, path);
      // Whether there is such a token is asked before its holders.
      const error = await errorOf(path, others[i % others.length]!.cursor);
      assert.equal(error, path.includes('token') && path.includes('holders') ? 'Token not found' : REFUSED, path);
    }
  }
  // Its cursors end with the process that made them.
  untried.delete(server.operation('GET', '/api/v2/mempool/transactions')!);
  assert.deepEqual([...untried], []);
});

function hasCursor({ parameters }: { readonly parameters: readonly { readonly name: string }[] }): boolean {
  return parameters.some(({ name }) => name === 'cursor');
}
