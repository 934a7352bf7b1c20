/** Amounts: text in JSON, because they exceed the integers of JavaScript; `bigint` in programs. */

/** An amount as the API writes it. */
export interface AmountText {
  readonly atoms: string;
  readonly decimal: string;
}

/** The decimals of the coin. */
export const COIN_DECIMALS = 11;

/** Returns the atoms of an amount, or of an integer in a text. */
export function atomsOf(amount: AmountText | string): bigint {
  return BigInt(typeof amount === 'string' ? amount : amount.atoms);
}

/** Writes atoms as a decimal number without trailing zeros, exactly. */
export function formatAtoms(atoms: bigint, decimals: number = COIN_DECIMALS): string {
  const digits = `${atoms < 0n ? -atoms : atoms}`.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${atoms < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Parses a decimal number into atoms, exactly. Throws a RangeError for any other text, and for too many decimals. */
export function parseAtoms(text: string, decimals: number = COIN_DECIMALS): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    throw new RangeError(`a number with at most ${decimals} decimals is expected: ${text}`);
  }
  const atoms = BigInt(whole + fraction.padEnd(decimals, '0'));
  return sign === '-' ? -atoms : atoms;
}
