/** `POST /verify-message`: was a message signed by the owner of an address? */

import Type from 'typebox';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { parseJsonObject } from '../../serving/parse/json-object.ts';
import { MAX_SIGNED_MESSAGE_BYTES, parseSignedMessage } from '../../serving/parse/signed-message.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { jsonContent, responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import { SIGNATURE_CHECK, SIGNED_MESSAGE_EXAMPLE } from '../present/signed-message.ts';

const HEX_TEXT = '^([0-9a-fA-F]{2})*$';

export function verifyMessageRoute(routes: RouteGroup, context: ApiContext): void {
  addPostRoute(routes, context, {
    path: '/verify-message',
    summary: 'Verifies a signed message',
    description:
      "Needs no permission of the operator, and nothing of the chain. Signatures are those of mintlayer-core's wallet " +
      '(`challenge_sign_plain`, `challenge_sign_hex`) and of its wasm library (`sign_challenge`).',
    body: jsonContent(
      Type.Object(
        {
          address: Type.String({ description: 'An address of this network' }),
          message: Type.Optional(Type.String({ description: 'The message, if it is a text' })),
          message_hex: Type.Optional(
            Type.String({ pattern: HEX_TEXT, description: 'The message in hex, instead of `message`' }),
          ),
          signature: Type.String({ pattern: HEX_TEXT, description: 'The signature in hex' }),
        },
        { examples: [SIGNED_MESSAGE_EXAMPLE] },
      ),
    ),
    response: responsesWithoutEtag(SIGNATURE_CHECK.schema, [400, 413]),
    bodyLimit: MAX_SIGNED_MESSAGE_BYTES,
    respond: async (body, caller) => {
      const signed = parseSignedMessage(context.network, parseJsonObject('signed message', body));
      return new PreparedResponse(
        SIGNATURE_CHECK.json(context.network, await context.decoding.decode('signedMessage', signed, caller)),
      );
    },
  });
}
