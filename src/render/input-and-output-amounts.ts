/** The amounts that inputs bring and outputs take, as far as a transaction's JSON gives them. */
import { decimalText } from '../chain/decimal-text.ts';
import type { Atoms } from '../chain/types.ts';
import type { ComponentValue } from './schemas/value-of-schema.ts';
import type { ParsedInputEntry, ParsedOutput } from './stored-json.ts';

type Amount = ComponentValue<'Amount'>;
type Value = ComponentValue<'Value'>;
/** A value that is counted: legacy tokens are not. */
export type CountedValue = Exclude<Value, { type: 'TokenV0' }>;

/**
 * Returns the value that an output takes; null if it takes or names none. A block's maker stakes the balance of the
 * pool, which the output does not name.
 */
export function takenBy(output: ParsedOutput): CountedValue | null {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'Htlc':
      return counted(output.value);
    case 'CreateOrder':
      return counted(output.give_value);
    case 'CreateStakePool':
      return { type: 'Coin', amount: output.data.amount };
    case 'DelegateStaking':
      return { type: 'Coin', amount: output.amount };
    case 'IssueNft':
      return { type: 'TokenV1', token_id: output.token_id, amount: { atoms: '1', decimal: '1' } };
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'IssueFungibleToken':
    case 'DataDeposit':
      return null;
  }
}

/** Returns the value that an input brings, as far as it is given. */
export function broughtBy({ input, utxo }: ParsedInputEntry): CountedValue | null {
  switch (input.input_type) {
    case 'UTXO':
      return utxo && takenBy(utxo);
    case 'Account':
      return { type: 'Coin', amount: input.amount };
    case 'AccountCommand':
      if (input.command !== 'MintTokens') return null;
      return { type: 'TokenV1', token_id: input.token_id, amount: input.amount };
    case 'OrderAccountCommand':
      return null;
  }
}

function counted(value: Value): CountedValue | null {
  return value.type === 'TokenV0' ? null : value;
}

/** Returns the address of the token; `''` for the coin. */
export function tokenOf(value: CountedValue): string {
  return value.type === 'Coin' ? '' : value.token_id;
}

/** Returns the decimals of the currency of an amount that is not 0, from its two texts. */
export function decimalsOf({ atoms, decimal }: Amount): number {
  const point = decimal.indexOf('.');
  const fraction = point < 0 ? 0 : decimal.length - point - 1;
  const digits = decimal.replace('.', '').replace(/^0+/, '').length;
  return fraction + atoms.length - digits;
}

/** Writes an amount, which may be negative. */
export function amountOf(atoms: Atoms, decimals: number): Amount {
  return { atoms: `${atoms}`, decimal: decimalText(atoms, decimals) };
}

/** Adds amounts of one currency. */
export function sumOfAmounts(amounts: readonly Amount[]): Amount {
  const sum = amounts.reduce((atoms, amount) => atoms + BigInt(amount.atoms), 0n);
  const first = amounts.find(({ atoms }) => atoms !== '0');
  return amountOf(sum, first === undefined ? 0 : decimalsOf(first));
}
