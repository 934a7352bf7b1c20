/** Which pages there are. */
import type { Explorer } from '../explorer.ts';
import type { AnyPage, PostPage } from '../page.ts';
import { blocksPage } from './blocks.ts';
import { transactionPage } from './transaction.ts';

export const PAGES: readonly ((explorer: Explorer) => AnyPage)[] = [blocksPage, transactionPage];

/** Forms that post. */
export const POST_PAGES: readonly ((explorer: Explorer) => PostPage)[] = [];
