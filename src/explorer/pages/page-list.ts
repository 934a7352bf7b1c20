/** The list of all pages. */
import type { AnyPage, ExplorerContext, PostPage } from '../define-page.ts';
import { ADDRESS_LIST_PAGES, addressPage } from './address.ts';
import { addressHistoryPage } from './address-history.ts';
import { addressPastPage } from './address-past.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { comparePoolsPage } from './compare-pools.ts';
import { decodePage, decodePostPage, submitPage } from './decode.ts';
import { delegationDaysPage, delegationPage, delegationTransactionsPage } from './delegation.ts';
import { feesPage } from './fees.ts';
import { homePage } from './home.ts';
import { htlcPage } from './htlc.ts';
import { marketPage } from './market.ts';
import { marketsPage } from './markets.ts';
import { mempoolPage } from './mempool.ts';
import { nftPage } from './nft.ts';
import { nftsPage } from './nfts.ts';
import { orderPage } from './order.ts';
import { ordersPage } from './orders.ts';
import { poolBlocksPage, poolDayPage, poolDaysPage, poolDelegationsPage, poolPage } from './pool.ts';
import { poolsPage } from './pools.ts';
import { reorganisationsPage } from './reorganisations.ts';
import { richListPage } from './rich-list.ts';
import { searchByPathPage, searchPage } from './search.ts';
import { seriesPage } from './series.ts';
import { statementPage } from './statement.ts';
import { statisticsPage } from './statistics.ts';
import { tokenPage } from './token.ts';
import { tokensPage } from './tokens.ts';
import { transactionPage } from './transaction.ts';
import { transactionsPage } from './transactions.ts';
import { verifyMessagePage, verifyMessagePostPage } from './verify-message.ts';
import { watchPage, watchPostPage } from './watch.ts';

export const PAGES: readonly ((explorer: ExplorerContext) => AnyPage)[] = [
  homePage,
  blocksPage,
  blockPage,
  transactionsPage,
  transactionPage,
  mempoolPage,
  poolsPage,
  comparePoolsPage,
  poolPage,
  poolDelegationsPage,
  poolBlocksPage,
  poolDaysPage,
  poolDayPage,
  delegationPage,
  delegationDaysPage,
  delegationTransactionsPage,
  addressPage,
  addressHistoryPage,
  addressPastPage,
  ...ADDRESS_LIST_PAGES,
  statementPage,
  feesPage,
  statisticsPage,
  seriesPage,
  richListPage,
  reorganisationsPage,
  searchPage,
  searchByPathPage,
  tokensPage,
  tokenPage,
  nftsPage,
  nftPage,
  ordersPage,
  orderPage,
  marketsPage,
  marketPage,
  htlcPage,
  decodePage,
  verifyMessagePage,
  watchPage,
];

/** The pages of forms that post; null if the operator does not allow a form. */
export const POST_PAGES: readonly ((explorer: ExplorerContext) => PostPage | null)[] = [
  decodePostPage,
  submitPage,
  verifyMessagePostPage,
  watchPostPage,
];
