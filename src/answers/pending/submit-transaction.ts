/** Submits transactions to the node: checks them first, and adds them to the mempool afterwards. */
import type { Id } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { NodeError, type RpcFailure } from '../../node/node-error.ts';
import type { DecodingThread } from '../../serving/decoding/decoding-thread.ts';
import { ApiError, badRequest } from '../../serving/errors/api-error.ts';
import { nodeUnavailable, unavailable } from '../../serving/errors/causes-of-503.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { WebServerResources } from '../../serving/resources/create-resources.ts';
import { getTransactionPosition } from '../../store/queries/transactions/transactions.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { StoreError } from '../../store/read/store-error.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { PendingTransactions } from './pending-transactions-interface.ts';

/** The body limit of mintlayer-core. */
const MINTLAYER_CORE_BODY_BYTES = 10_240;
/**
 * The largest body. No block has room for a transaction above 1 MiB; its hex has twice that length, and JSON adds a
 * little.
 */
export const MAX_SUBMISSION_BYTES = 2 * 1024 * 1024 + 4_096;
const MAX_CALL_MS = 30_000;
/** A unit of the resource `node_calls`, in characters. */
const CHARACTERS_PER_UNIT = 262_144;
const TOO_LONG = 'Failed to buffer the request body: length limit exceeded';

/** How a submission is refused. */
export interface SubmissionRefusals {
  /** The text for a refusal of the node. */
  readonly nodeRefusal: (refusal: RpcFailure) => string;
  /** The status for a submission that is too long for mintlayer-core and is not a transaction. */
  readonly longInvalidSubmission: 400 | 413;
}

interface SubmissionContext {
  readonly node: NodeClient | null;
  readonly store: QueryRunner;
  readonly tipWatch: TipWatch;
  readonly pending: PendingTransactions | null;
  readonly profile: SubmissionRefusals;
  readonly decoding: DecodingThread;
  readonly resources: WebServerResources;
  readonly metrics: { submitted(outcome: 'taken' | 'refused' | 'failed'): void };
}

/**
 * Submits a signed transaction, given as hex text or as JSON with that text. Returns its id. Rejects with an ApiError,
 * a ResourceRefusal or ClientGone.
 */
type Submit = (body: Buffer, caller: Caller, isForm?: boolean) => Promise<Id>;

const submitters = new WeakMap<SubmissionContext, Submit>();

/** Returns the function with which all routes and pages submit, so that they share its limits. */
export function transactionSubmitterOf(context: SubmissionContext): Submit {
  let submit = submitters.get(context);
  if (submit === undefined) {
    submit = createSubmitter(context);
    submitters.set(context, submit);
  }
  return submit;
}

function createSubmitter(context: SubmissionContext): Submit {
  const { metrics } = context;

  async function toNode(node: NodeClient, hex: string, id: Id): Promise<void> {
    try {
      await node.submitTransaction(hex, { signal: AbortSignal.timeout(MAX_CALL_MS) });
      metrics.submitted('taken');
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'rpc' && error.rpc) {
        // The node may have it in a block already, and the index may have that block by now.
        const found = context.pending?.pool.find(id);
        if (found?.state === 'Pending' || found?.state === 'Confirmed' || (await isIndexed(context, id))) return;
        metrics.submitted('refused');
        throw new ApiError(500, context.profile.nodeRefusal(error.rpc));
      }
      metrics.submitted('failed');
      throw nodeUnavailable(error, 'node away for submission');
    }
  }

  return async (body, caller, isForm = false) => {
    const submission = await context.decoding.decode(isForm ? 'submissionForm' : 'submission', body, caller);
    if (submission === null) throw noTransaction(context, body);
    const { hex, id } = submission;
    if (await isIndexed(context, id)) return id;
    const { node } = context;
    if (!node) throw unavailable('no node for submission');
    const units = 1 + Math.floor(hex.length / CHARACTERS_PER_UNIT);
    await context.resources.node_calls.run(caller, units, () => toNode(node, hex, id));
    // A client that reads the mempool after the success finds the transaction, in any process.
    await context.pending?.submitted(hex, id);
    return id;
  };
}

/** Is the transaction in a block? False if the index cannot be read: then the node decides. */
async function isIndexed({ store, tipWatch }: SubmissionContext, id: Id): Promise<boolean> {
  if (!tipWatch.isFresh || !tipWatch.tip?.isReady) return false;
  try {
    const { rows } = await getTransactionPosition(store, id);
    return rows.length > 0;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

function noTransaction({ profile }: SubmissionContext, { length }: Buffer): ApiError {
  const isTooLong = length > MINTLAYER_CORE_BODY_BYTES && profile.longInvalidSubmission === 413;
  return isTooLong ? new ApiError(413, TOO_LONG) : badRequest('Invalid signed transaction');
}
