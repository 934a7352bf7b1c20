/** What the functions that follow the tip share. */
import type { Logger } from 'pino';
import type { NodeClient } from '../../node/client.ts';
import type { WriterSession } from '../../store/write/writer-session.ts';
import type { ScannerStatus } from '../monitor/status.ts';
import type { BatchApplier } from './apply-batches.ts';

/** The number of blocks that following requests from the node, and commits, at once. */
export const FOLLOW_BATCH_BLOCKS = 100;

export interface FollowContext {
  readonly session: WriterSession;
  readonly applier: BatchApplier;
  readonly node: NodeClient;
  readonly status: ScannerStatus;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}
