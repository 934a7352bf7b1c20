/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { ADDRESS_LIST_PAGES, addressPage } from './address.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { delegationPage } from './delegation.ts';
import { feesPage } from './fees.ts';
import { homePage } from './home.ts';
import { mempoolPage } from './mempool.ts';
import { poolBlocksPage, poolDelegationsPage, poolPage } from './pool.ts';
import { poolsPage } from './pools.ts';
import { reorganisationsPage } from './reorganisations.ts';
import { richListPage } from './rich-list.ts';
import { anythingPage, searchPage } from './search.ts';
import { statisticsPage } from './statistics.ts';
import { transactionPage } from './transaction.ts';
import { transactionsPage } from './transactions.ts';

export const PAGES: readonly ((explorer: Explorer) => AnyPage)[] = [
  homePage,
  blocksPage,
  blockPage,
  transactionsPage,
  transactionPage,
  mempoolPage,
  poolsPage,
  poolPage,
  poolDelegationsPage,
  poolBlocksPage,
  delegationPage,
  addressPage,
  ...ADDRESS_LIST_PAGES,
  feesPage,
  statisticsPage,
  richListPage,
  reorganisationsPage,
  searchPage,
  anythingPage,
];

/** Forms that post. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage)[] = [];
