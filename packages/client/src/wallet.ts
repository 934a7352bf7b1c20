/**
 * A wallet: what addresses have, kept in step with the server by `POST /wallet/sync`. It knows only what it was told, so it
 * may ask another server of the same chain each time.
 */
import { type AmountText, atomsOf } from './amounts.ts';
import type { Client, Operations } from './client.ts';
import type { Described, Outpoint, WalletBalance, WalletCursor, WalletOutput } from './described.ts';
import { ApiError } from './errors.ts';
import type { EventOptions } from './events.ts';
import { pauseAfter, type RequestOptions, spread } from './http.ts';
import { pause } from './pause.ts';

type Changes<Api extends Operations> = Api['post']['/wallet/sync']['response'];
type Confirmed<Api extends Operations> = Changes<Api>['transactions'][number];
type Pending<Api extends Operations> = NonNullable<Changes<Api>['pending']>[number];

/** All that a wallet knows, as plain JSON. */
export interface WalletState<Api extends Operations = Described> {
  readonly cursor: WalletCursor;
  readonly outputs: readonly WalletOutput[];
  readonly balances: readonly WalletBalance[];
  /** Confirmed since the wallet began, in the order of the chain. */
  readonly transactions: readonly Confirmed<Api>[];
  readonly pending: readonly Pending<Api>[];
}

/** What a call of `sync` has changed. */
export interface WalletUpdate<Api extends Operations = Described> {
  /** Confirmed now. */
  readonly confirmed: readonly Confirmed<Api>[];
  /** The ids of those that were confirmed and no longer are, because of a reorganisation. */
  readonly unconfirmed: readonly string[];
  /** Pending now, and not before. */
  readonly pending: readonly Pending<Api>[];
  /**
   * The ids of those that were pending and are neither pending nor confirmed; when the wallet has begun anew, only those that
   * the server knows to be dropped: others may be confirmed.
   */
  readonly dropped: readonly string[];
  /** Has the wallet begun anew, without the transactions since then? */
  readonly hasBegunAnew: boolean;
  /** Has anything changed besides the tip? Also whether all pending transactions are told. */
  readonly hasChanges: boolean;
}

export interface Balance {
  /** Spendable, in atoms. */
  readonly amount: bigint;
  /** Time-locked, in atoms. */
  readonly locked: bigint;
}

/** The most addresses that a stream follows by themselves. */
const MAX_SUBJECTS = 100;
/** The shortest time between two requests of {@link Wallet.follow}. */
const MIN_PAUSE_MS = 200;
/** The longest time between two of them, in case an event was lost. */
const MAX_PAUSE_MS = 60_000;
/** Failures after which pauses grow no more. */
const MAX_FAILURES = 6;

export class Wallet<Api extends Operations = Described> {
  readonly addresses: readonly string[];
  readonly #client: Client<Api>;
  #cursor: WalletCursor | null;
  #outputs: Map<string, WalletOutput>;
  #balances: readonly WalletBalance[];
  #transactions: readonly Confirmed<Api>[];
  #pending: readonly Pending<Api>[];
  #pendingComplete = false;

  constructor(client: Client<Api>, addresses: readonly string[], state?: WalletState<Api>) {
    this.#client = client;
    this.addresses = addresses;
    this.#cursor = state?.cursor ?? null;
    this.#outputs = new Map(state?.outputs.map((output) => [outputKey(output.outpoint), output]));
    this.#balances = state?.balances ?? [];
    this.#transactions = state?.transactions ?? [];
    this.#pending = state?.pending ?? [];
  }

  /** The block up to which everything is known; null before the first `sync`. */
  get position(): { readonly height: number; readonly block_id: string } | null {
    return this.#cursor;
  }

  /** The unspent outputs, time-locked ones included. */
  get outputs(): readonly WalletOutput[] {
    return [...this.#outputs.values()];
  }

  /** The unspent outputs that no pending transaction of the wallet spends. */
  get unspentOutputs(): readonly WalletOutput[] {
    const spent = new Set<string>();
    for (const { inputs } of this.#pending) {
      for (const { input } of inputs) if (input.input_type === 'UTXO') spent.add(outputKey(input));
    }
    return this.outputs.filter(({ outpoint }) => !spent.has(outputKey(outpoint)));
  }

  get balances(): readonly WalletBalance[] {
    return this.#balances;
  }

  /** The transactions that were confirmed since the wallet began, in the order of the chain. */
  get transactions(): readonly Confirmed<Api>[] {
    return this.#transactions;
  }

  get pending(): readonly Pending<Api>[] {
    return this.#pending;
  }

  /**
   * Did the last `sync` tell all pending transactions of the wallet? While it did not, others may spend some of
   * `unspentOutputs`.
   */
  get pendingComplete(): boolean {
    return this.#pendingComplete;
  }

  /** The balance in coins, or in a token. */
  balance(tokenId?: string): Balance {
    const found = this.#balances.find(({ currency }) =>
      currency.type === 'Coin' ? tokenId === undefined : currency.token_id === tokenId,
    );
    const atoms = (amount: AmountText | undefined): bigint => (amount === undefined ? 0n : atomsOf(amount));
    return { amount: atoms(found?.amount), locked: atoms(found?.locked) };
  }

  /** Drops the transactions below a height from what the wallet knows, so that it does not grow for years. */
  forgetTransactionsBelow(minimum: number): void {
    this.#transactions = this.#transactions.filter(({ height }) => height >= minimum);
  }

  /** All that the wallet knows, for `client.wallet(addresses, state)` later; undefined before the first `sync`. */
  get state(): WalletState<Api> | undefined {
    if (this.#cursor === null) return undefined;
    return {
      cursor: this.#cursor,
      outputs: this.outputs,
      balances: this.#balances,
      transactions: this.#transactions,
      pending: this.#pending,
    };
  }

  /**
   * Asks for what has changed, in as many requests as that takes. The wallet changes at the end, all at once: after an
   * error it is as it was.
   */
  async sync({ signal }: RequestOptions = {}): Promise<WalletUpdate<Api>> {
    const before = this.#cursor;
    let cursor = before;
    let outputs = this.#outputs;
    let balances = this.#balances;
    let transactions = this.#transactions;
    let pending = this.#pending;
    let hasBegunAnew = false;
    let dropped: ReadonlySet<string> = new Set();
    let pendingComplete = false;
    for (let isComplete = false; !isComplete; ) {
      const changes = await this.#ask(cursor, signal);
      const { from, rolled_back_to: ancestor, created, spent } = changes;
      if (from === null) {
        // What was confirmed meanwhile is not told, so nobody knows which ones are still pending.
        [transactions, pending] = [[], []];
        hasBegunAnew = before !== null;
      } else if (ancestor !== null) transactions = transactions.filter(({ height }) => height <= ancestor.height);
      const isAnew = from === null || ancestor !== null;
      if (isAnew || created.length > 0 || spent.length > 0) outputs = new Map(isAnew ? [] : outputs);
      for (const output of created) outputs.set(outputKey(output.outpoint), output);
      for (const outpoint of spent) outputs.delete(outputKey(outpoint));
      const confirmed: readonly Confirmed<Api>[] = changes.transactions;
      if (confirmed.length > 0) transactions = [...transactions, ...confirmed];
      dropped = new Set(changes.dropped);
      const now: readonly Pending<Api>[] = changes.pending ?? [];
      // While not all pending transactions are told, those that were told before may still be pending.
      const isOver = new Set([...dropped, ...[...confirmed, ...now].map(({ id }) => id)]);
      pending = changes.pending_complete ? now : [...pending.filter(({ id }) => !isOver.has(id)), ...now];
      pendingComplete = changes.pending_complete;
      balances = changes.balances ?? balances;
      cursor = changes.to;
      isComplete = changes.complete;
    }
    const lists = [
      missingIn(this.#transactions, transactions),
      missingIn(transactions, this.#transactions),
      missingIn(this.#pending, pending),
    ] as const;
    const [confirmed, unconfirmed, seen] = lists;
    const gone = missingIn([...pending, ...transactions], this.#pending).filter(
      ({ id }) => !hasBegunAnew || dropped.has(id),
    );
    const hasOther =
      outputs !== this.#outputs ||
      pendingComplete !== this.#pendingComplete ||
      JSON.stringify(balances) !== JSON.stringify(this.#balances);
    this.#cursor = cursor;
    this.#outputs = outputs;
    this.#balances = balances;
    this.#transactions = transactions;
    this.#pending = pending;
    this.#pendingComplete = pendingComplete;
    return {
      confirmed,
      unconfirmed: hasBegunAnew ? [] : unconfirmed.map(({ id }) => id),
      pending: seen,
      dropped: gone.map(({ id }) => id),
      hasBegunAnew,
      hasChanges: hasBegunAnew || hasOther || gone.length > 0 || lists.some(({ length }) => length > 0),
    };
  }

  /**
   * Keeps the wallet in step until the signal is aborted: listens to the server's events, and yields what has changed, first
   * since the last `sync`. What may pass, such as a server that is away, is tried again; any other error is thrown.
   */
  async *follow({ signal }: RequestOptions = {}): AsyncGenerator<WalletUpdate<Api>, void, void> {
    const stopped = new AbortController();
    const stop = (): void => stopped.abort();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    let isDue = true;
    let wake = (): void => {};
    let failure: unknown;
    const listen = async (): Promise<void> => {
      for await (const _ of this.#client.events({ ...this.#events(), signal: stopped.signal })) {
        isDue = true;
        wake();
      }
    };
    listen().catch((error: unknown) => {
      failure = error;
      wake();
    });
    try {
      for (let failures = 0; !stopped.signal.aborted; ) {
        if (failure !== undefined) throw failure;
        isDue = false;
        let pauseMs = MIN_PAUSE_MS;
        try {
          const update = await this.sync({ signal: stopped.signal });
          failures = 0;
          if (update.hasChanges) yield update;
        } catch (error) {
          if (stopped.signal.aborted) return;
          const after = pauseAfter(error, Math.min(failures++, MAX_FAILURES));
          if (after === undefined) throw error;
          isDue = true;
          pauseMs = spread(after);
        }
        // Events that come together are one reason to ask.
        await pause(pauseMs, stopped.signal).catch(() => {});
        if (isDue || failure !== undefined || stopped.signal.aborted) continue;
        const woken = new AbortController();
        wake = () => woken.abort();
        stopped.signal.addEventListener('abort', wake, { once: true });
        await pause(MAX_PAUSE_MS, woken.signal).catch(() => {});
        stopped.signal.removeEventListener('abort', wake);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }

  async #ask(cursor: WalletCursor | null, signal: AbortSignal | undefined): Promise<Changes<Api>> {
    const ask = (from: WalletCursor | null) =>
      this.#client.post('/wallet/sync', { addresses: this.addresses, cursor: from }, { signal });
    try {
      return await ask(cursor);
    } catch (error) {
      // The server does not know the block: its chain is another one, or it remembers no reorganisation so long ago.
      if (cursor === null || !(error instanceof ApiError) || error.status !== 404) throw error;
      return await ask(null);
    }
  }

  /** A block may end time locks, so each is a reason to ask. */
  #events(): EventOptions {
    return this.addresses.length <= MAX_SUBJECTS
      ? { address: this.addresses, types: ['block', 'reorg', 'activity', 'tx_dropped', 'lag'] }
      : { types: ['block', 'reorg', 'tx_seen', 'tx_dropped', 'lag'] };
  }
}

function outputKey({ source_type, source_id, index }: Outpoint): string {
  return `${source_type} ${source_id} ${index}`;
}

/** Returns the elements of `list` whose ids are not in `known`. */
function missingIn<Element extends { readonly id: string }>(
  known: readonly { readonly id: string }[],
  list: readonly Element[],
): readonly Element[] {
  if (known === list) return [];
  const ids = new Set(known.map(({ id }) => id));
  return list.filter(({ id }) => !ids.has(id));
}
