/**
 * Values derived from a transaction alone: tokens and orders that it names, decimals. Pure.
 */

import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { createsOrder } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { broughtBy, type CountedValue, takenBy, tokenOf } from '../../render/input-and-output-amounts.ts';
import type { ParsedInputEntry, ParsedOutput, ParsedTransaction } from '../../render/stored-json.ts';
import { exactAmountOfJson, maxDecimalsOf } from '../parts/amount.ts';

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

/** The largest number of decimals of each currency, to align a list: by the token's address, `''` for the coin. */
export type FractionDigitsByCurrency = ReadonlyMap<string, number>;

export function decimalsOfOutputs(outputs: readonly ParsedOutput[]): FractionDigitsByCurrency {
  return fractionsOf(outputs.map(takenBy));
}

export function decimalsOfInputs(inputs: readonly ParsedInputEntry[]): FractionDigitsByCurrency {
  return fractionsOf(inputs.map(broughtBy));
}

/** One amount is not aligned, nor are those of which most are whole: their unit would stand far away. */
function fractionsOf(values: readonly (CountedValue | null)[]): FractionDigitsByCurrency {
  const byCurrency = new Map<string, number[]>();
  for (const value of values) {
    if (value === null) continue;
    const currency = tokenOf(value);
    const all = byCurrency.get(currency) ?? [];
    all.push(maxDecimalsOf([exactAmountOfJson(value.amount)]));
    byCurrency.set(currency, all);
  }
  const isAligned = ([, all]: readonly [string, readonly number[]]) =>
    all.length > 1 && 2 * all.filter((n) => n > 0).length > all.length;
  return new Map([...byCurrency].filter(isAligned).map(([currency, all]) => [currency, Math.max(...all)]));
}
