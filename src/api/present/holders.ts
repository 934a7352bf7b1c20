/** Who holds the coin or a token, as JSON. */
import { destinationAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { Bech32, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { objectJson, plainJson } from '../../render/typed-json.ts';
import { amountJson } from '../../render/value-json.ts';
import type { Holding, ResponseProfile } from '../response-profile/profile.ts';

export function holderSchema({ holder }: ResponseProfile) {
  return strictObject({
    address: Bech32,
    amount: { ...schemaRef('Amount'), description: 'What can be spent, as `/address` shows it' },
    ...holder.properties,
  });
}

export function presentHolder(
  network: Network,
  { holder }: ResponseProfile,
  owner: Destination,
  holding: Holding,
): JsonTextOf<ReturnType<typeof holderSchema>> {
  return objectJson(
    {
      address: plainJson(destinationAddress(network, owner)),
      amount: amountJson(holding.amount, holding.decimals),
    },
    holder.text(holding),
  );
}
