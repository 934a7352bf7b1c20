/** What delegations, pools and addresses earned by day. */

import Type from 'typebox';
import { delegationAddress, destinationAddress, poolAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { nullable, schemaRef, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { listResult } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, rowRange } from '../../serving/pagination/paging.ts';
import {
  DAY_INTERVAL_PARAMETER,
  DAY_RANGE_PARAMETERS,
  parseDay,
  parseDayRange,
  requireDayInterval,
} from '../../serving/parse/days.ts';
import {
  addressParameter,
  parseDelegationIdParameter,
  parsePoolIdParameter,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import { csvDay } from '../../serving/route/csv.ts';
import { addExportedListRoute } from '../../serving/route/list-route.ts';
import {
  ADDRESS_PARAMETER,
  DELEGATION_ID_PARAMETER,
  POOL_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import { DELEGATION_DAY_LIST, POOL_DAY_LIST, REWARD_SHARE_LIST } from '../../store/queries/pools/staking-days.ts';
import { STAKING_INCOME_LIST } from '../../store/queries/pools/staking-income.ts';
import type { ApiContext } from '../api-context.ts';
import {
  DELEGATION_DAY,
  DELEGATION_SUMS,
  INCOME_SUMS,
  POOL_DAY,
  REWARD_SHARE,
  STAKING_INCOME,
} from '../present/staking-days.ts';
import { addWalletRoute, PAGE_FIELDS } from './wallet-read-route.ts';

const NEWEST_FIRST = 'Days in which nothing changed are left out. The day of the tip is not over yet.';

function parseDays(query: UrlQuery) {
  requireDayInterval(query);
  return parseDayRange(query);
}

/** What delegations and pools got by day. */
export function stakingDayRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, profile } = context;
  const query = { ...DAY_INTERVAL_PARAMETER, ...DAY_RANGE_PARAMETERS };

  addExportedListRoute(routes, context, {
    path: '/delegation/:id/history',
    summary: 'The rewards of a delegation by UTC day, newest first',
    description: `${NEWEST_FIRST} The balance is what was deposited and the rewards, less what was withdrawn.`,
    params: DELEGATION_ID_PARAMETER,
    query,
    entry: routes.addComponent('DelegationDay', DELEGATION_DAY.schema),
    paging: CURSOR_ONLY,
    list: DELEGATION_DAY_LIST,
    parse: ({ params, query: text }, paged) =>
      paged(text, {
        id: parseDelegationIdParameter(network, params.id!, profile.malformedDelegationId),
        days: parseDays(text),
      }),
    unknown: 'Delegation not found',
    sums: DELEGATION_SUMS,
    format: () => DELEGATION_DAY,
    fileName: (params) => `rewards-${delegationAddress(network, params.id)}`,
  });

  addExportedListRoute(routes, context, {
    path: '/pool/:id/history',
    summary: 'The rewards and balances of a pool by UTC day, newest first',
    description: NEWEST_FIRST,
    params: POOL_ID_PARAMETER,
    query,
    entry: routes.addComponent('PoolDay', POOL_DAY.schema),
    paging: CURSOR_ONLY,
    list: POOL_DAY_LIST,
    parse: ({ params, query: text }, paged) =>
      paged(text, { id: parsePoolIdParameter(network, params.id!), days: parseDays(text) }),
    unknown: 'Stake pool not found',
    format: () => POOL_DAY,
    fileName: (params) => `days-${poolAddress(network, params.id)}`,
  });

  addExportedListRoute(routes, context, {
    path: '/pool/:id/history/:day/delegations',
    summary: "How a day's rewards of a pool were split among its delegations, by id",
    description: 'Only delegations that got something. All rewards together are the `delegation_rewards` of the day.',
    params: Type.Object({
      ...POOL_ID_PARAMETER.properties,
      day: unsignedInteger({
        multipleOf: DAY_SECONDS,
        description: 'The first second of the day, UTC',
      }),
    }),
    entry: routes.addComponent('RewardShare', REWARD_SHARE.schema),
    paging: CURSOR_ONLY,
    list: REWARD_SHARE_LIST,
    parse: ({ params, query: text }, paged) =>
      paged(text, { poolId: parsePoolIdParameter(network, params.id!), day: parseDay(params.day!) }),
    unknown: 'Stake pool not found',
    format: () => REWARD_SHARE,
    fileName: (params) => `rewards-${poolAddress(network, params.poolId)}-${csvDay(params.day * DAY_SECONDS)}`,
  });
}

/** What addresses earned by day. */
export function stakingIncomeRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const parseOwner = addressParameter(network);
  const Income = routes.addComponent('StakingIncome', STAKING_INCOME.schema);
  const INCOME_DESCRIPTION =
    'A row for each day and pool or delegation that changed in it, also if it earned nothing. Pools are those that an ' +
    'address may decommission, delegations those that it may withdraw from.';

  addExportedListRoute(routes, context, {
    path: '/address/:address/staking',
    summary: 'The staking income of an address by UTC day, newest first',
    description: INCOME_DESCRIPTION,
    params: ADDRESS_PARAMETER,
    query: DAY_RANGE_PARAMETERS,
    entry: Income,
    paging: CURSOR_ONLY,
    list: STAKING_INCOME_LIST,
    parse: (request, paged) =>
      paged(request.query, { owners: [parseOwner(request)], days: parseDayRange(request.query) }),
    sums: INCOME_SUMS,
    format: () => STAKING_INCOME,
    fileName: (params) => `staking-${destinationAddress(network, params.owners[0]!)}`,
  });

  addWalletRoute(routes, context, {
    path: '/staking',
    summary: 'The staking income of several addresses by UTC day, newest first',
    description: `A read: it needs no permission of the operator. ${INCOME_DESCRIPTION}`,
    fields: { ...DAY_RANGE_PARAMETERS, ...PAGE_FIELDS },
    schema: strictObject({
      items: Type.Array(schemaRef('StakingIncome')),
      next_cursor: nullable(Type.String()),
      sums: INCOME_SUMS.schema,
    }),
    respond: async (reader, { owners, query: text }) => {
      const selection = { owners, days: parseDayRange(text) };
      const page = CURSOR_ONLY.parse(text, STAKING_INCOME_LIST, selection);
      const { tip, rows } = await STAKING_INCOME_LIST.read(reader, { ...selection, ...rowRange(page) });
      const sums = `,"sums":${INCOME_SUMS.json(network, rows[0]!)}`;
      return [listResult(STAKING_INCOME_LIST, page, rows, (row) => STAKING_INCOME.json(network, row), sums).text, tip];
    },
  });
}
