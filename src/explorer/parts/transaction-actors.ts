/** Who did what a transaction did, and whom it names besides. */
import type { TokenLabels } from '../../answers/token-label.ts';
import { isPayment, type RightHolder, type SummarizedActions } from '../../answers/transaction-outline.ts';
import { destinationAddress } from '../../chain/address.ts';
import type { Action, CommandAction } from '../../render/actions.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { PoolRow } from '../../store/queries/pools/pools.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { textOf } from '../words/catalogue.ts';
import { addressesOrCount, addressLink, thingLink } from './id-links.ts';

/** What sentences name. */
export interface SentenceNames {
  readonly labels: TokenLabels;
  /** Decommissioned pools, by address. */
  readonly pools: ReadonlyMap<string, PoolRow>;
  /** By address. */
  readonly delegations: ReadonlyMap<string, DelegationRow>;
  /** The NFT whose page has the sentences, by address: they do not name it. */
  readonly ownNft?: string;
}

export const NO_NAMES: SentenceNames = { labels: new Map(), pools: new Map(), delegations: new Map() };

/** Returns the names of two lists that are shown together. */
export const joinedNames = (one: SentenceNames, other: SentenceNames): SentenceNames => ({
  labels: new Map([...one.labels, ...other.labels]),
  pools: new Map([...one.pools, ...other.pools]),
  delegations: new Map([...one.delegations, ...other.delegations]),
});

/** Returns who did it: who gave the command or made the contract of the first action; else who pays. None if that is not known. */
export function doersOf(site: Site, names: SentenceNames, summary: SummarizedActions): readonly string[] {
  const actor = summary.first && actorOf(site, names, summary.first, summary);
  return actor === null ? payersOf(site, names, summary) : [actor.id];
}

/** Returns who sent it: of a command, which an authority has signed for, those who pay, if anybody does. */
export function sendersOf(site: Site, names: SentenceNames, summary: SummarizedActions): readonly string[] {
  const payers = summary.first !== null && 'by' in summary.first ? payersOf(site, names, summary) : [];
  return payers.length > 0 ? payers : doersOf(site, names, summary);
}

/** One line: who acted, who paid (if another, or the only one known), and who gets rights in what was created. */
export function actorsLine(site: Site, names: SentenceNames, summary: SummarizedActions): Html | null {
  const { first, givers, rightHolders } = summary;
  const actor = first && actorOf(site, names, first, summary);
  const all = payersOf(site, names, summary);
  // The fee is paid in coins, which others may have brought than those who send a token.
  const isAlone = first !== null && isPayment(first) && summary.otherPayments + summary.otherChanges === 0;
  const senders = isAlone ? givers : [];
  const feePayers = summary.feePayers.filter((payer) => !senders.includes(payer));
  const payers = addressesOrCount(site, senders.length > 0 ? senders : all, MAX_NAMED);
  const isWithdrawn = first?.type === 'delegation_withdraw' && summary.payers.length === 0;
  const paid =
    payers &&
    (isWithdrawn
      ? wordsOfActor(first.type, payers)
      : first !== null && isPayment(first)
        ? html`From ${payers}`
        : html`Paid by ${payers}`);
  const isOther =
    (senders.length > 0 && feePayers.length > 0) || (actor !== null && feePayers.some((payer) => payer !== actor.id));
  const said = [
    actor === null ? paid : wordsOfActor(actor.type, addressLink(site, actor.id)),
    isOther ? html`Fee paid by ${addressesOrCount(site, feePayers, MAX_NAMED)}` : null,
    first && summary.delegationCount === 1 ? delegationOf(site, names, first) : null,
    ...rightHolders.map(({ role, id }) => html`${textOf(ROLES[role])} ${addressLink(site, id)}`),
  ].filter((part) => part !== null);
  return said.length === 0
    ? null
    : html`<p class="by">${said.map((part, i) => (i === 0 ? part : html` · ${part}`))}</p>`;
}

const ROLES = {
  authority: 'Authority',
  creator: 'Creator',
  owner: 'Owner',
  staker: 'Staker',
  decommission_key: 'Decommission key',
  conclude_key: 'Can be closed by',
  refund_key: 'Refundable to',
} as const satisfies Record<RightHolder['role'], unknown>;

/** Says who did another action than the first; null if that is nobody else, or whoever pays did it. */
export function otherActor(site: Site, names: SentenceNames, summary: SummarizedActions, action: Action): Html | null {
  const actor = actorOf(site, names, action, { givers: [], delegationCount: 1 });
  const doers = doersOf(site, names, summary);
  if (actor === null || (doers.length === 1 && doers[0] === actor.id)) return null;
  return wordsOfActor(actor.type, addressLink(site, actor.id));
}

function actorOf(
  site: Site,
  names: SentenceNames,
  action: Action,
  { givers, delegationCount }: Pick<SummarizedActions, 'givers' | 'delegationCount'>,
) {
  const { type } = action;
  if (type === 'htlc_create' || type === 'order_create' || type === 'order_fill' || type === 'burn')
    return givers.length === 1 ? { type, id: givers[0]! } : null;
  if (type === 'htlc_claim') return { type, id: action.spend_key };
  if (type === 'htlc_refund') return { type, id: action.refund_key };
  if (type === 'delegation_withdraw') {
    const id = delegationCount > 1 ? null : ownerOfDelegation(site, names, action.delegation_id);
    return id === null ? null : { type, id };
  }
  if (type === 'pool_decommission') {
    const pool = names.pools.get(action.pool_id);
    return pool === undefined ? null : { type, id: destinationAddress(site.network, pool.decommission_destination) };
  }
  return 'by' in action && action.by !== null ? { type: action.type, id: action.by } : null;
}

/** What is said of whoever did something else than pay. */
type ActorType =
  | CommandAction['action']['type']
  | 'delegation_withdraw'
  | 'burn'
  | 'htlc_create'
  | 'order_create'
  | 'order_fill'
  | 'htlc_claim'
  | 'htlc_refund'
  | 'pool_decommission';

/** `by`: of a command over a token the authority, of one over an order who may conclude it. */
function wordsOfActor(did: ActorType, by: Html): Html {
  switch (did) {
    case 'delegation_withdraw':
      return html`Withdrawn by ${by}`;
    case 'htlc_create':
      return html`Locked by ${by}`;
    case 'burn':
    case 'order_create':
    case 'order_fill':
      return html`By ${by}`;
    case 'htlc_claim':
      return html`Claimed by ${by}`;
    case 'htlc_refund':
      return html`Refunded by ${by}`;
    case 'pool_decommission':
      return html`Decommissioned by ${by}`;
    case 'token_mint':
      return html`Minted by the authority ${by}`;
    case 'token_unmint':
      return html`Unminted by the authority ${by}`;
    case 'token_lock':
      return html`Supply locked by the authority ${by}`;
    case 'token_freeze':
      return html`Frozen by the authority ${by}`;
    case 'token_unfreeze':
      return html`Unfrozen by the authority ${by}`;
    case 'token_authority':
      return html`Given by the former authority ${by}`;
    case 'token_metadata':
      return html`Changed by the authority ${by}`;
    case 'order_freeze':
      return html`Frozen by ${by}`;
    case 'order_conclude':
      return html`Closed by ${by}`;
  }
}

/** Returns who pays: the owners of what is spent, else those of the delegations from which all is withdrawn. */
function payersOf(
  site: Site,
  names: SentenceNames,
  { payers, payingDelegations }: SummarizedActions,
): readonly string[] {
  if (payers.length > 0) return payers;
  const owners = payingDelegations.map((delegation) => ownerOfDelegation(site, names, delegation));
  return owners.includes(null) ? [] : [...new Set(owners as string[])];
}

/** Names the delegation of an action whose sentence names its pool. */
export function delegationOf(site: Site, { delegations }: SentenceNames, action: Action): Html | null {
  if (action.type !== 'delegate' && action.type !== 'delegation_withdraw') return null;
  const { delegation_id: id } = action;
  return delegations.has(id) ? html`Delegation ${thingLink(site, 'delegation', id)}` : null;
}

export function ownerOfDelegation(
  { network }: Site,
  { delegations }: SentenceNames,
  delegation: string,
): string | null {
  const known = delegations.get(delegation);
  return known === undefined ? null : destinationAddress(network, known.spend_destination);
}

/** The most payers that are named; more are counted. */
const MAX_NAMED = 3;
