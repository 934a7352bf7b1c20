/** Whether a message was signed by the owner of an address, as JSON. */
import Type from 'typebox';
import { SIGNATURE_FAULTS, type SignatureFault } from '../../chain/signed-message.ts';
import { booleanJson, nullableJson, objectJson, plainJson } from '../../render/compose-json.ts';
import { nullable, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';

export const VERDICT_SCHEMA = strictObject({
  valid: Type.Boolean(),
  reason: nullable(
    Type.Enum([...SIGNATURE_FAULTS], {
      type: 'string',
      description:
        'Why it is not valid. `malformed`: the signature has not the form for this kind of address; `other_key`: it has other keys ' +
        'than the address; `mismatch`: it is of another message, or damaged; `incomplete`: signatures of a multisig are missing; ' +
        '`unsupported_address`: nobody can sign for the address',
    }),
  ),
});

export function presentVerdict(fault: SignatureFault | null): JsonTextOf<typeof VERDICT_SCHEMA> {
  return objectJson<ValueOf<typeof VERDICT_SCHEMA>>({
    valid: booleanJson(fault === null),
    reason: nullableJson(fault, plainJson),
  });
}
