/** Transactions and blocks that clients send to be decoded, as JSON. */
import Type from 'typebox';
import type { LookedUpBlock, LookedUpTransaction } from '../../answers/look-up-decoded.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { renderHeader } from '../../render/header.ts';
import { oneOf, schemaRef, strictObject } from '../../render/schemas/common.ts';
import { PENDING_TRANSACTION_SCHEMA } from '../../render/schemas/transaction.ts';
import { MAX_EXPLAINED_ENTRIES, type PastedBlock, type PastedTransaction } from '../../serving/decoding/pasted-text.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { choice, count, destination, flag, hexId, listOf, literal, nested, stored, text } from '../entry/kinds.ts';
import { producerField } from './block.ts';
import { SUMMARY_FIELDS, withSummary } from './transaction-summary.ts';

const FIRST = `the first ${MAX_EXPLAINED_ENTRIES}`;

interface SignatureOf {
  readonly input: number;
  readonly signer: Destination | null;
}

const MISSING_SIGNATURE = defineEntry<SignatureOf>({
  input_index: count(({ input }) => input),
  address: destination.orNull(
    ({ signer }) => signer,
    'Who has to sign, as the wallet says; null where it does not say',
  ),
});

const SPENT_INPUT = defineEntry<readonly [input: number, height: number]>({
  input_index: count(([input]) => input),
  height: count(([, height]) => height, 'Of the block that spent the output'),
});

interface DecodedInIndex {
  readonly decoded: PastedTransaction;
  readonly found: LookedUpTransaction;
}

function missingSignatures({ decoded: { signatures, wallet } }: DecodedInIndex): SignatureOf[] {
  const signers = (signatures ?? []).map((signature, input) => ({
    signature,
    input,
    signer: wallet?.signers[input] ?? null,
  }));
  return signers.filter(({ signature }) => signature === null);
}

const DECODED_TRANSACTION = defineEntry<DecodedInIndex>({
  kind: literal('transaction'),
  id: hexId(({ decoded }) => decoded.id),
  state: choice(['confirmed', 'pending', 'unknown'])(({ found }) => found.state),
  form: choice(['signed', 'partially_signed', 'unsigned'])(
    ({ decoded: { signatures, wallet } }) =>
      signatures === null ? 'unsigned' : wallet === null ? 'signed' : 'partially_signed',
    '`partially_signed`: as wallets hand it to each other, and a signature is missing',
  ),
  size: count(({ decoded }) => decoded.hex.length / 2, 'In bytes; without signatures unless it is signed'),
  transaction: stored(PENDING_TRANSACTION_SCHEMA)(
    ({ found }) => exactJson(found.transaction),
    `With ${FIRST} inputs and outputs. The outputs that it spends are those of the index, or else as a wallet says`,
  ),
  input_count: count(({ decoded }) => decoded.inputCount),
  output_count: count(({ decoded }) => decoded.outputCount),
  signed_count: count(({ decoded }) => decoded.signedCount, 'Inputs with a signature; signatures are not verified'),
  missing_signatures: listOf(nested(MISSING_SIGNATURE))(
    missingSignatures,
    `Of a partially signed one, among ${FIRST} inputs`,
  ),
  spent_inputs: listOf(nested(SPENT_INPUT))(
    ({ found: { state, spentAt } }) => (state === 'confirmed' ? [] : [...spentAt]),
    'Inputs whose outputs the chain has spent already',
  ),
});

interface ListedTransaction {
  /** As JSON. */
  readonly text: string;
  readonly size: number;
}

const LISTED = defineEntry<ListedTransaction>({
  transaction: stored(PENDING_TRANSACTION_SCHEMA)(({ text }) => text, 'Without the outputs that its inputs spend'),
  size: count(({ size }) => size),
});

interface DecodedBlockInIndex {
  readonly decoded: PastedBlock;
  readonly found: LookedUpBlock;
}

const DECODED_BLOCK = defineEntry<DecodedBlockInIndex>(
  {
    kind: literal('block'),
    id: hexId(({ decoded }) => decoded.id),
    is_in_chain: flag(({ found }) => found.isInChain),
    mismatch: text.orNull(
      ({ decoded }) => decoded.mismatch,
      'Why the header does not match the contents; null if it does',
    ),
    size: count(({ decoded }) => decoded.size, 'In bytes'),
    header: stored(schemaRef('BlockHeader'))(({ decoded }) => renderHeader(decoded.block.header)),
    pool_id: producerField(({ decoded }) => {
      const { consensus } = decoded.block.header;
      return consensus.type === 'PoS' ? consensus.data.stakePoolId : null;
    }),
    reward_count: count(({ decoded }) => decoded.rewardCount),
    reward: stored(Type.Array(schemaRef('Output')))(({ found }) => exactJson(found.reward), `With ${FIRST} outputs`),
    transaction_count: count(({ decoded }) => decoded.transactionCount),
    transactions: listOf(nested(LISTED))(
      ({ decoded, found }) => found.transactions.map((each, i) => ({ text: each, size: decoded.transactionSizes[i]! })),
      `At most ${FIRST}`,
    ),
  },
  { title: 'DecodedBlock' },
);

export const DECODED_SCHEMA = oneOf([
  strictObject(
    { ...DECODED_TRANSACTION.schema.properties, ...SUMMARY_FIELDS.properties },
    { title: 'DecodedTransaction' },
  ),
  DECODED_BLOCK.schema,
]);

export const presentDecodedTransaction = (
  network: Network,
  decoded: PastedTransaction,
  found: LookedUpTransaction,
): string => withSummary(network, DECODED_TRANSACTION.json(network, { decoded, found }), found.told);

export const presentDecodedBlock = (network: Network, decoded: PastedBlock, found: LookedUpBlock): string =>
  DECODED_BLOCK.json(network, { decoded, found });

/** Writes parsed JSON again; integers that a double cannot hold are exact. */
function exactJson(value: unknown): string {
  const exact = (_: string, each: unknown) => (typeof each === 'bigint' ? rawJson(`${each}`) : each);
  return JSON.stringify(value, exact);
}

const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown };
