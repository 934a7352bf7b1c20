/** The sums of a transaction's inputs and outputs, by currency. Pure. */
import { parseTokenId } from '../chain/address.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import { isBurnOutput, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import type { Network } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';
import { broughtBy, type CountedValue, takenBy, tokenOf } from './input-and-output-amounts.ts';
import type { ParsedInputEntry, ParsedTransaction } from './stored-json.ts';

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
