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
 * into its delegation, this shows the coins of the pool or the delegation.
 */
export function netChangeColumn<Row extends { readonly transaction: TransactionOutline }>(
  site: Site,
  { labels, delegations }: SentenceNames,
  address: string,
): Column<Row> {
  const isOwn = (id: string) => {
    const row = delegations.get(id);
    return row !== undefined && destinationAddress(site.network, row.spend_destination) === address;
  };
  return inCard.line(
    numberColumn('Net change', ({ transaction }) => {
      const own = changesOfAddress(transaction, address);
      if (own === null) return unknownHtml();
      if (own.length === 0) {
        const change = transaction.netChanges!.find(
          ({ account: { type, id }, atoms }) =>
            (type === 'pool' && atoms < 0n) || (type === 'delegation' && atoms > 0n && isOwn(id!)),
        );
        if (change === undefined) return DASH_HTML;
        const where = change.account.type === 'pool' ? html`from its pool` : html`to its delegation`;
        return html`${netChangeHtml(site, labels, change, { isRounded: 'inline' })} <span class="muted">${where}</span>`;
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
