/** Blocks of the main chain as JSON. Headers, rewards and transactions are stored as JSON. */
import Type from 'typebox';
import { addLateTokenDecimals, type LateTokenDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import { poolAddress } from '../../chain/address.ts';
import type { BlockTarget } from '../../chain/compact-target.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { schemaRef, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import { BASE_TRANSACTION_SCHEMA } from '../../render/schemas/transaction.ts';
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import type { BlockAtTimeRow, ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { targetOfHeader } from '../../store/queries/blocks/block-targets.ts';
import type { BlockActorsRow, BlockRow } from '../../store/queries/blocks/blocks.ts';
import { defineEntry, type Entry, type Field } from '../entry/define-entry.ts';
import { BLOCK_TARGET_FIELDS, bech32, coins, count, hexId, nested, stored, time } from '../entry/kinds.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { OPTIONAL_SUMMARY } from './transaction.ts';
import { withSummary } from './transaction-summary.ts';

/** A block, its target, and the parts of its body as JSON. */
interface ShownBlock {
  readonly row: BlockRow;
  readonly target: BlockTarget | null;
  readonly reward: string;
  readonly transactions: string;
}

const BLOCK_BODY = defineEntry<ShownBlock>({
  reward: stored(Type.Array(schemaRef('Output')))(({ reward }) => reward),
  transactions: stored(Type.Array(strictObject({ ...BASE_TRANSACTION_SCHEMA.properties, ...OPTIONAL_SUMMARY })))(
    ({ transactions }) => `[${transactions}]`,
  ),
});

export const blockEntry = ({ block }: ResponseProfile): Entry<ShownBlock> =>
  defineEntry<ShownBlock>({
    body: nested(BLOCK_BODY)((shown) => shown),
    header: stored(schemaRef('BlockHeader'))(({ row }) => row.header),
    height: count(({ row }) => row.height),
    ...block,
  });

/** `actors`: those of its transactions, with which it is said what each did; null leaves that out. */
export function shownBlock(
  network: Network,
  row: BlockRow,
  lateDecimals: LateTokenDecimals,
  actors: readonly BlockActorsRow[] | null,
): ShownBlock {
  const texts = row.transactions ? addLateTokenDecimals(row.transactions, lateDecimals).split('\n') : [];
  const actorsOf = actors && new Map(actors.map((each) => [each.position, each.actors]));
  const transactions =
    actorsOf === null
      ? texts
      : texts.map((text, i) =>
          withSummary(network, text, summarizeTransactionText(network, text, row.height, actorsOf.get(i))),
        );
  return {
    row,
    target: targetOfHeader(row.header),
    reward: addLateTokenDecimals(row.reward, lateDecimals),
    transactions: transactions.join(),
  };
}

/** The position of a block in the chain. */
export const BLOCK_POINT = defineEntry<BlockAtTimeRow>({
  height: count(({ height }) => height),
  block_id: hexId(({ block_id }) => block_id),
  timestamp: time(({ timestamp }) => timestamp, 'Seconds since the epoch'),
});

/** The pool that produced a block. */
export const producerField = <Row>(of: (row: Row) => Id | null): Field<Row> =>
  bech32.orNull((row, network) => {
    const id = of(row);
    return id === null ? null : poolAddress(network, id);
  }, 'The pool that produced it; null without proof of stake');

/** An entry of a list of blocks. */
export const LISTED_BLOCK = defineEntry<ListedBlockRow & { readonly target: BlockTarget | null }>({
  ...BLOCK_POINT.fields,
  transaction_count: count(({ tx_count }) => tx_count),
  kinds: stored(
    Type.Object(
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
  )(({ kinds }) => kinds),
  size: count(({ size }) => size, 'Of the encoded block, in bytes'),
  fees: coins(({ fees }) => fees, 'Total fees of its transactions'),
  staker_reward: coins(({ staker_reward }) => staker_reward, 'The part of subsidy and fees that the staker receives'),
  delegations_reward: coins(
    ({ delegations_reward }) => delegations_reward,
    "The part of subsidy and fees that the pool's delegations receive",
  ),
  ...BLOCK_TARGET_FIELDS,
  pool_id: producerField(({ pool_id }) => pool_id),
});

export const presentListedBlock = (network: Network, row: ListedBlockRow): string =>
  LISTED_BLOCK.json(network, { ...row, target: targetOfHeader(row.target_field) });
