/** Transactions and blocks that clients send to be decoded, as JSON. */
import Type from 'typebox';
import type { BlockInIndex, TransactionInIndex } from '../../answers/decoded.ts';
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import {
  arrayJson,
  booleanJson,
  jsonFromStore,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  textJson,
} from '../../render/compose-json.ts';
import { renderHeader } from '../../render/header.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import { PENDING_TRANSACTION_SCHEMA } from '../../render/schemas/transaction.ts';
import { SUMMARY_PROPERTIES } from '../../render/schemas/transaction-summary.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import {
  type DecodedBlock,
  type DecodedTransaction,
  MAX_EXPLAINED_ENTRIES,
} from '../../serving/decoding/pasted-text.ts';
import { summaryFields } from './transaction-summary.ts';

const FIRST = `the first ${MAX_EXPLAINED_ENTRIES}`;

const MISSING_SIGNATURE = strictObject({
  input_index: COUNT_SCHEMA,
  address: {
    ...nullable(BECH32_SCHEMA),
    description: 'Who has to sign, as the wallet says; null where it does not say',
  },
});

const SPENT_INPUT = strictObject({
  input_index: COUNT_SCHEMA,
  height: { ...COUNT_SCHEMA, description: 'Of the block that spent the output' },
});

const DECODED_TRANSACTION = {
  kind: Type.Literal('transaction'),
  id: HEX_ID_SCHEMA,
  state: Type.Enum(['confirmed', 'pending', 'unknown'], { type: 'string' }),
  form: Type.Enum(['signed', 'partially_signed', 'unsigned'], {
    type: 'string',
    description: '`partially_signed`: as wallets hand it to each other, and a signature is missing',
  }),
  size: { ...COUNT_SCHEMA, description: 'In bytes; without signatures unless it is signed' },
  transaction: {
    ...PENDING_TRANSACTION_SCHEMA,
    description: `With ${FIRST} inputs and outputs. The outputs that it spends are those of the index, or else as a wallet says`,
  },
  input_count: COUNT_SCHEMA,
  output_count: COUNT_SCHEMA,
  signed_count: { ...COUNT_SCHEMA, description: 'Inputs with a signature; signatures are not verified' },
  missing_signatures: Type.Array(MISSING_SIGNATURE, {
    description: `Of a partially signed one, among ${FIRST} inputs`,
  }),
  spent_inputs: Type.Array(SPENT_INPUT, { description: 'Inputs whose outputs the chain has spent already' }),
};
const DECODED_TRANSACTION_SCHEMA = strictObject(DECODED_TRANSACTION);

const LISTED_SCHEMA = strictObject({
  transaction: { ...PENDING_TRANSACTION_SCHEMA, description: 'Without the outputs that its inputs spend' },
  size: COUNT_SCHEMA,
});

const DECODED_BLOCK_SCHEMA = strictObject(
  {
    kind: Type.Literal('block'),
    id: HEX_ID_SCHEMA,
    is_in_chain: Type.Boolean(),
    mismatch: {
      ...nullable(Type.String()),
      description: 'Why the header does not match the contents; null if it does',
    },
    size: { ...COUNT_SCHEMA, description: 'In bytes' },
    header: schemaRef('BlockHeader'),
    pool_id: { ...nullable(BECH32_SCHEMA), description: 'The pool that produced it; null without proof of stake' },
    reward_count: COUNT_SCHEMA,
    reward: Type.Array(schemaRef('Output'), { description: `With ${FIRST} outputs` }),
    transaction_count: COUNT_SCHEMA,
    transactions: Type.Array(LISTED_SCHEMA, { description: `At most ${FIRST}` }),
  },
  { title: 'DecodedBlock' },
);

export const DECODED_SCHEMA = oneOf([
  strictObject({ ...DECODED_TRANSACTION, ...SUMMARY_PROPERTIES }, { title: 'DecodedTransaction' }),
  DECODED_BLOCK_SCHEMA,
]);

export function presentDecodedTransaction(
  network: Network,
  decoded: DecodedTransaction,
  { transaction, told, state, spentAt }: TransactionInIndex,
): string {
  const { id, signatures, wallet, inputCount, outputCount, signedCount, hex } = decoded;
  const missing = (signatures ?? []).flatMap((signature, i) => (signature === null ? [i] : []));
  const signerOf = (i: number) => wallet?.signers[i] ?? null;
  return objectJson<ValueOf<typeof DECODED_TRANSACTION_SCHEMA>>(
    {
      kind: plainJson('transaction'),
      id: plainJson(id),
      state: plainJson(state),
      form: plainJson(signatures === null ? 'unsigned' : wallet === null ? 'signed' : 'partially_signed'),
      size: numberJson(hex.length / 2),
      transaction: jsonFromStore(exactJson(transaction)),
      input_count: numberJson(inputCount),
      output_count: numberJson(outputCount),
      signed_count: numberJson(signedCount),
      missing_signatures: arrayJson(
        missing.map((i) =>
          objectJson({
            input_index: numberJson(i),
            address: nullableJson(signerOf(i), (signer) => plainJson(destinationAddress(network, signer))),
          }),
        ),
      ),
      spent_inputs: arrayJson(
        Array.from(state === 'confirmed' ? [] : spentAt, ([i, height]) =>
          objectJson({ input_index: numberJson(i), height: numberJson(height) }),
        ),
      ),
    },
    summaryFields(network, told),
  );
}

export function presentDecodedBlock(
  network: Network,
  { id, block, rewardCount, transactionCount, transactionSizes, size, mismatch }: DecodedBlock,
  { isInChain, reward, transactions }: BlockInIndex,
): JsonTextOf<typeof DECODED_BLOCK_SCHEMA> {
  const { consensus } = block.header;
  return objectJson({
    kind: plainJson('block'),
    id: plainJson(id),
    is_in_chain: booleanJson(isInChain),
    mismatch: nullableJson(mismatch, textJson),
    size: numberJson(size),
    header: renderHeader(block.header),
    pool_id: nullableJson(consensus.type === 'PoS' ? consensus.data.stakePoolId : null, (pool) =>
      plainJson(poolAddress(network, pool)),
    ),
    reward_count: numberJson(rewardCount),
    reward: jsonFromStore(exactJson(reward)),
    transaction_count: numberJson(transactionCount),
    transactions: arrayJson(
      transactions.map((text, i) =>
        objectJson({ transaction: jsonFromStore(text), size: numberJson(transactionSizes[i]!) }),
      ),
    ),
  });
}

/** Writes parsed JSON again; integers that a double cannot hold are exact. */
function exactJson(value: unknown): string {
  const exact = (_: string, each: unknown) => (typeof each === 'bigint' ? rawJson(`${each}`) : each);
  return JSON.stringify(value, exact);
}

const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON(text: string): unknown };
