/**
 * A cursor of each list, made by version 0.2.0: clients keep them over an upgrade. Names and fields of lists may not change
 * without it; what is new gets a new cursor here.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeCursor, encodeCursor } from '../../../src/api/pagination/paging.ts';
import { destinationAddress, poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { PENDING_BY_RATE } from '../../../src/explorer/read/pending-by-rate.ts';
import { BALANCE_LIST } from '../../../src/store/queries/addresses.ts';
import { BLOCK_LIST, POOL_BLOCK_LIST } from '../../../src/store/queries/block-lists.ts';
import { ADDRESS_DELEGATION_LIST, POOL_DELEGATION_LIST } from '../../../src/store/queries/delegations.ts';
import { HOLDER_BALANCE_LIST, HOLDER_LISTS } from '../../../src/store/queries/holders.ts';
import { ADDRESS_HTLC_LIST, SECRET_HASH_HTLC_LIST } from '../../../src/store/queries/htlcs.ts';
import type { List } from '../../../src/store/queries/list.ts';
import { ADDRESS_NFT_LIST, NFT_LIST, NFT_OWNER_LIST } from '../../../src/store/queries/nft-lists.ts';
import { ADDRESS_ORDER_LIST, OPEN_ORDER_LIST, PAIR_ORDER_LIST } from '../../../src/store/queries/orders.ts';
import { ADDRESS_POOL_LIST, EXPANDED_POOL_LISTS, SORTED_POOL_LISTS } from '../../../src/store/queries/pool-lists.ts';
import { PRICE_LEVEL_LIST } from '../../../src/store/queries/price-levels.ts';
import { REORGANISATION_LIST } from '../../../src/store/queries/reorganisations.ts';
import { EXPANDED_TICKER_LIST, EXPANDED_TOKEN_LIST } from '../../../src/store/queries/token-lists.ts';
import { AUTHORITY_LIST, TICKER_LIST, TOKEN_ID_LIST } from '../../../src/store/queries/tokens.ts';
import {
  ADDRESS_TRANSACTION_LIST,
  TOKEN_TRANSACTION_LIST,
  TRANSACTION_LIST,
  WHOLE_ADDRESS_TRANSACTION_LIST,
  WHOLE_TOKEN_TRANSACTION_LIST,
} from '../../../src/store/queries/transactions.ts';
import { UNLOCK_LIST } from '../../../src/store/queries/unlocks.ts';
import { ALL_UTXO_LIST, SPENDABLE_UTXO_LIST } from '../../../src/store/queries/utxos.ts';
import { filledServers, network } from '../../support/filled-servers.ts';

const ID = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const OWNER = `01${'ef'.repeat(20)}`;
const SECRET_HASH = '12'.repeat(20);
const PLACE = { height: 7, position: 2, outputIndex: 1 };
const ADDRESS = destinationAddress(network, OWNER);
const POOL = poolAddress(network, ID);
const TOKEN = tokenAddress(network, ID);
const COIN = network.coinTicker;

interface Recorded {
  readonly cursor: string;
  readonly paths: readonly string[];
  readonly check: () => void;
}

/** `paths`: what the API has of the list with this selection. */
function recorded<Selection, Key extends object>(
  { name, fields }: Pick<List<Selection, Key, never>, 'name' | 'fields'>,
  selection: Selection,
  key: Key,
  cursor: string,
  paths: readonly string[],
): Recorded {
  const check = () => {
    assert.deepEqual(decodeCursor(name(selection), fields, cursor), key);
    assert.equal(encodeCursor(name(selection), fields, key), cursor);
  };
  return { cursor, paths, check };
}

const RECORDED: readonly Recorded[] = [
  recorded(TRANSACTION_LIST, {}, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMAcy4tI', [`/transaction`]),
  recorded(TOKEN_TRANSACTION_LIST, { tokenId: ID }, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMN4MnaE', [
    `/token/${TOKEN}/transactions`,
  ]),
  recorded(WHOLE_TOKEN_TRANSACTION_LIST, { tokenId: ID }, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMN4MnaE', []),
  recorded(ADDRESS_TRANSACTION_LIST, { owner: OWNER }, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMO272RI', [
    `/address/${ADDRESS}/transactions`,
  ]),
  recorded(WHOLE_ADDRESS_TRANSACTION_LIST, { owner: OWNER }, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMO272RI', []),
  recorded(
    ADDRESS_DELEGATION_LIST,
    { owner: OWNER },
    { delegationId: OTHER },
    'Y2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZMNpaIA',
    [`/address/${ADDRESS}/delegations`],
  ),
  recorded(
    AUTHORITY_LIST,
    { owner: OWNER },
    { tokenId: OTHER },
    'Y2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZJyi3QY',
    [`/address/${ADDRESS}/token-authority`],
  ),
  recorded(
    ADDRESS_ORDER_LIST,
    { owner: OWNER },
    { height: 7, orderId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkmr0HDg',
    [`/address/${ADDRESS}/orders`],
  ),
  recorded(
    ADDRESS_POOL_LIST,
    { owner: OWNER },
    { height: 7, poolId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkl5IPTg',
    [`/address/${ADDRESS}/pools`],
  ),
  recorded(
    ADDRESS_NFT_LIST,
    { owner: OWNER },
    { height: 7, tokenId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNk5BQ5xA',
    [`/address/${ADDRESS}/nfts`],
  ),
  recorded(ADDRESS_HTLC_LIST, { owner: OWNER }, PLACE, 'Ny4yLjF7fDXo', [`/address/${ADDRESS}/htlcs`]),
  recorded(
    UNLOCK_LIST,
    { owner: OWNER },
    { anchorHeight: 9, anchorTime: 1_700_000_000, opensAt: 1_999_999_999_999_999_999n, ...PLACE },
    'OS4xNzAwMDAwMDAwLjE5OTk5OTk5OTk5OTk5OTk5OTkuNy4yLjGCMH4x',
    [`/address/${ADDRESS}/unlocks`],
  ),
  recorded(BALANCE_LIST, { owner: OWNER }, { currency: '' }, 'BaffDg', []),
  recorded(SPENDABLE_UTXO_LIST, { owner: OWNER, refundWaitsForLock: true }, PLACE, 'Ny4yLjHTur3t', [
    `/address/${ADDRESS}/spendable-utxos`,
  ]),
  recorded(ALL_UTXO_LIST, { owner: OWNER }, PLACE, 'Ny4yLjFPyQKV', [`/address/${ADDRESS}/all-utxos`]),
  recorded(BLOCK_LIST, {}, { height: 7 }, 'N79cEPE', [`/block`]),
  recorded(POOL_BLOCK_LIST, { poolId: ID }, { height: 7 }, 'N57afrU', [`/pool/${POOL}/blocks`]),
  recorded(
    POOL_DELEGATION_LIST,
    { poolId: ID },
    { delegationId: OTHER },
    'Y2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZLvND9Q',
    [`/pool/${POOL}/delegations`],
  ),
  recorded(
    SORTED_POOL_LISTS.by_height,
    {},
    { sortKey: 7, poolId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkGx4hpQ',
    [`/pool`, `/pool?expand=true`],
  ),
  recorded(
    EXPANDED_POOL_LISTS.by_pledge,
    {},
    { sortKey: 10n ** 30n, poolId: OTHER },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMC5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkrOOHEg',
    [`/pool?sort=by_pledge`],
  ),
  recorded(
    EXPANDED_POOL_LISTS.by_stake,
    {},
    { sortKey: 10n ** 30n, poolId: OTHER },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMC5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkYZwIdw',
    [`/pool?sort=by_stake`],
  ),
  recorded(
    EXPANDED_POOL_LISTS.by_blocks,
    {},
    { sortKey: 7, poolId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkBIVKYw',
    [`/pool?sort=by_blocks`],
  ),
  recorded(
    EXPANDED_POOL_LISTS.by_margin,
    {},
    { sortKey: 7, poolId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkyVdciQ',
    [`/pool?sort=by_margin`],
  ),
  recorded(
    EXPANDED_POOL_LISTS.by_apy,
    {},
    { sortKey: -1n, poolId: OTHER },
    'LTEuY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZL6hrtw',
    [`/pool?sort=by_apy`],
  ),
  recorded(
    OPEN_ORDER_LIST,
    {},
    { height: 7, orderId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkFMVl9w',
    [`/order`],
  ),
  recorded(
    PAIR_ORDER_LIST,
    { pair: [ID, ''] },
    { height: 7, orderId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkHfQ1Eg',
    [`/order/pair/${TOKEN}_${COIN}`, `/order/pair/${COIN}_${TOKEN}`],
  ),
  recorded(
    PRICE_LEVEL_LIST,
    { base: '', quote: ID, side: 'ask', order: 'worst' },
    { price: 10n ** 78n },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMHdH0zc',
    [`/order/pair/${COIN}_${TOKEN}/book?side=ask`],
  ),
  recorded(
    PRICE_LEVEL_LIST,
    { base: '', quote: ID, side: 'bid', order: 'best' },
    { price: 10n ** 78n },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMA_dpZo',
    [`/order/pair/${COIN}_${TOKEN}/book?side=bid&order=best`],
  ),
  recorded(
    HOLDER_LISTS.amount,
    { currency: '' },
    { amount: 10n ** 30n, owner: OWNER },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMC4wMWVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWbedCBO',
    [`/statistics/coin/holders`],
  ),
  recorded(
    HOLDER_LISTS.total,
    { currency: ID },
    { amount: 10n ** 30n, owner: OWNER },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMC4wMWVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWYEz9zl',
    [`/statistics/token/${TOKEN}/holders?sort=total`],
  ),
  recorded(
    HOLDER_BALANCE_LIST,
    { currency: ID },
    { amount: 10n ** 30n, owner: OWNER },
    'MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMC4wMWVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWYEz9zl',
    [],
  ),
  recorded(SECRET_HASH_HTLC_LIST, { secretHash: SECRET_HASH }, PLACE, 'Ny4yLjE_Rr4j', [`/htlc/${SECRET_HASH}`]),
  recorded(
    NFT_LIST,
    {},
    { height: 7, tokenId: OTHER },
    'Ny5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNk2xrttg',
    [`/nft`],
  ),
  recorded(NFT_OWNER_LIST, { tokenId: ID }, { txIndex: 4_000_000_000 }, 'NDAwMDAwMDAwMBPrpH0', [
    `/nft/${TOKEN}/owners`,
  ]),
  recorded(
    TOKEN_ID_LIST,
    {},
    { isNft: true, tokenId: OTHER },
    'MS5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkuOYU0g',
    [`/token`],
  ),
  recorded(
    EXPANDED_TOKEN_LIST,
    {},
    { isNft: true, tokenId: OTHER },
    'MS5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkuOYU0g',
    [`/token?expand=true`],
  ),
  recorded(
    TICKER_LIST,
    { fragment: 'abc' },
    { isNft: false, tokenId: OTHER },
    'MC5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkr4rEAg',
    [`/token/ticker/ABC`],
  ),
  recorded(
    EXPANDED_TICKER_LIST,
    { fragment: 'abc' },
    { isNft: false, tokenId: OTHER },
    'MC5jZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkr4rEAg',
    [`/token/ticker/ABC?expand=true`],
  ),
  recorded(REORGANISATION_LIST, {}, { reorganisationId: 5 }, 'NU95f7Q', [`/chain/reorganisations`]),
  recorded(
    PENDING_BY_RATE,
    {},
    { rate: -1n, id: OTHER },
    'LTEuY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZJw5Sp0',
    [],
  ),
];

const filled = filledServers();
const REFUSED = 'Invalid cursor';

/** The error of a page of a list; undefined where there is none. */
async function errorOf(path: string, cursor: string): Promise<string | undefined> {
  return (await filled.server.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`)).body.error;
}

describe('cursors of version 0.2.0', () => {
  it('lists have the names and the fields that cursors of clients were made of', () => {
    for (const { check } of RECORDED) check();
  });

  it('a route with the parameter cursor takes the recorded one of its list, and refuses that of another', async () => {
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
    assert.deepEqual([...untried], []);
  });
});

function hasCursor({ parameters }: { readonly parameters: readonly { readonly name: string }[] }): boolean {
  return parameters.some(({ name }) => name === 'cursor');
}
