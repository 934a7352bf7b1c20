/** Checks that the inputs and outputs of a transaction balance (docs/indexing-rules.md#transaction-fee). */
import type { Atoms } from '../../../chain/types.ts';
import type { SimulatedCurrency } from '../world.ts';
import { refuseTransaction } from './refusal.ts';

export function smallerAtoms(a: Atoms, b: Atoms): Atoms {
  return a < b ? a : b;
}

export class InputOutputBalance {
  /** Sum from pools and delegations: only for outputs that stay locked for the maturity, or for the fee. */
  #maturing = 0n;
  /** Sum of the outputs that stay locked for the maturity. */
  #locked = 0n;
  #coinsIn = 0n;
  #coinsOut = 0n;
  #tokens: Map<SimulatedCurrency, Atoms> | null = null;

  takeIn(currency: SimulatedCurrency, amount: Atoms): void {
    if (currency === 'coin') this.#coinsIn += amount;
    else this.#addToken(currency, amount);
  }

  takeInMaturing(amount: Atoms): void {
    this.#coinsIn += amount;
    this.#maturing += amount;
  }

  giveOut(currency: SimulatedCurrency, amount: Atoms): void {
    if (currency === 'coin') this.#coinsOut += amount;
    else this.#addToken(currency, -amount);
  }

  giveOutLocked(amount: Atoms): void {
    this.#coinsOut += amount;
    this.#locked += amount;
  }

  /** The fee in atoms of the coin. Throws TransactionRefusal if more goes out than comes in. */
  fee(): Atoms {
    for (const [currency, rest] of this.#tokens ?? []) {
      if (rest < 0n) refuseTransaction(`Attempted to print money: ${-rest} atoms of token ${currency} are missing`);
    }
    if (this.#coinsIn < this.#coinsOut)
      refuseTransaction(`Insufficient inputs: ${this.#coinsIn} atoms in, ${this.#coinsOut} atoms out`);
    const matured = smallerAtoms(this.#locked, this.#maturing);
    if (this.#coinsOut - matured > this.#coinsIn - this.#maturing)
      refuseTransaction('Coins of a pool or delegation must stay locked for the maturity period');
    return this.#coinsIn - this.#coinsOut;
  }

  /** Tokens that came in and go nowhere: nobody can have them any more, though nobody burned them. */
  *forsaken(): Generator<[SimulatedCurrency, Atoms]> {
    for (const [currency, rest] of this.#tokens ?? []) if (rest > 0n) yield [currency, rest];
  }

  #addToken(currency: SimulatedCurrency, amount: Atoms): void {
    this.#tokens ??= new Map();
    this.#tokens.set(currency, (this.#tokens.get(currency) ?? 0n) + amount);
  }
}
