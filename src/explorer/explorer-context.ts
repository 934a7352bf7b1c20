/** What pages are made with. */
import type { ApiContext } from '../api/route/context.ts';
import type { ChainStatus } from './chain-status.ts';
import type { Site } from './site.ts';

export interface Explorer {
  readonly site: Site;
  readonly api: ApiContext;
  readonly status: ChainStatus;
}
