/** What the routes of the API and the pages depend on. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteGroup } from '../serving/http/routes.ts';
import type { UnknownParameterRule } from '../serving/parse/parameters.ts';
import type { ServingContext } from '../serving/route/context.ts';
import type { FeeRateCache } from './fee-rate-cache.ts';
import type { CurrentMarks } from './marks-file.ts';
import type { PendingTransactions, PendingTransactionTexts } from './pending/pending-transactions-interface.ts';
import type { SubmissionRefusals } from './pending/submit-transaction.ts';

export interface AnswersContext extends ServingContext {
  readonly profile: SubmissionRefusals & UnknownParameterRule;
  /** The fee rates; null without a node. */
  readonly feeRates: FeeRateCache | null;
  /** The pending transactions; null without a node. */
  readonly pending: PendingTransactions | null;
  readonly pendingPresenter: PendingTransactionTexts;
  /** What the operator says of tokens, pools and addresses. */
  readonly marks: CurrentMarks;
}

/** Pages for browsers beside the API. They are passed in at the start; nothing of the API depends on them. */
export interface BrowserPages {
  /**
   * Responds to a request for a page; false for any other request, which the API then handles. The URL is a path with a query,
   * none of the API's, and has no cached response.
   */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  close(): void;
}

/** The events `status` of the stream, which the pages tell. */
export interface StatusEvents {
  /** Does a client of the stream want them? */
  areWanted(): boolean;
  /** Tells that the conditions, or something else of the node's state that pages show, have changed. */
  tell(conditions: readonly string[]): void;
}

/** Makes the pages at the start, and adds routes for forms that post. */
export type CreateBrowserPages = (
  routes: RouteGroup,
  context: AnswersContext,
  statusEvents: StatusEvents,
) => BrowserPages;
