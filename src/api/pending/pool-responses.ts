/** Responses that were made of one state of the mempool, and hold until it, or the tip, changes. */
import { inDependencyOrder } from '../../mempool/dependency-order.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';

/** `insertion`: as the node accepted them; `dependency`: parents before their children. */
export const POOL_ORDERS = ['insertion', 'dependency'] as const;
export type PoolOrder = (typeof POOL_ORDERS)[number];

/** Which pending transactions a list shows. */
export interface PoolList {
  readonly order: PoolOrder;
  readonly offset: number;
  readonly items: number;
}

/** Further lists are made for each request. */
const MAX_LISTS = 64;
const MAX_LIST_BYTES = 256 * 1024;

export class PoolResponses {
  readonly pool: PendingPool;
  /** Of the pool. */
  readonly revision: number;
  /** The response with the totals, once it was made. */
  totals: PreparedResponse | undefined;
  readonly #tipRevision: number;
  readonly #lists = new Map<string, PreparedResponse>();
  readonly #inOrder: Partial<Record<PoolOrder, readonly PendingTransaction[]>> = {};

  constructor(pool: PendingPool, tipRevision: number) {
    this.pool = pool;
    this.revision = pool.revision;
    this.#tipRevision = tipRevision;
  }

  isOf(pool: PendingPool, tipRevision: number): boolean {
    return this.pool === pool && this.revision === pool.revision && this.#tipRevision === tipRevision;
  }

  inOrder(order: PoolOrder): readonly PendingTransaction[] {
    const all = this.pool.transactions();
    this.#inOrder[order] ??= order === 'insertion' ? [...all] : inDependencyOrder(all);
    return this.#inOrder[order];
  }

  list(list: PoolList): PreparedResponse | undefined {
    return this.#lists.get(keyOf(list));
  }

  keepList(list: PoolList, response: PreparedResponse): void {
    if (this.#lists.size < MAX_LISTS && response.size <= MAX_LIST_BYTES) this.#lists.set(keyOf(list), response);
  }
}

function keyOf({ order, offset, items }: PoolList): string {
  return `${order} ${offset} ${items}`;
}
