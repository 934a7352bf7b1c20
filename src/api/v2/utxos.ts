/** `/address/{address}/spendable-utxos` and `/all-utxos`: the outputs of an address in the order of the chain. */
import type { FastifyInstance } from 'fastify';
import type { Destination } from '../../chain/types.ts';
import type { Answer, SnapshotTip } from '../../store/read/question.ts';
import type { Reader } from '../../store/read/reader.ts';
import { type Lines, OUTPUTS, type OutputRow, readLines, UTXOS } from '../../store/read/utxos.ts';
import { type ApiContext, type Asked, type Reply, serve } from '../context.ts';
import type { Shape } from '../contract/contract.ts';
import { badRequest } from '../error.ts';
import { cut, type ListPage, optionalListPage } from '../page.ts';
import { address, type Query } from '../parameter.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, listAnswers, optionalListQuery } from '../schemas/route.ts';
import { SHORT_LIST } from '../whole-list.ts';

/** Longer ones are only given in pages: they would fill the memory. */
const LONGEST_LIST = 200_000;
const TOO_LONG = `The list has more than ${LONGEST_LIST} entries: ask for pages of it, with items and cursor`;
const BEFORE_ALL: readonly [number, number, number] = [-1, -1, -1];

function parsePage(query: Query, list: string): ListPage | null {
  return optionalListPage(query, list, ['height', 'height', 'height'], ['items']);
}

function placeBefore(page: ListPage | null): readonly [number, number, number] {
  if (!page?.after) return BEFORE_ALL;
  const [height, position, index] = page.after.map(Number);
  return [height!, position!, index!];
}

type Ask = Reader['ask'];
type Place = { readonly tip: SnapshotTip };

function only({ rows, tip }: Answer<Lines>): Lines & Place {
  return { ...rows[0]!, tip };
}

export function utxoRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, lists, network } = context;
  const { allUtxos } = contract;
  const Utxo = component(app, 'Utxo', contract.utxoEntry.schema);
  const Listed = allUtxos.which === 'ever' ? component(app, 'PaidOutput', allUtxos.entry.schema) : Utxo;
  const common = { tags: ['Addresses'], params: ADDRESS_PARAMETER, querystring: optionalListQuery() };
  const parse = (list: string) => (asked: Asked) => {
    const owner = address(network, asked.params.address!);
    return { owner, page: parsePage(asked.query, `${list} ${owner}`) };
  };

  /** A page of a list, or all of it: a short one together with those of others, a long one on its own. */
  async function ask(
    name: string,
    page: ListPage | null,
    list: (ask: Ask, items: number) => Promise<Answer<Lines>>,
  ): Promise<Lines & Place> {
    if (page) return only(await lists.readTogether(page.items + 1, list));
    const most = { short: SHORT_LIST, whole: LONGEST_LIST + 1 };
    const whole = only(await lists.readWhole({ name, most, lengthOf: ([row]) => row!.count }, list));
    if (whole.count > LONGEST_LIST) throw badRequest(TOO_LONG);
    return whole;
  }

  function present(lines: Lines & Place, page: ListPage | null, entry: Shape<OutputRow>): Reply {
    const rows = readLines(lines);
    const key = (row: OutputRow) => [row.height, row.position, row.output_index];
    const list = page ? cut(page, rows, key) : { rows, next: undefined };
    return { text: `[${list.rows.map(entry.text).join(',')}]`, tip: lines.tip, next: list.next };
  }

  async function unspent(owner: Destination, page: ListPage | null, spendableOnly: boolean): Promise<Reply> {
    const waits = spendableOnly && contract.refundWaitsForLock;
    const place = placeBefore(page);
    const lines = await ask(`utxos ${owner} ${spendableOnly}`, page, (asking, items) =>
      asking(UTXOS, owner, spendableOnly, waits, contract.showsBlockOfUtxo, ...place, items),
    );
    return present(lines, page, contract.utxoEntry);
  }

  serve(app, context, {
    path: '/address/:address/spendable-utxos',
    schema: {
      ...common,
      summary: 'The outputs of an address that can be spent now',
      description:
        'Not spent and under no time lock. ' +
        (contract.refundWaitsForLock
          ? 'An HTLC is listed for its spend key always, for its refund key once the next block may refund it.'
          : 'HTLCs are listed for both keys.'),
      response: listAnswers(Utxo, [400]),
    },
    parse: parse('spendable-utxos'),
    answer: ({ owner, page }) => unspent(owner, page, true),
  });

  serve(app, context, {
    path: '/address/:address/all-utxos',
    schema: {
      ...common,
      summary: allUtxos.which === 'ever' ? 'All outputs ever paid to an address' : 'The unspent outputs of an address',
      description:
        allUtxos.which === 'ever'
          ? '`spent` is null while the output is unspent; its `transaction_id` is null where a block was staked with it.'
          : 'Those under a time lock included.',
      response: listAnswers(Listed, [400]),
    },
    parse: parse('all-utxos'),
    answer: async ({ owner, page }) => {
      if (allUtxos.which === 'unspent') return unspent(owner, page, false);
      const lines = await ask(`outputs ${owner}`, page, (asking, items) =>
        asking(OUTPUTS, owner, ...placeBefore(page), items),
      );
      return present(lines, page, allUtxos.entry);
    },
  });
}
