/** The words for what transactions do. */
import type { CHANGE_KINDS } from '../../store/queries/addresses/balance-history.ts';
import { type Message, textOf } from '../words/catalogue.ts';

type Kind = (typeof CHANGE_KINDS)[number];
type Spaced<Text extends string> = Text extends `${infer Start}_${infer Rest}` ? `${Start} ${Spaced<Rest>}` : Text;

/** Those that begin with an abbreviation. */
const ABBREVIATED = {
  nft_issue: 'NFT issue',
  htlc_create: 'HTLC create',
  htlc_claim: 'HTLC claim',
  htlc_refund: 'HTLC refund',
} as const satisfies Partial<Record<Kind, Message>>;

const isAbbreviated = (kind: Kind): kind is keyof typeof ABBREVIATED => kind in ABBREVIATED;

/** Returns "token issue" for `token_issue`. */
export const kindWords = (kind: Kind): Message =>
  isAbbreviated(kind) ? ABBREVIATED[kind] : (kind.replaceAll('_', ' ') as Spaced<typeof kind>);

/** Lists what a transaction did, in the current language. */
export const kindsText = (kinds: readonly Kind[]): string => kinds.map((kind) => textOf(kindWords(kind))).join(', ');
