/** Which routes there are. */
import type { FastifyInstance } from 'fastify';
import { switchOffCompilers } from './create-fastify.ts';
import { readBodiesAsBytes } from './http/raw-body.ts';
import { shapesVersion } from './openapi/shapes-version.ts';
import type { ApiContext } from './route/context.ts';
import type { Streams } from './stream/streams.ts';
import { addressRoutes } from './v2/address.ts';
import { addressOwnedObjectRoutes } from './v2/address-owned-objects.ts';
import { batchRoute } from './v2/batch.ts';
import { blockRoutes } from './v2/block.ts';
import { blockListRoutes } from './v2/block-list.ts';
import { bookRoutes } from './v2/book.ts';
import { chainRoutes } from './v2/chain.ts';
import { delegationRoutes } from './v2/delegation.ts';
import { feeRateRoutes } from './v2/feerate.ts';
import { holderRoutes } from './v2/holders.ts';
import { htlcRoutes } from './v2/htlc.ts';
import { mempoolRoutes } from './v2/mempool.ts';
import { nftRoutes } from './v2/nft.ts';
import { orderRoutes } from './v2/order.ts';
import { outspendRoutes } from './v2/outspends.ts';
import { poolRoutes } from './v2/pool.ts';
import { rawRoutes } from './v2/raw.ts';
import { reorganisationRoutes } from './v2/reorganisation.ts';
import { searchRoutes } from './v2/search.ts';
import { statisticsRoutes } from './v2/statistics.ts';
import { streamRoute } from './v2/stream.ts';
import { submissionRoute } from './v2/submission.ts';
import { tokenRoutes } from './v2/token.ts';
import { transactionRoutes } from './v2/transaction.ts';
import { utxoRoutes } from './v2/utxos.ts';

const API_PREFIX = '/api/v2';

/** In the order of the OpenAPI document. */
const V2_ROUTES: readonly ((app: FastifyInstance, context: ApiContext) => void)[] = [
  chainRoutes,
  blockRoutes,
  transactionRoutes,
  submissionRoute,
  batchRoute,
  mempoolRoutes,
  addressRoutes,
  utxoRoutes,
  poolRoutes,
  delegationRoutes,
  tokenRoutes,
  nftRoutes,
  orderRoutes,
  bookRoutes,
  statisticsRoutes,
  holderRoutes,
  feeRateRoutes,
  blockListRoutes,
  outspendRoutes,
  rawRoutes,
  addressOwnedObjectRoutes,
  htlcRoutes,
  searchRoutes,
  reorganisationRoutes,
];

/** Adds everything below `/api/v2`. */
export async function registerV2(app: FastifyInstance, context: ApiContext, streams: Streams): Promise<void> {
  await app.register(
    async (v2) => {
      switchOffCompilers(v2);
      readBodiesAsBytes(v2);
      for (const addRoutes of V2_ROUTES) addRoutes(v2, context);
      streamRoute(v2, context, streams);
      context.shapesVersion = shapesVersion(context.profile.name, context.routes.values(), v2.getSchemas());
    },
    { prefix: API_PREFIX },
  );
}
