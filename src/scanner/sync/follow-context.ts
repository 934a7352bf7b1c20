import type { Logger } from 'pino';
import type { NodeClient } from '../../node/client.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { ScannerStatus } from '../monitor/status.ts';
import type { Indexer } from './indexer.ts';

/** Blocks that are requested from the node, and committed, at once. */
export const FOLLOW_BATCH = 100;

/** What following the tip works with. */
export interface FollowContext {
  readonly session: WriterSession;
  readonly indexer: Indexer;
  readonly node: NodeClient;
  readonly status: ScannerStatus;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}
