/** What the routes of the API depend on. */
import type { AnswersContext } from '../answers/answers-context.ts';
import type { PendingTransactionPresenter } from './pending/pending-transaction-presenter.ts';
import type { ResponseProfile } from './response-profile/profile.ts';

export interface ApiContext extends AnswersContext {
  readonly profile: ResponseProfile;
  readonly pendingPresenter: PendingTransactionPresenter;
}
