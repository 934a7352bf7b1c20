/** The totals of the mempool, and its effects on an address, as JSON. */
import Type from 'typebox';
import { withDefaultDecimals } from '../../answers/late-token-decimals.ts';
import { delegationAddress, tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import { MAX_BLOCK_BYTES, type Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import type { MempoolTotals } from '../../mempool/mempool-totals.ts';
import type { PendingAddressChanges, PendingAmounts, PendingOutput } from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import {
  lowestRateOfNextBlock,
  nextBlocks,
  type ProjectedBlock,
  projectedBlocks,
} from '../../mempool/projected-blocks.ts';
import { amountJson, outpointJson, type RenderContext } from '../../render/common-values.ts';
import {
  arrayJson,
  booleanJson,
  type Json,
  type MoreFields,
  moreFields,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import { renderOutput } from '../../render/output.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';

type FeeStep = readonly [atomsPerKilobyte: string, bytes: number];

// A tuple in JSON Schema 2020-12, on which OpenAPI 3.1 is based.
const FEE_STEP_SCHEMA = Type.Unsafe<FeeStep>({
  type: 'array',
  prefixItems: [ATOMS_TEXT_SCHEMA, COUNT_SCHEMA],
  minItems: 2,
  maxItems: 2,
});

const COMPLETE_SCHEMA = Type.Boolean({
  description: 'False while there may be pending transactions that are not known here',
});

export const MEMPOOL_SCHEMA = strictObject({
  count: COUNT_SCHEMA,
  bytes: { ...COUNT_SCHEMA, description: 'Of the encoded transactions' },
  total_fee: describedRef('Amount', 'Total fee of the transactions whose fee is known'),
  fee_histogram: Type.Array(FEE_STEP_SCHEMA, {
    description: 'Fee rate in atoms per 1,000 bytes, and the bytes of the transactions at that fee rate; highest first',
  }),
  complete: COMPLETE_SCHEMA,
});

/** `isComplete`: does this server know all pending transactions of the node? */
export function presentMempool(
  network: Network,
  { count, bytes, totalFee, feeHistogram }: MempoolTotals,
  isComplete: boolean,
): JsonTextOf<typeof MEMPOOL_SCHEMA> {
  return objectJson({
    count: numberJson(count),
    bytes: numberJson(bytes),
    total_fee: amountJson(totalFee, network.coinDecimals),
    fee_histogram: arrayJson(feeHistogram.map((step) => `["${step.atomsPerKilobyte}",${step.bytes}]` as Json<FeeStep>)),
    complete: booleanJson(isComplete),
  });
}

const BLOCKS_TOTALS = {
  count: COUNT_SCHEMA,
  bytes: { ...COUNT_SCHEMA, description: 'Of the encoded transactions' },
  total_fee: schemaRef('Amount'),
};
const MORE_BLOCKS_SCHEMA = strictObject({ blocks: COUNT_SCHEMA, ...BLOCKS_TOTALS });
const PROJECTED_BLOCK_SCHEMA = strictObject({
  ...BLOCKS_TOTALS,
  lowest_fee_rate: { ...ATOMS_TEXT_SCHEMA, description: 'By which its transactions are chosen, per 1,000 bytes' },
  highest_fee_rate: ATOMS_TEXT_SCHEMA,
});

export const MEMPOOL_BLOCKS_SCHEMA = strictObject({
  blocks: Type.Array(PROJECTED_BLOCK_SCHEMA, { description: 'The next one first' }),
  more: { ...MORE_BLOCKS_SCHEMA, description: 'The blocks behind them' },
  max_block_bytes: COUNT_SCHEMA,
  complete: COMPLETE_SCHEMA,
});

export function presentMempoolBlocks(network: Network, pool: PendingSet): JsonTextOf<typeof MEMPOOL_BLOCKS_SCHEMA> {
  const { blocks, more } = nextBlocks(pool);
  const totals = ({ count, bytes, totalFee }: Pick<ProjectedBlock, 'count' | 'bytes' | 'totalFee'>) => ({
    count: numberJson(count),
    bytes: numberJson(bytes),
    total_fee: amountJson(totalFee, network.coinDecimals),
  });
  return objectJson({
    blocks: arrayJson(
      blocks.map((block) =>
        objectJson<ValueOf<typeof PROJECTED_BLOCK_SCHEMA>>({
          ...totals(block),
          lowest_fee_rate: plainJson(`${block.lowestRate}`),
          highest_fee_rate: plainJson(`${block.highestRate}`),
        }),
      ),
    ),
    more: objectJson<ValueOf<typeof MORE_BLOCKS_SCHEMA>>({ blocks: numberJson(more.blocks), ...totals(more) }),
    max_block_bytes: numberJson(MAX_BLOCK_BYTES),
    complete: booleanJson(pool.isComplete),
  });
}

export const MEMPOOL_PLACE_SCHEMA = strictObject(
  {
    first_seen: {
      ...nullable(COUNT_SCHEMA),
      description: 'By this process, in seconds since the epoch; null if the node had it before',
    },
    block: { ...nullable(COUNT_SCHEMA), description: 'The number of the block from now on: 1 is the next one' },
    position: { ...nullable(COUNT_SCHEMA), description: 'In that block, from 1 on' },
    fee_rate: { ...nullable(ATOMS_TEXT_SCHEMA), description: 'By which it is chosen, per 1,000 bytes' },
    next_block_fee_rate: {
      ...nullable(ATOMS_TEXT_SCHEMA),
      description:
        'The lowest rate that the next block takes, by the pending transactions that this server knows; null if the block has room ' +
        'for all of them. `/feerate/recommended` has what the node estimates',
    },
    complete: COMPLETE_SCHEMA,
  },
  { description: '`block`, `position` and `fee_rate` are null while what it spends is not known' },
);

export function presentMempoolPlace(
  pool: PendingSet,
  { id, seenAt }: PendingTransaction,
): JsonTextOf<typeof MEMPOOL_PLACE_SCHEMA> {
  const place = projectedBlocks(pool).placeOf(id);
  return objectJson({
    first_seen: nullableJson(seenAt ?? null, numberJson),
    block: nullableJson(place?.block ?? null, numberJson),
    position: nullableJson(place?.position ?? null, numberJson),
    fee_rate: nullableJson(place?.rate ?? null, (rate) => plainJson(`${rate}`)),
    next_block_fee_rate: nullableJson(lowestRateOfNextBlock(pool), (rate) => plainJson(`${rate}`)),
    complete: booleanJson(pool.isComplete),
  });
}

const FLOW = { incoming: schemaRef('Amount'), outgoing: schemaRef('Amount') };
const COIN_FLOW_SCHEMA = strictObject(FLOW);
const TOKEN_FLOW_SCHEMA = strictObject({ token_id: BECH32_SCHEMA, ...FLOW });
export const NEW_UTXO_SCHEMA = strictObject(
  { outpoint: schemaRef('Outpoint'), utxo: schemaRef('Output') },
  { title: 'MempoolUtxo' },
);
const DELEGATION_NONCE_SCHEMA = strictObject(
  { delegation_id: BECH32_SCHEMA, nonce: COUNT_SCHEMA },
  { title: 'DelegationNonce' },
);
const TOKEN_NONCE_SCHEMA = strictObject({ token_id: BECH32_SCHEMA, nonce: COUNT_SCHEMA }, { title: 'TokenNonce' });
const NEXT_NONCE_SCHEMA = oneOf([DELEGATION_NONCE_SCHEMA, TOKEN_NONCE_SCHEMA], { title: 'NextNonce' });

export const MEMPOOL_ADDRESS_SCHEMA = strictObject({
  coin: COIN_FLOW_SCHEMA,
  tokens: Type.Array(TOKEN_FLOW_SCHEMA),
  spent_outpoints: Type.Array(schemaRef('Outpoint'), {
    description: 'Outputs of the address that pending transactions spend, those of other pending ones included',
  }),
  new_utxos: Type.Array(NEW_UTXO_SCHEMA, {
    description: 'Outputs that it will have, without those that are spent again',
  }),
  next_nonces: Type.Array(NEXT_NONCE_SCHEMA, {
    description: 'Of its delegations and tokens that pending transactions use: the nonces for the transactions after',
  }),
  transactions: Type.Array(HEX_ID_SCHEMA, {
    description: 'Pending transactions of the address, in the order of their acceptance',
  }),
  complete: COMPLETE_SCHEMA,
});

export function presentMempoolAddress(
  context: RenderContext,
  { flows, spentOutpoints, newUtxos, nextNonces, transactions }: PendingAddressChanges,
  isComplete: boolean,
): JsonTextOf<typeof MEMPOOL_ADDRESS_SCHEMA> {
  const { network, decimalsOf } = context;
  const tokens = [...flows].filter(([currency]) => currency !== COIN);
  return objectJson({
    coin: objectJson(flowFields(flows.get(COIN)!, network.coinDecimals)),
    tokens: arrayJson(
      tokens.map(([token, flow]) =>
        objectJson({
          token_id: plainJson(tokenAddress(network, token)),
          ...flowFields(flow, decimalsOf(token) ?? 0),
        }),
      ),
    ),
    spent_outpoints: arrayJson(spentOutpoints.map(outpointJson)),
    new_utxos: arrayJson(newUtxos.map((utxo) => presentNewUtxo(context, utxo))),
    next_nonces: arrayJson(nextNonces.map((next) => presentNextNonce(context, next))),
    transactions: arrayJson(transactions.map((id) => plainJson(id))),
    complete: booleanJson(isComplete),
  });
}

const flowFields = ({ incoming, outgoing }: PendingAmounts, decimals: number) => ({
  incoming: amountJson(incoming, decimals),
  outgoing: amountJson(outgoing, decimals),
});

export function presentNewUtxo(
  context: RenderContext,
  { outpoint, output }: PendingOutput,
): JsonTextOf<typeof NEW_UTXO_SCHEMA> {
  return objectJson({
    outpoint: outpointJson(outpoint),
    utxo: withDefaultDecimals(renderOutput(context, output)),
  });
}

const MEMPOOL_FIELDS_SCHEMA = strictObject({
  mempool: Type.Optional(Type.Boolean({ description: 'True: it is an output of a pending transaction' })),
  spent_in_mempool: Type.Optional({
    ...nullable(HEX_ID_SCHEMA),
    description: 'The pending transaction that spends the output; null if there is none',
  }),
});
/** What an output has to do with pending transactions: only in responses to `with_mempool=true`. */
export const MEMPOOL_PROPERTIES = MEMPOOL_FIELDS_SCHEMA.properties;
type MempoolFields = ValueOf<typeof MEMPOOL_FIELDS_SCHEMA>;

export function mempoolFields(isPending: boolean, spentBy: Id | null): MoreFields<MempoolFields> {
  return moreFields<MempoolFields>({
    mempool: isPending ? booleanJson(true) : undefined,
    spent_in_mempool: nullableJson(spentBy, plainJson),
  });
}

/** Makes the entry of a list for an output of a pending transaction. `more`: other fields, each after a comma. */
export function presentMempoolOutput(context: RenderContext, output: PendingOutput, more: string): string {
  return `${presentNewUtxo(context, output).slice(0, -1)}${more}${mempoolFields(true, output.spentBy)}}`;
}

export const MEMPOOL_IDS_SCHEMA = strictObject({
  sequence: {
    ...COUNT_SCHEMA,
    description:
      'Grows by one with each `tx_seen` and `tx_dropped` of this process, which carry it as `mempool_sequence`; and by one where ' +
      'the list changes without an event. The header `x-mempool` names the process',
  },
  complete: COMPLETE_SCHEMA,
  ids: Type.Array(HEX_ID_SCHEMA, { description: 'By arrival at this process' }),
});

export function presentMempoolIds(pool: PendingSet): JsonTextOf<typeof MEMPOOL_IDS_SCHEMA> {
  return objectJson({
    sequence: numberJson(pool.sequence),
    complete: booleanJson(pool.isComplete),
    ids: arrayJson(pool.listedIds().map((id) => plainJson(id))),
  });
}

function presentNextNonce(
  { network }: RenderContext,
  { account, id, nonce }: PendingAddressChanges['nextNonces'][number],
): JsonTextOf<typeof NEXT_NONCE_SCHEMA> {
  switch (account) {
    case 'delegation':
      return objectJson<ValueOf<typeof DELEGATION_NONCE_SCHEMA>>({
        delegation_id: plainJson(delegationAddress(network, id)),
        nonce: numberJson(nonce),
      });
    case 'token':
      return objectJson<ValueOf<typeof TOKEN_NONCE_SCHEMA>>({
        token_id: plainJson(tokenAddress(network, id)),
        nonce: numberJson(nonce),
      });
  }
}
