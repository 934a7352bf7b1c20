/** Tables of what changed balances, and of what happened to tokens. */

import { tokenEventName } from '../../api/present/token-event.ts';
import type { TokenLabels } from '../../api/present/token-label.ts';
import { type BalanceChangeRow, balanceChangeKinds } from '../../store/queries/addresses/balance-history.ts';
import type { ListedTokenEventRow } from '../../store/queries/tokens/token-events.ts';
import type { Html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { amountColumn, amountHtml, DASH_HTML, exactAmount } from './amount.ts';
import { chainUriBytes } from './chain-text.ts';
import { currencyDecimals, currencyUnit } from './currency.ts';
import { destinationLink, heightLink, transactionLink } from './id-links.ts';
import { type Column, column, inCard, numberColumn, table } from './table.ts';
import { timeHtml } from './time.ts';

/** The columns of changes of balances. */
export function balanceChangeColumns(site: Site, labels: TokenLabels): Column<BalanceChangeRow>[] {
  const exact = (currency: string, atoms: bigint) => exactAmount(atoms, currencyDecimals(site, labels, currency));
  return [
    column('Transaction', ({ tx_id }) => (tx_id === null ? DASH_HTML : transactionLink(site, tx_id))),
    inCard.plain(column('What', ({ kinds }) => balanceChangeKinds(kinds).join(', ').replaceAll('_', ' '))),
    inCard.top(
      numberColumn('Net change', ({ currency, change }) =>
        amountHtml(exact(currency, change), {
          unit: currencyUnit(site, labels, currency),
          isSigned: true,
          isCut: true,
        }),
      ),
    ),
    numberColumn('Balance after', ({ currency, balance }) => amountHtml(exact(currency, balance), { isCut: true })),
    numberColumn('Block', ({ height }) => heightLink(site, height)),
    inCard.plain(column('Time', ({ timestamp }) => timeHtml(timestamp))),
  ];
}

/** The table of what happened to a token. */
export function tokenEventTable(site: Site, events: readonly ListedTokenEventRow[], decimals: number): Html {
  return table(events, {
    caption: 'What happened to the token, newest first',
    id: 'token-events',
    columns: [
      column('Event', ({ kind }) => EVENT_NAMES[tokenEventName(kind)]),
      amountColumn('Amount', ({ amount }) => (amount === null ? null : exactAmount(amount, decimals))),
      amountColumn('Supply after', ({ supply }) => exactAmount(supply, decimals)),
      column('New value', ({ authority, metadata_uri, is_unfreezable }) => {
        if (authority !== null) return destinationLink(site, authority);
        if (metadata_uri !== null) return chainUriBytes(site, metadata_uri);
        if (is_unfreezable === null) return DASH_HTML;
        return is_unfreezable ? 'can be unfrozen' : 'for ever';
      }),
      column('Transaction', ({ tx_id }) => transactionLink(site, tx_id)),
      numberColumn('Block', ({ height }) => heightLink(site, height)),
      inCard.top(column('Time', ({ timestamp }) => timeHtml(timestamp))),
    ],
    empty: 'Nothing has happened to the token.',
  });
}

const EVENT_NAMES = {
  issue: 'Issued',
  mint: 'Minted',
  unmint: 'Unminted',
  lock: 'Supply locked',
  freeze: 'Frozen',
  unfreeze: 'Unfrozen',
  authority: 'New authority',
  metadata: 'New metadata',
} as const;
