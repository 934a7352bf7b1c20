/** Lists of outputs of an address: unspent ones, those that are locked, HTLCs. */
import type { TokenLabels } from '../../api/present/token-label.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { AddressHtlcRow } from '../../store/queries/htlcs.ts';
import type { UnlockRow } from '../../store/queries/unlocks.ts';
import type { UtxoRow } from '../../store/queries/utxos.ts';
import { type Html, html } from '../html.ts';
import { type OutputValue, readOutputEntry, readPlaceText } from '../read/stored-json.ts';
import { tokensIn } from '../read/transaction-facts.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN } from './amount.ts';
import { badge } from './badge.ts';
import { addressLink, heightLink, htlcLink, outpointLink } from './ids.ts';
import { LAST_TIME, lockWords } from './lock.ts';
import { outputWords } from './output-words.ts';
import { table } from './table.ts';
import { time } from './time.ts';

interface OutputTableContext {
  readonly site: Site;
  readonly labels: TokenLabels;
  readonly tipHeight: number;
}

export interface OutputTableOptions {
  readonly caption: string;
  readonly empty: string;
}

/** The tokens that outputs are worth, whose labels are needed. */
export function tokensOfOutputs(network: Network, rows: readonly UtxoRow[]): Set<Id> {
  return tokensIn(network, { inputs: [], outputs: rows.map(({ entry }) => readOutputEntry(entry).utxo) });
}

export function utxoTable(context: OutputTableContext, rows: readonly UtxoRow[], options: OutputTableOptions): Html {
  const { site } = context;
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Output' },
      { label: 'Worth', kind: AMOUNT_COLUMN },
      { label: 'What it is' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'Time' },
    ],
    rows: rows.map((row) => {
      const { link, worth, words, place } = read(context, row);
      return [link, worth, words, heightLink(site, place.height), time(place.timestamp)];
    }),
  });
}

/** Outputs by when they open. */
export function unlockTable(
  context: OutputTableContext,
  rows: readonly UnlockRow[],
  options: OutputTableOptions,
): Html {
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Opens' },
      { label: 'Worth', kind: AMOUNT_COLUMN },
      { label: 'Output' },
      { label: 'Lock' },
      { label: 'Made in block', kind: AMOUNT_COLUMN },
    ],
    rows: rows.map((row) => {
      const { link, worth, words, place } = read(context, row);
      return [opening(row), worth, link, words, heightLink(context.site, place.height)];
    }),
  });
}

/** When it opens: by the clock, or as it is to be expected of a height. */
function opening({ opens_at, unlock_height }: UnlockRow): Html {
  const moment = opens_at <= LAST_TIME ? time(Number(opens_at), { isAbsolute: true }) : html`never`;
  return unlock_height === null ? moment : html`about ${moment}`;
}

/** Open HTLCs. */
export function htlcTable(
  context: OutputTableContext,
  rows: readonly AddressHtlcRow[],
  options: OutputTableOptions,
): Html {
  const { site } = context;
  return table({
    ...options,
    isCaptionHidden: true,
    columns: [
      { label: 'Hash of the secret' },
      { label: 'Worth', kind: AMOUNT_COLUMN },
      { label: 'This address' },
      { label: 'The other side' },
      { label: 'Refund' },
      { label: 'Output' },
      { label: 'Block', kind: AMOUNT_COLUMN },
    ],
    rows: rows.map((row) => {
      const { utxo, link, worth, place } = read(context, row);
      if (utxo.type !== 'Htlc') throw new Error(`an output of type ${utxo.type} in a list of HTLCs`);
      const { htlc } = utxo;
      return [
        htlcLink(site, htlc.secret_hash.hex),
        worth,
        html`${row.may_spend && badge('may claim', 'good')} ${row.may_refund && badge('may refund', 'warning')}`,
        addressLink(site, row.may_spend ? htlc.refund_key : htlc.spend_key),
        lockWords(site, htlc.refund_timelock, place, context.tipHeight),
        link,
        heightLink(site, place.height),
      ];
    }),
  });
}

/** An output of a list, ready to be shown. */
function read(context: OutputTableContext, row: UtxoRow) {
  const { site, labels, tipHeight } = context;
  const { outpoint, utxo } = readOutputEntry(row.entry);
  const place = readPlaceText(row.place);
  const words = outputWords({ site, labels, place, tipHeight, created: null }, utxo);
  return {
    utxo,
    place,
    link: outpointLink(site, outpoint.source_type, outpoint.source_id, outpoint.index),
    worth: words.worth ?? html`<span class="muted">–</span>`,
    words: shortWords(context, utxo, place, words.what),
  };
}

/** Transfers are to the address whose list it is: that goes without saying. */
function shortWords(
  { site, tipHeight }: OutputTableContext,
  utxo: OutputValue,
  place: { readonly height: number; readonly timestamp: number },
  what: Html,
): Html {
  if (utxo.type === 'Transfer') return html`Transfer`;
  if (utxo.type === 'LockThenTransfer') return html`Locked ${lockWords(site, utxo.lock, place, tipHeight)}`;
  return what;
}
