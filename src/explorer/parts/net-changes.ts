/** Renders what accounts have more or less after a transaction. */
import type { TokenLabels } from '../../answers/token-label.ts';
import { changesOfAddress, MAX_ROW_CHANGES, type TransactionOutline } from '../../answers/transaction-outline.ts';
import { destinationAddress, parseTokenId } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { NetChange } from '../../render/net-changes.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { type AmountOptions, amountHtml, DASH_HTML, exactAmount, unknownHtml } from './amount.ts';
import { currencyUnit, isNft, nftHtml } from './currency-names.ts';
import { outpointLink, thingLink } from './id-links.ts';
import { type Column, column, inCard, numberColumn, table } from './table.ts';
import type { SentenceNames } from './transaction-actors.ts';

/** More rows would not be read; the JSON has all. */
const MAX_NET_CHANGES = 100;

/** Names each account once, with its changes below each other. */
export function netChangeTable(site: Site, labels: TokenLabels, changes: readonly NetChange[]): Html {
  const shown = changes.slice(0, MAX_NET_CHANGES);
  const accounts = Map.groupBy(shown, ({ account }) => `${account.type} ${account.id}`);
  const all = changes.length > MAX_NET_CHANGES && html`<p class="muted">The JSON has all ${changes.length}.</p>`;
  return html`<section><h2>Net changes</h2>${table([...accounts.values()], {
    caption: 'Net changes',
    id: 'net-changes',
    columns: [
      column('Account', ([change]) => accountHtml(site, change!.account)),
      inCard.line(
        numberColumn('Net change', (own) =>
          own.map((change) => html`<div>${netChangeHtml(site, labels, change)}</div>`),
        ),
      ),
    ],
    empty: 'No balance changed.',
  })}${all}</section>`;
}

/**
 * A column of what an address has more or less after each transaction of a list. If another address gets the coins of its pool, or pays
 * into its delegation or out of it, this shows the coins of the pool or of the delegation with which its sentence begins.
 */
export function netChangeColumn<Row extends { readonly transaction: TransactionOutline }>(
  site: Site,
  { labels, delegations }: SentenceNames,
  address: string,
): Column<Row> {
  /** The delegation of the address that a sentence begins with; null for none. */
  const ownDelegation = ({ summary }: TransactionOutline): string | null => {
    const first = summary?.first;
    if (first?.type !== 'delegate' && first?.type !== 'delegation_withdraw') return null;
    const row = delegations.get(first.delegation_id);
    const isOwn = row !== undefined && destinationAddress(site.network, row.spend_destination) === address;
    return isOwn ? first.delegation_id : null;
  };
  return inCard.line(
    numberColumn('Net change', ({ transaction }) => {
      const own = changesOfAddress(transaction, address);
      if (own === null) return unknownHtml();
      if (own.length === 0) {
        const delegation = ownDelegation(transaction);
        const change = transaction.netChanges!.find(({ account: { type, id }, atoms }) =>
          delegation === null ? type === 'pool' && atoms < 0n : id === delegation,
        );
        if (change === undefined) return DASH_HTML;
        return html`${netChangeHtml(site, labels, change, { isRounded: 'inline' })} <span class="muted">${placeOf(change)}</span>`;
      }
      const shown = own
        .slice(0, MAX_ROW_CHANGES)
        .map((each) => netChangeHtml(site, labels, each, { isRounded: 'inline' }));
      const moreCount = own.length - shown.length;
      const more = moreCount > 0 && html` <span class="muted">and ${moreCount} more</span>`;
      return html`${shown.flatMap((each, i) => (i === 0 ? [each] : [', ', each]))}${more}`;
    }),
  );
}

/** Says where the coins of an address are that it has not on itself. */
function placeOf({ account, atoms }: NetChange): Html {
  if (account.type === 'pool') return html`from its pool`;
  return atoms > 0n ? html`to its delegation` : html`from its delegation`;
}

export function netChangeHtml(
  site: Site,
  labels: TokenLabels,
  { currency, atoms }: NetChange,
  { isSigned = true, isRounded = false }: Pick<AmountOptions, 'isSigned' | 'isRounded'> = {},
): Html {
  const { token, decimals } = currency;
  const id = token === '' ? COIN : parseTokenId(site.network, token);
  const unit = currencyUnit(site, labels, id);
  if (!isSigned && isNft(labels, id)) return nftHtml(unit);
  return amountHtml(exactAmount(atoms, decimals), { unit, isSigned, isRounded });
}

export function accountHtml(site: Site, { type, id }: NetChange['account']): Html {
  if (type === null || id === null) return html`<span class="muted">orders and pools, together</span>`;
  const [txId, index] = id.split(':');
  const link = type === 'htlc' ? outpointLink(site, 'Transaction', txId!, Number(index)) : thingLink(site, type, id);
  switch (type) {
    case 'address':
      return link;
    case 'pool':
      return html`Pool ${link}`;
    case 'delegation':
      return html`Delegation ${link}`;
    case 'order':
      return html`Order ${link}`;
    case 'htlc':
      return html`HTLC ${link}`;
  }
}
