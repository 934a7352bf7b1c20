/** `POST /transaction`: hands a transaction to the node, where the operator allows it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { decodeSignedTransaction } from '../../chain/codec/transaction.ts';
import { transactionId } from '../../chain/ids.ts';
import type { Id } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { NodeError } from '../../node/node-error.ts';
import { TRANSACTION_PLACE } from '../../store/queries/transactions.ts';
import { StoreError } from '../../store/read/store-error.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { bodyBytes, ignoreContentType } from '../http/raw-body.ts';
import { Trouble } from '../operations/repeated-log.ts';
import { noticed } from '../pending/pending.ts';
import { ApiError, badRequest, unavailable } from '../route/api-error.ts';
import { type ApiContext, errorResponse } from '../route/context.ts';
import { HexId, strictObject } from '../schemas/common.ts';
import { errorResponses, okResponse } from '../schemas/route.ts';

/** What mintlayer-core reads of a body. */
const MINTLAYER_CORE_BODY_BYTES = 10_240;
/** No block takes a transaction above 1 MiB: as hex text twice that, and some room for the JSON around it. */
const LONGEST_BODY_BYTES = 2 * 1024 * 1024 + 4_096;
const LONGEST_CALL_MS = 30_000;
/** Transactions that the node is looking at, at a time. */
const MOST_AT_NODE = 64;
/** The node has it: its mirror is waited for no longer than this. */
const LONGEST_NOTICE_MS = 1_000;
const ROUTE = 'POST /api/v2/transaction';
const TOO_LONG = 'Failed to buffer the request body: length limit exceeded';

const SignedTransactionText = Type.String({
  pattern: '^([0-9a-fA-F]{2})+$',
  format: 'signed-transaction',
  description: 'The encoded signed transaction as hex text',
});

export function submissionRoute(app: FastifyInstance, context: ApiContext): void {
  const { enablePostRoutes } = context;
  const submit = submitter(context);

  app.post(
    '/transaction',
    {
      onRequest: (request, reply, done) => {
        if (enablePostRoutes) {
          ignoreContentType(request);
          done();
          return;
        }
        // Whatever the body is, and without waiting for it.
        reply.hijack();
        const began = context.metrics.begin();
        const refusal = errorResponse(context, new ApiError(403, 'Forbidden endpoint'));
        context.metrics.end(ROUTE, refusal.status, began);
        refusal.send(request.raw, reply.raw);
      },
      bodyLimit: LONGEST_BODY_BYTES,
      schema: {
        tags: ['Fees and submission'],
        summary: 'Submits a signed transaction to the node',
        description: enablePostRoutes
          ? 'The body is the encoded signed transaction as hex text, or JSON with that text as `transaction`.'
          : 'Not enabled on this server.',
        body: {
          content: {
            'text/plain': { schema: SignedTransactionText },
            'application/json': { schema: Type.Object({ transaction: SignedTransactionText }) },
          },
        },
        response: enablePostRoutes
          ? {
              200: okResponse(strictObject({ tx_id: HexId }), 'The node has taken the transaction; its id'),
              ...errorResponses([400, 413], {
                400: 'The body is no encoded signed transaction',
                500: "The node refused the transaction: `RPC error:` and the node's words",
              }),
            }
          : errorResponses([403]),
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const began = context.metrics.begin();
      const finished = await submit(bodyBytes(request)).catch((error: unknown) => errorResponse(context, error));
      context.metrics.end(ROUTE, finished.status, began);
      finished.send(request.raw, reply.raw);
    },
  );
}

function submitter(context: ApiContext): (body: Buffer) => Promise<PreparedResponse> {
  const { logger } = context;
  const trouble = new Trouble(logger, {
    failed: 'Transactions cannot be handed to the node; those who submit them get 503.',
    works: 'The node takes transactions again.',
  });
  let atNode = 0;

  async function toNode(node: NodeClient, hex: string, id: Id): Promise<void> {
    atNode++;
    try {
      await node.submitTransaction(hex, { signal: AbortSignal.timeout(LONGEST_CALL_MS) });
      trouble.works();
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'rpc' && error.rpc) {
        trouble.works();
        // A block of the node may have taken it before, and the index may have that block by now.
        const found = context.pending?.pool.find(id, Date.now());
        if (found?.state === 'Pending' || found?.state === 'Confirmed' || (await isIndexed(context, id))) return;
        throw new ApiError(500, context.profile.nodeRefusal(error.rpc));
      }
      trouble.failed(error);
      throw unavailable('The node did not take the transaction: it cannot be reached at the moment. Try again soon.');
    } finally {
      atNode--;
    }
  }

  return async (body) => {
    const { hex, id } = transactionIn(context, body);
    const success = new PreparedResponse(`{"tx_id":"${id}"}`);
    if (await isIndexed(context, id)) return success;
    if (!context.node) throw unavailable('This server was started without a node, which takes the transactions.');
    if (atNode >= MOST_AT_NODE) throw unavailable('The node has many transactions to look at. Try again soon.');
    await toNode(context.node, hex, id);
    // So that whoever is told of the success and asks for what is pending finds it.
    if (context.pending) await noticed(context.pending, id, LONGEST_NOTICE_MS);
    return success;
  };
}

/** Is it in a block? Nobody waits for an index that cannot be asked: the node decides then. */
async function isIndexed({ store, tipWatch }: ApiContext, id: Id): Promise<boolean> {
  if (!tipWatch.isFresh || !tipWatch.tip?.isReady) return false;
  try {
    const { rows } = await store.query(TRANSACTION_PLACE, id);
    return rows.length > 0;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

/** The transaction in a body, checked by decoding it whole. */
function transactionIn(context: ApiContext, body: Buffer): { readonly hex: string; readonly id: string } {
  try {
    const hex = hexIn(body.toString('latin1'));
    const { transaction } = decodeSignedTransaction(Buffer.from(hex, 'hex'));
    return { hex, id: transactionId(transaction) };
  } catch {
    if (body.length > MINTLAYER_CORE_BODY_BYTES && context.profile.longInvalidSubmission === 413) {
      throw new ApiError(413, TOO_LONG);
    }
    throw badRequest('Invalid signed transaction');
  }
}

/** The hex text itself, or the `transaction` of a JSON object. */
function hexIn(text: string): string {
  const hex = text.startsWith('{') ? (JSON.parse(text) as { transaction?: unknown }).transaction : text;
  if (typeof hex !== 'string' || hex.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(hex)) throw new Error('not hex');
  return hex.toLowerCase();
}
