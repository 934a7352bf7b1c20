/** `/address/{address}/spendable-utxos` and `/all-utxos`: the outputs of an address in the order of the chain. */
import type { FastifyInstance } from 'fastify';
import type { Destination } from '../../chain/types.ts';
import type { Answer, Parameter, Question } from '../../store/read/question.ts';
import { OUTPUTS, type OutputPlace, UTXOS, type UtxoRow } from '../../store/read/utxos.ts';
import { type ApiContext, type Asked, type Reply, serve } from '../context.ts';
import type { Shape } from '../contract/contract.ts';
import { cut, type ListPage, optionalListPage, rowsToRead } from '../page.ts';
import { address, type Query } from '../parameter.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, listAnswers, optionalListQuery } from '../schemas/route.ts';

/** Lists up to this length are read together with those of others; longer ones on their own. */
const SHORT_LIST = 400;
const BEFORE_ALL: readonly [number, number, number] = [-1, -1, -1];

function parsePage(query: Query, list: string): ListPage | null {
  return optionalListPage(query, list, ['height', 'height', 'height'], ['items']);
}

function placeBefore(page: ListPage | null): readonly [number, number, number] {
  if (!page?.after) return BEFORE_ALL;
  const [height, position, index] = page.after.map(Number);
  return [height!, position!, index!];
}

export function utxoRoutes(app: FastifyInstance, context: ApiContext): void {
  const { contract, network, reader } = context;
  const { allUtxos } = contract;
  const Utxo = component(app, 'Utxo', contract.utxoEntry.schema);
  const Listed = allUtxos.which === 'ever' ? component(app, 'PaidOutput', allUtxos.entry.schema) : Utxo;
  const common = { tags: ['Addresses'], params: ADDRESS_PARAMETER, querystring: optionalListQuery() };
  const parse = (list: string) => (asked: Asked) => {
    const owner = address(network, asked.params.address!);
    return { owner, page: parsePage(asked.query, `${list} ${owner}`) };
  };

  /** A page of a list, or all of it: a short one with those of others, a long one on its own. */
  async function ask<P extends readonly Parameter[], Row>(
    question: Question<readonly [...P, number | null], Row>,
    page: ListPage | null,
    parameters: P,
  ): Promise<Answer<Row>> {
    if (page) return reader.ask(question, ...parameters, rowsToRead(page));
    const answer = await reader.ask(question, ...parameters, SHORT_LIST + 1);
    return answer.rows.length <= SHORT_LIST ? answer : reader.askWhole(question, ...parameters, null);
  }

  function present<Row extends OutputPlace>(answer: Answer<Row>, page: ListPage | null, entry: Shape<Row>): Reply {
    const key = (row: Row) => [row.height, row.position, row.output_index];
    const list = page ? cut(page, answer.rows, key) : { rows: answer.rows, next: undefined };
    let text = '[';
    for (const row of list.rows) text += text.length === 1 ? entry.text(row) : `,${entry.text(row)}`;
    return { text: `${text}]`, tip: answer.tip, next: list.next };
  }

  async function unspent(owner: Destination, page: ListPage | null, spendableOnly: boolean): Promise<Reply> {
    const waits = spendableOnly && contract.refundWaitsForLock;
    const place = placeBefore(page);
    const answer = await ask<[string, boolean, boolean, number, number, number], UtxoRow>(UTXOS, page, [
      owner,
      spendableOnly,
      waits,
      ...place,
    ]);
    return present(answer, page, contract.utxoEntry);
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
      const answer = await ask(OUTPUTS, page, [owner, ...placeBefore(page)] as const);
      return present(answer, page, allUtxos.entry);
    },
  });
}
