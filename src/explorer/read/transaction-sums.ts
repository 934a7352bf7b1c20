/**
 * Values derived from a transaction alone: tokens and orders that it names, sums. Pure.
 */

import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { createsOrder, isBurnOutput, isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { broughtBy, type CountedValue, takenBy, tokenOf } from '../../render/input-and-output-amounts.ts';
import type { ParsedInputEntry, ParsedOutput, ParsedTransaction } from '../../render/stored-json.ts';
import { maxDecimalsOf } from '../parts/amount.ts';
import { exactAmountOfJson } from './api-json.ts';

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

/** The sums of a currency, as far as inputs and outputs give them. */
interface CurrencySums {
  readonly currency: Currency;
  /** The sum of spent outputs, withdrawals and mints. */
  readonly inputs: Atoms;
  /** The sum of the outputs that burn nothing. */
  readonly outputs: Atoms;
  readonly burned: Atoms;
}

/** Returns the sums of each currency: the coin first, then tokens by first appearance. */
export function sumsByCurrency(network: Network, transaction: ParsedTransaction): CurrencySums[] {
  const all = [...sumsByAddress(transaction)].map(([address, sums]) => ({
    currency: address === '' ? COIN : parseTokenId(network, address),
    ...sums,
  }));
  return [...all.filter(({ currency }) => currency === COIN), ...all.filter(({ currency }) => currency !== COIN)];
}

type Sums = Omit<CurrencySums, 'currency'>;

/** Returns the sums by the token's address, `''` for the coin. */
function sumsByAddress({ inputs, outputs }: ParsedTransaction): ReadonlyMap<string, Sums> {
  const all = new Map<string, { -readonly [Side in keyof Sums]: Atoms }>();
  const add = (side: keyof Sums, value: CountedValue | null) => {
    if (value === null) return;
    let sums = all.get(tokenOf(value));
    if (sums === undefined) {
      sums = { inputs: 0n, outputs: 0n, burned: 0n };
      all.set(tokenOf(value), sums);
    }
    sums[side] += BigInt(value.amount.atoms);
  };
  for (const entry of inputs) add('inputs', broughtBy(entry));
  for (const output of outputs) {
    add(isBurnOutput(output) ? 'burned' : 'outputs', takenBy(output));
  }
  return all;
}

/** The largest number of decimals of each currency, to align a list: by the token's address, `''` for the coin. */
export type FractionDigitsByCurrency = ReadonlyMap<string, number>;

export function decimalsOfOutputs(outputs: readonly ParsedOutput[]): FractionDigitsByCurrency {
  return fractionsOf(outputs.map(takenBy));
}

export function decimalsOfInputs(inputs: readonly ParsedInputEntry[]): FractionDigitsByCurrency {
  return fractionsOf(inputs.map(broughtBy));
}

function fractionsOf(values: readonly (CountedValue | null)[]): FractionDigitsByCurrency {
  const fractions = new Map<string, number>();
  for (const value of values) {
    if (value === null) continue;
    const currency = tokenOf(value);
    fractions.set(currency, Math.max(fractions.get(currency) ?? 0, maxDecimalsOf([exactAmountOfJson(value.amount)])));
  }
  return fractions;
}

/** Do the inputs bring more than their amounts show: the balance of a pool, or what orders give or take? */
export function hasUnknownInputs({ inputs }: Pick<ParsedTransaction, 'inputs'>): boolean {
  return inputs.some(isHidden);
}

function isHidden({ input, utxo }: ParsedInputEntry): boolean {
  if (input.input_type === 'UTXO') {
    return utxo === null || isStakeOutput(utxo);
  }
  return 'order_id' in input;
}
