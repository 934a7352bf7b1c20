/** `/address/{address}`, and a page for each list of an address. */

import type { OwnedSummary } from '../../answers/address-holdings.ts';
import { type DestinationKind, destinationAddress, destinationKind } from '../../chain/address.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import type { ServingContext } from '../../serving/route/context.ts';
import { getAddressSummary } from '../../store/queries/addresses/addresses.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageData } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { pageNotFound } from '../page-error.ts';
import { ADDRESS_LISTS } from '../parts/address-lists.ts';
import { amountColumn, coinAmount, countHtml, exactAmount, noneHtml } from '../parts/amount.ts';
import { BALANCES_OF_ADDRESS, largeTokensNote, readBalances } from '../parts/balances.ts';
import { currencyDecimals, currencyUnit } from '../parts/currency.ts';
import { type AddressList, type AddressListPage, emptyAddressList } from '../parts/define-address-list.ts';
import { entityPath, idHtml, shortId, wholeIdLink } from '../parts/id-links.ts';
import { markNotice } from '../parts/mark.ts';
import { countText, listSection, pagingLinks, sectionHeading, sectionLinks } from '../parts/paging.ts';
import { badge, tile, tiles } from '../parts/properties-and-badges.ts';
import { qrCode } from '../parts/qr-code.ts';
import { column, table } from '../parts/table.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import { watchedHeading } from '../parts/watch-controls.ts';
import { type PendingOfAddress, pendingOfAddress } from '../read/pending-transactions.ts';
import type { Site } from '../site-urls.ts';
import { parseAddressInput } from '../visitor-input.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { listInWords } from '../words/formats.ts';

/** The number of entries of each list on the page of an address. */
const NEWEST = 5;

interface AddressData extends PageData {
  readonly tip: SnapshotTip;
  readonly owned: OwnedSummary;
  readonly lists: readonly AddressListPage[];
  /** The pending transactions; null while they are unknown, and without a node. */
  readonly pending: PendingOfAddress | null;
}

const addressOf = (site: Site, owner: Destination): string => destinationAddress(site.network, owner);

export function addressPage({ site, api }: ExplorerContext): AnyPage {
  return definePage<{ readonly owner: Destination }, AddressData>({
    path: '/address/:address',
    mayDependOnMempool: true,
    parse: ({ params }) => ({ owner: parseAddressInput(site.network, params.address!) }),
    read: (store, { owner }) => readAddress(site, api, store, owner),
    render: (data, { owner }) => {
      const address = addressOf(site, owner);
      const { pending } = data;
      const known = data.lists.map((read, i) => ({ ...ADDRESS_LISTS[i]!, read }));
      const missing = known.filter(({ read }) => read.length === 0).map(({ plural }) => plural);
      if (missing.length === data.lists.length && (pending === null || pending.count === 0)) {
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
        canonical: entityPath('address', address),
        live: `address=${address}`,
        api: [
          `/address/${address}?expand=true`,
          ...(pending === null ? [] : [`/mempool/address/${address}`]),
          ...known
            .filter(({ read, api }) => read.length > 0 && api !== null)
            .map(({ api }) => `/address/${address}${api}`),
        ],
        body: html`${watchedHeading(site, 'address', address, html`<h1 class="title">Address ${badge(KINDS[destinationKind(owner)])}</h1>`)}<p class="title-id">${idHtml(address, { canCopy: true })}</p>${markNotice(site, address)}${qrCode(address, textOf('QR code of the address'))}${ownedTiles(site, data.owned)}<p><a href="${site.href(`${entityPath('address', address)}/past`)}">Balance by day, as of a block</a> · <a href="${site.href('/statement', { addresses: address })}">Statement: income, fees, staking rewards</a></p>${sectionLinks(
          [
            ...(pending === null ? [] : [{ title: 'Pending' as const, count: pending.count }]),
            ...known
              .filter(({ read }) => read.length > 0)
              .map(({ title, read }) => ({ title, count: countText(read.length, read.nextCursor !== null) })),
          ],
        )}${pending === null && api.pending !== null && pendingUnknown()}${known
          .filter(({ read }) => read.length > 0)
          .map(({ name, title, read }) =>
            listSection(site, {
              title,
              path: `${entityPath('address', address)}/${name}`,
              length: read.length,
              table: read.table(),
            }),
          )}${pending !== null && pendingChanges(site, pending, address)}${missing.length > 0 && html`<p class="muted">No ${listInWords(missing.map(textOf), 'or').join('')}.</p>`}`,
      };
    },
  });
}

const KINDS: Readonly<Record<DestinationKind, Words>> = {
  anyoneCanSpend: 'anyone can spend',
  publicKeyHash: 'public key hash',
  publicKey: 'public key',
  scriptHash: 'script hash',
  classicMultisig: 'multisig',
};

const pendingUnknown = () =>
  html`<p class="muted">Pending transactions are unknown at the moment: the node’s mempool is not available.</p>`;

async function readAddress(
  site: Site,
  api: ServingContext,
  store: QueryRunner,
  owner: Destination,
): Promise<AddressData> {
  const page = (list: AddressList) => list.parse({ items: String(NEWEST) }, owner);
  const first = (list: AddressList) => list.read(site, store, owner, page(list));
  const isUsual = (list: AddressList) => list !== BALANCES_OF_ADDRESS && list.hasEntries === undefined;
  const [summary, ...usual] = await Promise.all([
    getAddressSummary(store, owner),
    ...ADDRESS_LISTS.map((list) => (isUsual(list) ? first(list) : null)),
  ]);
  const has = summary.rows[0]!;
  const balances = readBalances(site, store, owner, page(BALANCES_OF_ADDRESS), {
    isPart: true,
  });
  const [{ owned }, ...read] = await Promise.all([
    balances,
    ...ADDRESS_LISTS.map((list, i) => {
      if (list === BALANCES_OF_ADDRESS) return balances;
      return usual[i] ?? (list.hasEntries!(has) ? first(list) : emptyAddressList(summary.tip));
    }),
  ]);
  const tip = requireSameTip(summary, ...read);
  const pending = await pendingOfAddress(api, store, tip, owner);
  return {
    tip,
    owned,
    lists: read,
    pending,
    // Nothing is ever pending if there is no node.
    dependsOnMempool: api.pending !== null,
    pool: pending?.state,
  };
}

/** Shows all that the address owns, by where it is; parts of nothing are left out. */
function ownedTiles(site: Site, owned: OwnedSummary): Html {
  const { spendable, locked, pools, delegations, orders, htlcs, tokenCount, tokensValue, frozenValue } = owned;
  const coins = (atoms: Atoms) => coinAmount(site, atoms, { isRounded: true });
  const part = (name: Words, atoms: Atoms, more?: Words | Html) => (atoms > 0n ? tile(name, coins(atoms), more) : null);
  return tiles([
    tile(
      'Total',
      coins(owned.value),
      largeTokensNote(site, owned) ?? (tokenCount > 0 && 'with tokens at their last trade'),
    ),
    tile('Spendable', coins(spendable)),
    tile('Locked', coins(locked), locked > 0n && 'see the unlock calendar'),
    part('In delegations', delegations),
    part('In pools', pools, 'that it can decommission'),
    part('In orders', orders, 'that it can conclude'),
    part('In HTLCs', htlcs, 'that it can refund'),
    part(
      'Tokens',
      tokensValue,
      frozenValue > 0n
        ? html`at their last trade, of the last 30 days; ${coins(frozenValue)} of it frozen`
        : 'at their last trade, of the last 30 days',
    ),
  ]);
}

/** Comes last: so nothing moves when transactions come and go. */
function pendingChanges(site: Site, { flows, labels, newest, count: all }: PendingOfAddress, address: string): Html {
  const exact = (flow: PendingOfAddress['flows'][number], atoms: Atoms) =>
    exactAmount(atoms, flow.pendingDecimals ?? currencyDecimals(site, labels, flow.currency));
  const changes = table(flows, {
    caption: 'Balance changes by pending transactions',
    id: 'pending-changes',
    columns: [
      column('Currency', ({ currency }) => currencyUnit(site, labels, currency)),
      amountColumn('Sent', (flow) => exact(flow, flow.outgoing), { isRounded: false }),
      amountColumn('Received', (flow) => exact(flow, flow.incoming), { isRounded: false }),
      amountColumn('Net change', (flow) => exact(flow, flow.incoming - flow.outgoing), {
        isSigned: true,
        isRounded: false,
      }),
    ],
    empty: 'No balance changes.',
  });
  const list = transactionTable(site, newest, {
    caption: 'Pending transactions of the address, newest first',
    isOfOneBlock: true,
    address,
  });
  const more =
    all > newest.listed.length &&
    html`<p class="muted">Showing the newest ${newest.listed.length} of ${countHtml(all)}; the JSON has all.</p>`;
  return html`<section aria-labelledby="pending-list">${sectionHeading('Pending')}${all === 0 ? html`<p>${noneHtml()}</p>` : html`${changes}${list}${more}`}</section>`;
}

/** The pages of all lists but the history, which has one of its own. */
export const ADDRESS_LIST_PAGES = ADDRESS_LISTS.filter(({ name }) => name !== 'history').map(
  (list) => (explorer: ExplorerContext) => addressListPage(explorer, list),
);

function addressListPage({ site }: ExplorerContext, list: AddressList): AnyPage {
  const { name } = list;
  return definePage({
    path: `/address/:address/${name}`,
    parse: ({ params, query }) => {
      const owner = parseAddressInput(site.network, params.address!);
      return { owner, page: list.parse(query, owner) };
    },
    read: (store, { owner, page }) => list.read(site, store, owner, page),
    render: (read, { owner }) => {
      const address = addressOf(site, owner);
      const path = `${entityPath('address', address)}/${name}`;
      return {
        title: say('{title} of {address}', { title: textOf(list.title), address: shortId(address) }),
        description: say('The {plural} of the address {address} on Mintlayer {network}.', {
          plural: textOf(list.plural),
          address,
          network: site.network.name,
        }),
        canonical: path,
        isUnlisted: !read.isFirst,
        api: [`/address/${address}${list.api ?? ''}`],
        body: html`<h1>${textOf(list.title)} of an address</h1><p class="title-id">${wholeIdLink(site, 'address', address)}</p>${read.table()}${pagingLinks(site, path, read)}`,
      };
    },
  });
}
