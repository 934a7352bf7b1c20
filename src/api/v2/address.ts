/** `/address`: what a destination holds and took part in. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { tokenAddress } from '../../chain/address.ts';
import { amount } from '../../render/text.ts';
import { ADDRESS, type AddressRow, TOKENS_OF_AUTHORITY } from '../../store/queries/addresses.ts';
import { DELEGATIONS_OF_ADDRESS } from '../../store/queries/delegations.ts';
import { ADDRESS_TRANSACTIONS_BELOW } from '../../store/queries/transactions.ts';
import { type ApiContext, type Asked, serve } from '../route/context.ts';
import type { AddressToken } from '../response-profile/profile.ts';
import { notFound } from '../route/api-error.ts';
import { cursorPage, listReply, rowsToRead, wholeOrPage } from '../pagination/page.ts';
import { address } from '../parse/parameters.ts';
import { Bech32, Count, HexId, named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import {
  ADDRESS_PARAMETER,
  answers,
  cursorQuery,
  envelopeAnswers,
  listAnswers,
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
  const { contract, lists, network, reader } = context;
  const tags = ['Addresses'];
  const params = ADDRESS_PARAMETER;
  const parseOwner = ({ params: { address: text } }: Asked) => address(network, text!);

  serve(app, context, {
    path: '/address/:address',
    schema: {
      tags,
      summary: 'Balances and history of an address',
      description:
        'An address without any transaction is not found. ' +
        `One with more than ${LONGEST_HISTORY} is the error 400: they are given in pages only.`,
      params,
      response: answers(
        component(
          app,
          'Address',
          object({
            coin_balance: { ...named('Amount'), description: 'Not under a time lock' },
            locked_coin_balance: { ...named('Amount'), description: 'Under a time lock' },
            tokens: Type.Array(contract.addressTokens.schema),
            transaction_history: Type.Array(HexId, { description: 'Most recent first' }),
          }),
        ),
        [400, 404],
      ),
    },
    parse: (asked) => ({ owner: parseOwner(asked), onlyShort: asked.onlyShort }),
    answer: async ({ owner, onlyShort }) => {
      const most = { short: SHORT_HISTORY, whole: LONGEST_HISTORY + 1 };
      const { tip, rows } = await lists.readWhole<AddressRow, number>(
        { name: `address ${owner}`, most, lengthOf: ([row]) => row!.history_length, tooLong: TOO_LONG, onlyShort },
        (ask, transactions) => ask(ADDRESS, owner, transactions),
      );
      const row = rows[0]!;
      if (row.history_length === 0) throw notFound('Address not found', tip);
      const coins = amount(row.coins ?? 0n, network.coinDecimals);
      const locked = amount(row.locked_coins ?? 0n, network.coinDecimals);
      const tokens = contract.addressTokens.texts(network, tokensOf(row)).join(',');
      const text = `{"coin_balance":${coins},"locked_coin_balance":${locked},"tokens":[${tokens}],"transaction_history":["${row.history}"]}`;
      return { text, tip };
    },
  });

  serve(app, context, {
    path: '/address/:address/transactions',
    schema: {
      tags,
      summary: 'The transactions of an address, newest first',
      params,
      querystring: cursorQuery(),
      response: envelopeAnswers(
        component(
          app,
          'AddressTransaction',
          object({ tx_id: HexId, tx_global_index: Count, block_height: Count, timestamp: Count }),
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
      return listReply(page, await reader.ask(ADDRESS_TRANSACTIONS_BELOW, owner, below, rowsToRead(page)!), {
        key: (row) => [row.tx_index],
        text: (row) =>
          `{"tx_id":"${row.tx_id}","tx_global_index":${row.tx_index},"block_height":${row.height},"timestamp":${row.timestamp}}`,
      });
    },
  });

  serve(app, context, {
    path: '/address/:address/delegations',
    schema: {
      tags,
      summary: 'The delegations that an address may withdraw from, by id',
      params,
      querystring: wholeListQuery(),
      response: listAnswers(contract.addressDelegation.schema, [400]),
    },
    parse: (asked) => {
      const owner = parseOwner(asked);
      const page = wholeOrPage(asked.query, `address-delegations ${owner}`, ['id']);
      return { owner, page, onlyShort: asked.onlyShort };
    },
    answer: async ({ owner, page, onlyShort }) => {
      const after = page?.after?.[0] ?? '';
      const answer = await lists.readList({ name: `delegations ${owner}`, page, onlyShort }, (ask, items) =>
        ask(DELEGATIONS_OF_ADDRESS, owner, after, items),
      );
      return listReply(page, answer, {
        key: (row) => [row.delegation_id],
        text: (row) => contract.addressDelegation.text(network, row),
      });
    },
  });

  serve(app, context, {
    path: '/address/:address/token-authority',
    schema: {
      tags,
      summary: 'The tokens whose authority is an address, by id',
      params,
      querystring: wholeListQuery(),
      response: listAnswers(Bech32, contract.noTokenAuthority === null ? [400] : [400, 404]),
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
      const answer = await lists.readList({ name: `authority ${owner}`, page }, (ask, items) =>
        ask(TOKENS_OF_AUTHORITY, owner, after, items),
      );
      if (answer.rows.length === 0 && !page?.after && contract.noTokenAuthority !== null) {
        throw notFound(contract.noTokenAuthority, answer.tip);
      }
      return listReply(page, answer, {
        key: (row) => [row.token_id],
        text: (row) => `"${tokenAddress(network, row.token_id)}"`,
      });
    },
  });
}
