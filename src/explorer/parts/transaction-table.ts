/** Renders tables of transactions: of the chain, of a block, or pending ones. */

import {
  changesOfAddress,
  isPayment,
  type SummarizedActions,
  type TransactionOutline,
} from '../../answers/transaction-outline.ts';
import { feeRate } from '../../chain/fee-rate.ts';
import type { NetChange } from '../../render/net-changes.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';
import { amountColumn, countHtml, DASH_HTML, exactAmount, unknownHtml } from './amount.ts';
import { addressesOrCount, heightLink, transactionLink } from './id-links.ts';
import { netChangeColumn, netChangeHtml } from './net-changes.ts';
import { badge } from './properties-and-badges.ts';
import { type Column, column, inCard, numberColumn, type TableTexts, table } from './table.ts';
import { type ShownTime, timeHtml } from './time.ts';
import { doersOf, type SentenceNames, sendersOf } from './transaction-actors.ts';
import { sentenceHtml } from './transaction-sentence.ts';

export interface ListedTransaction {
  readonly transaction: TransactionOutline;
  /** The size with signatures, in bytes; null if it is unknown. */
  readonly size: number | null;
  /** The block of the transaction; null while it is pending. */
  readonly place: { readonly height: number; readonly timestamp: number } | null;
  /** When this server saw it pending, in seconds since the epoch; undefined if it is not known. */
  readonly seenAt?: number | undefined;
}

/** Transactions with the names that their sentences need. */
export interface ListedTransactions {
  readonly listed: readonly ListedTransaction[];
  readonly names: SentenceNames;
}

interface TransactionTableOptions extends TableTexts {
  readonly id?: string;
  /** Leaves out block and time, for a list of one block. */
  readonly isOfOneBlock?: boolean;
  /** False leaves out the size, if no entry has one. */
  readonly hasSize?: boolean;
  /** Adds what this address has more or less, in place of the size. */
  readonly address?: string;
  /** Adds the fee rate per 1,000 bytes. */
  readonly hasFeeRate?: boolean;
  readonly times?: ShownTime;
  /** A column in place of the senders. */
  readonly inPlaceOfSenders?: Column<ListedTransaction>;
}

export function transactionTable(
  site: Site,
  { listed, names }: ListedTransactions,
  {
    isOfOneBlock = false,
    hasSize = true,
    hasFeeRate = false,
    times,
    address,
    inPlaceOfSenders,
    ...words
  }: TransactionTableOptions,
): Html {
  const { coinDecimals, coinTicker } = site.network;
  const rateOf = ({ size, transaction: { fee } }: ListedTransaction) =>
    fee === null || size === null ? null : exactAmount(feeRate(fee, size), coinDecimals);
  const fee = feeColumn(site, address);
  return table(listed, {
    ...words,
    isSteady: true,
    columns: [
      column('Transaction', ({ transaction }) => transactionLink(site, transaction.id)),
      !isOfOneBlock && blockColumn(site),
      !isOfOneBlock && inCard.top(column('Time', (each) => whenHtml(each, times))),
      hasFeeRate &&
        inCard.namedTop(
          amountColumn(say('Fee rate, {unit}/kB', { unit: coinTicker }), rateOf, { missing: unknownHtml() }),
        ),
      summaryColumn(site, names, address),
      inPlaceOfSenders ?? (address === undefined && byColumn(site, names)),
      address !== undefined && netChangeColumn(site, names, address),
      hasFeeRate ? fee : (isOfOneBlock ? inCard.namedTop : inCard.off)(fee),
      hasSize &&
        address === undefined &&
        inCard.off(numberColumn('Size, bytes', ({ size }) => (size === null ? DASH_HTML : countHtml(size)))),
    ],
  });
}

function whenHtml({ place, seenAt }: ListedTransaction, times?: ShownTime): Html {
  if (place !== null) return timeHtml(place.timestamp, times);
  // Beside `pending` the eye needs no words, and as wide as other times it moves nothing.
  return seenAt === undefined ? DASH_HTML : html`<span class="sr">first seen</span> ${timeHtml(seenAt, times)}`;
}

/** A column of sentences; the style shows as much of each as fits. A payment to `address` is told from its side. */
function summaryColumn<Row extends Pick<ListedTransaction, 'transaction'>>(
  site: Site,
  names: SentenceNames,
  address?: string,
): Column<Row> {
  return inCard.line(
    column('Action', ({ transaction }) => {
      const told =
        address === undefined
          ? sentenceHtml(site, names, transaction.summary, true)
          : toldOf(site, names, transaction, address);
      return html`<span class="summary">${told}</span>`;
    }),
  );
}

/** Tells what an address did; the whole of the transaction, where it did that alone. */
function toldOf(site: Site, names: SentenceNames, transaction: TransactionOutline, address: string): Html {
  const received = receivedFrom(site, names, transaction, address);
  if (received !== null) return received;
  const whole = sentenceHtml(site, names, transaction.summary, true);
  const share = shareOf(site, names, transaction, address, whole);
  if (!share) return withDoers(site, names, transaction, address, whole);
  return sentTo(site, names, transaction, address) ?? html`<span class="muted">${share}</span> ${whole}`;
}

/** Puts “By …:” before a sentence that names an address which others acted on. */
function withDoers(
  site: Site,
  names: SentenceNames,
  { summary }: TransactionOutline,
  address: string,
  told: Html,
): Html {
  const doers = summary === null ? [] : doersOf(site, names, summary);
  if (doers.length === 0 || doers.includes(address) || !told.text.includes(address)) return told;
  return html`<span class="muted">${html`By ${addressesOrCount(site, doers)}`}:</span> ${told}`;
}

/** Returns “Jointly with others:” or “Paid the fee for others:” if the address did not act alone; false if it did, or if that is unknown. */
function shareOf(site: Site, names: SentenceNames, transaction: TransactionOutline, address: string, told: Html) {
  const { summary, fee, netChanges } = transaction;
  if (paidOnlyFee(site, names, transaction, address)) return html`Paid the fee for others:`;
  if (summary?.first == null || netChanges === null || told.text.includes(address)) return false;
  const { payers } = summary;
  const doers = giversOrDoers(site, names, summary);
  const isGain = changesOfAddress(transaction, address)!.every(({ atoms }) => atoms > 0n);
  if (isGain && doers.length > 0 && !doers.includes(address))
    return html`${html`By ${addressesOrCount(site, doers)}`}:`;
  const others = netChanges.filter(
    ({ account: { type, id } }) => type === 'address' && id !== address && payers.includes(id!),
  );
  const haveFeeOnly = others.every(({ atoms, currency }) => currency.token === '' && atoms === -(fee ?? 0n));
  const isAlone = doers.length === 1 && doers[0] === address && haveFeeOnly;
  return doers.length > 0 && !isAlone && html`Jointly with others:`;
}

/** Returns who gave the currency of the first action; else who did it. */
const giversOrDoers = (site: Site, names: SentenceNames, summary: SummarizedActions): readonly string[] =>
  summary.givers.length > 0 ? summary.givers : doersOf(site, names, summary);

/** Did an address pay the fee of what others did, and nothing else? */
function paidOnlyFee(site: Site, names: SentenceNames, transaction: TransactionOutline, address: string): boolean {
  const { summary, fee } = transaction;
  if (fee === null || summary?.first == null || summary.payers.length < 2) return false;
  const { first } = summary;
  const isSentByOthers = first.type === 'transfer' && !first.is_to_sender;
  if (!isSentByOthers && doersOf(site, names, summary).includes(address)) return false;
  const own = changesOfAddress(transaction, address);
  if (own?.length !== 1 || own[0]!.currency.token !== '' || own[0]!.atoms > 0n) return false;
  // If nobody has more coins, all of them are the fee and the protocol fee.
  const isAnyPaid = transaction.netChanges!.some(({ currency, atoms }) => currency.token === '' && atoms > 0n);
  return own[0]!.atoms === -fee || !isAnyPaid;
}

/** Says who paid an address; null if it paid itself, or was not paid. */
function receivedFrom(site: Site, names: SentenceNames, transaction: TransactionOutline, address: string): Html | null {
  const { summary } = transaction;
  if (summary?.first == null || !isPayment(summary.first)) return null;
  const payers = giversOrDoers(site, names, summary);
  // Who is paid may pay the fee.
  const isFee = ({ currency, atoms }: NetChange) => currency.token === '' && atoms === -(transaction.fee ?? 0n);
  const [change, ...more] = (changesOfAddress(transaction, address) ?? []).filter((each) => !isFee(each));
  if (payers.length === 0 || payers.includes(address) || change === undefined || change.atoms < 0n) return null;
  const from = addressesOrCount(site, payers);
  return more.length === 0
    ? html`Received ${netChangeHtml(site, names.labels, change, { isSigned: false, isRounded: 'inline' })} from ${from}`
    : html`Received from ${from}`;
}

/** Says what an address paid, of what all paid, and whom; null if it paid in several currencies, or if its part of the fee is not known. */
function sentTo(site: Site, names: SentenceNames, transaction: TransactionOutline, address: string): Html | null {
  const { summary, fee, netChanges } = transaction;
  if (summary?.first == null || !isPayment(summary.first) || netChanges === null || fee === null) return null;
  const [feePayer, ...moreFeePayers] = summary.feePayers;
  const isFee = ({ account, currency }: NetChange) => currency.token === '' && account.id === feePayer;
  const paid = netChanges
    .map((change) => (isFee(change) ? { ...change, atoms: change.atoms + fee } : change))
    .filter(({ atoms }) => atoms !== 0n);
  const [own, ...more] = paid.filter(({ account }) => account.id === address);
  if (own === undefined || own.atoms > 0n || more.length > 0) return null;
  const { token } = own.currency;
  const moves = paid.filter(({ currency }) => currency.token === token);
  if (!moves.every(({ account }) => account.type === 'address') || (token === '' && moreFeePayers.length > 0))
    return null;
  const [receivers, payers] = [moves.filter(({ atoms }) => atoms > 0n), moves.filter(({ atoms }) => atoms < 0n)];
  if (receivers.length === 0) return null;
  const lossOf = (changes: readonly NetChange[]) => {
    const atoms = changes.reduce((sum, change) => sum - change.atoms, 0n);
    return netChangeHtml(site, names.labels, { ...own, atoms }, { isSigned: false, isRounded: 'inline' });
  };
  const to = addressesOrCount(
    site,
    receivers.map(({ account }) => account.id!),
  );
  return payers.length === 1
    ? html`Sent ${lossOf([own])} to ${to}`
    : html`Contributed ${lossOf([own])} of ${lossOf(payers)} sent to ${to}`;
}

function byColumn<Row extends Pick<ListedTransaction, 'transaction'>>(site: Site, names: SentenceNames): Column<Row> {
  return column('From|sender', ({ transaction: { summary } }) => {
    const senders = summary === null ? [] : sendersOf(site, names, summary);
    return addressesOrCount(site, senders) ?? DASH_HTML;
  });
}

/** Of an address only what it paid, as far as is known. */
function feeColumn({ network: { coinDecimals, coinTicker } }: Site, address?: string): Column<ListedTransaction> {
  const isPaidBy = ({ summary }: TransactionOutline) =>
    address === undefined || summary === null || summary.feePayers.length === 0 || summary.feePayers.includes(address);
  return amountColumn(
    say('Fee, {unit}', { unit: coinTicker }),
    ({ transaction }) =>
      transaction.fee !== null && isPaidBy(transaction) ? exactAmount(transaction.fee, coinDecimals) : null,
    { missing: address === undefined ? unknownHtml() : DASH_HTML },
  );
}

function blockColumn(site: Site): Column<ListedTransaction> {
  return numberColumn('Block', ({ place }) =>
    place === null ? badge('pending', 'warning') : heightLink(site, place.height),
  );
}
