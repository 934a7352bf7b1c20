/** `/address/{address}/orders`, `/pools`, `/nfts`, `/htlcs` and `/unlocks`: what an address may use, and from when on. */
import type { FastifyInstance } from 'fastify';
import { listHtlcsOfAddress } from '../../store/queries/htlcs.ts';
import { listNftsOfOwner } from '../../store/queries/nft-lists.ts';
import { listOrdersOfConcluder } from '../../store/queries/orders.ts';
import { listPoolsOfDecommissioner } from '../../store/queries/pool-lists.ts';
import { listUnlocksOfAddress, type UnlockPlace, unlockPlace } from '../../store/queries/unlocks.ts';
import { listResult } from '../pagination/list-result.ts';
import { parseCursorPage, rowRange } from '../pagination/page.ts';
import { parseAddress } from '../parse/parameters.ts';
import { ADDRESS_HTLC_SCHEMA, presentAddressHtlc } from '../present/htlc.ts';
import { presentListedNft } from '../present/nft.ts';
import { OWN_ORDER_SCHEMA, presentOwnOrder } from '../present/order.ts';
import { OWN_POOL_SCHEMA, presentOwnPool } from '../present/pool.ts';
import { readLabelsOfEntries, readTokenLabels } from '../present/token-label.ts';
import { presentUnlock, UNLOCK_SCHEMA } from '../present/unlock.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute, type RouteRequest } from '../route/get-route.ts';
import { schemaRef } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, BEYOND, cursorQuery, envelopeResponses } from '../schemas/route.ts';

export const PLACE_FIELDS = { height: 'height', position: 'height', outputIndex: 'height' } as const;
export const UNLOCK_FIELDS = {
  anchorHeight: 'height',
  anchorTime: 'index',
  opensAt: 'moment',
  ...PLACE_FIELDS,
} as const;

export function addressListRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;
  const common = { tags: [BEYOND], params: ADDRESS_PARAMETER, querystring: cursorQuery() };
  const parseOwner = ({ params: { address: text } }: RouteRequest) => parseAddress(network, text!);

  getRoute(app, context, {
    path: '/address/:address/orders',
    schema: {
      ...common,
      summary: 'The orders that an address may conclude, the youngest first',
      description: 'Those that are frozen or filled are among them until they are concluded.',
      response: envelopeResponses(component(app, 'OwnOrder', OWN_ORDER_SCHEMA), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      const fields = { height: 'height', orderId: 'id' } as const;
      return { owner, page: parseCursorPage(request.query, `address-orders ${owner}`, fields) };
    },
    read: async (store, { owner, page }) => {
      const { tip, rows } = await listOrdersOfConcluder(store, { destination: owner, ...rowRange(page) });
      const tokens = rows.flatMap((row) => [row.ask_currency, row.give_currency]).filter((currency) => currency !== '');
      return { tip, rows, labels: await readTokenLabels(store, tip, tokens) };
    },
    present: ({ rows, labels }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.creation_height, orderId: row.order_id }),
        json: (row) => presentOwnOrder(network, labels, row),
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/pools',
    schema: {
      ...common,
      summary: 'The living pools that an address may decommission, the youngest first',
      response: envelopeResponses(component(app, 'OwnPool', OWN_POOL_SCHEMA), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      const fields = { height: 'height', poolId: 'id' } as const;
      return { owner, page: parseCursorPage(request.query, `address-pools ${owner}`, fields) };
    },
    read: (store, { owner, page }) => listPoolsOfDecommissioner(store, { destination: owner, ...rowRange(page) }),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.creation_height, poolId: row.pool_id }),
        json: (row) => presentOwnPool(network, row),
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/nfts',
    schema: {
      ...common,
      summary: 'The NFTs that an address has, the youngest first',
      description: 'Those under a time lock are among them.',
      response: envelopeResponses(schemaRef('ListedNft'), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      const fields = { height: 'height', tokenId: 'id' } as const;
      return { owner, page: parseCursorPage(request.query, `address-nfts ${owner}`, fields) };
    },
    read: (store, { owner, page }) => listNftsOfOwner(store, { owner, ...rowRange(page) }),
    present: ({ rows }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.creation_height, tokenId: row.token_id }),
        json: (row) => presentListedNft(network, row),
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/htlcs',
    schema: {
      ...common,
      summary: 'The open HTLCs that an address may spend or refund, newest first',
      description: 'Those whose refund lock has not ended are among them.',
      response: envelopeResponses(component(app, 'AddressHtlc', ADDRESS_HTLC_SCHEMA), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      return { owner, page: parseCursorPage(request.query, `address-htlcs ${owner}`, PLACE_FIELDS) };
    },
    read: async (store, { owner, page }) => {
      const { tip, rows } = await listHtlcsOfAddress(store, { owner, ...rowRange(page) });
      return { tip, rows, labels: await readLabelsOfEntries(network, store, tip, rows) };
    },
    present: ({ rows, labels }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => ({ height: row.height, position: row.position, outputIndex: row.output_index }),
        json: (row) => presentAddressHtlc(network, labels, row),
      }),
  });

  getRoute(app, context, {
    path: '/address/:address/unlocks',
    schema: {
      ...common,
      summary: 'The time-locked outputs of an address, those first that open first',
      response: envelopeResponses(component(app, 'Unlock', UNLOCK_SCHEMA), [400]),
    },
    parse: (request) => {
      const owner = parseOwner(request);
      return { owner, page: parseCursorPage(request.query, `address-unlocks ${owner}`, UNLOCK_FIELDS) };
    },
    read: async (store, { owner, page }) => {
      const { after, limit } = rowRange(page);
      const place = after && (Object.values(after) as unknown as UnlockPlace);
      const { tip, rows } = await listUnlocksOfAddress(store, { owner, after: place, limit });
      return { tip, rows, labels: await readLabelsOfEntries(network, store, tip, rows) };
    },
    present: ({ rows, labels }, { page }) =>
      listResult(page, rows, {
        sortKey: (row) => {
          const [anchorHeight, anchorTime, opensAt, height, position, outputIndex] = unlockPlace(row);
          return { anchorHeight: anchorHeight!, anchorTime: anchorTime!, opensAt, height, position, outputIndex };
        },
        json: (row) => presentUnlock(network, labels, row),
      }),
  });
}
