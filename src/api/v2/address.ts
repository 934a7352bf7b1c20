/** `/address`: balances and history of an address. */
import type { FastifyInstance } from 'fastify';
import type { Destination } from '../../chain/types.ts';
import { Bech32 } from '../../render/schemas/common.ts';
import { type AddressRow, getAddress } from '../../store/queries/addresses.ts';
import { ADDRESS_DELEGATION_LIST } from '../../store/queries/delegations.ts';
import { AUTHORITY_LIST } from '../../store/queries/tokens.ts';
import { ADDRESS_TRANSACTION_LIST } from '../../store/queries/transactions.ts';
import type { SnapshotRows } from '../../store/read/batched-query.ts';
import { notFound } from '../errors/api-error.ts';
import { CURSOR_ONLY, WHOLE_OR_CURSOR } from '../pagination/paging.ts';
import type { LimitedQuery, UnpagedBounds } from '../pagination/unpaged-lists.ts';
import { parseAddress } from '../parse/parameters.ts';
import {
  ADDRESS_TRANSACTION_SCHEMA,
  addressSchema,
  presentAddress,
  presentAddressTransaction,
} from '../present/address.ts';
import { presentTokenId } from '../present/token.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute, type RouteRequest } from '../route/get-route.ts';
import { listRoute } from '../route/list-route.ts';
import { ADDRESS_PARAMETER, component, responses } from '../schemas/route.ts';

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

  listRoute(app, context, {
    path: '/address/:address/transactions',
    schema: { tags, summary: 'The transactions of an address, newest first', params },
    entry: component(app, 'AddressTransaction', ADDRESS_TRANSACTION_SCHEMA),
    paging: CURSOR_ONLY,
    list: ADDRESS_TRANSACTION_LIST,
    parse: (request, paged) => paged(request.query, { owner: parseOwner(request) }),
    writer: () => presentAddressTransaction,
  });

  listRoute(app, context, {
    path: '/address/:address/delegations',
    schema: { tags, summary: 'The delegations that an address may withdraw from, by id', params },
    entry: profile.addressDelegation.schema,
    paging: WHOLE_OR_CURSOR,
    list: ADDRESS_DELEGATION_LIST,
    parse: (request, paged) => paged(request.query, { owner: parseOwner(request) }),
    writer: () => (row) => profile.addressDelegation.text(network, row),
  });

  listRoute(app, context, {
    path: '/address/:address/token-authority',
    schema: { tags, summary: 'The tokens whose authority is an address, by id', params },
    entry: Bech32,
    errors: profile.noTokenAuthority === null ? [] : [404],
    paging: WHOLE_OR_CURSOR,
    list: AUTHORITY_LIST,
    parse: (request, paged) => paged(request.query, { owner: parseOwner(request) }),
    check: (rows, { page }) => {
      const isEmpty = rows.length === 0 && page.after === null;
      if (isEmpty && profile.noTokenAuthority !== null) throw notFound(profile.noTokenAuthority);
    },
    writer: () => (row) => presentTokenId(network, row.token_id),
  });
}
