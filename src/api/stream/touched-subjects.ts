/**
 * The subjects that transactions and blocks touch: addresses, tokens, pools, delegations, orders and pairs. They are read from the
 * stored blocks, so they add nothing to a sync.
 */

import { setImmediate } from 'node:timers/promises';
import {
  delegationAddress,
  parseDelegationId,
  parseDestination,
  parseOrderId,
  parsePoolId,
  parseTokenId,
} from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { createsOrder, isDelegatingOutput, isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { createdByOutpoint } from '../../render/created-ids.ts';
import type { ComponentValue } from '../../render/schemas/value-of-schema.ts';
import { type ParsedTransaction, parseOutputsJson, parseTransactionJson } from '../../render/stored-json.ts';
import { type BlockSubjectsRow, getBlockSubjects } from '../../store/queries/blocks/block-subjects.ts';
import { getPairOfOrder } from '../../store/queries/orders/orders.ts';
import { getPoolOfDelegation } from '../../store/queries/pools/delegations.ts';
import type { ChainPosition, QueryRunner } from '../../store/read/query.ts';
import { type SubjectKey, subjectKey } from './event-filter.ts';
import type { BlockActivities, StreamedTransaction, TouchedSubjects } from './stream-event.ts';

/** The most blocks whose transactions are in memory at once. */
const BLOCKS_AT_A_TIME = 10;

/** Reads the activities of each block; none for blocks that are not on the main chain any more. Throws a StoreError. */
export async function readBlockActivities(
  network: Network,
  store: QueryRunner,
  blocks: readonly ChainPosition[],
): Promise<BlockActivities[]> {
  const all: BlockActivities[] = [];
  for (let from = 0; from < blocks.length; from += BLOCKS_AT_A_TIME) {
    const some = blocks.slice(from, from + BLOCKS_AT_A_TIME);
    const read = await Promise.all(some.map(({ height, id }) => getBlockSubjects(store, height, id)));
    for (const { rows } of read) {
      // Others get their turn before the next block is parsed.
      await setImmediate();
      all.push(rows[0] === undefined ? [] : await activitiesOf(network, store, rows[0]));
    }
  }
  return all;
}

async function activitiesOf(network: Network, store: QueryRunner, row: BlockSubjectsRow): Promise<BlockActivities> {
  const txIds = splitList(row.tx_ids);
  const subjects = txIds.map(() => new Set<SubjectKey>());
  for (const [position, owner] of pairsOf(row.owners)) subjects[Number(position)]!.add(subjectKey.address(owner));
  for (const [position, token] of pairsOf(row.tokens)) subjects[Number(position)]!.add(subjectKey.token(token));
  const positions = new Map(txIds.map((id, position) => [id, position]));
  const transactions = JSON.parse(`[${row.bodies}]`) as UsedTransaction[];
  await Promise.all(
    transactions.map(async (transaction) => {
      const keys = await keysOf(store, usesOf(network, transaction));
      for (const key of keys) subjects[positions.get(transaction.id)!]!.add(key);
    }),
  );
  const touches: TouchedSubjects[] = txIds.map((txId, position) => ({ txId, subjects: subjects[position]! }));
  return [...touches, { txId: null, subjects: keysOfReward(network, row, transactions) }].filter(
    ({ subjects }) => subjects.size > 0,
  );
}

/**
 * Returns the pool and those who share in the reward: its delegations that changed, and were not empty when the reward
 * was shared, after the transactions of the block.
 */
function keysOfReward(
  network: Network,
  row: BlockSubjectsRow,
  transactions: readonly UsedTransaction[],
): Set<SubjectKey> {
  const keys = new Set<SubjectKey>();
  if (row.pool_id === null) return keys;
  keys.add(subjectKey.pool(row.pool_id));
  if (row.decommission_destination !== null) keys.add(subjectKey.address(row.decommission_destination));
  const changes = delegationChanges(transactions);
  for (const line of splitList(`${row.changed_delegations},${row.created_delegations}`)) {
    const [id, owner, balance] = line.split(':');
    if (!id) continue;
    const hasPart = BigInt(balance || 0) + (changes.get(delegationAddress(network, id)) ?? 0n) > 0n;
    if (hasPart) keys.add(subjectKey.address(owner!)).add(subjectKey.delegation(id));
  }
  for (const output of parseOutputsJson(row.reward)) {
    if ('destination' in output) keys.add(subjectKey.address(parseDestination(network, output.destination)));
  }
  return keys;
}

/** Returns the change of each delegation by transactions, in atoms: deposits minus withdrawals. */
function delegationChanges(transactions: readonly UsedTransaction[]): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  const add = (id: string, atoms: bigint): void => void changes.set(id, (changes.get(id) ?? 0n) + atoms);
  for (const { inputs, outputs } of transactions) {
    for (const output of outputs)
      if (isDelegatingOutput(output)) add(output.delegation_id, BigInt(output.amount.atoms));
    for (const { input } of inputs)
      if (input.input_type === 'Account') add(input.delegation_id, -BigInt(input.amount.atoms));
  }
  return changes;
}

/**
 * Reads the subjects of a transaction that is or was pending; those that need its body only if `withBodies`. Throws a
 * StoreError.
 */
export async function readPendingSubjects(
  network: Network,
  store: QueryRunner,
  transaction: StreamedTransaction,
  withBodies: boolean,
): Promise<TouchedSubjects> {
  const subjects = new Set<SubjectKey>();
  for (const owner of transaction.addresses) subjects.add(subjectKey.address(owner));
  for (const token of transaction.tokens) subjects.add(subjectKey.token(token));
  if (withBodies) {
    const uses = usesOf(network, parseTransactionJson(transaction.text()));
    for (const key of await keysOf(store, uses)) subjects.add(key);
  }
  return { txId: transaction.id, subjects };
}

/** What is read of a transaction (docs/api.md#transactions-in-json). */
type UsedTransaction = Pick<ParsedTransaction, 'id' | 'inputs' | 'outputs'>;

interface Uses {
  readonly pools: Set<Id>;
  readonly delegations: Set<Id>;
  readonly orders: Set<Id>;
  /** The orders that the transaction creates. */
  readonly created: { readonly order: Id; readonly ask: Currency; readonly give: Currency }[];
}

function usesOf(network: Network, transaction: UsedTransaction): Uses {
  const uses: Uses = { pools: new Set(), delegations: new Set(), orders: new Set(), created: [] };
  for (const { input, utxo } of transaction.inputs) {
    if ('delegation_id' in input) uses.delegations.add(parseDelegationId(network, input.delegation_id));
    if ('order_id' in input) uses.orders.add(parseOrderId(network, input.order_id));
    // A transaction that spends the stake of a pool ends the pool.
    if (utxo !== null && isStakeOutput(utxo)) uses.pools.add(parsePoolId(network, utxo.pool_id));
  }
  const { delegation, order } = createdByOutpoint(transaction);
  if (delegation !== null) uses.delegations.add(delegation);
  for (const output of transaction.outputs) {
    if ('pool_id' in output) uses.pools.add(parsePoolId(network, output.pool_id));
    if ('delegation_id' in output) uses.delegations.add(parseDelegationId(network, output.delegation_id));
    if (order === null || !createsOrder(output)) continue;
    const { ask_value: ask, give_value: give } = output;
    uses.created.push({ order, ask: currencyOf(network, ask), give: currencyOf(network, give) });
  }
  return uses;
}

function currencyOf(network: Network, value: ComponentValue<'Value'>): Currency {
  return 'token_id' in value ? parseTokenId(network, value.token_id) : COIN;
}

async function keysOf(store: QueryRunner, { pools, delegations, orders, created }: Uses): Promise<Set<SubjectKey>> {
  const keys = new Set([...pools].map(subjectKey.pool));
  for (const { order, ask, give } of created) keys.add(subjectKey.order(order)).add(subjectKey.pair(ask, give));
  await Promise.all([
    ...[...delegations].map(async (id) => {
      keys.add(subjectKey.delegation(id));
      const { rows } = await getPoolOfDelegation(store, id);
      if (rows[0]) keys.add(subjectKey.pool(rows[0].pool_id));
    }),
    ...[...orders].map(async (id) => {
      keys.add(subjectKey.order(id));
      const { rows } = await getPairOfOrder(store, id);
      if (rows[0]) keys.add(subjectKey.pair(rows[0].ask_currency, rows[0].give_currency));
    }),
  ]);
  return keys;
}

function splitList(text: string): string[] {
  return text === '' ? [] : text.split(',');
}

/** Returns the texts before and after each colon. */
function pairsOf(text: string): (readonly [before: string, after: string])[] {
  return splitList(text).map((pair) => {
    const colon = pair.indexOf(':');
    return [pair.slice(0, colon), pair.slice(colon + 1)];
  });
}
