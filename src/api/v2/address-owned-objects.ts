/** `/address/{address}/orders`, `/pools`, `/nfts`, `/htlcs` and `/unlocks`: what an address may use, and from when on. */
import type { FastifyInstance } from 'fastify';
import { schemaRef } from '../../render/schemas/common.ts';
import { ADDRESS_HTLC_LIST, SECRET_HASH_HTLC_LIST } from '../../store/queries/htlcs.ts';
import { ADDRESS_NFT_LIST } from '../../store/queries/nft-lists.ts';
import { ADDRESS_ORDER_LIST } from '../../store/queries/orders.ts';
import { ADDRESS_POOL_LIST } from '../../store/queries/pool-lists.ts';
import { UNLOCK_LIST } from '../../store/queries/unlocks.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { parseAddress, parseSecretHash } from '../parse/parameters.ts';
import {
  ADDRESS_HTLC_SCHEMA,
  HTLC_SCHEMA,
  presentAddressHtlc,
  presentHtlc,
  presentUnlock,
  UNLOCK_SCHEMA,
} from '../present/htlc.ts';
import { presentListedNft } from '../present/nft.ts';
import { OWN_ORDER_SCHEMA, presentOwnOrder } from '../present/order.ts';
import { OWN_POOL_SCHEMA, presentOwnPool } from '../present/pool.ts';
import { readLabelsOfEntries, readTokenLabels } from '../present/token-label.ts';
import type { ApiContext } from '../route/context.ts';
import type { RouteRequest } from '../route/get-route.ts';
import { listRoute } from '../route/list-route.ts';
import { ADDRESS_PARAMETER, component, EXTENSION_TAG, SECRET_HASH_PARAMETER } from '../schemas/route.ts';

export function addressOwnedObjectRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  const common = { tags: [EXTENSION_TAG], params: ADDRESS_PARAMETER };
  const ownerOf = ({ params: { address: text } }: RouteRequest) => ({ owner: parseAddress(network, text!) });

  listRoute(app, context, {
    path: '/address/:address/orders',
    schema: {
      ...common,
      summary: 'The orders that an address may conclude, the youngest first',
      description: 'Those that are frozen or filled are among them until they are concluded.',
    },
    entry: component(app, 'OwnOrder', OWN_ORDER_SCHEMA),
    paging: CURSOR_ONLY,
    list: ADDRESS_ORDER_LIST,
    parse: (request, paged) => paged(request.query, ownerOf(request)),
    writer: async ({ tip, rows }, _, store) => {
      const tokens = rows.flatMap((row) => [row.ask_currency, row.give_currency]).filter((currency) => currency !== '');
      const labels = await readTokenLabels(store, tip, tokens);
      return (row) => presentOwnOrder(network, labels, row);
    },
  });

  listRoute(app, context, {
    path: '/address/:address/pools',
    schema: { ...common, summary: 'The living pools that an address may decommission, the youngest first' },
    entry: component(app, 'OwnPool', OWN_POOL_SCHEMA),
    paging: CURSOR_ONLY,
    list: ADDRESS_POOL_LIST,
    parse: (request, paged) => paged(request.query, ownerOf(request)),
    writer: () => (row) => presentOwnPool(network, row),
  });

  listRoute(app, context, {
    path: '/address/:address/nfts',
    schema: {
      ...common,
      summary: 'The NFTs that an address has, the youngest first',
      description: 'Those under a time lock are among them.',
    },
    entry: schemaRef('ListedNft'),
    paging: CURSOR_ONLY,
    list: ADDRESS_NFT_LIST,
    parse: (request, paged) => paged(request.query, ownerOf(request)),
    writer: () => (row) => presentListedNft(network, row),
  });

  listRoute(app, context, {
    path: '/address/:address/htlcs',
    schema: {
      ...common,
      summary: 'The open HTLCs that an address may spend or refund, newest first',
      description: 'Those whose refund lock has not ended are among them.',
    },
    entry: component(app, 'AddressHtlc', ADDRESS_HTLC_SCHEMA),
    paging: CURSOR_ONLY,
    list: ADDRESS_HTLC_LIST,
    parse: (request, paged) => paged(request.query, ownerOf(request)),
    writer: async ({ tip, rows }, _, store) => {
      const labels = await readLabelsOfEntries(network, store, tip, rows);
      return (row) => presentAddressHtlc(network, labels, row);
    },
  });

  listRoute(app, context, {
    path: '/address/:address/unlocks',
    schema: { ...common, summary: 'The time-locked outputs of an address, those first that open first' },
    entry: component(app, 'Unlock', UNLOCK_SCHEMA),
    paging: CURSOR_ONLY,
    list: UNLOCK_LIST,
    parse: (request, paged) => paged(request.query, ownerOf(request)),
    writer: async ({ tip, rows }, _, store) => {
      const labels = await readLabelsOfEntries(network, store, tip, rows);
      return (row) => presentUnlock(network, labels, row);
    },
  });
}

export function htlcRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  listRoute(app, context, {
    path: '/htlc/:hash',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'The HTLCs with the hash of a secret, newest first',
      description: 'Open, claimed with the secret, or refunded: by this, both sides of an atomic swap are watched.',
      params: SECRET_HASH_PARAMETER,
    },
    entry: component(app, 'Htlc', HTLC_SCHEMA),
    paging: CURSOR_ONLY,
    list: SECRET_HASH_HTLC_LIST,
    parse: ({ params, query }, paged) => paged(query, { secretHash: parseSecretHash(params.hash!) }),
    writer: async ({ tip, rows }, { secretHash }, store) => {
      const labels = await readLabelsOfEntries(network, store, tip, rows);
      return (row) => presentHtlc(network, labels, secretHash, row);
    },
  });
}
