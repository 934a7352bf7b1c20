/** Renders the watch list: what each thing has now, and what has changed since the visitor saw it. */
import { priceInDirection, requestedPair } from '../../answers/markets.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';
import { MAX_COUNTED_EVENTS } from '../../store/queries/chain/watched-things.ts';
import { Attributes, type Html, html } from '../html.ts';
import { HASHED, MAX_TOKEN_CHANGES, type WatchedKind, type WatchedThing } from '../read/watched-things.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { amountHtml, DASH_HTML, exactAmount, unitAmountColumn } from './amount.ts';
import { currencyDecimals, currencyText, currencyUnit } from './currency-names.ts';
import { idHtml, thingLink, thingPath } from './id-links.ts';
import { column, inCard, table } from './table.ts';
import { timeHtml } from './time.ts';
import { unitPrice } from './trading-pair.ts';
import { MAX_LABEL_LENGTH } from './watch-controls.ts';

/** What is shown of each kind, what happens to it, and the page that lists that, below its own page. */
const KINDS = {
  address: {
    label: 'Including staked coins',
    one: 'one transaction',
    many: '{count} transactions',
    page: '/history',
  },
  delegation: {
    label: 'Delegation, balance',
    one: 'one transaction',
    many: '{count} transactions',
    page: '/transactions',
  },
  pool: { label: 'Pool, stake', one: 'one block', many: '{count} blocks', page: '/blocks' },
  nft: { label: 'NFT', one: 'one transaction', many: '{count} transactions', page: '#transactions' },
  token: { label: 'Token, supply', one: 'one event', many: '{count} events', page: '' },
  market: { label: 'Market, last price', one: 'one trade', many: '{count} trades', page: '#trades' },
} as const satisfies Record<WatchedKind, object>;

/** A thing, with what the page says of it. */
interface ShownThing extends WatchedThing {
  readonly now: Value | null;
  readonly changes: readonly Change[];
}

interface Value {
  readonly atoms: Atoms;
  readonly decimals: number;
  readonly currency: Currency;
}

/** A change, also as plain text for a notification. */
interface Change {
  readonly shown: Html;
  readonly text: string;
}

export function shownThings(site: Site, labels: TokenLabels, things: readonly WatchedThing[]): ShownThing[] {
  return things.map((thing) => {
    const now = shownValue(site, labels, thing, thing.row);
    return { ...thing, now, changes: changesOf(site, labels, thing, now) };
  });
}

export function watchedTable(site: Site, labels: TokenLabels, things: readonly ShownThing[]): Html {
  const now = unitAmountColumn<ShownThing>(
    'Now',
    ({ now: value }) =>
      value && { amount: exactAmount(value.atoms, value.decimals), unit: currencyUnit(site, labels, value.currency) },
  );
  const missing = ({ row }: ShownThing) =>
    row === null ? html`<span class="muted">unknown on ${site.network.name}</span>` : DASH_HTML;
  return table(things, {
    id: 'watched',
    caption: 'Watched items',
    columns: [
      column('Watched', (thing) => nameOf(site, labels, thing)),
      inCard.plain(column('Label (only you see it)', (thing) => labelField(site, labels, thing))),
      inCard.plain({ ...now, cells: (rows) => now.cells(rows).map((cell, i) => cell ?? missing(rows[i]!)) }),
      inCard.plain(
        column(
          'Changes since you last looked',
          ({ changes, seen }) =>
            changes.length === 0
              ? html`<span class="muted">${seen === null ? html`nothing to compare yet` : html`unchanged`}</span>`
              : changes.map(({ shown }) => html`<div>${shown}</div>`),
          'num',
        ),
      ),
      inCard.top(column('Remove', () => html`<button type="button" name="remove">Remove</button>`)),
    ],
    empty: html`You are not watching anything yet. Paste addresses or ids below, or press “Watch” on the page of an address, pool, delegation, token or market.`,
  });
}

function nameOf(site: Site, labels: TokenLabels, { kind, id, key }: WatchedThing): Html {
  const text = (currency: Currency) => currencyText(site, labels, currency);
  const link =
    kind !== 'market'
      ? thingLink(site, kind, id)
      : html`<a class="thing" href="${site.href(thingPath(kind, id))}">${key === null ? idHtml(id, { isShort: true }) : html`<bdi>${text(key[0]!)}/${text(key[1]!)}</bdi>`}</a>`;
  return html`${link} <span class="muted kind">${textOf(KINDS[kind].label)}</span>`;
}

/** The script finds here what it remembers of the thing, and what it tells in a notification. */
function labelField(
  site: Site,
  labels: TokenLabels,
  { kind, id, problem, state, now, seen, changes }: ShownThing,
): Html {
  const value = now && `${numberText(now)} ${currencyText(site, labels, now.currency)}`;
  const notice = [value, changes.map(({ text }) => text).join(', ')].filter(Boolean).join(' · ');
  return html`<label><span class="sr">Label (only you see it)</span><input name="label" maxlength="${MAX_LABEL_LENGTH}" autocomplete="off" placeholder="Label" data-thing="${kind}/${id}" data-state="${state}"${Attributes.of({ 'data-notice': changes.length > 0 && notice, 'data-unseen': seen === null, 'data-problem': problem !== null && textOf(problem) })}></label>`;
}

const numberText = ({ atoms, decimals }: Value): string => localDecimal(decimalText(atoms, decimals));

/** Returns what a thing has, or had when it was seen; null for nothing. */
function shownValue(
  site: Site,
  labels: TokenLabels,
  { kind, key }: WatchedThing,
  found: { readonly value: Atoms | null; readonly second_value: Atoms | null } | null,
): Value | null {
  if (key === null || found === null || found.value === null) return null;
  const decimalsOf = (currency: Currency) => currencyDecimals(site, labels, currency);
  if (kind !== 'market') {
    const currency = kind === 'token' ? key[0]! : COIN;
    // The second value of an address is staked.
    const atoms = kind === 'address' ? found.value + (found.second_value ?? 0n) : found.value;
    return { atoms, decimals: decimalsOf(currency), currency };
  }
  const { base, quote, ...pair } = requestedPair(key as [Currency, Currency]);
  const price = priceInDirection({ base, quote, ...pair }, found.second_value, found.value);
  if (price === null) return null;
  const decimals = decimalsOf(quote);
  return { atoms: unitPrice(price, decimalsOf(base), decimals).atoms, decimals, currency: quote };
}

function changesOf(site: Site, labels: TokenLabels, thing: WatchedThing, now: Value | null): Change[] {
  const { row, seen, state, tokenChanges } = thing;
  if (row === null || seen === null || seen.text === state) return [];
  const was = shownValue(site, labels, thing, seen);
  const isPrice = thing.kind === 'market';
  const [from, to] = isPrice ? [was?.atoms, now?.atoms] : [seen.value, row.value];
  const moved = from == null || to == null ? 0n : to - from;
  const amounts = tokenChanges.slice(0, MAX_TOKEN_CHANGES).map(({ currency, change }) => ({
    atoms: change,
    decimals: currencyDecimals(site, labels, currency),
    currency,
  }));
  const changes = [...(moved === 0n ? [] : [{ ...now!, atoms: moved }]), ...amounts].map((amount) =>
    changeOf(site, labels, amount),
  );
  const [before, after] = isPrice ? [null, null] : [seen.second_value, row.second_value];
  const staked = before === null || after === null ? 0n : after - before;
  if (staked !== 0n) changes.splice(moved === 0n ? 0 : 1, 0, stakedChange(site, labels, thing.kind, staked));
  if (tokenChanges.length > MAX_TOKEN_CHANGES) changes.push({ shown: html`…`, text: '…' });
  if (row.events > 0) changes.push(eventsOf(site, thing));
  if (changes.length > 0) return changes;
  const hashes = state.split('.').slice(-HASHED.length);
  return HASHED.flatMap((name, i) => {
    const text = textOf(HASHED_CHANGES[name]);
    return hashes[i] === seen.hashes[i] ? [] : [{ shown: html`${text}`, text }];
  });
}

const HASHED_CHANGES = {
  event_id: 'newest event replaced by a reorganisation',
  stakes: 'staked coins changed',
  orders: 'orders changed',
} as const satisfies Readonly<Record<(typeof HASHED)[number], Words>>;

function changeOf(site: Site, labels: TokenLabels, value: Value): Change {
  const { atoms, decimals, currency } = value;
  const unit = currencyUnit(site, labels, currency);
  const text = numberText(value);
  return {
    shown: amountHtml(exactAmount(atoms, decimals), { unit, isSigned: true, isRounded: true }),
    text: `${atoms < 0n ? text.replace('-', '−') : `+${text}`} ${currencyText(site, labels, currency)}`,
  };
}

/** What an address has more or less in staking, or what of a change of a stake are rewards. */
function stakedChange(site: Site, labels: TokenLabels, kind: WatchedKind, atoms: Atoms): Change {
  const { shown, text } = changeOf(site, labels, { atoms, decimals: site.network.coinDecimals, currency: COIN });
  const what = textOf(kind === 'address' ? 'in staking' : 'of rewards');
  return { shown: html`${shown} <span class="muted">${what}</span>`, text: `${text} ${what}` };
}

/** How much has happened, with links to the list of it and to the newest. */
function eventsOf(site: Site, { kind, id, row, seen }: WatchedThing): Change {
  const { one, many, page } = KINDS[kind];
  const { events, event_id: event, timestamp } = row!;
  const count = events > MAX_COUNTED_EVENTS ? `${MAX_COUNTED_EVENTS}+` : events;
  const text = textOf(events === 1 ? one : say(many, { count }));
  // Only what an address has had since then is a page.
  const list = site.href(thingPath(kind, id) + page, kind === 'address' ? { since: seen!.timestamp + 1 } : undefined);
  const newest = site.href(thingPath(kind === 'pool' ? 'block' : 'tx', event!));
  return {
    shown:
      events === 1
        ? html`<a class="events" href="${list}">${text}</a> <a href="${newest}">${timeHtml(timestamp!)}</a>`
        : html`<a class="events" href="${list}">${text}</a>, the last <a href="${newest}">${timeHtml(timestamp!)}</a>`,
    text,
  };
}
