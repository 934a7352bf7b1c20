/** `/address/{address}/spendable-utxos` and `/all-utxos`: the outputs of an address in the order of the chain. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Destination } from '../../chain/types.ts';
import { type Lines, OUTPUTS, type OutputRow, parseLines, UTXOS } from '../../store/queries/utxos.ts';
import type { SnapshotRows, SnapshotTip } from '../../store/read/batched-query.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import { type ListPage, listResult, rowLimit, wholeOrPage } from '../pagination/page.ts';
import { SHORT_LIST } from '../pagination/unpaged-lists.ts';
import { lastValue, parseAddress, type Query } from '../parse/parameters.ts';
import { withoutSpent } from '../pending/spendable.ts';
import { badRequest } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteRequest, type RouteResult } from '../route/context.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, listResponses, wholeListQuery } from '../schemas/route.ts';

/** Longer ones are only given in pages: they would fill the memory. */
const LONGEST_LIST = 200_000;
const LIMIT = `A list of more than ${LONGEST_LIST} entries is given in pages only, otherwise it is the error 400.`;
const TOO_LONG = `The list has more than ${LONGEST_LIST} entries: ask for pages of it, with cursor and items`;
const PENDING = Type.Optional(
  Type.Enum(['', 'exclude'], {
    type: 'string',
    description: '`exclude` leaves out what pending transactions spend; the answer has no `ETag` then',
  }),
);
const BEFORE_ALL: readonly [number, number, number] = [-1, -1, -1];

function placeBefore(page: ListPage | null): readonly [number, number, number] {
  if (!page?.after) return BEFORE_ALL;
  const [height, position, index] = page.after.map(Number);
  return [height!, position!, index!];
}

interface Parsed {
  readonly owner: Destination;
  readonly page: ListPage | null;
  readonly onlyShort: boolean | undefined;
  /** Without what pending transactions spend? */
  readonly withoutPending: boolean;
}

type Ask = QueryBatcher['query'];

const keyOf = (row: OutputRow) => [row.height, row.position, row.output_index];

function excludesPending(query: Query): boolean {
  const pending = lastValue(query, 'pending') ?? '';
  if (pending !== '' && pending !== 'exclude') throw badRequest('Invalid pending: only `exclude` is known');
  return pending === 'exclude';
}

function only<Row>({ rows, tip }: SnapshotRows<Row>): Row & { readonly tip: SnapshotTip } {
  return { ...rows[0]!, tip };
}

export function utxoRoutes(app: FastifyInstance, context: ApiContext): void {
  const { profile, unpagedLists, network } = context;
  const { allUtxos, utxoEntry } = profile;
  const Utxo = component(app, 'Utxo', utxoEntry.schema);
  const Listed = allUtxos.which === 'ever' ? component(app, 'PaidOutput', allUtxos.entry.schema) : Utxo;
  const common = { tags: ['Addresses'], params: ADDRESS_PARAMETER, querystring: wholeListQuery() };
  const parse =
    (list: string) =>
    (asked: RouteRequest): Parsed => {
      const owner = parseAddress(network, asked.params.address!);
      const fields = ['height', 'height', 'height'] as const;
      const withoutPending = list === 'spendable-utxos' && excludesPending(asked.query);
      const page = wholeOrPage(asked.query, `${list} ${owner}`, fields);
      return { owner, page, onlyShort: asked.onlyShort, withoutPending };
    };

  /** All of a list: a short one together with those of others, a long one on its own. */
  async function whole<Row extends { readonly count: number }>(
    name: string,
    list: (ask: Ask, items: number) => Promise<SnapshotRows<Row>>,
    onlyShort?: boolean,
  ): Promise<Row & { readonly tip: SnapshotTip }> {
    const most = { short: SHORT_LIST, whole: LONGEST_LIST + 1 };
    const lengthOf = ([row]: readonly Row[]) => row!.count;
    return only(
      await unpagedLists.readWhole<Row, number>({ name, most, lengthOf, tooLong: TOO_LONG, onlyShort }, list),
    );
  }

  /** A page of a list, or all of it, each entry presented. */
  async function presented(
    name: string,
    page: ListPage | null,
    text: (row: OutputRow) => string,
    list: (ask: Ask, items: number) => Promise<SnapshotRows<Lines>>,
  ): Promise<RouteResult> {
    const lines = page ? only(await unpagedLists.readTogether(rowLimit(page)!, list)) : await whole(name, list);
    return listResult(page, { tip: lines.tip, rows: parseLines(lines) }, { key: keyOf, text });
  }

  async function unspent(
    { owner, page, onlyShort, withoutPending }: Parsed,
    spendableOnly: boolean,
  ): Promise<RouteResult> {
    const which = [owner, spendableOnly, spendableOnly && profile.refundWaitsForLock] as const;
    const name = `utxos ${owner} ${spendableOnly}`;
    if (withoutPending) {
      const list = (ask: Ask, items: number) => ask(UTXOS, ...which, ...placeBefore(page), items);
      const left = await withoutSpent(context, owner, rowLimit(page), async (most) => {
        const lines =
          most === null ? await whole(`${name} lines`, list) : only(await unpagedLists.readTogether(most, list));
        return { tip: lines.tip, rows: parseLines(lines) };
      });
      return { ...listResult(page, left, { key: keyOf, text: utxoEntry.text }), isLive: true };
    }
    if (page)
      return presented(name, page, utxoEntry.text, (ask, items) => ask(UTXOS, ...which, ...placeBefore(page), items));
    const finished = (ask: Ask, items: number) => ask(utxoEntry.finishedList, ...which, ...BEFORE_ALL, items);
    const { list, tip } = await whole(name, finished, onlyShort);
    return { text: list, tip };
  }

  getRoute(app, context, {
    path: '/address/:address/spendable-utxos',
    schema: {
      ...common,
      querystring: Type.Object({ ...common.querystring.properties, pending: PENDING }),
      summary: 'The outputs of an address that can be spent now',
      description:
        'Not spent and under no time lock. ' +
        (profile.refundWaitsForLock
          ? 'An HTLC is listed for its spend key always, for its refund key once the next block may refund it.'
          : 'HTLCs are listed for both keys.') +
        ` ${LIMIT}`,
      response: listResponses(Utxo, [400]),
    },
    isLive: true,
    parse: parse('spendable-utxos'),
    answer: (parsed) => unspent(parsed, true),
  });

  getRoute(app, context, {
    path: '/address/:address/all-utxos',
    schema: {
      ...common,
      summary: allUtxos.which === 'ever' ? 'All outputs ever paid to an address' : 'The unspent outputs of an address',
      description: `${
        allUtxos.which === 'ever'
          ? '`spent` is null while the output is unspent; its `transaction_id` is null where a block was staked with it.'
          : 'Those under a time lock included.'
      } ${LIMIT}`,
      response: listResponses(Listed, [400]),
    },
    parse: parse('all-utxos'),
    answer: (parsed) => {
      if (allUtxos.which === 'unspent') return unspent(parsed, false);
      const { owner, page } = parsed;
      return presented(`outputs ${owner}`, page, allUtxos.entry.text, (ask, items) =>
        ask(OUTPUTS, owner, ...placeBefore(page), items),
      );
    },
  });
}
