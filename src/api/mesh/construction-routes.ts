/** `/construction/derive`, `/construction/hash` and `/construction/submit`: what needs no signing. */

import Type from 'typebox';
import { MAX_SUBMISSION_BYTES, transactionSubmitterOf } from '../../answers/pending/submit-transaction.ts';
import { destinationAddress } from '../../chain/address.ts';
import { isSecp256k1Point } from '../../chain/curve-points.ts';
import { hash20 } from '../../chain/hash.ts';
import { ApiError } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import type { ApiContext } from '../api-context.ts';
import { MeshError } from './errors.ts';
import { addMeshRoute } from './mesh-route.ts';
import { DERIVE_RESPONSE, HEX_TEXT, IDENTIFIER_RESPONSE } from './schemas.ts';

const COMPRESSED_KEY = /^0[23][0-9a-f]{64}$/;

export function constructionRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, decoding, enablePostRoutes } = context;
  const submit = transactionSubmitterOf(context);

  addMeshRoute(routes, context, {
    path: '/construction/derive',
    summary: 'The address of a public key',
    fields: { public_key: Type.Object({ hex_bytes: Type.String(), curve_type: Type.String() }) },
    response: DERIVE_RESPONSE,
    respond: async ({ public_key: { hex_bytes, curve_type } }) => {
      const key = hex_bytes.toLowerCase();
      if (curve_type !== 'secp256k1' || !COMPRESSED_KEY.test(key) || !isSecp256k1Point(key)) {
        throw new MeshError('invalid request', 'A compressed public key of the curve secp256k1 is expected');
      }
      // 01: a destination that is the hash of a key; 00: a key of this curve.
      const destination = `01${hash20(Buffer.from(`00${key}`, 'hex'))}`;
      return { account_identifier: { address: destinationAddress(network, destination) } };
    },
  });

  addMeshRoute(routes, context, {
    path: '/construction/hash',
    summary: 'The id of a signed transaction',
    fields: { signed_transaction: HEX_TEXT },
    response: IDENTIFIER_RESPONSE,
    bodyLimit: MAX_SUBMISSION_BYTES,
    respond: async ({ signed_transaction }, caller) => {
      const decoded = await decoding.decode('submission', Buffer.from(signed_transaction), caller);
      if (decoded === null) throw new MeshError('invalid request', 'Invalid signed transaction');
      return { transaction_identifier: { hash: decoded.id } };
    },
  });

  addMeshRoute(routes, context, {
    path: '/construction/submit',
    summary: enablePostRoutes ? 'Submits a signed transaction to the node' : 'Not enabled on this server',
    fields: { signed_transaction: HEX_TEXT },
    response: IDENTIFIER_RESPONSE,
    bodyLimit: MAX_SUBMISSION_BYTES,
    respond: async ({ signed_transaction }, caller) => {
      if (!enablePostRoutes) throw new MeshError('submission disabled', 'Its operator has not enabled it');
      try {
        return { transaction_identifier: { hash: await submit(Buffer.from(signed_transaction), caller) } };
      } catch (error) {
        // The node's words.
        if (error instanceof ApiError && error.status === 500) throw new MeshError('refused', error.message);
        throw error;
      }
    },
  });
}
