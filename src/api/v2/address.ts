/** `/address`: what a destination holds and took part in. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { tokenAddress } from '../../chain/address.ts';
import { amountJson } from '../../render/text.ts';
import { ADDRESS, type AddressRow, TOKENS_OF_AUTHORITY } from '../../store/queries/addresses.ts';
import { DELEGATIONS_OF_ADDRESS } from '../../store/queries/delegations.ts';
import { ADDRESS_TRANSACTIONS_BELOW } from '../../store/queries/transactions.ts';
import { cursorPage, listResult, rowLimit, wholeOrPage } from '../pagination/page.ts';
import { parseAddress } from '../parse/parameters.ts';
import type { AddressToken } from '../response-profile/profile.ts';
import { notFound } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteRequest } from '../route/context.ts';
import { Bech32, Count, HexId, schemaRef, strictObject } from '../schemas/common.ts';
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

function tokensOf({ tokens }: AddressRow): AddressToken[] {
  if (tokens === '') return [];
  return tokens.split(' ').map((word) => {
    const [tokenId, atoms, decimals] = word.split(':') as [string, string, string];
    const isNft = decimals === 'nft';
    return { tokenId, atoms: BigInt(atoms), decimals: isNft ? 0 : Number(decimals), isNft };
  });
}

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
      response: responses(
        component(
          app,
          'Address',
          strictObject({
            coin_balance: { ...schemaRef('Amount'), description: 'Not under a time lock' },
            locked_coin_balance: { ...schemaRef('Amount'), description: 'Under a time lock' },
            tokens: Type.Array(profile.addressTokens.schema),
            transaction_history: Type.Array(HexId, { description: 'Most recent first' }),
          }),
        ),
        [400, 404],
      ),
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
      const coins = amountJson(row.coins ?? 0n, network.coinDecimals);
      const locked = amountJson(row.locked_coins ?? 0n, network.coinDecimals);
      const tokens = profile.addressTokens.texts(network, tokensOf(row)).join(',');
      const text = `{"coin_balance":${coins},"locked_coin_balance":${locked},"tokens":[${tokens}],"transaction_history":["${row.history}"]}`;
      return { text, tip };
    },
  });

  getRoute(app, context, {
    path: '/address/:address/transactions',
    schema: {
      tags,
      summary: 'The transactions of an address, newest first',
      params,
      querystring: cursorQuery(),
      response: envelopeResponses(
        component(
          app,
          'AddressTransaction',
          strictObject({ tx_id: HexId, tx_global_index: Count, block_height: Count, timestamp: Count }),
        ),
        [400],
      ),
    },
    parse: (asked) => {
      const owner = parseOwner(asked);
      return { owner, page: cursorPage(asked.query, `address-transactions ${owner}`, ['index']) };
    },
    answer: async ({ owner, page }) => {
      const below = Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER);
      return listResult(page, await store.query(ADDRESS_TRANSACTIONS_BELOW, owner, below, rowLimit(page)!), {
        key: (row) => [row.tx_index],
        text: (row) =>
          `{"tx_id":"${row.tx_id}","tx_global_index":${row.tx_index},"block_height":${row.height},"timestamp":${row.timestamp}}`,
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
        text: (row) => `"${tokenAddress(network, row.token_id)}"`,
      });
    },
  });
}
