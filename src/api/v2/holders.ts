/** `/statistics/coin/holders` and `/token/{id}/holders`: who has most of a currency. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { destinationAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { amount } from '../../render/text.ts';
import { HOLDERS } from '../../store/read/holders.ts';
import { HOLDER_MILESTONES } from '../../store/read/milestones.ts';
import { type ApiContext, type Reply, serve } from '../context.ts';
import { notFound } from '../error.ts';
import { cut, type ListPage, listPage, rowsToRead } from '../page.ts';
import { type Query, tokenId } from '../parameter.ts';
import { Bech32, named, object } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { listAnswers, listQuery, MOVING_ORDER, TOKEN_ID_PARAMETER } from '../schemas/route.ts';

const HOLDER_SCHEMA = object({
  address: Bech32,
  amount: { ...named('Amount'), description: 'Spendable and time-locked' },
  share_per_million: Type.Integer({ minimum: 0, description: 'Of what is in circulation, rounded down' }),
});

export function holderRoutes(app: FastifyInstance, context: ApiContext): void {
  const { milestones, network, reader } = context;
  const Holder = component(app, 'Holder', HOLDER_SCHEMA);

  const parsePage = (query: Query, currency: Currency) => listPage(query, `holders ${currency}`, ['amount', 'owner']);

  function answer({ currency, page }: { currency: Currency; page: ListPage }): Promise<Reply> {
    return milestones.read(HOLDER_MILESTONES, [currency], page, (from) => holders(currency, from));
  }

  async function holders(currency: Currency, page: ListPage): Promise<Reply> {
    const [total, owner] = page.after ?? [];
    const place = total === undefined ? 'Infinity' : BigInt(total);
    const { tip, rows } = await reader.ask(HOLDERS, currency, place, owner ?? '', page.skipped, rowsToRead(page)!);
    const { exists, decimals: tokenDecimals, circulating_supply: supply } = rows[0]!;
    if (!exists) throw notFound('Token not found');
    const decimals = currency === COIN ? network.coinDecimals : (tokenDecimals ?? 0);
    const list = cut(
      page,
      rows.filter((row) => row.owner !== null),
      (row) => [row.total!, row.owner!],
    );
    const texts = list.rows.map((row) => {
      const share = supply === 0n ? 0n : (row.total! * 1_000_000n) / supply;
      return `{"address":"${destinationAddress(network, row.owner!)}","amount":${amount(row.total!, decimals)},"share_per_million":${share}}`;
    });
    return { text: `[${texts.join(',')}]`, tip, next: list.next };
  }

  serve(app, context, {
    path: '/statistics/coin/holders',
    schema: {
      tags: ['Statistics'],
      summary: 'Who holds the coin, the largest holder first',
      description: MOVING_ORDER,
      querystring: listQuery(),
      response: listAnswers(Holder, [400]),
    },
    parse: ({ query }) => ({ currency: COIN, page: parsePage(query, COIN) }),
    answer,
  });

  serve(app, context, {
    path: '/token/:id/holders',
    schema: {
      tags: ['Tokens and NFTs'],
      summary: 'Who holds a token or NFT, the largest holder first',
      description: MOVING_ORDER,
      params: TOKEN_ID_PARAMETER,
      querystring: listQuery(),
      response: listAnswers(Holder, [400, 404]),
    },
    parse: ({ params, query }) => {
      const currency = tokenId(network, params.id!);
      return { currency, page: parsePage(query, currency) };
    },
    answer,
  });
}
