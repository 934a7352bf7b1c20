/** `/delegation/{id}`: a delegation and its pool. */

import { notFound } from '../../api/errors/api-error.ts';
import { delegationAddress, parseDelegationId } from '../../chain/address.ts';
import { percentText } from '../../chain/decimal-text.ts';
import { getDelegation } from '../../store/queries/delegations.ts';
import { getExpandedPool } from '../../store/queries/pool-lists.ts';
import { getPool } from '../../store/queries/pools.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { html } from '../html.ts';
import { coinAmount, countHtml } from '../parts/amount.ts';
import { destinationLink, entityPath, heightLink, idHtml, poolLink, shortId } from '../parts/id-links.ts';
import { apyHtml, expectedRewards, stakeShareHtml } from '../parts/pool.ts';
import { badge, propertyList, tile, tiles } from '../parts/properties-and-badges.ts';
import { parseVisitorId } from '../read/visitor-input.ts';

export function delegationPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/delegation/:id',
    parse: ({ params }) => parseVisitorId(site.network, 'a delegation', params.id!, parseDelegationId),
    read: async (store, id) => {
      const found = await getDelegation(store, id);
      const [delegation] = found.rows;
      if (delegation === undefined) return { tip: found.tip, delegation };
      const [pool, expanded] = await Promise.all([
        getPool(store, delegation.pool_id),
        getExpandedPool(store, delegation.pool_id),
      ]);
      return {
        tip: requireSameTip(found, pool, expanded),
        delegation,
        stakePool: pool.rows[0]!,
        expanded: expanded.rows[0],
      };
    },
    render: (data, id) => {
      const { delegation } = data;
      if (delegation === undefined) throw notFound('There is no delegation with this id');
      const { stakePool, expanded } = data;
      const address = delegationAddress(site.network, id);
      const rewards = expanded === undefined ? null : expectedRewards(expanded, delegation.balance);
      return {
        title: `Delegation ${shortId(address)}`,
        description: `The delegation ${address} on Mintlayer ${site.network.name}: balance, owner, and the APY of its pool.`,
        section: 'pools',
        canonical: entityPath('delegation', address),
        api: [`/delegation/${address}`],
        body: html`<h1>Delegation</h1><p class="title-id">${idHtml(address, { canCopy: true })}</p>${tiles([
          tile('Balance', coinAmount(site, delegation.balance), 'with rewards'),
          expanded !== undefined && rewards !== null && delegation.balance > 0n
            ? tile('Estimated yearly reward', coinAmount(site, rewards.ofYear), html`at an APY of ${apyHtml(expanded)}`)
            : null,
        ])}${propertyList([
          ['Owner', destinationLink(site, delegation.spend_destination)],
          ['Created', html`block ${heightLink(site, delegation.creation_height)}`],
          ['Withdrawals', html`${countHtml(delegation.next_nonce)} <span class="muted">(also the next nonce)</span>`],
        ])}<h2 id="pool">Pool</h2>${propertyList([
          [
            'Pool',
            html`${poolLink(site, delegation.pool_id)} ${expanded === undefined && badge('decommissioned', 'bad')}`,
          ],
          expanded && ['APY (30 days)', apyHtml(expanded)],
          expanded && [
            'Stake',
            html`${coinAmount(site, expanded.total_stake)} <span class="muted">(${stakeShareHtml(expanded)} of the effective stake)</span>`,
          ],
          ['Margin', percentText(stakePool.margin_ratio_per_thousand)],
          ['Cost per block', coinAmount(site, stakePool.cost_per_block)],
        ])}`,
      };
    },
  });
}
