/** `/address/{address}`, and a page for each list of an address. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import type { OwnedSummary } from '../../answers/owned-coins-and-tokens.ts';
import { type DestinationKind, destinationAddress, destinationKind } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { type AddressCountsRow, getAddressCounts } from '../../store/queries/addresses/addresses.ts';
import { BALANCE_DAY_LIST, type BalanceDayRow } from '../../store/queries/addresses/balance-series.ts';
import { WHOLE_CHAIN } from '../../store/queries/blocks/chain-points.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageData } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { LISTS_OF_ADDRESS } from '../parts/address-lists.ts';
import { amountHtml, coinAmount, countHtml, exactAmount, noneHtml, unknownHtml } from '../parts/amount.ts';
import { BALANCE_CHART_DAYS, balanceChart } from '../parts/balance-chart.ts';
import { BALANCES_OF_ADDRESS, readBalances } from '../parts/balances.ts';
import { partsOfWholeBar } from '../parts/chart.ts';
import { currencyDecimals, currencyUnit } from '../parts/currency-names.ts';
import { emptyListOfAddress, type ListOfAddress, type ListOfAddressPage } from '../parts/define-address-list.ts';
import { idHtml, shortId, thingPath } from '../parts/id-links.ts';
import { markNotice } from '../parts/operator-mark.ts';
import { entryCount, foldedList } from '../parts/paging.ts';
import { badge, tile } from '../parts/properties-and-badges.ts';
import { qrCode } from '../parts/qr-code.ts';
import { listOfThing } from '../parts/thing-list-page.ts';
import { joinedNames, NO_NAMES } from '../parts/transaction-actors.ts';
import { type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { type PendingOfAddress, pendingOfAddress } from '../read/pending-transactions.ts';
import type { Site } from '../site.ts';
import { parseAddressInput } from '../visitor-input.ts';
import { newestFirst, say, textOf, type Words } from '../words/catalogue.ts';

/** The number of entries of each list on the page of an address. */
const NEWEST = 5;
/** The newest transactions, and how many of them may be pending. */
const ACTIVITY_ROWS = 8;
const PENDING_ROWS = 5;
const NO_TRANSACTIONS: ListedTransactions = { listed: [], names: NO_NAMES };

interface AddressData extends PageData {
  readonly tip: SnapshotTip;
  readonly owned: OwnedSummary;
  readonly days: readonly BalanceDayRow[];
  readonly lists: readonly ListOfAddressPage[];
  readonly counts: AddressCountsRow & { readonly balances: number };
  /** The pending transactions; null while they are unknown, and without a node. */
  readonly pending: PendingOfAddress | null;
}

const addressOf = (site: Site, owner: Destination): string => destinationAddress(site.network, owner);

export function addressPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage<{ readonly owner: Destination }, AddressData>({
    path: '/address/:address',
    mayDependOnMempool: true,
    parse: ({ params }) => ({ owner: parseAddressInput(site.network, params.address!) }),
    read: (store, { owner }) => readAddress(site, answers, store, owner),
    render: (data, { owner }) => {
      const address = addressOf(site, owner);
      const { pending } = data;
      const known = data.lists.map((read, i) => ({ ...LISTS_OF_ADDRESS[i]!, read }));
      if (known.every(({ read }) => read.length === 0) && (pending === null || pending.count === 0)) {
        throw pageNotFound(
          say('This is a valid address of {network}, but it does not appear in the chain yet.', {
            network: site.network.name,
          }),
        );
      }
      return {
        title: say('Address {address}', { address: shortId(address) }),
        description: say('Balances, transactions and outputs of {address} on Mintlayer {network}.', {
          address,
          network: site.network.name,
        }),
        canonical: thingPath('address', address),
        live: `address=${address}`,
        api: [
          `/address/${address}?expand=true`,
          ...(pending === null ? [] : [`/mempool/address/${address}`]),
          ...known
            .filter(({ read, api }) => read.length > 0 && api !== null)
            .map(({ api }) => `/address/${address}${api}`),
        ],
        body: html`${watchedHeading(site, 'address', address, html`<h1 class="title">Address ${badge(KINDS[destinationKind(owner)])}</h1>`)}<div class="title-id">${idHtml(address, { canCopy: true, hasIcon: true })}${qrCode(address, textOf('QR code of the address'))}</div>${markNotice(site, address)}<div class="glance">${ownedCard(site, address, data)}${data.days.length > 0 && balanceChart(site, address, data.days, html`<a href="${site.href(`${thingPath('address', address)}/past`)}">Balance by day</a>`)}</div>${known.map(
          (list) =>
            (list.name === 'transactions' || list.read.length > 0) &&
            // Coins alone have no more to say than the card.
            (list.name !== 'balances' || data.owned.tokenCount > 0) &&
            foldedList(site, {
              ...list,
              path: `${thingPath('address', address)}/${list.name}`,
              length: list.read.length,
              count: countAndCoins(site, data, list.name),
              table: list.read.table(),
              isOpen: list.name === 'balances',
              ...(list.name === 'transactions' && activity(site, address, list.read, pending)),
            }),
        )}`,
      };
    },
  });
}

/** The number of entries of a list, and the coins in them, if these are not on the address. */
function countAndCoins(site: Site, { counts, owned }: AddressData, name: ListOfAddress['name']): Html {
  const { locked: unlocks, delegations, pools, orders, htlcs } = owned;
  const elsewhere: Partial<Record<ListOfAddress['name'], Atoms>> = { unlocks, delegations, pools, orders, htlcs };
  const coins = elsewhere[name] ?? 0n;
  return html`${entryCount(counts[name])}${coins > 0n && html` · ${coinAmount(site, coins, { isRounded: 'inline' })}`}`;
}

const KINDS: Readonly<Record<DestinationKind, Words>> = {
  anyoneCanSpend: 'anyone can spend',
  publicKeyHash: 'public key hash',
  publicKey: 'public key',
  scriptHash: 'script hash',
  classicMultisig: 'multisig',
};

async function readAddress(
  site: Site,
  answers: AnswersContext,
  store: QueryRunner,
  owner: Destination,
): Promise<AddressData> {
  const page = (list: ListOfAddress) =>
    list.parse({ items: String(list.name === 'transactions' ? ACTIVITY_ROWS : NEWEST) }, owner, site.network);
  const first = (list: ListOfAddress) => list.read(site, store, owner, page(list));
  const isUsual = (list: ListOfAddress) => list.name !== 'balances' && !list.isRare;
  const [counted, days, ...usual] = await Promise.all([
    getAddressCounts(store, owner),
    BALANCE_DAY_LIST.read(store, { owner, currency: COIN, range: WHOLE_CHAIN, after: null, limit: BALANCE_CHART_DAYS }),
    ...LISTS_OF_ADDRESS.map((list) => (isUsual(list) ? first(list) : null)),
  ]);
  const counts = counted.rows[0]!;
  const balances = readBalances(site, store, owner, page(BALANCES_OF_ADDRESS));
  const [{ owned }, ...read] = await Promise.all([
    balances,
    ...LISTS_OF_ADDRESS.map((list, i) => {
      if (list.name === 'balances') return balances;
      return usual[i] ?? (counts[list.name] > 0 ? first(list) : emptyListOfAddress(counted.tip));
    }),
  ]);
  const tip = requireSameTip(counted, days, ...read);
  const pending = await pendingOfAddress(answers, store, tip, owner);
  return {
    tip,
    owned,
    days: days.rows,
    lists: read,
    counts: { ...counts, balances: owned.tokenCount + Number(owned.coins > 0n) },
    pending,
    // Nothing is ever pending if there is no node.
    dependsOnMempool: answers.pending !== null,
    pool: pending?.state,
  };
}

/**
 * Shows all that the address owns: coins by where they are, each part in a colour of its own, and tokens by themselves; and what will
 * change it next.
 */
function ownedCard(site: Site, address: string, data: AddressData): Html {
  const { owned, lists } = data;
  const { spendable, locked, pools, delegations, orders, htlcs, tokenCount, tokensValue } = owned;
  const coins = (atoms: Atoms) => coinAmount(site, atoms, { isRounded: true });
  const parts = (
    [
      ['Spendable', spendable],
      ['Locked', locked],
      ['In delegations', delegations],
      ['In pools', pools],
      ['In orders', orders],
      ['In HTLCs', htlcs],
    ] as const
  )
    .map(([name, atoms], color) => ({ name, atoms, color }))
    .filter(({ atoms }) => atoms > 0n);
  const bar = partsOfWholeBar(
    textOf('Coins'),
    parts.map(({ atoms }) => atoms),
    owned.coins,
    { colors: parts.map(({ color }) => color) },
  );
  // One part is all: its amount is the headline.
  const hasParts = parts.length > 1;
  const rows = parts.map(
    ({ name, atoms, color }) =>
      html`<div class="${`s${color}`}"><dt>${textOf(name)}</dt><dd>${coins(atoms)}</dd></div>`,
  );
  const isWorth = tokensValue * 100n >= 10n ** BigInt(site.network.coinDecimals);
  const value = isWorth && html` <span class="muted">· worth ≈ ${coins(tokensValue)}</span>`;
  const tokens = tokenCount > 0 && html`<div><dt>Tokens</dt><dd>${countHtml(tokenCount)}${value}</dd></div>`;
  const unlock = lists.find(({ first }) => first !== undefined)?.first?.();
  return html`<section class="worth card" aria-label="Coins"><dl>${tile('Coins', coins(owned.coins), hasParts ? null : parts[0]?.name)}</dl>${hasParts && bar}<dl class="parts">${hasParts && rows}${tokens}${pendingRow(site, data)}${unlock && html`<div><dt><a href="#time-locked-outputs-next-to-unlock-first">Next unlock</a></dt><dd>${unlock}</dd></div>`}</dl><p class="buttons"><a class="button" href="${site.href('/statement', { addresses: address })}">Statement</a><a class="button" href="${site.href(`${thingPath('address', address)}/past`)}">Balance by day</a></p></section>`;
}

/** Says how many transactions are pending, and what they bring or take: in a line of its own at all times, so nothing moves. */
function pendingRow(site: Site, { pending, dependsOnMempool }: AddressData): Html | false {
  if (dependsOnMempool !== true) return false;
  return html`<div><dt><a href="#activity">Pending</a></dt><dd>${pending === null ? unknownHtml() : pending.count === 0 ? noneHtml() : [countHtml(pending.count), pendingChange(site, pending)]}</dd></div>`;
}

/** The first net change, and how many more there are. */
function pendingChange(site: Site, { changes, labels }: PendingOfAddress): Html | null {
  const [first, ...others] = changes;
  if (first === undefined) return null;
  const amount = exactAmount(first.atoms, currencyDecimals(site, labels, first.currency));
  const unit = currencyUnit(site, labels, first.currency);
  return html`<span class="muted"> · </span>${amountHtml(amount, { unit, isRounded: 'inline', isSigned: true })}${others.length > 0 && html`<span class="muted"> ${others.length === 1 ? html`and 1 token` : html`and ${countHtml(others.length)} tokens`}</span>`}`;
}

/** The newest transactions, pending ones first, in as many rows however many are pending: so nothing moves. */
function activity(site: Site, address: string, read: ListOfAddressPage, pending: PendingOfAddress | null) {
  const waiting = pending?.newest.listed.slice(0, PENDING_ROWS) ?? [];
  const confirmed = read.transactions ?? NO_TRANSACTIONS;
  const list = transactionTable(
    site,
    {
      listed: [...waiting, ...confirmed.listed].slice(0, ACTIVITY_ROWS),
      names: pending === null ? confirmed.names : joinedNames(confirmed.names, pending.newest.names),
    },
    {
      caption: pending === null ? newestFirst('Transactions') : 'Transactions, pending first',
      id: 'activity',
      address,
      empty: 'This address has no confirmed transactions.',
    },
  );
  const more = html`<a href="${site.href(`${thingPath('address', address)}/history`)}">Balance changes</a>`;
  return { table: list, more, isOpen: true };
}

/** The pages of all lists but the history, which has one of its own. */
export const ADDRESS_LIST_PAGES = LISTS_OF_ADDRESS.map(
  (list) => (explorer: ExplorerContext) => addressListPage(explorer, list),
);

function addressListPage({ site }: ExplorerContext, list: ListOfAddress): AnyPage {
  const { name } = list;
  return definePage({
    path: `/address/:address/${name}`,
    parse: ({ params, query }) => {
      const owner = parseAddressInput(site.network, params.address!);
      return { owner, page: list.parse(query, owner, site.network) };
    },
    read: (store, { owner, page }) => list.read(site, store, owner, page),
    render: (read, { owner }) => {
      const [kind, id] = ['address', addressOf(site, owner)] as const;
      const api = `/address/${id}${list.api ?? ''}`;
      return listOfThing(site, { kind, id, name, title: list.title, shown: read, list: read.table(), api });
    },
  });
}
