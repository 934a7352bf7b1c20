/** Checks that the inputs and outputs of a transaction balance (docs/indexing-rules.md#transaction-fee). */
import type { Atoms } from '../../../chain/types.ts';
import type { Currency } from '../world.ts';
import { refuse } from './refusal.ts';

export function minAtoms(a: Atoms, b: Atoms): Atoms {
  if (a < b) return a;
  return b;
}

export class BalanceSheet {
  /** Sum from pools and delegations: only for outputs that stay locked for the maturity, or for the fee. */
  #maturing = 0n;
  /** Sum of the outputs that stay locked for the maturity. */
  #locked = 0n;
  #coinsIn = 0n;
  #coinsOut = 0n;
  #tokens: Map<Currency, Atoms> | null = null;

  takeIn(currency: Currency, amount: Atoms): void {
    if (currency === 'coin') this.#coinsIn += amount;
    else this.#addToken(currency, amount);
  }

  takeInMaturing(amount: Atoms): void {
    this.#coinsIn += amount;
    this.#maturing += amount;
  }

  giveOut(currency: Currency, amount: Atoms): void {
    if (currency === 'coin') this.#coinsOut += amount;
    else this.#addToken(currency, -amount);
  }

  giveOutLocked(amount: Atoms): void {
    this.#coinsOut += amount;
    this.#locked += amount;
  }

  /** The fee in atoms of the coin. Throws Refusal if more goes out than comes in. */
  fee(): Atoms {
    for (const [currency, rest] of this.#tokens ?? []) {
      if (rest < 0n) refuse(`Attempted to print money: ${-rest} atoms of token ${currency} are missing`);
    }
    if (this.#coinsIn < this.#coinsOut)
      refuse(`Insufficient inputs: ${this.#coinsIn} atoms in, ${this.#coinsOut} atoms out`);
    const matured = minAtoms(this.#locked, this.#maturing);
    if (this.#coinsOut - matured > this.#coinsIn - this.#maturing)
      refuse('Coins of a pool or delegation must stay locked for the maturity period');
    return this.#coinsIn - this.#coinsOut;
  }

  /** Tokens that came in and go nowhere: nobody can have them any more, though nobody burned them. */
  *forsaken(): Generator<[Currency, Atoms]> {
    for (const [currency, rest] of this.#tokens ?? []) if (rest > 0n) yield [currency, rest];
  }

  #addToken(currency: Currency, amount: Atoms): void {
    this.#tokens ??= new Map();
    this.#tokens.set(currency, (this.#tokens.get(currency) ?? 0n) + amount);
  }
}
