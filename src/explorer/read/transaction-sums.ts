/**
 * Values derived from a transaction alone: tokens and orders that it names. Pure.
 */

import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { createsOrder } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { takenBy } from '../../render/input-and-output-amounts.ts';
import type { ParsedOutput, ParsedTransaction } from '../../render/stored-json.ts';

/** Returns the tokens and NFTs whose names are shown. */
export function tokensInTransaction(
  network: Network,
  { inputs, outputs }: Pick<ParsedTransaction, 'inputs' | 'outputs'>,
): Set<Id> {
  const addresses = new Set<string>();
  const addOf = (output: ParsedOutput) => {
    for (const value of [takenBy(output), createsOrder(output) ? output.ask_value : null]) {
      if (value?.type === 'TokenV1') addresses.add(value.token_id);
    }
  };
  for (const { input, utxo } of inputs) {
    if ('token_id' in input) addresses.add(input.token_id);
    if (utxo !== null) addOf(utxo);
  }
  for (const output of outputs) addOf(output);
  return new Set(Array.from(addresses, (address) => parseTokenId(network, address)));
}

/** Returns the orders that commands of the transaction name. */
export function orderIdsOfCommands(network: Network, { inputs }: Pick<ParsedTransaction, 'inputs'>): Set<Id> {
  const orders = new Set<Id>();
  for (const { input } of inputs) if ('order_id' in input) orders.add(parseOrderId(network, input.order_id));
  return orders;
}
