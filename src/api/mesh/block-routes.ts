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
import { listBlockEvents } from '../../store/queries/blocks/added-and-removed-blocks.ts';
import { type BlockAtRow, getBlockAt } from '../../store/queries/blocks/block-by-id-or-height.ts';
import { getBlock, getBlockReward } from '../../store/queries/blocks/blocks.ts';
import { getRemovedBlock } from '../../store/queries/blocks/removed-blocks.ts';
import { getMeta } from '../../store/queries/chain/meta.ts';
import { getTransaction } from '../../store/queries/transactions/transactions.ts';
import type { ApiContext } from '../api-context.ts';
import { LOCKED_SUB_ACCOUNT } from './account-identifier.ts';
import { MeshError } from './errors.ts';
import { addMeshRoute, type MeshSnapshot } from './mesh-route.ts';
import * as operations from './operations.ts';
import { readPoolStakes } from './pool-stakes.ts';
import * as schemas from './schemas.ts';

/** A block may have a megabyte of transactions. */
const BLOCK_UNITS = 4;
const MAX_EVENTS = 1_000;

/** Reads the block that a request names. Throws a MeshError: a block that a reorganisation removed has its own. */
export async function readNamedBlock(
  snapshot: MeshSnapshot,
  { index, hash }: schemas.PartialBlockIdentifier,
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
    fields: { block_identifier: schemas.PARTIAL_BLOCK },
    response: schemas.BLOCK_RESPONSE,
    units: BLOCK_UNITS,
    read: async (snapshot, { block_identifier }) => {
      const block = await readNamedBlock(snapshot, block_identifier);
      const [content] = await snapshot.read(getBlock, { blockId: block.block_id, limit: null });
      const texts = content?.transactions?.split('\n').filter((text) => text !== '') ?? [];
      const placed = texts.map((text, position) => [position, parseTransactionJson(text)] as const);
      const drafts = await operations.draftTransactions(snapshot, block, placed);
      drafts.push(...(await draftOwn(snapshot, block)));
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
    fields: { block_identifier: schemas.PARTIAL_BLOCK, transaction_identifier: schemas.TRANSACTION_ID },
    response: schemas.TRANSACTION_RESPONSE,
    read: async (snapshot, { block_identifier, transaction_identifier: { hash } }) => {
      const block = await readNamedBlock(snapshot, block_identifier);
      const found = (await readTransactionDrafts(snapshot, [hash])).filter(
        (draft) => draft.block.height === block.height,
      );
      const drafts = hash === block.block_id ? await draftOwn(snapshot, block) : found;
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
    response: schemas.EVENTS_RESPONSE,
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

/** Reads transactions of the main chain, each with its block. Leaves out unknown ids. */
export async function readTransactionDrafts(snapshot: MeshSnapshot, ids: readonly Id[]) {
  const rows = (await Promise.all(ids.map((id) => snapshot.read(getTransaction, id)))).flat();
  const read = async ({ block_id, tx_index, body }: (typeof rows)[number]) => {
    const block = await readNamedBlock(snapshot, { hash: block_id });
    const placed = [tx_index - block.first_tx_index, parseTransactionJson(body)] as const;
    const [draft] = await operations.draftTransactions(snapshot, block, [placed]);
    return { ...draft!, block };
  };
  return Promise.all(rows.map(read));
}

/** Reads the outputs of a block's reward, or of the genesis. */
async function readRewardOutputs(snapshot: MeshSnapshot, { block_id }: BlockAtRow): Promise<ParsedOutput[]> {
  const [block] = await snapshot.read(getBlockReward, block_id);
  if (block !== undefined) return parseOutputsJson(block.reward);
  const [genesis] = await snapshot.read(getMeta, 'genesis');
  return parseGenesisJson(genesis!.value).utxos;
}

/** Makes the operations of what a block itself does: time locks end, outputs of its reward, and what its pool earns. */
async function draftOwn(snapshot: MeshSnapshot, block: BlockAtRow): Promise<operations.DraftedTransaction[]> {
  const { network } = snapshot;
  const { height, block_id: id, pool_id: poolId, staker_reward, delegations_reward } = block;
  const drafts: operations.OperationDraft[] = [];
  for (const { owner, currency, amount } of await snapshot.read(listUnlockedAt, height)) {
    const account = { address: destinationAddress(network, owner) };
    drafts.push({
      type: 'Unlock',
      account: { ...account, ...LOCKED_SUB_ACCOUNT },
      moved: { currency, atoms: -amount },
    });
    drafts.push({ type: 'Unlock', account, moved: { currency, atoms: amount } });
  }
  for (const [index, output] of (await readRewardOutputs(snapshot, block)).entries()) {
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
