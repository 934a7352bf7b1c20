/** The totals of the mempool, and its effects on an address, as JSON. */
import Type from 'typebox';
import { withDefaultDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import { delegationAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import { MAX_BLOCK_BYTES } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import type { MempoolTotals } from '../../mempool/mempool-totals.ts';
import type { PendingAddressChanges, PendingAmounts, PendingOutput } from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import {
  lowestRateOfNextBlock,
  nextBlocks,
  type ProjectedBlock,
  type ProjectedPlace,
  projectedBlocks,
} from '../../mempool/projected-blocks.ts';
import { outpointJson, type RenderContext } from '../../render/common-values.ts';
import { renderOutput } from '../../render/output.ts';
import { ATOMS_TEXT_SCHEMA, COUNT_SCHEMA, oneOf, schemaRef } from '../../render/schemas/common.ts';
import { appendedFields, defineEntry, type Fields, kind } from '../entry/define-entry.ts';
import {
  amountsIn,
  bech32,
  coins,
  count,
  flag,
  hexId,
  integerText,
  listOf,
  nested,
  stored,
  token,
} from '../entry/kinds.ts';

// A tuple in JSON Schema 2020-12, on which OpenAPI 3.1 is based.
const feeStep = kind<MempoolTotals['feeHistogram'][number]>({
  schema: Type.Unsafe({
    title: 'FeeStep',
    type: 'array',
    prefixItems: [ATOMS_TEXT_SCHEMA, COUNT_SCHEMA],
    minItems: 2,
    maxItems: 2,
  }),
  json: ({ atomsPerKilobyte, bytes }) => `["${atomsPerKilobyte}",${bytes}]`,
});

interface Complete {
  /** Does this server know all pending transactions of the node? */
  readonly isComplete: boolean;
}

const complete = flag<Complete>(
  ({ isComplete }) => isComplete,
  'False while there may be pending transactions that are not known here',
);

export const MEMPOOL = defineEntry<MempoolTotals & Complete>({
  count: count((totals) => totals.count),
  bytes: count(({ bytes }) => bytes, 'Of the encoded transactions'),
  total_fee: coins(({ totalFee }) => totalFee, 'Total fee of the transactions whose fee is known'),
  fee_histogram: listOf(feeStep)(
    ({ feeHistogram }) => feeHistogram,
    'Fee rate in atoms per 1,000 bytes, and the bytes of the transactions at that fee rate; highest first',
  ),
  complete,
});

const BLOCK_TOTALS: Fields<Pick<ProjectedBlock, 'count' | 'bytes' | 'totalFee'>> = {
  count: count((block) => block.count),
  bytes: count(({ bytes }) => bytes, 'Of the encoded transactions'),
  total_fee: coins(({ totalFee }) => totalFee),
};

const PROJECTED_BLOCK = defineEntry<ProjectedBlock>({
  ...BLOCK_TOTALS,
  lowest_fee_rate: integerText(({ lowestRate }) => lowestRate, 'By which its transactions are chosen, per 1,000 bytes'),
  highest_fee_rate: integerText(({ highestRate }) => highestRate),
});

type NextBlocks = ReturnType<typeof nextBlocks>;

const MORE_BLOCKS = defineEntry<NextBlocks['more']>({ blocks: count(({ blocks }) => blocks), ...BLOCK_TOTALS });

const BLOCKS = defineEntry<NextBlocks & Complete>({
  blocks: listOf(nested(PROJECTED_BLOCK))(({ blocks }) => blocks, 'The next one first'),
  more: nested(MORE_BLOCKS)(({ more }) => more, 'The blocks behind them'),
  max_block_bytes: count(() => MAX_BLOCK_BYTES),
  complete,
});

export const MEMPOOL_BLOCKS = kind<PendingSet>({
  schema: BLOCKS.schema,
  json: (pool, network) => BLOCKS.json(network, { ...nextBlocks(pool), isComplete: pool.isComplete }),
});

interface PlaceInMempool extends Complete {
  readonly transaction: PendingTransaction;
  /** Undefined while what it spends is not known. */
  readonly place: ProjectedPlace | undefined;
  readonly lowestRate: Atoms | null;
}

export const placeInMempool = (pool: PendingSet, transaction: PendingTransaction): PlaceInMempool => ({
  transaction,
  place: projectedBlocks(pool).placeOf(transaction.id),
  lowestRate: lowestRateOfNextBlock(pool),
  isComplete: pool.isComplete,
});

export const MEMPOOL_PLACE = defineEntry<PlaceInMempool>(
  {
    first_seen: count.orNull(
      ({ transaction }) => transaction.seenAt ?? null,
      'By this process, in seconds since the epoch; null if the node had it before',
    ),
    block: count.orNull(({ place }) => place?.block ?? null, 'The number of the block from now on: 1 is the next one'),
    position: count.orNull(({ place }) => place?.position ?? null, 'In that block, from 1 on'),
    fee_rate: integerText.orNull(({ place }) => place?.rate ?? null, 'By which it is chosen, per 1,000 bytes'),
    next_block_fee_rate: integerText.orNull(
      ({ lowestRate }) => lowestRate,
      'The lowest rate that the next block takes, by the pending transactions that this server knows; null if the block has room ' +
        'for all of them. `/feerate/recommended` has what the node estimates',
    ),
    complete,
  },
  { description: '`block`, `position` and `fee_rate` are null while what it spends is not known' },
);

interface Flow extends PendingAmounts {
  readonly token: Id;
  readonly decimals: number;
}

const flow = amountsIn<Flow>(({ decimals }) => decimals);
const FLOW: Fields<Flow> = { incoming: flow(({ incoming }) => incoming), outgoing: flow(({ outgoing }) => outgoing) };
const COIN_FLOW = defineEntry(FLOW);
const TOKEN_FLOW = defineEntry<Flow>({ token_id: token((of) => of.token), ...FLOW });

/** A pending output, and what renders it. */
interface NewUtxo {
  readonly context: RenderContext;
  readonly output: PendingOutput;
}

const NEW_UTXO = defineEntry<NewUtxo>(
  {
    outpoint: stored(schemaRef('Outpoint'))(({ output }) => outpointJson(output.outpoint)),
    utxo: stored(schemaRef('Output'))(({ context, output }) =>
      withDefaultDecimals(renderOutput(context, output.output)),
    ),
  },
  { title: 'MempoolUtxo' },
);
export const NEW_UTXO_SCHEMA = NEW_UTXO.schema;

export const presentNewUtxo = (context: RenderContext, output: PendingOutput): string =>
  NEW_UTXO.json(context.network, { context, output });

type NextNonce = PendingAddressChanges['nextNonces'][number];

const nonce = count<NextNonce>((next) => next.nonce);
const DELEGATION_NONCE = defineEntry<NextNonce>(
  { delegation_id: bech32(({ id }, network) => delegationAddress(network, id)), nonce },
  { title: 'DelegationNonce' },
);
const TOKEN_NONCE = defineEntry<NextNonce>({ token_id: token(({ id }) => id), nonce }, { title: 'TokenNonce' });
const nextNonce = kind<NextNonce>({
  schema: oneOf([DELEGATION_NONCE.schema, TOKEN_NONCE.schema], { title: 'NextNonce' }),
  json: (next, network) => (next.account === 'delegation' ? DELEGATION_NONCE : TOKEN_NONCE).json(network, next),
});

interface MempoolOfAddress extends Complete {
  readonly changes: PendingAddressChanges;
  readonly context: RenderContext;
}

export const MEMPOOL_ADDRESS = defineEntry<MempoolOfAddress>({
  coin: nested(COIN_FLOW)(({ changes }, { coinDecimals }) => ({
    ...changes.flows.get(COIN)!,
    token: COIN,
    decimals: coinDecimals,
  })),
  tokens: listOf(nested(TOKEN_FLOW))(({ changes, context }) =>
    [...changes.flows]
      .filter(([currency]) => currency !== COIN)
      .map(([id, amounts]) => ({ ...amounts, token: id, decimals: context.decimalsOf(id) ?? 0 })),
  ),
  spent_outpoints: listOf(kind({ schema: schemaRef('Outpoint'), json: outpointJson }))(
    ({ changes }) => changes.spentOutpoints,
    'Outputs of the address that pending transactions spend, those of other pending ones included',
  ),
  new_utxos: listOf(nested(NEW_UTXO))(
    ({ changes, context }) => changes.newUtxos.map((output) => ({ context, output })),
    'Outputs that it will have, without those that are spent again',
  ),
  next_nonces: listOf(nextNonce)(
    ({ changes }) => changes.nextNonces,
    'Of its delegations and tokens that pending transactions use: the nonces for the transactions after',
  ),
  transactions: listOf(hexId)(
    ({ changes }) => changes.transactions,
    'Pending transactions of the address, in the order of their acceptance',
  ),
  complete,
});

interface OutputInMempool {
  readonly isPending: boolean;
  readonly spentBy: Id | null;
}

const spentInMempool = hexId.orNull<OutputInMempool>(
  ({ spentBy }) => spentBy,
  'The pending transaction that spends the output; null if there is none',
);
/** What an output has to do with pending transactions: only in responses to `with_mempool=true`. */
export const MEMPOOL_FIELDS = appendedFields<OutputInMempool>({
  mempool: flag.optional(({ isPending }) => isPending || undefined, 'True: it is an output of a pending transaction'),
  spent_in_mempool: { ...spentInMempool, schema: Type.Optional(spentInMempool.schema) },
});

/** Makes the entry of a list for an output of a pending transaction. `more`: other fields, each after a comma. */
export function presentMempoolOutput(context: RenderContext, output: PendingOutput, more: string): string {
  const state = MEMPOOL_FIELDS.text({ isPending: true, spentBy: output.spentBy }, context.network);
  return `${presentNewUtxo(context, output).slice(0, -1)}${more}${state}}`;
}

export const MEMPOOL_IDS = defineEntry<PendingSet>({
  sequence: count(
    ({ sequence }) => sequence,
    'Grows by one with each `tx_seen` and `tx_dropped` of this process, which carry it as `mempool_sequence`; and by one where ' +
      'the list changes without an event. The header `x-mempool` names the process',
  ),
  complete,
  ids: listOf(hexId)((pool) => pool.listedIds(), 'By arrival at this process'),
});
