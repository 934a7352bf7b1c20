/**
 * Pending transactions as JSON, rendered once each and kept while that is valid. The decimals of a token come from the
 * pending transaction that issues it, or from the index.
 */
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { renderOutput } from '../../render/output.ts';
import { renderTransaction } from '../../render/transaction.ts';
import { listTokenDecimals } from '../../store/queries/tokens/tokens.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { presentPendingTransaction } from '../present/transaction.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';

/** The value, or the tokens whose decimals must be read first. */
type Attempt<Value> = { readonly value: Value; readonly usesTokens: boolean } | { readonly missing: ReadonlySet<Id> };

interface Kept {
  readonly text: string;
  /** The tip revision of the decimals; null if the text has none. */
  readonly revision: number | null;
}

export class PendingTransactionPresenter {
  readonly #profile: ResponseProfile;
  readonly #network: Network;
  readonly #store: QueryRunner;
  readonly #revision: () => number;
  readonly #kept = new WeakMap<PendingTransaction, Kept>();
  /** The decimals at the tip of `#decimalsRevision`; null if the id is not a fungible token at that tip. */
  readonly #decimals = new Map<Id, number | null>();
  #decimalsRevision = -1;

  /** `revision`: returns the revision of the current tip. */
  constructor(profile: ResponseProfile, network: Network, store: QueryRunner, revision: () => number) {
    this.#profile = profile;
    this.#network = network;
    this.#store = store;
    this.#revision = revision;
  }

  /** Returns a transaction as JSON. Throws a StoreError. */
  async text(pool: PendingSet, transaction: PendingTransaction): Promise<string> {
    for (;;) {
      const kept = this.#kept.get(transaction);
      if (kept !== undefined && (kept.revision === null || kept.revision === this.#revision())) return kept.text;
      const attempt = this.attempt(pool, (context) => transactionText(this.#profile, context, transaction));
      if ('value' in attempt) {
        const { value: text, usesTokens } = attempt;
        this.#kept.set(transaction, { text, revision: usesTokens ? this.#decimalsRevision : null });
        return text;
      }
      await this.read(attempt.missing);
    }
  }

  /** Calls `make`. If it needs unknown decimals, the result names their tokens. */
  attempt<Value>(pool: PendingSet, make: (context: RenderContext) => Value): Attempt<Value> {
    const revision = this.#revision();
    if (revision !== this.#decimalsRevision) {
      this.#decimals.clear();
      this.#decimalsRevision = revision;
    }
    const missing = new Set<Id>();
    let usesTokens = false;
    const decimalsOf = (id: Id): number | null => {
      usesTokens = true;
      const known = pool.decimalsOf(id) ?? this.#decimals.get(id);
      if (known === undefined) missing.add(id);
      return known ?? null;
    };
    const value = make({ network: this.#network, decimalsOf });
    return missing.size > 0 ? { missing } : { value, usesTokens };
  }

  /** Reads the decimals of tokens for the next attempt. Throws a StoreError. */
  async read(tokens: Iterable<Id>): Promise<void> {
    const revision = this.#decimalsRevision;
    const ids = [...tokens];
    const { rows } = await listTokenDecimals(this.#store, ids);
    // Decimals of an earlier tip are not used.
    if (revision !== this.#decimalsRevision) return;
    for (const token of ids) this.#decimals.set(token, null);
    for (const { token_id, decimals } of rows) this.#decimals.set(token_id, decimals);
  }
}

function transactionText(
  profile: ResponseProfile,
  context: RenderContext,
  { id, signed, inputs, fee, sizeBytes }: PendingTransaction,
): string {
  const { transaction } = signed;
  const outputs = transaction.outputs.map((output) => renderOutput(context, output));
  const rendered = renderTransaction(context, { id, transaction, inputs, fee }, outputs);
  return presentPendingTransaction({ profile, network: context.network }, rendered, { size: sizeBytes, fee });
}
