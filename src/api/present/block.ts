/** Blocks of the main chain as JSON. Headers, rewards and transactions are stored as JSON. */
import Type from 'typebox';
import { addLateTokenDecimals, type LateTokenDecimals } from '../../answers/late-token-decimals.ts';
import { poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/common-values.ts';
import { jsonFromStore, nullableJson, numberJson, objectJson, plainJson } from '../../render/compose-json.ts';
import { blockTargetFields } from '../../render/header.ts';
import { BLOCK_TARGET_PROPERTIES } from '../../render/schemas/block-header-and-genesis.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
  unsignedInteger,
} from '../../render/schemas/common.ts';
import { BASE_TRANSACTION_SCHEMA } from '../../render/schemas/transaction.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import type { BlockAtTimeRow, ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { targetOfHeader } from '../../store/queries/blocks/block-targets.ts';
import type { BlockActorsRow, BlockRow } from '../../store/queries/blocks/blocks.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { OPTIONAL_SUMMARY } from './transaction.ts';
import { withSummary } from './transaction-summary.ts';

const BLOCK_BODY_SCHEMA = strictObject({
  reward: Type.Array(schemaRef('Output')),
  transactions: Type.Array(strictObject({ ...BASE_TRANSACTION_SCHEMA.properties, ...OPTIONAL_SUMMARY })),
});

export function blockSchema({ block }: ResponseProfile) {
  return strictObject({
    height: COUNT_SCHEMA,
    header: schemaRef('BlockHeader'),
    body: BLOCK_BODY_SCHEMA,
    ...block.properties,
  });
}

/** `actors`: those of its transactions, with which it is said what each did; null leaves that out. */
export function presentBlock(
  { block }: ResponseProfile,
  network: Network,
  row: BlockRow,
  lateDecimals: LateTokenDecimals,
  actors: readonly BlockActorsRow[] | null,
): JsonTextOf<ReturnType<typeof blockSchema>> {
  const reward = addLateTokenDecimals(row.reward, lateDecimals);
  const texts = row.transactions ? addLateTokenDecimals(row.transactions, lateDecimals).split('\n') : [];
  const actorsOf = actors && new Map(actors.map((each) => [each.position, each.actors]));
  const transactions =
    actorsOf === null
      ? texts.join()
      : texts
          .map((text, i) =>
            withSummary(network, text, summarizeTransactionText(network, text, row.height, actorsOf.get(i))),
          )
          .join();
  return objectJson(
    {
      body: objectJson({ reward: jsonFromStore(reward), transactions: jsonFromStore(`[${transactions}]`) }),
      header: jsonFromStore(row.header),
      height: numberJson(row.height),
    },
    block.text(targetOfHeader(row.header)),
  );
}

const BLOCK_POINT = {
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: { ...COUNT_SCHEMA, description: 'Seconds since the epoch' },
};

/** The position of a block in the chain. */
export const BLOCK_POINT_SCHEMA = strictObject(BLOCK_POINT);

export function presentBlockPoint(row: BlockAtTimeRow): JsonTextOf<typeof BLOCK_POINT_SCHEMA> {
  return objectJson(pointFields(row));
}

function pointFields({ height, block_id, timestamp }: BlockAtTimeRow) {
  return { height: numberJson(height), block_id: plainJson(block_id), timestamp: numberJson(timestamp) };
}

export const LISTED_BLOCK_SCHEMA = strictObject({
  ...BLOCK_POINT,
  transaction_count: COUNT_SCHEMA,
  kinds: Type.Object(
    {},
    {
      additionalProperties: unsignedInteger({ minimum: 1 }),
      description:
        'How many transactions there are of each kind; each is of one, the first that applies: `token_issue`, ' +
        '`nft_issue`, `token_mint`, `token_unmint`, `token_lock`, `token_freeze`, `token_unfreeze`, `token_authority`, ' +
        '`token_metadata`, `pool_create`, `pool_decommission`, `delegation_create`, `delegate`, `delegation_withdraw`, ' +
        '`order_create`, `order_fill`, `order_freeze`, `order_conclude`, `htlc_create`, `htlc_claim`, `htlc_refund`, ' +
        '`data_deposit`, `burn`, `lock`, `transfer`',
      examples: [{ transfer: 2, delegate: 1 }],
    },
  ),
  size: { ...COUNT_SCHEMA, description: 'Of the encoded block, in bytes' },
  fees: describedRef('Amount', 'Total fees of its transactions'),
  staker_reward: describedRef('Amount', 'The part of subsidy and fees that the staker receives'),
  delegations_reward: describedRef('Amount', "The part of subsidy and fees that the pool's delegations receive"),
  ...BLOCK_TARGET_PROPERTIES,
  pool_id: { ...nullable(BECH32_SCHEMA), description: 'The pool that produced it; null without proof of stake' },
});

/** An entry of a list of blocks. */
export function presentListedBlock(network: Network, row: ListedBlockRow): JsonTextOf<typeof LISTED_BLOCK_SCHEMA> {
  const { coinDecimals } = network;
  return objectJson({
    ...pointFields(row),
    transaction_count: numberJson(row.tx_count),
    kinds: jsonFromStore(row.kinds),
    size: numberJson(row.size),
    fees: amountJson(row.fees, coinDecimals),
    staker_reward: amountJson(row.staker_reward, coinDecimals),
    delegations_reward: amountJson(row.delegations_reward, coinDecimals),
    ...blockTargetFields(targetOfHeader(row.target_field)),
    pool_id: nullableJson(row.pool_id, (id) => plainJson(poolAddress(network, id))),
  });
}
