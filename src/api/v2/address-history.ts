/** `/address/{address}/history` and `/balance-series`. */

import { NO_LABEL, readTokenLabels } from '../../answers/token-label.ts';
import { destinationAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { CURSOR_ONLY } from '../../serving/pagination/paging.ts';
import { parseRange, RANGE_QUERY_SCHEMAS } from '../../serving/parse/chain-points.ts';
import { DAY_INTERVAL_PARAMETER, requireDayInterval } from '../../serving/parse/days.ts';
import { addressParameter, CURRENCY_PARAMETER, choicesParameter } from '../../serving/parse/parameters.ts';
import { addExportedListRoute, addListRoute } from '../../serving/route/list-route.ts';
import { ADDRESS_PARAMETER } from '../../serving/schemas/parameters-and-responses.ts';
import { CHANGE_DIRECTIONS, CHANGE_KINDS, HISTORY_LIST } from '../../store/queries/addresses/balance-history.ts';
import { BALANCE_DAY_LIST } from '../../store/queries/addresses/balance-series.ts';
import type { ApiContext } from '../api-context.ts';
import { BALANCE_CHANGE, BALANCE_DAY } from '../present/balance-history.ts';

export function addressHistoryRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const parseOwner = addressParameter(network);
  const kinds = choicesParameter('kind', CHANGE_KINDS, 'Only changes of one of these kinds');
  const directions = choicesParameter(
    'direction',
    CHANGE_DIRECTIONS,
    '`in`: only changes above zero; `out`: below zero',
  );

  addExportedListRoute(routes, context, {
    path: '/address/:address/history',
    params: ADDRESS_PARAMETER,
    summary: 'The balance changes of an address, newest first',
    description:
      'A row for each transaction and currency, for each block reward, and for locks that ended without a transaction. ' +
      'Staking rewards are not among them before they are withdrawn.',
    query: { ...CURRENCY_PARAMETER.query, ...kinds.query, ...directions.query, ...RANGE_QUERY_SCHEMAS },
    entry: routes.addComponent('BalanceChange', BALANCE_CHANGE.schema),
    paging: CURSOR_ONLY,
    list: HISTORY_LIST,
    format: () => BALANCE_CHANGE,
    fileName: (params) => `history-${destinationAddress(network, params.owner)}`,
    parse: (request, paged) => {
      const { query } = request;
      return paged(query, {
        owner: parseOwner(request),
        currency: CURRENCY_PARAMETER.parse(network, query),
        kinds: kinds.parse(query),
        directions: directions.parse(query),
        range: parseRange(query),
      });
    },
  });

  addListRoute(routes, context, {
    path: '/address/:address/balance-series',
    params: ADDRESS_PARAMETER,
    summary: 'The balance of an address at the end of each UTC day, newest first',
    description: 'From its first change on; days without a block are left out. The day of the tip is not over yet.',
    query: {
      ...CURRENCY_PARAMETER.query,
      ...DAY_INTERVAL_PARAMETER,
      ...RANGE_QUERY_SCHEMAS,
    },
    entry: routes.addComponent('BalanceDay', BALANCE_DAY.schema),
    paging: CURSOR_ONLY,
    list: BALANCE_DAY_LIST,
    parse: (request, paged) => {
      const { query } = request;
      const owner = parseOwner(request);
      const currency = CURRENCY_PARAMETER.parse(network, query) ?? COIN;
      requireDayInterval(query);
      return paged(query, { owner, currency, range: parseRange(query) });
    },
    writer: async ({ tip }, { currency }, store) => {
      const labels = await readTokenLabels(store, tip, currency === COIN ? [] : [currency]);
      const label = labels.get(currency) ?? NO_LABEL;
      return (row) => BALANCE_DAY.json(network, { ...row, ...label, currency });
    },
  });
}
