/** The outputs of a wallet that transactions spend, from the stored JSON of the transactions. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { destinationAddress } from '../chain/address.ts';
import { createsPool, isBalanceOutput, isContractOutput, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Destination } from '../chain/types.ts';
import { outpointJson } from '../render/common-values.ts';
import type { BASE_TRANSACTION_SCHEMA } from '../render/schemas/transaction.ts';
import type { ComponentValue, ValueOf } from '../render/schemas/value-of-schema.ts';

type OutputValue = ComponentValue<'Output'>;

/** The length of the JSON that is parsed before other requests have their turn: one or two milliseconds. */
const LENGTH_PER_TURN = 128 * 1024;

/** Returns the outpoints, as JSON, of the outputs that the transactions spend and these addresses own. */
export async function spentWalletOutpoints(
  network: Network,
  owners: readonly Destination[],
  transactions: readonly { readonly body: string }[],
): Promise<string[]> {
  if (transactions.length === 0) return [];
  const addresses = new Set(owners.map((owner) => destinationAddress(network, owner)));
  const spent: string[] = [];
  let parsed = 0;
  for (const { body } of transactions) {
    if (parsed >= LENGTH_PER_TURN) {
      parsed = 0;
      await nextTurn();
    }
    parsed += body.length;
    const { inputs } = JSON.parse(body) as ValueOf<typeof BASE_TRANSACTION_SCHEMA>;
    for (const { input, utxo } of inputs) {
      if (input.input_type !== 'UTXO' || utxo === null) continue;
      if (!ownersInJson(utxo).some((owner) => addresses.has(owner))) continue;
      const { index, source_id: sourceId, source_type: sourceType } = input;
      spent.push(outpointJson({ index, sourceId, sourceType }));
    }
  }
  return spent;
}

/** The addresses that own an output, as `ownersOfOutput` of `src/chain/output-owner-and-value.ts` says. */
function ownersInJson(output: OutputValue): readonly string[] {
  if (isBalanceOutput(output)) return [output.destination];
  if (isContractOutput(output)) return [output.htlc.spend_key, output.htlc.refund_key];
  if (isStakeOutput(output)) return [createsPool(output) ? output.data.decommission_key : output.destination];
  return [];
}
