/**
 * Transactions, their proofs, their outputs and the spenders of these, as JSON. The parts that do not depend on the tip
 * are stored as JSON.
 */
import Type, { type TSchema } from 'typebox';
import { withDefaultDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import { OUTPUT_KINDS } from '../../chain/input-and-output-kinds.ts';
import { type MerkleTree, merklePath } from '../../chain/merkle.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { ATOMS_TEXT_SCHEMA, COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, strictObject } from '../../render/schemas/common.ts';
import { outputSchema } from '../../render/schemas/output.ts';
import { BASE_TRANSACTION_PROPERTIES, PENDING_TRANSACTION_PROPERTIES } from '../../render/schemas/transaction.ts';
import type { OutspendRow } from '../../store/queries/transactions/outspends.ts';
import type { TransactionRow } from '../../store/queries/transactions/transactions.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { count, hexId, listOf } from '../entry/kinds.ts';
import type { ResponseProfile, TransactionSize } from '../response-profile/profile.ts';
import { MEMPOOL_FIELDS } from './mempool.ts';
import { SUMMARY_FIELDS } from './transaction-summary.ts';

const CONFIRMATIONS = 'Blocks above the one with the transaction';

/** The schema of an entry of the list of transactions. */
export function listedTransactionSchema({ transactionIndex, transactionSize, transactionTimestamp }: ResponseProfile) {
  return strictObject({
    ...BASE_TRANSACTION_PROPERTIES,
    block_id: HEX_ID_SCHEMA,
    timestamp: transactionTimestamp.schema,
    confirmations: { ...ATOMS_TEXT_SCHEMA, description: CONFIRMATIONS },
    ...transactionIndex.listed.properties,
    ...transactionSize.properties,
    ...OPTIONAL_SUMMARY,
  });
}

/** The schema of a transaction by its id, confirmed or pending. */
export function transactionSchema({ transactionIndex, transactionSize, transactionTimestamp }: ResponseProfile) {
  return strictObject(
    {
      ...PENDING_TRANSACTION_PROPERTIES,
      block_id: nullable(HEX_ID_SCHEMA),
      timestamp: nullable(transactionTimestamp.schema),
      confirmations: { ...nullable(ATOMS_TEXT_SCHEMA), description: CONFIRMATIONS },
      ...optional(transactionIndex.single.properties),
      ...transactionSize.properties,
      ...OPTIONAL_SUMMARY,
    },
    { description: 'While it is pending, all fields that depend on the block are null or absent' },
  );
}

function optional(properties: Readonly<Record<string, TSchema>>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]));
}

/** What a transaction did, with `expand=true`. */
export const OPTIONAL_SUMMARY = optional(SUMMARY_FIELDS.properties);

/** What writes a transaction. */
export interface PresentingContext {
  readonly network: Network;
  readonly profile: ResponseProfile;
}

/** The stored base transaction, with the fields that depend on its block and the tip, and `more`. */
export function presentTransaction(
  { network, profile: { transactionIndex, transactionSize, transactionTimestamp } }: PresentingContext,
  row: TransactionRow,
  tip: SnapshotTip,
  where: 'listed' | 'single',
  more = '',
): string {
  const { body, size } = row;
  return withBlockFields(
    body,
    {
      block_id: `"${row.block_id}"`,
      confirmations: `"${tip.height - row.height}"`,
      timestamp: transactionTimestamp.text(row.timestamp, network),
    },
    transactionIndex[where].text(row.tx_index, network),
    transactionSize.text({ size, fee: feeOf(body) }, network) + more,
  );
}

const VERSION_FIELD = ',"version_byte":1';

/**
 * Adds to a base transaction the fields that depend on its block and the tip, where the alphabetical order has them, as in
 * mintlayer-core's responses; and `more` at the end. `index`: the field with its global index.
 */
function withBlockFields(
  base: string,
  fields: { readonly block_id: string; readonly confirmations: string; readonly timestamp: string },
  index: string,
  more: string,
): string {
  return (
    `{"block_id":${fields.block_id}` +
    `,"confirmations":${fields.confirmations}` +
    `,${base.slice(1, -VERSION_FIELD.length - 1)}` +
    `,"timestamp":${fields.timestamp}` +
    `${index}${VERSION_FIELD}${more}}`
  );
}

const FEE = '{"fee":{"atoms":"';

/** Returns the fee, which is at the beginning of a stored base transaction. */
function feeOf(body: string): Atoms {
  return BigInt(body.slice(FEE.length, body.indexOf('"', FEE.length)));
}

/** A pending transaction. `rendered`: the result of `renderTransaction`. */
export function presentPendingTransaction(
  { network, profile }: PresentingContext,
  rendered: string,
  size: TransactionSize,
): string {
  return withBlockFields(
    withDefaultDecimals(rendered),
    { block_id: 'null', confirmations: 'null', timestamp: 'null' },
    '',
    profile.transactionSize.text(size, network),
  );
}

interface MerklePath {
  readonly block_id: Id;
  readonly position: number;
  /** Of the block. */
  readonly tree: MerkleTree;
}

/** The proof that a block has a transaction at this position. */
export const MERKLE_PATH = defineEntry<MerklePath>({
  block_id: hexId(({ block_id }) => block_id),
  merkle_path: listOf(hexId)(({ tree, position }) => merklePath(tree, position + 1)),
  merkle_root: hexId(({ tree }) => tree.at(-1)![0]!),
  transaction_index: count(({ position }) => position),
});

const OUTPUT_STATE = { spent_at_block_height: nullable(COUNT_SCHEMA) };
export const OUTPUT_WITH_STATE_SCHEMA = outputSchema('OutputState', { ...OUTPUT_STATE, ...MEMPOOL_FIELDS.properties });

/** The kind of an output, and the id of an NFT before it: nothing else in its JSON has such a `type`. */
const KIND_FIELD = new RegExp(`(?:"token_id":"[^"]+",)?"type":"(?:${OUTPUT_KINDS.join('|')})"`);

/** `more`: what the output has to do with pending transactions. The state stands where the alphabetical order has it. */
export function presentOutputWithState(output: string, spentHeight: number | null, more: string): string {
  const at = output.search(KIND_FIELD);
  return `${output.slice(0, at)}"spent_at_block_height":${spentHeight},${output.slice(at, -1)}${more}}`;
}

export const SUBMITTED = defineEntry<Id>({ tx_id: hexId((id) => id) });

const OUTSPEND = defineEntry<OutspendRow>({
  tx_id: hexId.orNull(({ spent_tx_id }) => spent_tx_id, 'null where a block was staked with the output'),
  input_index: count(
    ({ input_index }) => input_index!,
    'Among the inputs of that transaction, or of the block that was staked',
  ),
  block_id: hexId(({ block_id }) => block_id!),
  height: count(({ height }) => height!),
  timestamp: count(({ timestamp }) => timestamp!, 'Of the block, in seconds since the epoch'),
});

export const OUTSPENDS_SCHEMA = Type.Array(nullable(OUTSPEND.schema), {
  description: 'By the index of the output; null while it is not spent',
});

/** All outputs of a transaction. `rows`: the spent ones by index, at least one. */
export function presentOutspends(network: Network, rows: readonly OutspendRow[]): string {
  const outputs = new Array<string>(rows[0]!.output_count).fill('null');
  for (const row of rows) if (row.output_index !== null) outputs[row.output_index] = OUTSPEND.json(network, row);
  return `[${outputs.join()}]`;
}
