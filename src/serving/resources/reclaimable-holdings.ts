/**
 * Resources that clients hold and that can be taken back: unsent bytes, bodies, streams. One client may fill such a
 * resource; when others need it, it is taken back from the client that holds most in relation to its weight.
 */
import type { HoldingResource, OnRefused } from './shared-resources.ts';

/** A part of a resource that a client holds. */
export interface Holding {
  readonly client: string;
  /** Changed only by {@link Holdings.resize}. */
  amount: number;
  /** Bytes that several clients may hold: they count for each client, and once in the total. */
  readonly shared?: Buffer | null;
  /** Ends it at once. It no longer counts then. */
  takeBack(): void;
}

interface HoldingsOptions {
  readonly resource: HoldingResource;
  readonly total: number;
  readonly weightOf: (client: string) => number;
  readonly onRefused: OnRefused;
}

interface Account {
  amount: number;
  /** The holdings, oldest first. */
  readonly held: Set<Holding>;
}

export class Holdings {
  readonly #options: HoldingsOptions;
  readonly #accounts = new Map<string, Account>();
  /** Number of holdings of each shared body. */
  readonly #shared = new Map<Buffer, number>();
  #used = 0;

  constructor(options: HoldingsOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** Returns the number of holdings of a client. */
  countOf(client: string): number {
    return this.#accounts.get(client)?.held.size ?? 0;
  }

  /**
   * May a client hold another one, of amount 1? Not at the maximum per client, and not when the resource is full and nobody
   * holds more by weight than this client then would.
   */
  hasRoomFor(client: string, maxPerClient: number): boolean {
    const { resource, total, weightOf, onRefused } = this.#options;
    const weighted = ((this.#accounts.get(client)?.amount ?? 0) + 1) / weightOf(client);
    const isRefused =
      this.countOf(client) >= maxPerClient ||
      (this.#used >= total && ![...this.#accounts].some(([other, { amount }]) => amount / weightOf(other) > weighted));
    if (isRefused) onRefused(resource, 'over_share', client);
    return !isRefused;
  }

  /** Counts a holding, and takes back what exceeds the total, which may be this one. */
  add(holding: Holding): void {
    let account = this.#accounts.get(holding.client);
    if (account === undefined) {
      account = { amount: 0, held: new Set() };
      this.#accounts.set(holding.client, account);
    }
    account.held.add(holding);
    account.amount += holding.amount;
    this.#used += holding.amount;
    const { shared } = holding;
    if (shared) {
      account.amount += shared.length;
      const count = this.#shared.get(shared) ?? 0;
      if (count === 0) this.#used += shared.length;
      this.#shared.set(shared, count + 1);
    }
    this.#takeBackExcess();
  }

  /** Changes the size of a holding, and takes back what exceeds the total. */
  resize(holding: Holding, amount: number): void {
    const account = this.#accounts.get(holding.client);
    if (!account?.held.has(holding)) return;
    account.amount += amount - holding.amount;
    this.#used += amount - holding.amount;
    holding.amount = amount;
    this.#takeBackExcess();
  }

  /** Removes a holding that has ended. False if it was removed before. */
  remove(holding: Holding): boolean {
    const account = this.#accounts.get(holding.client);
    if (!account?.held.delete(holding)) return false;
    if (account.held.size === 0) this.#accounts.delete(holding.client);
    account.amount -= weightOfHolding(holding);
    this.#used -= holding.amount;
    const { shared } = holding;
    if (shared) {
      const count = this.#shared.get(shared)! - 1;
      if (count > 0) this.#shared.set(shared, count);
      else {
        this.#shared.delete(shared);
        this.#used -= shared.length;
      }
    }
    return true;
  }

  #takeBackExcess(): void {
    const { resource, total, onRefused } = this.#options;
    while (this.#used > total) {
      const largest = this.#largestOf(this.#largestAccount());
      if (largest === undefined) return;
      this.remove(largest);
      onRefused(resource, 'taken_back', largest.client);
      largest.takeBack();
    }
  }

  #largestAccount(): Account | undefined {
    let largest: Account | undefined;
    let most = 0;
    for (const [client, account] of this.#accounts) {
      const weighted = account.amount / this.#options.weightOf(client);
      if (weighted <= most) continue;
      most = weighted;
      largest = account;
    }
    return largest;
  }

  /** Returns the largest holding of an account; of equal ones the newest. */
  #largestOf(account: Account | undefined): Holding | undefined {
    let largest: Holding | undefined;
    for (const holding of account?.held ?? []) {
      if (largest === undefined || weightOfHolding(holding) >= weightOfHolding(largest)) largest = holding;
    }
    return largest;
  }
}

function weightOfHolding({ amount, shared }: Holding): number {
  return amount + (shared?.length ?? 0);
}
