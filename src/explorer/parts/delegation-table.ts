/** Lists of delegations. */
import type { DelegationRow } from '../../store/queries/delegations.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN } from './amount.ts';
import { delegationLink, destinationLink, heightLink, poolLink } from './ids.ts';
import { coinColumn } from './pool-table.ts';
import { table } from './table.ts';

interface DelegationTableOptions {
  readonly caption: string;
  /** Names the pool of each, rather than its owner: those of an address. */
  readonly hasPool: boolean;
  readonly empty: HtmlValue;
}

export function delegationTable(
  site: Site,
  delegations: readonly DelegationRow[],
  { caption, hasPool, empty }: DelegationTableOptions,
): Html {
  const balances = coinColumn(site)(delegations.map(({ balance }) => balance));
  return table({
    caption,
    isCaptionHidden: true,
    columns: [
      { label: 'Delegation' },
      { label: hasPool ? 'Pool' : 'Owner' },
      { label: `Balance, ${site.network.coinTicker}`, kind: AMOUNT_COLUMN },
      { label: 'Withdrawals', kind: AMOUNT_COLUMN },
      { label: 'Since block', kind: AMOUNT_COLUMN },
    ],
    rows: delegations.map((delegation, i) => [
      delegationLink(site, delegation.delegation_id),
      hasPool ? poolLink(site, delegation.pool_id) : destinationLink(site, delegation.spend_destination),
      balances[i]!,
      html`${delegation.next_nonce}`,
      heightLink(site, delegation.creation_height),
    ]),
    empty,
  });
}
