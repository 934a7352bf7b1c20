/** Reads transactions for lists: what each did, and the names that its sentence needs. */
import { addLateTokenDecimals, readDecimalsOfLaterIssuedTokens } from '../../api/present/late-token-decimals.ts';
import { parseDelegationId, parseTokenId } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { Action } from '../../render/actions.ts';
import type { NetChange } from '../../render/net-changes.ts';
import { getDelegation } from '../../store/queries/pools/delegations.ts';
import { listTokenLabels, type TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { getTransaction } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { SentenceNames } from '../parts/transaction-sentence.ts';
import type { ListedTransaction, ListedTransactions } from '../parts/transaction-table.ts';
import { changesOfAddress, outlineOfText, type TransactionOutline } from './transaction-outline.ts';

interface WholeTransaction {
  /** The base transaction as JSON. */
  readonly body: string;
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
  const listed = await readConfirmed(network, store, tip, rows);
  const changes = address === undefined ? [] : shownChanges(listed, address);
  return { listed, names: await readSentenceNames(network, store, tip, firstActions(listed), changes) };
}

/** Reads confirmed transactions without the names. Throws SnapshotChanged. */
export async function readConfirmed(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip,
  rows: readonly WholeTransaction[],
): Promise<ListedTransaction[]> {
  const texts = rows.map(({ body }) => body);
  const decimals = await readDecimalsOfLaterIssuedTokens(store, tip, texts);
  return rows.map(({ body, size, height, timestamp }) => ({
    transaction: outlineOfText(network, addLateTokenDecimals(body, decimals), height),
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
  const listed = await readConfirmed(
    network,
    store,
    tip,
    found.flatMap(({ rows }) => rows),
  );
  return listed.map(({ transaction }) => transaction);
}

/** Returns the actions that the sentences of a list name. */
export function firstActions(listed: readonly Pick<ListedTransaction, 'transaction'>[]): Action[] {
  return listed.flatMap(({ transaction }) => transaction.summary?.first ?? []);
}

/** Returns the net changes of an address that a list shows. */
export function shownChanges(listed: readonly Pick<ListedTransaction, 'transaction'>[], address: string): NetChange[] {
  return listed.flatMap(({ transaction }) => changesOfAddress(transaction, address)?.shown ?? []);
}

/** Reads the names for the sentences of actions, and for net changes. `tip`: the one that they must be of; null for any. Throws SnapshotChanged. */
export async function readSentenceNames(
  network: Network,
  store: QueryRunner,
  tip: SnapshotTip | null,
  actions: readonly Action[],
  changes: readonly NetChange[] = [],
): Promise<SentenceNames> {
  const tokens = new Set(actions.flatMap(tokensIn));
  for (const { token } of changes.map(({ currency }) => currency)) if (token !== '') tokens.add(token);
  const addresses = new Set(
    actions.flatMap((action) => ('amount' in action && 'delegation_id' in action ? [action.delegation_id] : [])),
  );
  const [labels, delegations] = await Promise.all([
    listTokenLabels(
      store,
      Array.from(tokens, (token) => parseTokenId(network, token)),
    ),
    Promise.all(Array.from(addresses, (address) => getDelegation(store, parseDelegationId(network, address)))),
  ]);
  if (tip !== null) requireSameTip({ tip }, labels, ...delegations);
  return {
    labels: new Map<Id, TokenLabelRow>(labels.rows.map((row) => [row.token_id, row])),
    delegations: new Map(
      [...addresses].flatMap((address, i) => delegations[i]!.rows.map((row) => [address, row] as const)),
    ),
  };
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
