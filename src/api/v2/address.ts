/** `/address`: what a destination holds and took part in. */
import type { FastifyInstance } from 'fastify';
import { ADDRESS, type AddressRow, TOKENS_OF_AUTHORITY } from '../../store/queries/addresses.ts';
import { DELEGATIONS_OF_ADDRESS } from '../../store/queries/delegations.ts';
import { ADDRESS_TRANSACTIONS_BELOW } from '../../store/queries/transactions.ts';
import { cursorPage, listResult, rowLimit, wholeOrPage } from '../pagination/page.ts';
import { parseAddress } from '../parse/parameters.ts';
import {
  ADDRESS_TRANSACTION_SCHEMA,
  addressSchema,
  presentAddress,
  presentAddressTransaction,
} from '../present/address.ts';
import { presentTokenId } from '../present/token.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteRequest } from '../route/context.ts';
import { Bech32 } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import {
  ADDRESS_PARAMETER,
  cursorQuery,
  envelopeResponses,
  listResponses,
  responses,
  wholeListQuery,
} from '../schemas/route.ts';

/** Histories up to this length are read together with those of others; longer ones on their own. */
const SHORT_HISTORY = 1_000;
/** Longer ones are only given in pages: they would fill the memory. */
const LONGEST_HISTORY = 1_000_000;
const TOO_LONG = `The address has more than ${LONGEST_HISTORY} transactions: ask for its /transactions in pages`;

export function addressRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, unpagedLists, network, store } = context;
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
        `One with more than ${LONGEST_HISTORY} is the error 400: they are given in pages only.`,
      params,
      response: responses(component(app, 'Address', addressSchema(profile)), [400, 404]),
    },
    parse: (asked) => ({ owner: parseOwner(asked), onlyShort: asked.onlyShort }),
    answer: async ({ owner, onlyShort }) => {
      const most = { short: SHORT_HISTORY, whole: LONGEST_HISTORY + 1 };
      const { tip, rows } = await unpagedLists.readWhole<AddressRow, number>(
        { name: `address ${owner}`, most, lengthOf: ([row]) => row!.history_length, tooLong: TOO_LONG, onlyShort },
        (ask, transactions) => ask(ADDRESS, owner, transactions),
      );
      const row = rows[0]!;
      if (row.history_length === 0) throw notFound('Address not found', tip);
      return { text: presentAddress(network, profile, row), tip };
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
    parse: (asked) => {
      const owner = parseOwner(asked);
      return { owner, page: cursorPage(asked.query, `address-transactions ${owner}`, ['index']) };
    },
    answer: async ({ owner, page }) => {
      const below = Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER);
      return listResult(page, await store.query(ADDRESS_TRANSACTIONS_BELOW, owner, below, rowLimit(page)!), {
        key: (row) => [row.tx_index],
        text: presentAddressTransaction,
      });
    },
  });

  getRoute(app, context, {
    path: '/address/:address/delegations',
    schema: {
      tags,
      summary: 'The delegations that an address may withdraw from, by id',
      params,
      querystring: wholeListQuery(),
      response: listResponses(profile.addressDelegation.schema, [400]),
    },
    parse: (asked) => {
      const owner = parseOwner(asked);
      const page = wholeOrPage(asked.query, `address-delegations ${owner}`, ['id']);
      return { owner, page, onlyShort: asked.onlyShort };
    },
    answer: async ({ owner, page, onlyShort }) => {
      const after = page?.after?.[0] ?? '';
      const answer = await unpagedLists.readList({ name: `delegations ${owner}`, page, onlyShort }, (ask, items) =>
        ask(DELEGATIONS_OF_ADDRESS, owner, after, items),
      );
      return listResult(page, answer, {
        key: (row) => [row.delegation_id],
        text: (row) => profile.addressDelegation.text(network, row),
      });
    },
  });

  getRoute(app, context, {
    path: '/address/:address/token-authority',
    schema: {
      tags,
      summary: 'The tokens whose authority is an address, by id',
      params,
      querystring: wholeListQuery(),
      response: listResponses(Bech32, profile.noTokenAuthority === null ? [400] : [400, 404]),
    },
    parse: (asked) => {
      const owner = parseOwner(asked);
      return {
        owner,
        page: wholeOrPage(asked.query, `token-authority ${owner}`, ['id']),
      };
    },
    answer: async ({ owner, page }) => {
      const after = page?.after?.[0] ?? '';
      const answer = await unpagedLists.readList({ name: `authority ${owner}`, page }, (ask, items) =>
        ask(TOKENS_OF_AUTHORITY, owner, after, items),
      );
      if (answer.rows.length === 0 && !page?.after && profile.noTokenAuthority !== null) {
        throw notFound(profile.noTokenAuthority, answer.tip);
      }
      return listResult(page, answer, {
        key: (row) => [row.token_id],
        text: (row) => presentTokenId(network, row.token_id),
      });
    },
  });
}
