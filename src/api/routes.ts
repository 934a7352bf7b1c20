/** Which routes there are. */
import type { FastifyInstance } from 'fastify';
import { switchOffCompilers } from './create-fastify.ts';
import { readBodiesAsBytes } from './http/request-bodies.ts';
import { shapesVersion } from './openapi/shapes-version.ts';
import type { ApiContext } from './route/context.ts';
import type { Streams } from './stream/streams.ts';
import { addressRoutes } from './v2/address.ts';
import { addressOwnedObjectRoutes, htlcRoutes } from './v2/address-owned-objects.ts';
import { batchRoute } from './v2/batch.ts';
import { blockListRoutes, blockRoutes } from './v2/block.ts';
import { chainRoutes, reorganisationRoutes } from './v2/chain.ts';
import { mempoolRoutes } from './v2/mempool.ts';
import { nftRoutes } from './v2/nft.ts';
import { bookRoutes, orderRoutes } from './v2/order.ts';
import { delegationRoutes, poolRoutes } from './v2/pool.ts';
import { rawRoutes } from './v2/raw.ts';
import { searchRoutes } from './v2/search.ts';
import { holderRoutes, statisticsRoutes } from './v2/statistics.ts';
import { streamRoute } from './v2/stream.ts';
import { feeRateRoutes, submissionRoute } from './v2/submission.ts';
import { tokenRoutes } from './v2/token.ts';
import { outspendRoutes, transactionRoutes } from './v2/transaction.ts';
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
