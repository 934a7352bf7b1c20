/** `/tx/{id}`: a transaction: confirmed, pending, or no longer pending. */

import type { TransactionOutline } from '../../answers/transaction-outline.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { feeRate } from '../../chain/fee-rate.ts';
import { isSpendable } from '../../chain/input-and-output-kinds.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { derivedIds } from '../../render/created-ids.ts';
import { hasUnknownInputs, sumsByCurrency } from '../../render/currency-sums.ts';
import type { ParsedOutput } from '../../render/stored-json.ts';
import { parseTransactionId } from '../../serving/parse/parameters.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import {
  amountHtml,
  coinAmount,
  coinUnit,
  countHtml,
  DASH_HTML,
  type ExactAmount,
  exactAmount,
  exactAmountOfJson,
} from '../parts/amount.ts';
import { confirmationsBadge, confirmationsHtml } from '../parts/confirmations.ts';
import { currencyDecimals, currencyUnit } from '../parts/currency-names.ts';
import { describeInput } from '../parts/describe-input.ts';
import { describeOutput } from '../parts/describe-output.ts';
import { blockLink, heightLink, idHtml, shortId, thingPath, transactionLink } from '../parts/id-links.ts';
import {
  ENTRIES_PER_PAGE,
  type EntryDescription,
  firstEntryOfPage,
  inputOutputList,
  lastPageStart,
  positionPagingLinks,
} from '../parts/input-output-list.ts';
import { netChangeTable } from '../parts/net-changes.ts';
import { fold } from '../parts/paging.ts';
import { placeInQueue, ratesOfQueue } from '../parts/pending-place.ts';
import { badge, banner, type Property, propertyList } from '../parts/properties-and-badges.ts';
import { column, numberColumn, table } from '../parts/table.ts';
import { timeHtml, utcText } from '../parts/time.ts';
import { NO_NAMES } from '../parts/transaction-actors.ts';
import { sentenceText, summaryHtml } from '../parts/transaction-sentence.ts';
import {
  type LongTransactionData,
  readTransaction,
  type TransactionPageContext,
  type TransactionPageData,
  type UnknownTransactionData,
} from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';
import { removalHtml, unknownTransactionContent } from './unknown-transaction.ts';

interface Shown {
  readonly id: Id;
  /** The indexes of the first input and output shown. */
  readonly inputs: number;
  readonly outputs: number;
}

/** The part of a confirmed transaction that is remembered; its JSON never changes. */
interface Known {
  /** The numbers of inputs and outputs that have pages. */
  readonly inputs: number;
  readonly outputs: number;
  /** The outline of a transaction too long to show its inputs and outputs; null otherwise. */
  readonly outline: TransactionOutline | null;
}

/** The most remembered transactions, at most 1 kB each. */
const MAX_KNOWN_OUTPUTS = 4_096;

export function transactionPage({ site, answers }: ExplorerContext): AnyPage {
  /** Transactions shown lately. With their lengths, a request beyond the last page shows the last page. */
  const knownById = new Map<Id, Known>();

  return definePage<Shown, TransactionPageData | LongTransactionData | UnknownTransactionData>({
    path: '/tx/:id',
    mayDependOnMempool: true,
    parse: ({ params, query }) => {
      const id = visitorId(params.id!);
      const known = knownById.get(id);
      const place = (name: 'inputs' | 'outputs') => {
        const first = firstEntryOfPage(query[name]);
        return known === undefined ? first : firstOf(first, known[name]);
      };
      return { id, inputs: place('inputs'), outputs: place('outputs') };
    },
    read: async (store, { id }, caller) => {
      const data = await readTransaction(answers, store, id, knownById.get(id)?.outline ?? null, caller);
      knownById.delete(id);
      if ('place' in data && data.place !== null) knownById.set(id, knownOf(data));
      if (knownById.size > MAX_KNOWN_OUTPUTS) knownById.delete(knownById.keys().next().value!);
      return data;
    },
    render: (data, shown) => {
      const { id } = shown;
      if (!('place' in data)) {
        return unknownTransactionContent(site, data, id, data.content && wholeBody(site, data.content, shown));
      }
      const { place } = data;
      const isLong = 'outline' in data;
      const summary = isLong ? null : data.told;
      const names = isLong ? NO_NAMES : data;
      const said = { id, summary: sentenceText(site, names, summary) };
      return {
        title: say('Transaction {id}', { id: shortId(id) }),
        description:
          place === null
            ? say('The transaction {id} is pending: {summary}.', said)
            : say('The transaction {id} is in block {height}, {time}: {summary}.', {
                ...said,
                height: place.height,
                time: utcText(place.timestamp),
              }),
        section: place === null ? 'mempool' : 'transactions',
        canonical: thingPath('tx', id),
        ...(place === null && { live: `transaction=${id}` as const }),
        isUnlisted: place === null || shown.inputs > 0 || shown.outputs > 0,
        api: [
          `/transaction/${id}?expand=true`,
          ...(place === null ? [] : [`/transaction/${id}/outspends`, `/transaction/${id}/merkle-path`]),
          `/transaction/${id}/raw`,
        ],
        body: html`<h1 class="title">Transaction ${state(site, data)}</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${removalNotice(site, data)}${isLong ? longBody(site, data, id) : wholeBody(site, data, shown)}`,
      };
    },
  });
}

/** The notice for a transaction that is confirmed or pending; null if no block of it was removed, or if it is back in that block. */
function removalNotice(site: Site, { removal, place }: TransactionPageContext): Html | null {
  if (removal === undefined || removal.block_id === place?.blockId) return null;
  const now =
    place === null
      ? html`It is pending again.`
      : html`It is now in another block, ${heightLink(site, place.height)} ${blockLink(site, place.blockId)}.`;
  return banner(html`${removalHtml(site, removal)} ${now}`, 'warning');
}

/** Returns the id of a path. Throws the error 400 with a message for visitors. */
function visitorId(text: string): string {
  try {
    return parseTransactionId(text);
  } catch {
    throw badInput(
      say('A transaction id has 64 characters (0–9, a–f); this text has {length}.', { length: text.length }),
    );
  }
}

function knownOf(data: TransactionPageData | LongTransactionData): Known {
  if ('outline' in data) return { inputs: 0, outputs: 0, outline: data.outline };
  const { inputs, outputs } = data.transaction;
  return { inputs: inputs.length, outputs: outputs.length, outline: null };
}

function wholeBody(site: Site, data: TransactionPageData, shown: Shown): Html {
  const { fee, flags } = data.transaction;
  const { netChanges: changes, protocolFee } = data.summary;
  const burned = exactAmount(protocolFee, site.network.coinDecimals);
  const costs = costsOf(site, data, { fee: fee === undefined ? null : exactAmountOfJson(fee), burned });
  const changed = changes !== null && netChangeTable(site, data.labels, changes);
  const head = html`<div class="glance">${headCard(site, data, summaryHtml(site, data, data.told), costs)}${changed}</div>`;
  const lists = html`<div class="columns">${inputsOf(site, data, shown)}${outputsOf(site, data, shown)}</div>`;
  const flagged = BigInt(flags) > 1n && propertyList([['Flags', countHtml(flags)]]);
  return html`${head}${lists}${fold('Details', html`${flagged}${currencySumTable(site, data, burned.atoms)}`)}`;
}

function longBody(site: Site, data: LongTransactionData, id: Id): Html {
  const { fee, inputCount, outputCount } = data.outline;
  const counts = propertyList([
    ['Inputs', countHtml(inputCount)],
    ['Outputs', countHtml(outputCount)],
  ]);
  const json = html`<a href="${site.api(`/transaction/${id}`)}" rel="nofollow">its JSON</a>`;
  const costs = costsOf(site, data, {
    fee: fee === null ? null : exactAmount(fee, site.network.coinDecimals),
    burned: null,
  });
  return html`${headCard(site, data, summaryHtml(site, NO_NAMES, null), costs)}${counts}<p>This transaction is too large to show here: ${json} has all inputs and outputs.</p>`;
}

function state(site: Site, { place, tip, removal }: TransactionPageContext): Html {
  if (place === null) return badge(removal === undefined ? 'pending' : 'pending again', 'warning');
  return confirmationsBadge(site, tip.height - place.height);
}

const unknownFee = () => html`<span class="muted">unknown (it spends outputs that are not known yet)</span>`;

/** What it did, where it is, and what it costs. */
function headCard(
  site: Site,
  { place, tip, waiting }: TransactionPageContext,
  summary: Html,
  costs: readonly Property[],
): Html {
  const queue: readonly Property[] =
    waiting === null
      ? []
      : [['Block', html`<span class="muted">not in a block yet</span>`], ...placeInQueue(site, waiting)];
  const facts: readonly Property[] =
    place === null
      ? queue
      : [
          ['Block', html`${heightLink(site, place.height)} ${blockLink(site, place.blockId)}`],
          ['Time', timeHtml(place.timestamp, 'both')],
          ['Confirmations', confirmationsHtml(site, tip.height - place.height)],
        ];
  return html`<section class="card">${summary}${propertyList([...facts, ...costs])}</section>`;
}

function costsOf(
  site: Site,
  { size, waiting }: TransactionPageContext,
  { fee, burned }: { readonly fee: ExactAmount | null; readonly burned: ExactAmount | null },
): readonly Property[] {
  const paid = fee === null ? unknownFee() : amountHtml(fee, { unit: coinUnit(site) });
  const rate = fee === null || size === null ? null : coinAmount(site, feeRate(fee.atoms, size), { isRounded: true });
  return [
    [
      'Fee',
      html`${paid}<span class="muted">${rate && html` · ${html`${rate} per kB`}`}${size !== null && html` · ${html`${countHtml(size)} bytes`}`}</span>`,
    ],
    burned !== null && burned.atoms > 0n && ['Protocol fee (burned)', amountHtml(burned, { unit: coinUnit(site) })],
    ...(waiting === null ? [] : ratesOfQueue(site, waiting, fee, size)),
  ];
}

function inputsOf(site: Site, data: TransactionPageData, shown: Shown): Html {
  const { inputs } = data.transaction;
  const from = firstOf(shown.inputs, inputs.length);
  const entries = inputs.slice(from, from + ENTRIES_PER_PAGE);
  const context = { site, tipHeight: data.tip.height, labels: data.labels, orders: data.orders };
  return inputOutputList('inputs', {
    length: inputs.length,
    from,
    entries: entries.map((entry) => describeInput(context, entry)),
    pages: pagesOf(site, shown, 'inputs', from, inputs.length),
  });
}

function outputsOf(site: Site, data: TransactionPageData, shown: Shown): Html {
  const { transaction, place, tip, labels } = data;
  const { outputs } = transaction;
  const from = firstOf(shown.outputs, outputs.length);
  const created = derivedIds(site.network, transaction, place?.height ?? tip.height + 1);
  const entries = outputs.slice(from, from + ENTRIES_PER_PAGE);
  const context = { site, labels, place, created };
  return inputOutputList('outputs', {
    length: outputs.length,
    from,
    entries: entries.map((output, i): EntryDescription => {
      const tipHeight = data.outspends.has(from + i) ? null : tip.height;
      const words = describeOutput({ ...context, tipHeight }, output);
      const spent = place === null ? null : spentBy(site, data, output, from + i);
      return spent === null ? words : { ...words, details: [...words.details, spent] };
    }),
    pages: pagesOf(site, shown, 'outputs', from, outputs.length),
  });
}

/** Renders the transaction that spends an output; null for an output that nothing can spend. */
function spentBy(site: Site, { outspends }: TransactionPageData, output: ParsedOutput, index: number): Html | null {
  const spend = outspends.get(index);
  if (spend === undefined) return isSpendable(output) ? html`<span class="muted">Unspent</span>` : null;
  const block = html`block ${heightLink(site, spend.height!)}`;
  if (spend.spent_tx_id === null) return html`Spent by staking in ${block}`;
  return html`Spent by ${transactionLink(site, spend.spent_tx_id)} in ${block}, input ${spend.input_index}`;
}

/** Returns the first entry of a page, or of the last page if there are fewer. */
function firstOf(place: number, length: number): number {
  return Math.min(place, lastPageStart(length));
}

function pagesOf(site: Site, shown: Shown, name: 'inputs' | 'outputs', from: number, length: number): Html | null {
  const href = (place: number) => {
    const query = { inputs: shown.inputs || null, outputs: shown.outputs || null, [name]: place || null };
    return site.href(thingPath('tx', shown.id), query, `#${name}`);
  };
  return positionPagingLinks({
    of: name === 'inputs' ? 'Inputs' : 'Outputs',
    from,
    length,
    href,
    rel: 'nofollow',
  });
}

/** Renders the totals of each currency. `protocolFee`: the coins that the protocol burns. */
export function currencySumTable(
  site: Site,
  { labels, transaction }: Pick<TransactionPageData, 'labels' | 'transaction'>,
  protocolFee: Atoms,
): Html {
  const sums = sumsByCurrency(site.network, transaction);
  const shown = (currency: Currency, atoms: Atoms) =>
    amountHtml(exactAmount(atoms, currencyDecimals(site, labels, currency)));
  const isAnyBurned = protocolFee > 0n || sums.some(({ burned }) => burned > 0n);
  const notes = html`${isAnyBurned && html`<p class="muted">Burned amounts are not counted as output.</p>`}${hasUnknownInputs(transaction) && html`<p class="muted">Balances of decommissioned pools and amounts from orders are not included.</p>`}`;
  return html`${table(sums, {
    caption: 'Totals by currency',
    isCaptionShown: true,
    columns: [
      column('Currency', ({ currency }) => currencyUnit(site, labels, currency)),
      numberColumn('Total input', ({ currency, inputs }) => shown(currency, inputs)),
      numberColumn('Total output', ({ currency, outputs }) => shown(currency, outputs)),
      numberColumn('Burned', ({ currency, burned }) => shown(currency, burned)),
      protocolFee > 0n &&
        numberColumn('Protocol fee (burned)', ({ currency }) =>
          currency === COIN ? shown(currency, protocolFee) : DASH_HTML,
        ),
    ],
    empty: 'The inputs and outputs have no amounts.',
  })}${notes}`;
}
