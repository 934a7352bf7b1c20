/** `/address`: balances and history of an address. */
import type { FastifyInstance } from 'fastify';
import type { Destination } from '../../chain/types.ts';
import { type AddressRow, getAddress } from '../../store/queries/addresses.ts';
import { listDelegationsOfAddress } from '../../store/queries/delegations.ts';
import { listTokensOfAuthority } from '../../store/queries/tokens.ts';
import { listAddressTransactions } from '../../store/queries/transactions.ts';
import type { SnapshotRows } from '../../store/read/batched-query.ts';
import { listResult } from '../pagination/list-result.ts';
import { parseCursorPage, parseUnpaged, rowRange } from '../pagination/page.ts';
import type { LimitedQuery, UnpagedBounds } from '../pagination/unpaged-lists.ts';
import { parseAddress } from '../parse/parameters.ts';
import {
  ADDRESS_TRANSACTION_SCHEMA,
  addressSchema,
  presentAddress,
  presentAddressTransaction,
} from '../present/address.ts';
import { presentTokenId } from '../present/token.ts';
import { notFound } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute, type RouteRequest } from '../route/get-route.ts';
import { Bech32 } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import {
  ADDRESS_PARAMETER,
  cursorQuery,
  envelopeResponses,
  listResponses,
  responses,
  unpagedListQuery,
} from '../schemas/route.ts';

/** Of one of the history's ids, with its quotation marks and a comma. */
const ID_BYTES = 67;

/** A history that does not fit into so many bytes is the error 400. */
function historyBounds(listBytes: number): UnpagedBounds<SnapshotRows<AddressRow>, number> {
  const longest = Math.floor(listBytes / ID_BYTES);
  return {
    shortLimit: 1_000,
    longLimit: longest + 1,
    lengthOf: ({ rows: [address] }) => address!.history_length,
    tooLong: `The address has more than ${longest} transactions: ask for its /transactions in pages`,
  };
}

const readAddress: LimitedQuery<{ readonly owner: Destination }, number, SnapshotRows<AddressRow>> = (
  store,
  { owner, limit, unbatched = false },
) => getAddress(store, { owner, historyLimit: limit, unbatched });

export function addressRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, profile, unpagedLists } = context;
  const bounds = historyBounds(context.resources.totals.list_bytes);
  const tags = ['Addresses'];
  const params = ADDRESS_PARAMETER;
  const parseOwner = ({ params: { address: text } }: RouteRequest) => parseAddress(network, text!);

  getRoute(app, context, {
    path: '/address/:address',
    schema: {
      tags,
      summary: 'Balances and history of an address',
      description:
        'An address without any transaction is not found. ' +
        'One with more than fit into the memory of the server is the error 400: they are given in pages only.',
      params,
      response: responses(component(app, 'Address', addressSchema(profile)), [400, 404]),
    },
    parse: parseOwner,
    read: (store, owner) => unpagedLists.read(store, `address ${owner}`, bounds, readAddress, { owner }),
    present: ({ rows: [address] }) => {
      if (!address || address.history_length === 0) throw notFound('Address not found');
      return presentAddress(network, profile, address);
    },
  });

  getRoute(app, context, {
    path: '/address/:address/transactions',
    schema: {
      tags,
      summary: 'The transactions of an address, newest first',
      params,
      querystring: cursorQuery(),
      response: envelopeResponses(component(app, 'AddressTransaction', ADDRESS_TRANSACTION_SCHEMA), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      return { owner, page: parseCursorPage(request.query, `address-transactions ${owner}`, { txIndex: 'index' }) };
    },
    read: (store, { owner, page }) => listAddressTransactions(store, { owner, ...rowRange(page) }),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ txIndex: row.tx_index }),
        json: presentAddressTransaction,
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/delegations',
    schema: {
      tags,
      summary: 'The delegations that an address may withdraw from, by id',
      params,
      querystring: unpagedListQuery(),
      response: listResponses(profile.addressDelegation.schema, [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      return { owner, page: parseUnpaged(request.query, `address-delegations ${owner}`, { delegationId: 'id' }) };
    },
    read: (store, { owner, page }) => unpagedLists.readPage(store, listDelegationsOfAddress, { owner }, page),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ delegationId: row.delegation_id }),
        json: (row) => profile.addressDelegation.text(network, row),
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/token-authority',
    schema: {
      tags,
      summary: 'The tokens whose authority is an address, by id',
      params,
      querystring: unpagedListQuery(),
      response: listResponses(Bech32, profile.noTokenAuthority === null ? [400] : [400, 404]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      return { owner, page: parseUnpaged(request.query, `token-authority ${owner}`, { tokenId: 'id' }) };
    },
    read: (store, { owner, page }) => unpagedLists.readPage(store, listTokensOfAuthority, { owner }, page),
    present: ({ rows }, { page }) => {
      const isEmpty = rows.length === 0 && page.after === null;
      if (isEmpty && profile.noTokenAuthority !== null) throw notFound(profile.noTokenAuthority);
      return listResult(page, rows, {
        sortKey: (row) => ({ tokenId: row.token_id }),
        json: (row) => presentTokenId(network, row.token_id),
      });
    },
  });
}
