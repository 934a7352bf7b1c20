/** Reads what pending transactions name: transactions, outputs with their pools, delegations, orders and tokens. */

import { outputFromHex } from '../../../chain/codec/output.ts';
import type { Currency } from '../../../chain/currency.ts';
import { isStakeOutput } from '../../../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, Hex, Id, Outpoint, TxOutput } from '../../../chain/types.ts';
import type { OrderTerms } from '../../../ledger/order-terms.ts';
import { keyOfOutpoint, type OutpointKey } from '../../../ledger/state-rows.ts';
import type { PoolTerms } from '../../../ledger/transaction-effects.ts';
import { defineQuery, type QueryRunner, type SnapshotTip } from '../../read/query.ts';

/** The distinct keys to look up. */
interface Named {
  readonly transactions: readonly Id[];
  readonly outpoints: readonly Outpoint[];
  readonly delegations: readonly Id[];
  readonly orders: readonly Id[];
  readonly tokens: readonly Id[];
}

interface SourceRow {
  readonly kind: 'transaction' | 'output' | 'delegation' | 'order' | 'token';
  readonly key: Hex;
  readonly height: number | null;
  /** An encoded output, or a destination. */
  readonly bytes: Hex | null;
  readonly ask_currency: Currency | null;
  readonly initially_asked: Atoms | null;
  readonly ask_balance: Atoms | null;
  readonly give_currency: Currency | null;
  readonly initially_given: Atoms | null;
  readonly give_balance: Atoms | null;
}

const NO_ORDER = `null::bytea, null::numeric, null::numeric, null::bytea, null::numeric, null::numeric`;

const SOURCES = defineQuery<
  [
    transactions: readonly Id[],
    outpoints: readonly Hex[],
    delegations: readonly Id[],
    orders: readonly Id[],
    tokens: readonly Id[],
  ],
  SourceRow
>({
  name: 'pending_sources',
  parameters: {
    transactions: 'bytea[]',
    outpoints: 'bytea[]',
    delegations: 'bytea[]',
    orders: 'bytea[]',
    tokens: 'bytea[]',
  },
  select: `
    select 'transaction' as kind, k.key, x.height, null::bytea as bytes,
           null::bytea as ask_currency, null::numeric as initially_asked, null::numeric as ask_balance,
           null::bytea as give_currency, null::numeric as initially_given, null::numeric as give_balance
    from unnest(:transactions) k (key) join transactions x on x.tx_id = k.key
    union all
    select 'output', k.key, null, u.output, ${NO_ORDER}
    from unnest(:outpoints) k (key) join utxos u on u.outpoint = k.key
    union all
    select 'delegation', k.key, null, d.spend_destination, ${NO_ORDER}
    from unnest(:delegations) k (key) join delegations d on d.delegation_id = k.key
    union all
    select 'order', k.key, null, null, o.ask_currency, o.initially_asked, o.ask_balance, o.give_currency,
           o.initially_given, o.give_balance
    from unnest(:orders) k (key) join orders o on o.order_id = k.key
    union all
    select 'token', k.key, null, c.authority, ${NO_ORDER}
    from unnest(:tokens) k (key) join tokens c on c.token_id = k.key`,
});

interface PoolRow {
  readonly pool_id: Id;
  readonly staker_balance: Atoms;
  readonly decommission_destination: Destination;
}

const POOL_TERMS = defineQuery<[poolIds: readonly Id[]], PoolRow>({
  name: 'pool_terms',
  parameters: { pool_ids: 'bytea[]' },
  select: 'select pool_id, staker_balance, decommission_destination from pools where pool_id = any(:pool_ids)',
});

/** The most attempts to read outputs and their pools at the same tip. */
const MAX_ATTEMPTS = 5;

/**
 * Returns what the index has of these keys at one tip: `IndexLookupResult` in `src/mempool/confirmed-index-interface.ts`.
 * If the tip changes in each of {@link MAX_ATTEMPTS} attempts, pools may be of a later tip. Throws a StoreError.
 */
export async function readPendingReferences(store: QueryRunner, named: Named) {
  for (let attempt = 1; ; attempt++) {
    const { tip, rows } = await store.query(
      SOURCES,
      named.transactions,
      named.outpoints.map(keyOfOutpoint),
      named.delegations,
      named.orders,
      named.tokens,
    );
    const outputs = new Map<OutpointKey, TxOutput>();
    for (const { kind, key, bytes } of rows) if (kind === 'output') outputs.set(key, outputFromHex(bytes!));
    const { pools, isOf } = await readPools(store, outputs.values());
    if (!isOf(tip) && attempt < MAX_ATTEMPTS) continue;
    return { height: tip.height, outputs, pools, ...sorted(rows) };
  }
}

async function readPools(store: QueryRunner, outputs: Iterable<TxOutput>) {
  const ids = new Set<Id>();
  for (const output of outputs) {
    if (isStakeOutput(output)) ids.add(output.poolId);
  }
  const pools = new Map<Id, PoolTerms>();
  if (ids.size === 0) return { pools, isOf: () => true };
  const { tip: poolTip, rows } = await store.query(POOL_TERMS, [...ids]);
  for (const { pool_id, staker_balance, decommission_destination } of rows) {
    pools.set(pool_id, { stakerBalance: staker_balance, decommissionDestination: decommission_destination });
  }
  return { pools, isOf: (tip: SnapshotTip) => poolTip.revision === tip.revision };
}

function sorted(rows: readonly SourceRow[]) {
  const transactions = new Map<Id, number>();
  const delegations = new Map<Id, Destination>();
  const tokens = new Map<Id, Destination>();
  const orders = new Map<Id, OrderTerms>();
  for (const row of rows) {
    switch (row.kind) {
      case 'transaction':
        transactions.set(row.key, row.height!);
        break;
      case 'delegation':
        delegations.set(row.key, row.bytes!);
        break;
      case 'token':
        tokens.set(row.key, row.bytes!);
        break;
      case 'order':
        orders.set(row.key, {
          askCurrency: row.ask_currency!,
          initiallyAsked: row.initially_asked!,
          askBalance: row.ask_balance!,
          giveCurrency: row.give_currency!,
          initiallyGiven: row.initially_given!,
          giveBalance: row.give_balance!,
        });
        break;
      case 'output':
    }
  }
  return { transactions, delegations, tokens, orders };
}
