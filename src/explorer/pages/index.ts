/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { blocksPage } from './blocks.ts';
import { delegationPage } from './delegation.ts';
import { poolBlocksPage, poolDelegationsPage, poolPage } from './pool.ts';
import { poolsPage } from './pools.ts';
import { reorganisationsPage } from './reorganisations.ts';
import { richListPage } from './rich-list.ts';
import { statisticsPage } from './statistics.ts';
import { transactionPage } from './transaction.ts';

export const PAGES: readonly ((explorer: Explorer) => AnyPage)[] = [
  blocksPage,
  transactionPage,
  poolsPage,
  poolPage,
  poolDelegationsPage,
  poolBlocksPage,
  delegationPage,
  richListPage,
  statisticsPage,
  reorganisationsPage,
];

/** Forms that post. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage)[] = [];
