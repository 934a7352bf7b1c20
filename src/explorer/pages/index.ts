/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { decodePage, decodePostPage, submitPage } from './decode.ts';
import { homePage } from './home.ts';
import { htlcPage } from './htlc.ts';
import { marketPage } from './market.ts';
import { nftPage } from './nft.ts';
import { nftsPage } from './nfts.ts';
import { orderPage } from './order.ts';
import { ordersPage } from './orders.ts';
import { anythingPage, searchPage } from './search.ts';
import { tokenPage } from './token.ts';
import { tokensPage } from './tokens.ts';
import { transactionPage } from './transaction.ts';
import { transactionsPage } from './transactions.ts';

export const PAGES: readonly ((explorer: Explorer) => AnyPage)[] = [
  homePage,
  blocksPage,
  blockPage,
  transactionsPage,
  transactionPage,
  searchPage,
  anythingPage,
  tokensPage,
  tokenPage,
  nftsPage,
  nftPage,
  ordersPage,
  orderPage,
  marketPage,
  htlcPage,
  decodePage,
];

/** Forms that post; null where the operator does not allow one. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage | null)[] = [decodePostPage, submitPage];
