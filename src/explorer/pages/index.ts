/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { homePage } from './home.ts';
import { anythingPage, searchPage } from './search.ts';
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
];

/** Forms that post. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage)[] = [];
