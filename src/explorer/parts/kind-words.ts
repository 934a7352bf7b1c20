/** The words for what transactions do. */
import type { CHANGE_KINDS } from '../../store/queries/addresses/balance-history.ts';
import { type Message, textOf } from '../words/catalogue.ts';

type Kind = (typeof CHANGE_KINDS)[number];

export const KIND_WORDS = {
  received: 'received',
  sent: 'sent',
  unlocked: 'unlocked',
  reward: 'reward',
  token_issue: 'token issued',
  nft_issue: 'NFT issued',
  token_mint: 'tokens minted',
  token_unmint: 'tokens unminted',
  token_lock: 'token supply locked',
  token_freeze: 'token frozen',
  token_unfreeze: 'token unfrozen',
  token_authority: 'token authority changed',
  token_metadata: 'token metadata changed',
  pool_create: 'pool created',
  pool_decommission: 'pool decommissioned',
  delegation_create: 'delegation created',
  delegate: 'deposit to a delegation',
  delegation_withdraw: 'withdrawal from a delegation',
  order_create: 'order created',
  order_fill: 'order filled',
  order_freeze: 'order frozen by its owner',
  order_conclude: 'order closed by its owner',
  htlc_create: 'HTLC created',
  htlc_claim: 'HTLC claimed',
  htlc_refund: 'HTLC refunded',
  data_deposit: 'data stored',
  burn: 'burned',
  lock: 'time-locked',
  transfer: 'transfer',
} as const satisfies Readonly<Record<Kind, Message>>;

/** Lists what a transaction did, in the current language; whether it sent or received only if it did nothing else. */
export function kindsText(kinds: readonly Kind[]): string {
  const special = kinds.filter((kind) => kind !== 'received' && kind !== 'sent' && kind !== 'transfer');
  const text = (special.length > 0 ? special : kinds.slice(0, 1)).map((kind) => textOf(KIND_WORDS[kind])).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
