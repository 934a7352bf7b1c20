/** `/block`, `/block/transaction`, and `/events/blocks`: the blocks that this index added and removed. */

import Type from 'typebox';
import { delegationAddress, destinationAddress, poolAddress } from '../../chain/address.ts';
import { createsPool, isPaymentOutput } from '../../chain/input-and-output-kinds.ts';
import type { Id } from '../../chain/types.ts';
import { unsignedInteger } from '../../render/schemas/common.ts';
import {
  type ParsedOutput,
  parseGenesisJson,
  parseOutputsJson,
  parseTransactionJson,
} from '../../render/stored-json.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { listUnlockedAt } from '../../store/queries/addresses/unlocked-at-height.ts';
import { type BlockAtRow, getBlockAt } from '../../store/queries/blocks/block-at.ts';
import { listBlockEvents } from '../../store/queries/blocks/block-events.ts';
import { getBlock } from '../../store/queries/blocks/blocks.ts';
import { getRemovedBlock } from '../../store/queries/blocks/removed-blocks.ts';
import { getMeta } from '../../store/queries/chain/meta.ts';
import { getTransaction } from '../../store/queries/transactions/transactions.ts';
import type { ApiContext } from '../api-context.ts';
import { LOCKED } from './accounts.ts';
import { MeshError } from './errors.ts';
import { addMeshRoute, type MeshSnapshot } from './mesh-route.ts';
import * as operations from './operations.ts';
import { readPoolStakes } from './pool-stakes.ts';
import { BLOCK_RESPONSE, EVENTS_RESPONSE, PARTIAL_BLOCK, TRANSACTION_ID, TRANSACTION_RESPONSE } from './schemas.ts';

/** A block may have a megabyte of transactions. */
const BLOCK_UNITS = 4;
const MAX_EVENTS = 1_000;

/** Reads the block that a request names. Throws a MeshError: a block that a reorganisation removed has its own. */
export async function readNamedBlock(
  snapshot: MeshSnapshot,
  { index, hash }: { readonly index?: number; readonly hash?: string },
): Promise<BlockAtRow> {
  const [block] = await snapshot.read(getBlockAt, hash ?? null, index ?? null);
  if (block !== undefined && (index === undefined || block.height === index)) return block;
  const removed = hash === undefined ? [] : await snapshot.read(getRemovedBlock, hash);
  const kind = removed.length > 0 ? 'removed block' : 'unknown block';
  throw new MeshError(kind, [hash, index].filter((part) => part !== undefined).join(' at height '));
}

export const blockIdentifier = ({ height, block_id }: BlockAtRow) => ({ index: height, hash: block_id });

export function meshBlockRoutes(routes: RouteGroup, context: ApiContext): void {
  addMeshRoute(routes, context, {
    path: '/block',
    summary: 'A block with its operations',
    fields: { block_identifier: PARTIAL_BLOCK },
    response: BLOCK_RESPONSE,
    units: BLOCK_UNITS,
    read: async (snapshot, { block_identifier }) => {
      const block = await readNamedBlock(snapshot, block_identifier);
      const { texts, reward } = await readContent(snapshot, block, null);
      const placed = texts.map((text, position) => [position, parseTransactionJson(text)] as const);
      const drafts = [
        ...(await operations.draftTransactions(snapshot, block, placed)),
        ...(await draftOwn(snapshot, block, reward)),
      ];
      return {
        block: {
          block_identifier: blockIdentifier(block),
          parent_block_identifier: { index: Math.max(0, block.height - 1), hash: block.parent_id },
          timestamp: block.timestamp * 1_000,
          transactions: await operations.presentTransactions(snapshot, drafts),
        },
      };
    },
  });

  addMeshRoute(routes, context, {
    path: '/block/transaction',
    summary: 'A transaction of a block',
    fields: { block_identifier: PARTIAL_BLOCK, transaction_identifier: TRANSACTION_ID },
    response: TRANSACTION_RESPONSE,
    read: async (snapshot, { block_identifier, transaction_identifier: { hash } }) => {
      const block = await readNamedBlock(snapshot, block_identifier);
      const found = hash === block.block_id ? undefined : await readDraftById(snapshot, hash);
      const drafts =
        hash === block.block_id
          ? await draftOwn(snapshot, block, (await readContent(snapshot, block, 0)).reward)
          : found?.block.height === block.height
            ? [found.draft]
            : [];
      const [transaction] = await operations.presentTransactions(snapshot, drafts);
      if (transaction === undefined) throw new MeshError('unknown transaction', `${hash} is not in the block`);
      return { transaction };
    },
  });

  addMeshRoute(routes, context, {
    path: '/events/blocks',
    summary: 'The blocks that were added and removed, as a sequence without gaps',
    fields: {
      offset: Type.Optional(unsignedInteger({ description: 'The first event; without it the newest ones' })),
      limit: Type.Optional(unsignedInteger({ minimum: 1, description: `At most ${MAX_EVENTS}` })),
    },
    response: EVENTS_RESPONSE,
    read: async (snapshot, { offset = null, limit = MAX_EVENTS }) => {
      const rows = await snapshot.read(listBlockEvents, offset, Math.min(limit, MAX_EVENTS));
      const events = rows.filter(({ sequence }) => sequence !== null);
      return {
        max_sequence: rows[0]!.max_sequence,
        events: events.map(({ sequence, height, block_id, is_removal }) => ({
          sequence: sequence!,
          block_identifier: { index: height!, hash: block_id! },
          type: is_removal ? ('block_removed' as const) : ('block_added' as const),
        })),
      };
    },
  });
}

/** Reads a transaction of the main chain with its block; undefined if there is no such transaction. */
export async function readDraftById(
  snapshot: MeshSnapshot,
  id: Id,
): Promise<{ readonly block: BlockAtRow; readonly draft: operations.DraftedTransaction } | undefined> {
  const [row] = await snapshot.read(getTransaction, id);
  if (row === undefined) return undefined;
  const block = await readNamedBlock(snapshot, { hash: row.block_id });
  const placed = [row.tx_index - block.first_tx_index, parseTransactionJson(row.body)] as const;
  const [draft] = await operations.draftTransactions(snapshot, block, [placed]);
  return { block, draft: draft! };
}

/** Reads the transactions of a block as JSON, none if they are more than `limit`; and the outputs of its reward, or of the genesis. */
async function readContent(snapshot: MeshSnapshot, block: BlockAtRow, limit: number | null) {
  if (block.height === 0) {
    const [genesis] = await snapshot.read(getMeta, 'genesis');
    return { texts: [], reward: parseGenesisJson(genesis!.value).utxos };
  }
  const [content] = await snapshot.read(getBlock, { blockId: block.block_id, limit });
  const texts = content!.transactions?.split('\n').filter((text) => text !== '') ?? [];
  return { texts, reward: parseOutputsJson(content!.reward) };
}

/** Makes the operations of what a block itself does: time locks end, outputs of its reward, and what its pool earns. */
async function draftOwn(
  snapshot: MeshSnapshot,
  block: BlockAtRow,
  reward: readonly ParsedOutput[],
): Promise<operations.DraftedTransaction[]> {
  const { network } = snapshot;
  const { height, block_id: id, pool_id: poolId, staker_reward, delegations_reward } = block;
  const drafts: operations.OperationDraft[] = [];
  for (const { owner, currency, amount } of await snapshot.read(listUnlockedAt, height)) {
    const account = { address: destinationAddress(network, owner) };
    const type = 'Unlock';
    drafts.push({ type, account: { ...account, ...LOCKED }, moved: { currency, atoms: -amount } });
    drafts.push({ type, account, moved: { currency, atoms: amount } });
  }
  for (const [index, output] of reward.entries()) {
    // Never locked, as the index has them. The output of a staker has no value.
    if (isPaymentOutput(output)) drafts.push(operations.createdDraft(network, output, `${id}:${index}`));
    if (!createsPool(output)) continue;
    drafts.push({ type: output.type, ...operations.movesCoins(output.pool_id, BigInt(output.data.amount.atoms)) });
  }
  if (poolId !== null) {
    drafts.push({ type: 'StakerReward', ...operations.movesCoins(poolAddress(network, poolId), staker_reward) });
    const stakes = delegations_reward > 0n ? await readPoolStakes(snapshot, poolId, height) : null;
    for (const [delegation, share] of stakes?.shares ?? []) {
      const address = delegationAddress(network, delegation);
      drafts.push({ type: 'DelegationReward', ...operations.movesCoins(address, share) });
    }
  }
  return drafts.length === 0 ? [] : [{ id, operations: drafts }];
}
