/** `/address/{address}/history`: what changed the balances of an address, by currency, direction, kind and period. */

import { readTokenLabels, type TokenLabels } from '../../answers/token-label.ts';
import { currencyInPair, destinationAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { parseRange } from '../../serving/parse/chain-points.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import { listHeldCurrencies } from '../../store/queries/addresses/addresses.ts';
import { CHANGE_DIRECTIONS, CHANGE_KINDS, HISTORY_LIST } from '../../store/queries/addresses/balance-history.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput } from '../page-error.ts';
import { balanceChangeColumns } from '../parts/balance-change-and-token-event-tables.ts';
import { currencyText } from '../parts/currency-names.ts';
import { downloadLinks, type PeriodTexts, parsePeriod, periodQuery } from '../parts/downloads.ts';
import { filterForm, parseChoice, selectHtml } from '../parts/filter-form.ts';
import { shortId, thingPath, wholeIdLink } from '../parts/id-links.ts';
import { KIND_WORDS } from '../parts/kind-words.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { tokensOfCurrencies } from '../read/order-values.ts';
import type { Site } from '../site.ts';
import { parseAddressInput, parseVisitorCurrency } from '../visitor-input.ts';
import { newestFirst, say, textOf, verbatim, type Words } from '../words/catalogue.ts';

/** The most currencies of the address that the form offers. */
const MAX_CHOICES = 100;

/** What was chosen in the form, as the parameters of the page; empty for all. */
interface Chosen extends PeriodTexts {
  readonly currency: string;
  readonly direction: string;
  readonly kind: string;
  /** Seconds since the epoch, in place of the first day: the link of the watch list has it. */
  readonly since: string;
}

export function addressHistoryPage({ site }: ExplorerContext): AnyPage {
  const { network } = site;
  return definePage({
    path: '/address/:address/history',
    parse: ({ params, query }) => {
      const currency = lastQueryValue(query, 'currency') || null;
      const direction = parseChoice(query, 'direction', CHANGE_DIRECTIONS);
      const kind = parseChoice(query, 'kind', CHANGE_KINDS);
      const period = parsePeriod(query);
      const since = parseSince(query);
      const selection = {
        owner: parseAddressInput(network, params.address!),
        currency: currency === null ? null : parseVisitorCurrency(network, currency),
        directions: direction === null ? [] : [direction],
        kinds: kind === null ? [] : [kind],
        range: parseRange(rangeQuery({ ...period, since })),
      };
      const { cursor, items } = query;
      const own = { ...(cursor !== undefined && { cursor }), ...(items !== undefined && { items }) };
      return {
        selection,
        chosen: {
          ...{ ...period, since, direction: direction ?? '', kind: kind ?? '' },
          currency: selection.currency === null ? '' : currencyInPair(network, selection.currency),
        },
        page: parseListPage(own, HISTORY_LIST, selection),
      };
    },
    read: async (store, { selection, page }) => {
      const { owner, currency } = selection;
      const [changes, balances] = await Promise.all([
        readListPage(store, HISTORY_LIST, page, selection),
        listHeldCurrencies(store, owner, MAX_CHOICES),
      ]);
      const tip = requireSameTip(changes, balances);
      const held = balances.rows.map((row) => row.currency);
      const offered = [...new Set([COIN, ...held, ...(currency === null ? [] : [currency])])];
      const tokens = tokensOfCurrencies([...offered, ...changes.rows.map((row) => row.currency)]);
      return { tip, changes, offered, labels: await readTokenLabels(store, tip, tokens) };
    },
    render: ({ changes, offered, labels }, { selection, chosen }) => {
      const address = destinationAddress(network, selection.owner);
      const path = `${thingPath('address', address)}/history`;
      const { from: _from, to: _to, since, ...rest } = chosen;
      const filter = known({ ...rest, ...rangeQuery(chosen) });
      const query = known(chosen);
      const isAll = Object.keys(query).length === 0;
      const api = `/address/${address}/history`;
      const list = table(changes.entries, {
        caption: newestFirst('Balance changes'),
        columns: balanceChangeColumns(site, labels),
        empty: isAll ? 'This address has no changes of balances.' : 'No changes match this filter.',
      });
      return {
        title: say('{title} of {address}', { title: textOf('Balance changes'), address: shortId(address) }),
        canonical: path,
        isUnlisted: !isAll || !changes.isFirst,
        api: [isAll ? api : `${api}?${new URLSearchParams(filter)}`],
        body: html`<h1>Balance changes</h1><p class="title-id">${wholeIdLink(site, 'address', address)}</p>${historyForm(site, path, { chosen, offered, labels })}${since !== '' && html`<p>New since you last looked. <a href="${site.href(path)}">All changes</a></p>`}${list}${pagingLinks(site, path, changes, { query })}${downloadLinks(site, api, filter)}`,
      };
    },
  });
}

/** The parameter `since`; empty for none. Throws the error 400. */
function parseSince(query: UrlQuery): string {
  const since = lastQueryValue(query, 'since') ?? '';
  if (!/^\d{0,12}$/.test(since)) throw badInput('The time of the last visit is in seconds since 1970.');
  return since;
}

/** The parameters `from` and `to` of the API. */
const rangeQuery = ({ since, ...period }: PeriodTexts & Pick<Chosen, 'since'>) => ({
  ...periodQuery(period),
  ...(since !== '' && { from: since }),
});

/** Without the empty ones. */
const known = (parameters: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));

const DIRECTIONS = { in: 'received', out: 'sent' } as const;

interface FilterForm {
  readonly chosen: Chosen;
  readonly offered: readonly Currency[];
  readonly labels: TokenLabels;
}

function historyForm(site: Site, path: string, { chosen, offered, labels }: FilterForm): Html {
  const select = (name: keyof Chosen, label: Words, options: readonly (readonly [value: string, text: Words])[]) =>
    selectHtml(name, label, options, chosen[name]);
  const currencies = offered.map((currency) => {
    const id = currencyInPair(site.network, currency);
    const text = currencyText(site, labels, currency);
    // The text has the id if others have the ticker, too.
    const isPlain = currency === COIN || text.endsWith(`(${shortId(id)})`);
    return [id, verbatim(isPlain ? text : `${text} (${shortId(id)})`)] as const;
  });
  const day = (name: 'from' | 'to', label: Words) =>
    html`<label>${textOf(label)} <input type="date" name="${name}" value="${chosen[name]}"></label>`;
  return filterForm(site, path, [
    select('currency', 'Currency', currencies),
    select(
      'direction',
      'Direction',
      CHANGE_DIRECTIONS.map((each) => [each, DIRECTIONS[each]]),
    ),
    select(
      'kind',
      'Type',
      // The first two kinds are the directions.
      CHANGE_KINDS.filter((each) => each === chosen.kind || (each !== 'received' && each !== 'sent')).map((each) => [
        each,
        KIND_WORDS[each],
      ]),
    ),
    day('from', 'From'),
    day('to', 'To'),
  ]);
}
