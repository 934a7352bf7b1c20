/** `POST /decode`: what a transaction or block that a client sends says, and what the index knows of it. */
import Type from 'typebox';
import { findDecodedBlock, findDecodedTransaction } from '../../answers/look-up-decoded.ts';
import { MAX_DECODED_BYTES } from '../../serving/decoding/pasted-text.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { requireReady, withChainTip } from '../../serving/route/readiness.ts';
import { responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { readOneSnapshot } from '../../store/read/one-snapshot.ts';
import type { ApiContext } from '../api-context.ts';
import { DECODED_SCHEMA, presentDecodedBlock, presentDecodedTransaction } from '../present/decoded.ts';

/** Two characters for each byte, and some white space. */
const MAX_DECODE_BODY_BYTES = 2 * MAX_DECODED_BYTES + 8_192;
const HEX = Type.String({
  pattern: '^([0-9a-fA-F]{2})+$',
  format: 'signed-transaction',
  description: `Up to ${MAX_DECODED_BYTES} bytes, in hex`,
});
/** The units of a response, of the resource `requests`. */
const UNITS = 4;

export function decodeRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, resources } = context;
  addPostRoute(routes, context, {
    path: '/decode',
    summary: 'A transaction or block in hex, decoded',
    description:
      'The body is the hex text of a signed or unsigned transaction, of one that a wallet has partially signed, or of a block; white ' +
      'space, quotation marks around it and `0x` are ignored. Nothing is stored or broadcast.',
    body: {
      // With its quotation marks, a text is JSON, too: not every generator of clients has bodies of text.
      content: { 'text/plain': { schema: HEX }, 'application/json': { schema: HEX } },
    },
    response: responsesWithoutEtag(routes.addComponent('Decoded', DECODED_SCHEMA), [400, 413]),
    bodyLimit: MAX_DECODE_BODY_BYTES,
    respond: async (body, caller) => {
      context.tipWatch.noteRequest();
      requireReady(context);
      const decoded = await context.decoding.decode('pastedText', body, caller);
      if (decoded.kind === 'undecodable') throw badRequest(`Invalid text: ${decoded.reasons.join('. ')}`);
      return resources.requests.run(caller, UNITS, async (held) => {
        const store = context.store.for(caller, held);
        const [text, tip] = await readOneSnapshot(async () => {
          if (decoded.kind === 'block') {
            const found = await findDecodedBlock(context, store, decoded);
            return [presentDecodedBlock(network, decoded, found), found.tip] as const;
          }
          const found = await findDecodedTransaction(context, store, decoded, caller);
          return [presentDecodedTransaction(network, decoded, found), found.tip] as const;
        });
        return withChainTip(context, tip, new PreparedResponse(text));
      });
    },
  });
}
