/** `/statement`: what addresses had, received, spent and earned over days, as one wallet. */

import { readStatement, STATEMENT_LINE_ORDER, type Statement } from '../../answers/read-statement.ts';
import {
  kindsOfLine,
  MAX_SUMMED_LINES,
  type StatementAmounts,
  type StatementCurrency,
  type StatementLine,
} from '../../answers/statement-lines.ts';
import { TAX_PROGRAMS } from '../../answers/tax-events.ts';
import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { currencyInPair, destinationAddress, parseDelegationId, tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import { parseDayRange } from '../../serving/parse/days.ts';
import { lastQueryValue, MAX_STATEMENT_ADDRESSES, type UrlQuery } from '../../serving/parse/parameters.ts';
import { getDelegation } from '../../store/queries/pools/delegations.ts';
import { STATEMENT_LIST } from '../../store/queries/wallets/statement.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { badInput, wordsOfError } from '../page-error.ts';
import { amountColumn, countHtml, DASH_HTML, exactAmount } from '../parts/amount.ts';
import { chainText } from '../parts/chain-text.ts';
import { currencyDecimals, currencyUnit, sortedByName } from '../parts/currency-names.ts';
import {
  type DownloadOptions,
  downloadLinks,
  fileLink,
  type PeriodTexts,
  parsePeriod,
  periodQuery,
  periodText,
} from '../parts/downloads.ts';
import {
  delegationLink,
  destinationLink,
  poolLink,
  thingLink,
  transactionLink,
  wholeIdLink,
} from '../parts/id-links.ts';
import { kindsText } from '../parts/kind-words.ts';
import { accountHtml } from '../parts/net-changes.ts';
import { fold, pageOfRows, pagingLinks, parseListPage } from '../parts/paging.ts';
import { banner } from '../parts/properties-and-badges.ts';
import { type Column, column, inCard, table } from '../parts/table.ts';
import { blockAndTime, dayText, timeHtml } from '../parts/time.ts';
import { currencyField, readTypedCurrency, typedCurrencyProblem } from '../parts/typed-currency.ts';
import { tokensOfCurrencies } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { isTokenTicker, parseAddressInput, parseVisitorCurrency, problemOf } from '../visitor-input.ts';
import { oldestFirst, say, textOf, type Words } from '../words/catalogue.ts';

/** The most currencies that are shown with their sums. */
const MAX_CURRENCIES = 100;

/** Those of them that need no click. */
const OPEN_CURRENCIES = 10;

/** The most addresses that are named above the statement. */
const NAMED_ADDRESSES = 6;

/** The most pools and delegations that are named in a line. */
const NAMED_STAKES = 2;

/** The texts of the form. */
interface Typed extends PeriodTexts {
  readonly addresses: string;
  readonly currency: string;
  /** The name of the period that has these days; empty for none. */
  readonly chosen: string;
}

export function statementPage({ site, answers }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/statement',
    parse: ({ query }) => {
      const typed = typedIn(query, (answers.tipWatch.tip?.timestamp ?? 0) * 1_000);
      const delegation = delegationIn(network, typed.addresses);
      const nothing = { typed, delegation, asked: null, problem: null, ticker: null };
      if (typed.addresses === '' || delegation !== null) return nothing;
      try {
        const owners = ownersIn(site, typed.addresses);
        if (isTokenTicker(network, typed.currency)) return { ...nothing, ticker: typed.currency };
        const currency = typed.currency === '' ? null : parseVisitorCurrency(network, typed.currency);
        const days = periodQuery(parsePeriod({ from: typed.from, to: typed.to }));
        const selection = { owners, currency, days: parseDayRange(days) };
        const link = {
          addresses: owners.map((owner) => destinationAddress(network, owner)).join(),
          ...(currency !== null && { currency: currencyInPair(network, currency) }),
        };
        const page = parseListPage(query, STATEMENT_LIST, selection);
        return { ...nothing, asked: { selection, page, link, days } };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { ...nothing, problem: wordsOfError(error) };
      }
    },
    read: async (store, { asked, delegation, ticker }) => {
      const nothing = { statement: null, labels: new Map(), owner: undefined, found: null };
      if (delegation !== null) {
        const { tip, rows } = await getDelegation(store, parseDelegationId(network, delegation));
        return { ...nothing, tip, owner: rows[0]?.spend_destination };
      }
      if (ticker !== null) {
        const found = await readTypedCurrency(store, network, ticker);
        return { ...nothing, tip: found.tip ?? answers.tipWatch.tip, found };
      }
      if (asked === null) return { ...nothing, tip: answers.tipWatch.tip };
      const statement = await readStatement(network, store, asked.selection, asked.page);
      const { tip, lines, currencies } = statement;
      const shown = [...lines, ...(currencies?.slice(0, MAX_CURRENCIES) ?? [])].map(({ currency }) => currency);
      return { ...nothing, tip, statement, labels: await readTokenLabels(store, tip, tokensOfCurrencies(shown)) };
    },
    render: ({ statement, labels, owner, found }, { typed, delegation, asked, problem }) => {
      const { addresses, from, to } = typed;
      if (found?.currency != null) {
        const currency = tokenAddress(network, found.currency);
        return { location: `/statement?${new URLSearchParams({ addresses, currency, from, to })}` };
      }
      const isRefused = problem !== null || found !== null || delegation !== null;
      const about = {
        title: 'Statement' as const,
        section: 'statement' as const,
        isUnlisted: asked !== null || isRefused,
      };
      const form = html`<h1>Statement</h1>${asked === null && html`<p class="lead">What your addresses received, sent, paid as fees and earned by staking.</p>`}${problem !== null && banner(html`${chainText(textOf(problem), { most: 300 })}`, 'bad')}${found !== null && typedCurrencyProblem(site, found, (currency) => site.href('/statement', { addresses, currency, from, to }))}${delegation !== null && notAnAddress(site, typed, delegation, owner)}${asked === null && formHtml(site, typed)}`;
      if (asked === null) return { ...about, api: [], body: form, ...(isRefused && { status: 400 }) };
      const { page, link, days, selection } = asked;
      const { lines, currencies, closingBlock } = statement!;
      const shown = pageOfRows(STATEMENT_LINE_ORDER, page, lines);
      const query = { ...link, from: typed.from || undefined, to: typed.to || undefined };
      return {
        ...about,
        api: [`/statement?${new URLSearchParams({ ...link, ...days })}`],
        body: html`<div class="statement">${form}${ownersHtml(site, selection.owners)}<p class="lead">${periodText(typed)}</p>${closingBlock !== null && closingBlock.timestamp !== null && html`<p class="muted">Closing balances after ${blockAndTime(site, closingBlock.height, closingBlock.timestamp, 'absolute')}</p>`}${formHtml(site, typed, true)}${downloadLinks(site, '/statement', { ...link, ...days }, files(site, { ...link, ...days }))}${currencies !== null && currencySumTable(site, labels, currencies)}<section><h2>Transactions and staking</h2>${lineTable(site, labels, shown.entries)}${pagingLinks(site, '/statement', shown, { query })}</section></div>`,
      };
    },
  });
}

/** Finds the first of some addresses that is a delegation. */
function delegationIn(network: Network, text: string): string | null {
  const isDelegation = (each: string) => {
    try {
      return parseDelegationId(network, each) !== '';
    } catch {
      return false;
    }
  };
  return addressesIn(text).find(isDelegation) ?? null;
}

/** Offers the statement of the owner of a delegation; `owner`: undefined if there is no such delegation. */
function notAnAddress(site: Site, typed: Typed, delegation: string, owner: Destination | undefined): Html {
  if (owner === undefined) return banner(html`There is no delegation with this id.`, 'bad');
  const { currency, from, to } = typed;
  const addresses = typed.addresses.replace(delegation, destinationAddress(site.network, owner));
  return banner(
    html`${thingLink(site, 'delegation', delegation)} is a delegation. Its rewards are in the <a href="${site.href('/statement', { addresses, currency, from, to })}">statement of its owner</a>.`,
    'warning',
  );
}

/** Returns the texts of a request. A period by name is one of days before `now`, in milliseconds. Throws the error 400. */
function typedIn(query: UrlQuery, now: number): Typed {
  const [addresses, currency, from, to, name] = ['addresses', 'currency', 'from', 'to', 'period'].map(
    (field) => lastQueryValue(query, field)?.trim() ?? '',
  ) as [string, string, string, string, string];
  const tip = new Date(now);
  const [years, months] = [tip.getUTCFullYear(), tip.getUTCMonth()];
  const day = (year: number, month: number, date: number) => dayText(Date.UTC(year, month, date) / 1_000);
  const periods = PERIODS.map((period) => ({ ...period, ...period.days({ years, months, day }) }));
  const chosen =
    periods.find((period) => period.name === name) ??
    periods.find((period) => period.from === from && period.to === to);
  return { addresses, currency, from: chosen?.from ?? from, to: chosen?.to ?? to, chosen: chosen?.name ?? '' };
}

/** A period that a button chooses. */
interface NamedPeriod {
  readonly name: string;
  readonly label: Words;
  readonly days: (calendar: Calendar) => PeriodTexts;
}

interface Calendar {
  readonly years: number;
  readonly months: number;
  readonly day: (year: number, month: number, date: number) => string;
}

const PERIODS: readonly NamedPeriod[] = [
  {
    name: 'this-month',
    label: 'This month',
    days: ({ years, months, day }) => ({ from: day(years, months, 1), to: '' }),
  },
  {
    name: 'last-month',
    label: 'Last month',
    days: ({ years, months, day }) => ({
      from: day(years, months - 1, 1),
      to: day(years, months, 0),
    }),
  },
  {
    name: 'this-year',
    label: 'This year',
    days: ({ years, day }) => ({ from: day(years, 0, 1), to: '' }),
  },
  {
    name: 'last-year',
    label: 'Last year',
    days: ({ years, day }) => ({ from: day(years - 1, 0, 1), to: day(years - 1, 11, 31) }),
  },
];

const addressesIn = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '');

/** Parses addresses with white space or commas between them. Throws the error 400. */
function ownersIn({ network }: Site, text: string): Destination[] {
  const texts = addressesIn(text);
  if (texts.length > MAX_STATEMENT_ADDRESSES)
    throw badInput(say('A statement is of {count} addresses at most.', { count: MAX_STATEMENT_ADDRESSES }));
  return [...new Set(texts.map((each) => ownerIn(network, each)))];
}

/** Parses one of them; the error 400 names it. */
function ownerIn(network: Network, text: string): Destination {
  try {
    return parseAddressInput(network, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw badInput(problemOf(text, error));
  }
}

/** `isSmall`: shows the period, and the rest after a click. */
function formHtml(site: Site, { addresses, currency, from, to, chosen }: Typed, isSmall = false): Html {
  const { coinTicker } = site.network;
  const presets = PERIODS.map(
    ({ name, label }) =>
      html` <button type="submit" name="period" value="${name}"${Attributes.of({ 'aria-current': name === chosen && 'true' })}>${textOf(label)}</button>`,
  );
  const whose = html`<label class="wide">Addresses (separated by spaces or commas) <textarea name="addresses" required rows="3" autocomplete="off" autocapitalize="off" spellcheck="false">${addresses}</textarea></label>${currencyField('currency', 'Currency', currency, say('all, {unit}, a ticker or a token’s id', { unit: coinTicker }))}`;
  return html`<form class="filter" method="get" action="${site.href('/statement')}">${!isSmall && whose}<label>From <input type="date" name="from" value="${from}"></label><label>To <input type="date" name="to" value="${to}"></label><span class="buttons"><button type="submit">Show</button>${presets}</span>${isSmall && html`<details class="wide"><summary>Addresses and currency</summary>${whose}</details>`}</form>`;
}

/** Names the addresses, the first ones if there are many. */
function ownersHtml(site: Site, owners: readonly Destination[]): Html {
  const [first] = owners;
  if (owners.length === 1)
    return html`<p class="title-id">${wholeIdLink(site, 'address', destinationAddress(site.network, first!))}</p>`;
  const more = owners.length - NAMED_ADDRESSES;
  return html`<p class="title-id">${owners.slice(0, NAMED_ADDRESSES).map((owner) => html`${destinationLink(site, owner)} `)}${more > 0 && html`<span class="muted">and ${more} more</span>`}</p>`;
}

type PartOf = (amounts: StatementAmounts) => bigint;

/** Opening + received − sent − fees + rewards + own transfers = closing. An own transfer has a sign: its coins come or go. */
const PARTS: readonly (readonly [label: Words, of: PartOf, isSigned?: true])[] = [
  ['Received', ({ income }) => income],
  ['Sent', ({ spent }) => spent],
  ['Fees', ({ fee, protocolFee }) => fee + protocolFee],
  ['Staking rewards', ({ rewards }) => rewards],
  ['Own transfers', ({ moved }) => moved, true],
];

/** The columns of the parts of changes; a part of nothing is a dash. */
function amountColumns<Row extends { readonly currency: string }>(
  site: Site,
  labels: TokenLabels,
  parts: typeof PARTS,
  amountsOf: (row: Row) => StatementAmounts | null,
): Column<Row>[] {
  return parts.map(([label, of, isSigned = false]) =>
    amountColumn<Row>(
      label,
      (row) => {
        const amounts = amountsOf(row);
        const atoms = amounts === null ? 0n : of(amounts);
        return atoms === 0n ? null : exactAmount(atoms, currencyDecimals(site, labels, row.currency));
      },
      { isSigned },
    ),
  );
}

/** The file of the rewards alone, and those for tax programs. */
function files(site: Site, query: Readonly<Record<string, string>>): DownloadOptions {
  const link = (text: Html | string, more: Readonly<Record<string, string>>) =>
    fileLink(site, '/statement', { ...query, ...more, format: 'csv' }, text);
  const programs = Object.entries(TAX_PROGRAMS).map(([layout, name]) => link(name, { layout }));
  return {
    title: 'Tax software and other formats',
    beside: link(html`Staking rewards only (CSV)`, { lines: 'rewards' }),
    others: html`<p class="buttons">${programs}</p><p class="muted">One row per trade, in UTC: choose UTC when importing. Rewards are grouped by UTC day.</p>`,
  };
}

function currencySumTable(site: Site, labels: TokenLabels, currencies: readonly StatementCurrency[]): Html {
  const exact = (currency: string, atoms: bigint) => exactAmount(atoms, currencyDecimals(site, labels, currency));
  const shown = sortedByName(site, labels, currencies.slice(0, MAX_CURRENCIES));
  // Between an address and its own stakes nothing is moved in all, unless others pledged for it.
  const hasMoved = shown.some(({ sums: each }) => each !== null && each.moved !== 0n);
  const sums = (id: string, rows: readonly StatementCurrency[]) =>
    table(rows, {
      caption: 'Balances',
      id,
      hasPairs: true,
      columns: [
        column('Currency', ({ currency }) => currencyUnit(site, labels, currency)),
        amountColumn('Opening balance', ({ currency, opening }) => exact(currency, opening)),
        ...amountColumns(
          site,
          labels,
          hasMoved ? PARTS : PARTS.slice(0, -1),
          ({ sums: each }: StatementCurrency) => each,
        ),
        amountColumn('Closing balance', ({ currency, closing }) => exact(currency, closing)),
      ],
      empty: 'Nothing in this period.',
    });
  // What came and went within the period needs a click.
  const held = shown.filter(({ currency, ...row }) => currency === COIN || row.opening !== 0n || row.closing !== 0n);
  const first = (held.length > 0 ? held : shown).slice(0, OPEN_CURRENCIES);
  const others = shown.filter((row) => !first.includes(row));
  const hidden = currencies.length - shown.length;
  return html`<section><h2>Balances <span class="muted">including staked coins</span></h2>${sums('sums', first)}${others.length > 0 && fold('Other currencies', sums('other-sums', others), { count: countHtml(others.length) })}${hasNoRewards(currencies) && html`<p class="muted">No staking rewards in this period.</p>`}${hidden > 0 && html`<p class="muted">${hidden} more currencies are in the files.</p>`}${
    currencies.some((each) => each.sums === null) &&
    html`<p class="muted">This period has more than ${MAX_SUMMED_LINES} lines, too many to add up here. The files have all of them.</p>`
  }${fold('How this is calculated', html`<p>Opening balance + received − sent − fees + staking rewards + own transfers = closing balance. An own transfer moves coins between your addresses and your pools or delegations. Coins in orders or HTLCs count as sent until they return, and so do coins that you add to someone else’s pool or delegation. Coins that others add to your pool or delegation count as received. Fees include protocol fees.</p>`)}</section>`;
}

/** Is it known that there were no rewards? */
const hasNoRewards = (currencies: readonly StatementCurrency[]): boolean =>
  currencies.some(({ currency }) => currency === COIN) &&
  currencies.every(({ sums }) => sums !== null && sums.rewards === 0n);

function lineTable(site: Site, labels: TokenLabels, all: Statement['lines']): Html {
  // A day of staking without any change is in the files only.
  const lines = all.filter((line) => line.is_pool === null || PARTS.some(([, of]) => of(line) !== 0n));
  return table(lines, {
    caption: oldestFirst('Transactions and staking'),
    id: 'lines',
    hasPairs: true,
    columns: [
      column('Time (UTC)', ({ is_pool, timestamp }) =>
        is_pool === null
          ? timeHtml(timestamp, 'bare')
          : html`${dayText(timestamp)} <span class="muted">daily total</span>`,
      ),
      inCard.plain(column('Type', (line) => whatHtml(site, line), 'wide')),
      inCard.top(column('Currency', ({ currency }) => currencyUnit(site, labels, currency))),
      ...amountColumns(site, labels, PARTS, (line: StatementLine) => line),
    ],
    empty: 'Nothing in this period.',
  });
}

function whatHtml(site: Site, line: StatementLine): Html {
  const { is_pool, id, tx_id, stakes } = line;
  if (is_pool === true) return html`Pool ${poolLink(site, id)}`;
  if (is_pool === false) return html`Delegation ${delegationLink(site, id)}`;
  const named = stakes.slice(0, NAMED_STAKES).map((account) => html` · ${accountHtml(site, account)}`);
  const more = stakes.length - named.length;
  return html`${kindsText(kindsOfLine(line))} ${tx_id === null ? DASH_HTML : transactionLink(site, tx_id)}${named}${more > 0 && html` <span class="muted">and ${more} more</span>`}`;
}
