/** Reads transactions for lists: what each did, and the names that its sentence needs. */
import {
  addLateTokenDecimals,
  readDecimalsOfLaterIssuedTokens,
} from '../../answers/decimals-of-later-issued-tokens.ts';
import {
  changesOfAddress,
  MAX_ROW_CHANGES,
  outlineOfText,
  type SummarizedActions,
  type TransactionOutline,
} from '../../answers/transaction-outline.ts';
import { parseDelegationId, parsePoolId, parseTokenId } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { Action } from '../../render/actions.ts';
import type { NetChange } from '../../render/net-changes.ts';
import { listRemovedBodies } from '../../store/queries/blocks/removed-blocks.ts';
import { getDelegation } from '../../store/queries/pools/delegations.ts';
import { getPool } from '../../store/queries/pools/pools.ts';
import { listTokenLabels, type TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { getTransaction } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { SentenceNames } from '../parts/transaction-actors.ts';
import type { ListedTransaction, ListedTransactions } from '../parts/transaction-table.ts';

interface WholeTransaction {
  /** The base transaction as JSON. */
  readonly body: string;
  /** See `TransactionRow`. */
  readonly actors: string | null;
  readonly size: number | null;
  readonly height: number;
  /** Of the block, in seconds since the epoch. */
  readonly timestamp: number;
}

/** Reads confirmed transactions of one tip. `address`: whose net changes are shown. Throws SnapshotChanged. */
export async function readListedTransactions(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  rows: readonly WholeTransaction[],
  address?: string,
): Promise<ListedTransactions> {
  const listed = await readConfirmedTransactions(network, store, tip, rows);
  const changes = address === undefined ? [] : shownChanges(listed, address);
  return { listed, names: await readSentenceNames(network, store, tip, summariesOf(listed), { changes }) };
}

/** Reads confirmed transactions without the names. Throws SnapshotChanged. */
export async function readConfirmedTransactions(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  rows: readonly WholeTransaction[],
): Promise<ListedTransaction[]> {
  const texts = rows.map(({ body }) => body);
  const decimals = await readDecimalsOfLaterIssuedTokens(store, tip, texts);
  return rows.map(({ body, actors, size, height, timestamp }) => ({
    transaction: outlineOfText(network, addLateTokenDecimals(body, decimals), height, actors),
    size,
    place: { height, timestamp },
  }));
}

/** Reads the outlines of confirmed transactions by their ids. Throws SnapshotChanged. */
export async function readOutlines(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  ids: readonly Id[],
): Promise<TransactionOutline[]> {
  const found = await Promise.all(Array.from(new Set(ids), (id) => getTransaction(store, id)));
  requireSameTip({ tip }, ...found);
  const listed = await readConfirmedTransactions(
    network,
    store,
    tip,
    found.flatMap(({ rows }) => rows),
  );
  return listed.map(({ transaction }) => transaction);
}

/**
 * Reads transactions of removed blocks as far as the index has what they did, in no order, with the decimals of tokens that were issued
 * later. Throws SnapshotChanged.
 */
export async function readRemovedTransactions(
  store: QueryRunner,
  tip: SnapshotTip,
  ids: readonly Id[],
): Promise<Pick<WholeTransaction, 'body' | 'actors' | 'height'>[]> {
  const found = await listRemovedBodies(store, ids);
  requireSameTip({ tip }, found);
  const bodies = found.rows.map(({ body }) => body!);
  const decimals = await readDecimalsOfLaterIssuedTokens(store, tip, bodies);
  return found.rows.map((row, i) => ({ ...row, body: addLateTokenDecimals(bodies[i]!, decimals) }));
}

export function summariesOf(listed: readonly Pick<ListedTransaction, 'transaction'>[]): SummarizedActions[] {
  return listed.flatMap(({ transaction }) => transaction.summary ?? []);
}

/** Returns the net changes of an address that a list shows. */
export function shownChanges(listed: readonly Pick<ListedTransaction, 'transaction'>[], address: string): NetChange[] {
  return listed.flatMap(({ transaction }) => changesOfAddress(transaction, address)?.slice(0, MAX_ROW_CHANGES) ?? []);
}

/**
 * Reads the names for sentences, and for net changes. `tip`: the one that they must be of; null for any. `isWhole`: also for the actions
 * below the sentence. Throws SnapshotChanged.
 */
export async function readSentenceNames(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip | null,
  summaries: readonly SummarizedActions[],
  { changes = [], isWhole = false }: { readonly changes?: readonly NetChange[]; readonly isWhole?: boolean } = {},
): Promise<SentenceNames> {
  const actions = summaries.flatMap(({ first, untold }) => [...(first ? [first] : []), ...(isWhole ? untold : [])]);
  const tokens = new Set(actions.flatMap(tokensIn));
  for (const { token } of changes.map(({ currency }) => currency)) if (token !== '') tokens.add(token);
  const pools = new Set(actions.flatMap((each) => (each.type === 'pool_decommission' ? [each.pool_id] : [])));
  const delegations = new Set([
    ...actions.flatMap((action) => ('amount' in action && 'delegation_id' in action ? [action.delegation_id] : [])),
    ...summaries.flatMap(({ payingDelegations }) => payingDelegations),
  ]);
  const [labels, foundPools, foundDelegations] = await Promise.all([
    listTokenLabels(
      store,
      Array.from(tokens, (token) => parseTokenId(network, token)),
    ),
    Promise.all(Array.from(pools, (address) => getPool(store, parsePoolId(network, address)))),
    Promise.all(Array.from(delegations, (address) => getDelegation(store, parseDelegationId(network, address)))),
  ]);
  if (tip !== null) requireSameTip({ tip }, labels, ...foundPools, ...foundDelegations);
  return {
    labels: new Map<Id, TokenLabelRow>(labels.rows.map((row) => [row.token_id, row])),
    pools: rowsByAddress(pools, foundPools),
    delegations: rowsByAddress(delegations, foundDelegations),
  };
}

/** `found`: for each address no row or one. */
function rowsByAddress<Row>(
  addresses: ReadonlySet<string>,
  found: readonly { readonly rows: readonly Row[] }[],
): ReadonlyMap<string, Row> {
  return new Map([...addresses].flatMap((address, i) => found[i]!.rows.map((row) => [address, row] as const)));
}

/** Returns the addresses of the tokens that an action names. */
function tokensIn(named: Action): string[] {
  const found = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if ('token_id' in value && typeof value.token_id === 'string') found.add(value.token_id);
    for (const part of Object.values(value)) visit(part);
  };
  visit(named);
  return [...found];
}
