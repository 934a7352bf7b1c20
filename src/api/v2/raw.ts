/** `/block/{id}/raw` and `/transaction/{id}/raw`: encoded blocks and transactions with their signatures, from the node. */

import { encodedTransactionAt } from '../../chain/codec/block.ts';
import { encodeSignedTransaction } from '../../chain/codec/transaction.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { Id } from '../../chain/types.ts';
import type { PendingLookupResult } from '../../mempool/mirror.ts';
import { HEX_TEXT_SCHEMA } from '../../render/schemas/common.ts';
import { EncodedBlocks } from '../../serving/cache/encoded-blocks.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import { nodeUnavailable, unavailable } from '../../serving/errors/causes-of-503.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { parseBlockId, parseTransactionId } from '../../serving/parse/parameters.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import type { RouteReadResult } from '../../serving/route/get-route-stages.ts';
import {
  BLOCK_ID_PARAMETER,
  responsesWithEtag,
  TRANSACTION_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import { getBlockHeader } from '../../store/queries/blocks/blocks.ts';
import { getTransactionPosition } from '../../store/queries/transactions/transactions.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';

interface RawData extends RouteReadResult {
  readonly tip: SnapshotTip;
  readonly bytes: Buffer;
}

/** The units of the resource `node_calls` for a block, which may have megabytes. */
const UNITS = 4;
const FROM_NODE =
  'The index does not keep signatures: the node is asked, and while it is away the response is the error 503.';

export function rawRoutes(routes: RouteGroup, context: ApiContext): void {
  const { pending } = context;
  const blocks = new EncodedBlocks(context.node);
  const present = ({ bytes }: RawData) => `"${bytes.toString('hex')}"`;

  /** Reads a confirmed transaction, cut out of its block; null for an unknown id. */
  async function readConfirmed(store: QueryRunner, id: Id): Promise<RawData | null> {
    const { tip, rows } = await getTransactionPosition(store, id);
    const [position] = rows;
    if (!position) return null;
    const transaction = cut(await blocks.get(position.block_id), position.position);
    if (transaction?.id !== id) throw unavailable('transaction not in block of node');
    return { tip, bytes: transaction.bytes };
  }

  async function readTransaction(store: QueryRunner, id: Id, caller: Caller): Promise<RawData> {
    const confirmed = await readConfirmed(store, id);
    if (confirmed !== null) return confirmed;
    const found: PendingLookupResult =
      pending === null ? { state: 'Unavailable' } : await pending.find(id, caller.client);
    // The transaction may have been confirmed between the two reads.
    const { tip, rows } = await getTransactionPosition(store, id);
    if (rows.length > 0) return (await readConfirmed(store, id)) ?? readTransaction(store, id, caller);
    switch (found?.state) {
      case 'Pending':
      case 'Confirmed':
        return { tip, bytes: encodeSignedTransaction(found.transaction.signed), dependsOnMempool: true };
      case 'Unavailable':
        throw nodeUnavailable(pending?.nodeProblem, 'pending not known for raw');
      case 'Dropped':
      case undefined:
        throw notFound('Transaction not found', tip);
    }
  }

  addGetRoute(routes, context, {
    path: '/block/:id/raw',
    summary: 'The encoded block with its signatures, as hex',
    description: FROM_NODE,
    params: BLOCK_ID_PARAMETER,
    response: responsesWithEtag(HEX_TEXT_SCHEMA, [400, 404]),
    resource: 'node_calls',
    unitsOf: () => UNITS,
    parse: ({ params }) => parseBlockId(params.id!),
    read: async (store, id): Promise<RawData> => {
      const { tip, rows } = await getBlockHeader(store, id);
      if (rows.length === 0) throw notFound('Block not found', tip);
      return { tip, bytes: await blocks.get(id) };
    },
    present,
  });

  addGetRoute(routes, context, {
    path: '/transaction/:id/raw',
    summary: 'The encoded transaction with its signatures, as hex',
    description: `As it is handed to the node by \`POST /transaction\`. Also one that waits for a block. ${FROM_NODE}`,
    params: TRANSACTION_ID_PARAMETER,
    response: responsesWithEtag(HEX_TEXT_SCHEMA, [400, 404]),
    mayDependOnMempool: true,
    resource: 'node_calls',
    unitsOf: () => UNITS,
    parse: ({ params }) => parseTransactionId(params.id!),
    read: readTransaction,
    present,
  });
}

/** Cuts a transaction out of a block; null if the block has none at this position. */
function cut(block: Buffer, position: number): ReturnType<typeof encodedTransactionAt> | null {
  try {
    return encodedTransactionAt(block, position);
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
