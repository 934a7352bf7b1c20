/** Tables of what changed balances, and of what happened to tokens. */

import type { TokenLabels } from '../../answers/token-label.ts';
import type { SummarizedActions, TransactionOutline } from '../../answers/transaction-outline.ts';
import { tokenAddress } from '../../chain/address.ts';
import { type BalanceChangeRow, balanceChangeKinds } from '../../store/queries/addresses/balance-history.ts';
import type { TokenEventEntryRow, TokenEventName } from '../../store/queries/tokens/token-events.ts';
import { tokenEventName } from '../../store/queries/tokens/token-events.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { newestFirst, textOf, type Words } from '../words/catalogue.ts';
import { amountColumn, amountHtml, DASH_HTML, exactAmount } from './amount.ts';
import { chainUriBytes } from './chain-text.ts';
import { currencyDecimals, currencyUnit } from './currency-names.ts';
import { addressesOrCount, destinationLink, heightLink, transactionLink } from './id-links.ts';
import { kindsText } from './kind-words.ts';
import { type Column, column, inCard, numberColumn, table } from './table.ts';
import { timeHtml } from './time.ts';

/** The columns of changes of balances. */
export function balanceChangeColumns(site: Site, labels: TokenLabels): Column<BalanceChangeRow>[] {
  const exact = (currency: string, atoms: bigint) => exactAmount(atoms, currencyDecimals(site, labels, currency));
  const changed = ({ currency, change, tx_id }: BalanceChangeRow) => {
    const unit = currencyUnit(site, labels, currency);
    // A lock ended with the block: the balance is the same.
    if (change === 0n && tx_id === null) return html`${unit} <span class="muted">became spendable</span>`;
    return amountHtml(exact(currency, change), { unit, isSigned: true, isRounded: true });
  };
  return [
    column('Transaction', ({ tx_id }) => (tx_id === null ? DASH_HTML : transactionLink(site, tx_id))),
    inCard.plain(column('Type', ({ kinds }) => kindsText(balanceChangeKinds(kinds)))),
    inCard.top(numberColumn('Net change', changed)),
    amountColumn('Balance after', ({ currency, balance }) => exact(currency, balance)),
    numberColumn('Block', ({ height }) => heightLink(site, height)),
    inCard.plain(column('Time', ({ timestamp }) => timeHtml(timestamp))),
  ];
}

/** The most receivers of a mint that are named in the table of events: the page of the transaction has all. */
const SHOWN_RECEIVERS = 1;

/**
 * The table of what happened to a token. `outlines`: of the transactions of events, which know who paid for the issuance and who
 * received what was minted.
 */
export function tokenEventTable(
  site: Site,
  events: readonly TokenEventEntryRow[],
  outlines: readonly TransactionOutline[],
  { decimals, token_id }: Pick<TokenRow, 'decimals' | 'token_id'>,
): Html {
  const byId = new Map(outlines.map((outline) => [outline.id, outline]));
  const address = tokenAddress(site.network, token_id);
  const receivers = (summary: SummarizedActions | null | undefined) =>
    summary?.first?.type === 'token_mint' && summary.first.token_id === address ? summary.receivers : [];
  return table(events, {
    caption: newestFirst('Events'),
    id: 'token-events',
    columns: [
      column('Event', ({ kind, is_unfreezable }) => {
        const name = textOf(EVENT_NAMES[tokenEventName(kind)]);
        if (is_unfreezable === null) return name;
        return html`${name} <span class="muted">${is_unfreezable ? html`can be unfrozen` : html`for ever`}</span>`;
      }),
      amountColumn('Amount', ({ amount }) => (amount === null ? null : exactAmount(amount, decimals))),
      amountColumn('Supply including burned tokens', ({ supply }) => exactAmount(supply, decimals)),
      column('Initiated by', ({ actor, tx_id }) => {
        if (actor !== null) return destinationLink(site, actor);
        return addressesOrCount(site, byId.get(tx_id)?.summary?.payers ?? []) ?? DASH_HTML;
      }),
      column('To', ({ kind, tx_id, authority, metadata_uri }) => {
        if (authority !== null) return destinationLink(site, authority);
        if (metadata_uri !== null) return chainUriBytes(site, metadata_uri);
        const minted = tokenEventName(kind) === 'mint' ? receivers(byId.get(tx_id)?.summary) : [];
        return addressesOrCount(site, minted, SHOWN_RECEIVERS) ?? DASH_HTML;
      }),
      column('Transaction', ({ tx_id }) => transactionLink(site, tx_id)),
      numberColumn('Block', ({ height }) => heightLink(site, height)),
      inCard.top(column('Time', ({ timestamp }) => timeHtml(timestamp))),
    ],
    empty: 'There are none of this kind.',
  });
}

/** The words for the events of a token. */
export const EVENT_NAMES = {
  issue: 'Issued',
  mint: 'Minted',
  unmint: 'Unminted',
  lock: 'Supply locked',
  freeze: 'Frozen',
  unfreeze: 'Unfrozen',
  authority: 'New authority',
  metadata: 'New metadata',
} as const satisfies Readonly<Record<TokenEventName, Words>>;
