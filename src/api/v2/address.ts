/** `/address`: balances, history and spendable items of an address. */

import Type from 'typebox';
import { type OwnedSummary, readOwned } from '../../answers/owned-coins-and-tokens.ts';
import { readTokenLabels, readTokenLabelsOfOutputs } from '../../answers/token-label.ts';
import { BECH32_SCHEMA, oneOf, schemaRef } from '../../render/schemas/common.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY, WHOLE_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  BY_TRANSACTION,
  parseListRange,
  type RangedSelection,
  rangedList,
} from '../../serving/pagination/ranged-list.ts';
import type { WholeListBounds } from '../../serving/pagination/whole-list-reader.ts';
import {
  addressAndPoint,
  POINT_QUERY_SCHEMAS,
  RANGE_QUERY_SCHEMAS,
  requirePointBlock,
} from '../../serving/parse/chain-points.ts';
import { addressParameter, EXPAND, EXPAND_OWNED, type UrlQuery } from '../../serving/parse/parameters.ts';
import { addGetRoute, cacheControlOfPast } from '../../serving/route/get-route.ts';
import type { RouteRequest } from '../../serving/route/get-route-stages.ts';
import { addListRoute } from '../../serving/route/list-route.ts';
import { ADDRESS_PARAMETER, responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { type AddressRow, getAddress } from '../../store/queries/addresses/addresses.ts';
import { type BalanceAtRow, listBalancesAt } from '../../store/queries/addresses/balances-at-height.ts';
import { ADDRESS_HTLC_LIST } from '../../store/queries/addresses/htlcs.ts';
import { UNLOCK_LIST } from '../../store/queries/addresses/unlocks.ts';
import { sqlParametersOfPoint } from '../../store/queries/blocks/chain-points.ts';
import type { List, OwnerSelection } from '../../store/queries/lists/define-list.ts';
import { ADDRESS_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { ADDRESS_DELEGATION_LIST } from '../../store/queries/pools/delegations.ts';
import { ADDRESS_POOL_LIST } from '../../store/queries/pools/pool-lists.ts';
import { ADDRESS_NFT_LIST } from '../../store/queries/tokens/nft-lists.ts';
import { AUTHORITY_TOKEN_LIST } from '../../store/queries/tokens/tokens.ts';
import {
  ADDRESS_TRANSACTION_BODY_LIST,
  ADDRESS_TRANSACTION_LIST,
  type AddressTransactionRow,
  type TransactionRow,
  type TransactionSortKey,
} from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { token } from '../entry/kinds.ts';
import { ADDRESS_TRANSACTION, addressEntry } from '../present/address.ts';
import { BALANCES_AT } from '../present/balance-history.ts';
import { ADDRESS_HTLC, secretHashOfOutput, UNLOCK } from '../present/htlc-and-unlock.ts';
import { expandedTransactionWriter } from '../present/listed-transactions.ts';
import { ADDRESS_ORDER } from '../present/order.ts';
import { OWNED_COINS_AND_TOKENS } from '../present/owned-coins-and-tokens.ts';
import { ADDRESS_POOL } from '../present/pool.ts';
import { LISTED_NFT } from '../present/token.ts';

/** An address now, or its balances after a block. */
interface AddressData {
  readonly tip: SnapshotTip;
  readonly now?: AddressRow | undefined;
  readonly owned?: OwnedSummary | undefined;
  readonly past?: readonly BalanceAtRow[];
}

type HistoryRow = AddressTransactionRow | TransactionRow;
type HistorySelection = OwnerSelection & RangedSelection & { readonly isExpanded: boolean };

/** The bytes of an id in the history, with its quotation marks and a comma. */
const ID_BYTES = 67;

/** Returns the bounds of a history. If it exceeds the bytes, the response is the error 400. */
function historyBounds(listBytes: number): WholeListBounds<SnapshotRows<AddressRow>, number> {
  const longest = Math.floor(listBytes / ID_BYTES);
  return {
    shortLimit: 1_000,
    longLimit: longest + 1,
    lengthOf: ({ rows: [address] }) => address!.history_length,
    tooLong: `The address has more than ${longest} transactions: ask for its /transactions in pages`,
  };
}

export function addressRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, profile, wholeLists } = context;
  const bounds = historyBounds(context.resources.totals.list_bytes);
  const ADDRESS = addressEntry(profile);
  routes.addComponent('Owned', OWNED_COINS_AND_TOKENS.schema);

  addGetRoute(routes, context, {
    path: '/address/:address',
    tags: ['Addresses'],
    summary: 'Balances and history of an address',
    description:
      'An address without any transaction is not found. ' +
      'One with more than fit into the memory of the server is the error 400: they are given in pages only. ' +
      'With `height` or `time`: the balances after that block, without the history. With `expand=true` also all that the ' +
      'address owns now: staked, in orders, in HTLCs, and what it is worth in coins.',
    params: ADDRESS_PARAMETER,
    querystring: Type.Object({ ...POINT_QUERY_SCHEMAS, ...EXPAND_OWNED.query }),
    response: responsesWithEtag(
      oneOf([routes.addComponent('Address', ADDRESS.schema), routes.addComponent('AddressAt', BALANCES_AT.schema)]),
      [400, 404],
    ),
    parse: addressAndPoint(network),
    read: async (store, { owner, point, isExpanded }): Promise<AddressData> => {
      if (point !== null) {
        const past = await listBalancesAt(store, owner, ...sqlParametersOfPoint(point));
        return { tip: past.tip, past: past.rows };
      }
      const { tip, rows } = await wholeLists.read(store, `address ${owner}`, bounds, getAddress, {
        owner,
        tokens: profile.addressTokens.which,
      });
      if (!isExpanded) return { tip, now: rows[0] };
      const owned = await readOwned(network, store, [owner]);
      return { tip: requireSameTip({ tip }, owned), now: rows[0], owned };
    },
    present: ({ tip, now, owned, past }, { point }) => {
      if (point === null) {
        if (!now || now.history_length === 0) throw notFound('Address not found');
        return ADDRESS.json(network, { row: now, owned });
      }
      const { height, currency, pools, delegations, has_transactions } = requirePointBlock(point, past?.[0]);
      const isKnown = has_transactions || currency !== null || pools + delegations > 0n;
      if (!isKnown) throw notFound('Address not found');
      return { text: BALANCES_AT.json(network, past!), cacheControl: cacheControlOfPast(tip, height) };
    },
  });
}

export function addressListRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const tags = ['Addresses'];
  const params = ADDRESS_PARAMETER;
  const parseOwner = addressParameter(network);

  addListRoute(routes, context, {
    path: '/address/:address/transactions',
    tags,
    summary: 'The transactions of an address, newest first',
    params,
    entry: oneOf(
      [routes.addComponent('AddressTransaction', ADDRESS_TRANSACTION.schema), schemaRef('ListedTransaction')],
      { title: 'AddressHistoryEntry' },
    ),
    paging: CURSOR_ONLY,
    query: { ...RANGE_QUERY_SCHEMAS, ...EXPAND.query },
    list: (selection: HistorySelection): List<HistorySelection, TransactionSortKey, HistoryRow> =>
      rangedList<HistorySelection, TransactionSortKey, HistoryRow, HistoryRow>(
        selection.isExpanded ? ADDRESS_TRANSACTION_BODY_LIST : ADDRESS_TRANSACTION_LIST,
        selection,
        BY_TRANSACTION,
      ),
    parse: (request, paged) => {
      const { query } = request;
      const isExpanded = EXPAND.parse(query);
      return paged(query, { owner: parseOwner(request), range: parseListRange(query), isExpanded });
    },
    writer: expandedTransactionWriter(context, (row: AddressTransactionRow) => ADDRESS_TRANSACTION.json(network, row)),
  });

  addListRoute(routes, context, {
    path: '/address/:address/delegations',
    tags,
    summary: 'The delegations of an address, by id',
    params,
    entry: profile.addressDelegation.schema,
    paging: WHOLE_OR_CURSOR,
    list: ADDRESS_DELEGATION_LIST,
    parse: (request, paged) => paged(request.query, { owner: parseOwner(request) }),
    writer: () => (row) => profile.addressDelegation.text(row, network),
  });

  addListRoute(routes, context, {
    path: '/address/:address/token-authority',
    tags,
    summary: 'The tokens whose authority is an address, by id',
    params,
    entry: BECH32_SCHEMA,
    errors: profile.noTokenAuthority === null ? [] : [404],
    paging: WHOLE_OR_CURSOR,
    list: AUTHORITY_TOKEN_LIST,
    parse: (request, paged) => paged(request.query, { owner: parseOwner(request) }),
    check: (rows, { page }) => {
      const isEmpty = rows.length === 0 && page.after === null;
      if (isEmpty && profile.noTokenAuthority !== null) throw notFound(profile.noTokenAuthority);
    },
    writer: () => (row) => token.text(row.token_id, network),
  });
}

export function addressOwnedObjectRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const common = { params: ADDRESS_PARAMETER };
  const parseOwner = addressParameter(network);
  const owned = {
    paging: CURSOR_ONLY,
    parse: <Params>(request: RouteRequest, paged: (query: UrlQuery, selection: OwnerSelection) => Params): Params =>
      paged(request.query, { owner: parseOwner(request) }),
  };

  addListRoute(routes, context, {
    ...owned,
    path: '/address/:address/orders',
    ...common,
    summary: 'The orders that an address may conclude, newest first',
    description: 'Those that are frozen or filled are among them until they are concluded.',
    entry: routes.addComponent('OwnOrder', ADDRESS_ORDER.schema),
    list: ADDRESS_ORDER_LIST,
    writer: async ({ tip, rows }, _, store) => {
      const tokens = rows.flatMap((row) => [row.ask_currency, row.give_currency]).filter((currency) => currency !== '');
      const labels = await readTokenLabels(store, tip, tokens);
      return (row) => ADDRESS_ORDER.json(network, { row, labels });
    },
  });

  addListRoute(routes, context, {
    ...owned,
    path: '/address/:address/pools',
    ...common,
    summary: 'The active pools that an address may decommission, newest first',
    entry: routes.addComponent('OwnPool', ADDRESS_POOL.schema),
    list: ADDRESS_POOL_LIST,
    writer: () => (row) => ADDRESS_POOL.json(network, row),
  });

  addListRoute(routes, context, {
    ...owned,
    path: '/address/:address/nfts',
    ...common,
    summary: 'The NFTs that an address has, newest first',
    description: 'Those under a time lock are among them.',
    entry: schemaRef('ListedNft'),
    list: ADDRESS_NFT_LIST,
    writer: () => (row) => LISTED_NFT.json(network, row),
  });

  addListRoute(routes, context, {
    ...owned,
    path: '/address/:address/htlcs',
    ...common,
    summary: 'The open HTLCs that an address may spend or refund, newest first',
    description: 'Those whose refund lock has not ended are among them.',
    entry: routes.addComponent('AddressHtlc', ADDRESS_HTLC.schema),
    list: ADDRESS_HTLC_LIST,
    writer: async ({ tip, rows }, _, store) => {
      const labels = await readTokenLabelsOfOutputs(network, store, tip, rows);
      return (row) => ADDRESS_HTLC.json(network, { row, labels, secretHash: secretHashOfOutput(row) });
    },
  });

  addListRoute(routes, context, {
    ...owned,
    path: '/address/:address/unlocks',
    ...common,
    summary: 'The time-locked outputs of an address, next to unlock first',
    entry: routes.addComponent('Unlock', UNLOCK.schema),
    list: UNLOCK_LIST,
    writer: async ({ tip, rows }, _, store) => {
      const labels = await readTokenLabelsOfOutputs(network, store, tip, rows);
      return (row) => UNLOCK.json(network, { row, labels });
    },
  });
}
