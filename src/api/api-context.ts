/** What the routes of the API depend on. */
import type { ServingContext } from '../serving/route/context.ts';
import type { PendingTransactionPresenter } from './pending/pending-transaction-presenter.ts';
import type { ResponseProfile } from './response-profile/profile.ts';

export interface ApiContext extends ServingContext {
  readonly profile: ResponseProfile;
  readonly pendingPresenter: PendingTransactionPresenter;
}
