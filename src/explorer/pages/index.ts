/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { blocksPage } from './blocks.ts';
import { marketPage } from './market.ts';
import { nftPage } from './nft.ts';
import { nftsPage } from './nfts.ts';
import { orderPage } from './order.ts';
import { ordersPage } from './orders.ts';
import { tokenPage } from './token.ts';
import { tokensPage } from './tokens.ts';
import { transactionPage } from './transaction.ts';

export const PAGES: readonly ((explorer: Explorer) => AnyPage)[] = [
  blocksPage,
  transactionPage,
  tokensPage,
  tokenPage,
  nftsPage,
  nftPage,
  ordersPage,
  orderPage,
  marketPage,
];

/** Forms that post. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage)[] = [];
