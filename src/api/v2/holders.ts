/** Holders of the coin and of each token, now and after any block. */

import { decimalsOfCurrency } from '../../answers/currency-labels.ts';
import { tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { oneOf } from '../../render/schemas/common.ts';
import { isHolderAfter } from '../../serving/cache/holder-snapshots.ts';
import { ApiError, badRequest, notFound } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_IGNORING_OFFSET, type ListPage } from '../../serving/pagination/paging.ts';
import { POINT_QUERY_SCHEMAS, parsePoint, requirePointBlock } from '../../serving/parse/chain-points.ts';
import { choiceParameter, parseKnown, parseTokenIdParameter, type UrlQuery } from '../../serving/parse/parameters.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { mappedCsv } from '../../serving/route/csv.ts';
import { cacheControlOfPast } from '../../serving/route/get-route.ts';
import type { ListExport } from '../../serving/route/get-route-stages.ts';
import { addListRoute, type OtherPage } from '../../serving/route/list-route.ts';
import { CHANGING_SORT_WARNING, TOKEN_ID_PARAMETER } from '../../serving/schemas/parameters-and-responses.ts';
import { getStatisticsAt, type StatisticsAtRow } from '../../store/queries/addresses/balances-at-height.ts';
import { type ChainPoint, sqlParametersOfPoint } from '../../store/queries/blocks/chain-points.ts';
import type { List, ListOrder } from '../../store/queries/lists/define-list.ts';
import {
  HOLDER_LISTS,
  type HolderListSort,
  type HolderRow,
  type HolderSortKey,
  type ListedHolderRow,
  PAST_HOLDER_LIST,
} from '../../store/queries/tokens/holders.ts';
import { HOLDERS_AT, type PastHolder, type PastHolderRow } from '../../store/queries/tokens/holders-at-height.ts';
import { boundQuery, type QueryRunner } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { holderEntry, PAST_HOLDER } from '../present/holder.ts';

const DESCRIPTION = `${CHANGING_SORT_WARNING} With \`height\` or \`time\`: who held it after that block, by all that each had, time-locked or not, whatever \`sort\` says; these pages do not change.`;

interface HolderSelection {
  readonly currency: Currency;
  readonly sort: HolderListSort;
  /** Null: now. */
  readonly point: ChainPoint | null;
}

type HolderList = List<HolderSelection, HolderSortKey, HolderRow, ListedHolderRow>;

interface HolderParams extends HolderSelection {
  readonly page: ListPage<HolderSortKey>;
  /** The error 400 about the query. For a token that does not exist, the error 404 has precedence. */
  readonly refusal: string | null;
}

/** The query of the lists, and how it is parsed for the list at a path. */
function holderParameters({ profile }: ApiContext) {
  const [defaultSort] = profile.holderSorts as [HolderListSort];
  const sortParameter = choiceParameter('sort', profile.holderSorts, {
    description: '`amount`: by spendable balance, without holders that have none. `total`: by total balance.',
    message: 'Invalid holders sort order',
  });
  const paged = (currency: Currency, of: UrlQuery, sort: HolderListSort, point: ChainPoint | null) => {
    const list = point === null ? HOLDER_LISTS[sort] : PAST_HOLDER_LIST;
    return { currency, sort, point, page: CURSOR_IGNORING_OFFSET.parse(of, list, { currency, point }) };
  };
  return {
    query: { ...sortParameter.query, ...POINT_QUERY_SCHEMAS },
    parse(path: string, query: UrlQuery, currency: Currency): HolderParams {
      try {
        return parseKnown(profile, path, { query }, (known) => {
          const point = parsePoint(known.query);
          return { ...paged(currency, known.query, sortParameter.parse(known.query), point), refusal: null };
        });
      } catch (error) {
        if (error instanceof ApiError) return { ...paged(currency, {}, defaultSort, null), refusal: error.message };
        throw error;
      }
    },
  };
}

export function holderRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const { query, parse } = holderParameters(context);
  const HOLDER = holderEntry(profile);
  const Holder = routes.addComponent('Holder', HOLDER.schema);
  // Where entries of now have the fields of those of the past, one schema describes both.
  const entry =
    'total' in profile.holder
      ? Holder
      : oneOf([Holder, routes.addComponent('PastHolder', PAST_HOLDER.schema)], { title: 'ListedHolder' });

  const holders = {
    tags: ['Statistics'],
    description: DESCRIPTION,
    query,
    entry,
    paging: CURSOR_IGNORING_OFFSET,
    list: ({ sort, point }: HolderSelection): HolderList =>
      point === null ? HOLDER_LISTS[sort] : { ...HOLDER_LISTS[sort], ...PAST_HOLDER_LIST },
    readOther: (store: QueryRunner, params: HolderParams, caller: Caller) =>
      params.point === null ? null : readPastHolders(context, store, caller, params, params.point),
    isExportable: ({ point }: HolderParams) => point !== null,
    exported: async ({ currency, point, page, refusal }: HolderParams, store: QueryRunner) => {
      if (refusal !== null) throw badRequest(refusal);
      if (point === null) throw badRequest('Invalid format: an export of holders needs `height` or `time`');
      const { tip, rows } = await getStatisticsAt(store, currency, ...sqlParametersOfPoint(point));
      const facts = requirePointBlock(point, rows[0], tip);
      if (!facts.exists) throw notFound('Token not found', tip);
      return pastHolderExport(context, currency, page, facts);
    },
    unknown: 'Token not found',
    check: (_: unknown, { refusal }: HolderParams) => {
      if (refusal !== null) throw badRequest(refusal);
    },
    writer:
      (_: unknown, { currency, point }: HolderParams) =>
      (row: ListedHolderRow) => {
        const holding = {
          owner: row.owner,
          amount: row.amount,
          locked: row.locked,
          decimals: decimalsOfCurrency(network, currency, row),
          circulatingSupply: row.circulating_supply,
        };
        return (point === null ? HOLDER : PAST_HOLDER).json(network, holding);
      },
  };

  addListRoute(routes, context, {
    ...holders,
    path: '/statistics/coin/holders',
    summary: 'The holders of the coin, largest first',
    parse: ({ query }) => parse('/statistics/coin/holders', query, COIN),
  });

  addListRoute(routes, context, {
    ...holders,
    path: '/statistics/token/:id/holders',
    summary: 'The holders of a token or NFT, largest first',
    params: TOKEN_ID_PARAMETER,
    parse: ({ params, query }) =>
      parse('/statistics/token/:id/holders', query, parseTokenIdParameter(network, params.id!)),
  });
}

/** Reads a page of the holders after a block. Throws the error 404 if there is no such block. */
async function readPastHolders(
  { holderSnapshots }: ApiContext,
  store: QueryRunner,
  caller: Caller,
  { currency, page: { after, limit } }: HolderParams,
  point: ChainPoint,
): Promise<OtherPage<HolderRow>> {
  const { tip, rows } = await getStatisticsAt(store, currency, ...sqlParametersOfPoint(point));
  const { exists, decimals, circulating_supply, ...block } = requirePointBlock(point, rows[0], tip);
  const known = { exists, decimals, circulating_supply };
  const holders = exists ? (await holderSnapshots.read(store, caller, currency, block)).after(after, limit + 1) : [];
  const listed = holders.map(({ owner, balance, locked }) => ({
    ...known,
    owner,
    amount: balance - locked,
    locked,
    total: balance,
  }));
  const nobody = { ...known, owner: null, amount: null, locked: null, total: null };
  return { tip, rows: listed.length > 0 ? listed : [nobody], cacheControl: cacheControlOfPast(tip, block.height) };
}

/** The export of the holders after a block, from a page on. */
function pastHolderExport(
  { network, store }: ApiContext,
  currency: Currency,
  { list, after }: ListPage<HolderSortKey>,
  { height, block_id, decimals, circulating_supply: circulatingSupply }: StatisticsAtRow,
): ListExport<HolderSortKey, PastHolderRow, PastHolderRow & PastHolder> {
  const order: ListOrder<HolderSortKey, PastHolderRow, PastHolderRow & PastHolder> = {
    fields: PAST_HOLDER_LIST.fields,
    sortKey: ({ balance, owner }) => ({ amount: balance, owner }),
    isEntry: (row): row is PastHolderRow & PastHolder =>
      row.owner !== null && (after === null || isHolderAfter(row as PastHolder, after)),
  };
  const holdingOf = ({ owner, balance, locked }: PastHolder) => ({
    owner,
    amount: balance - locked,
    locked,
    decimals: decimalsOfCurrency(network, currency, { decimals }),
    circulatingSupply,
  });
  return {
    fileName: `holders-${currency === COIN ? network.coinTicker : tokenAddress(network, currency)}-${height}`,
    list,
    order,
    open: () => store.openExport(boundQuery(HOLDERS_AT, currency, height, block_id)),
    hasRow: true,
    csv: mappedCsv(PAST_HOLDER.csv(network), holdingOf),
    json: (row) => PAST_HOLDER.json(network, holdingOf(row)),
  };
}
