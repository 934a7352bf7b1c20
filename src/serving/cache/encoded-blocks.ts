/** Encoded blocks from the node. Requests that wait for the same block share one call. */
import { blockIdOfBytes } from '../../chain/codec/block.ts';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { Id } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import { nodeUnavailable, unavailable } from '../errors/causes-of-503.ts';

const MAX_CALL_MS = 10_000;

export class EncodedBlocks {
  readonly #node: Pick<NodeClient, 'block'> | null;
  readonly #inProgress = new Map<Id, Promise<Buffer>>();

  constructor(node: Pick<NodeClient, 'block'> | null) {
    this.#node = node;
  }

  /** Returns the encoded block with this id. Rejects with the error 503 if the node does not return this block. */
  async get(id: Id): Promise<Buffer> {
    const node = this.#node;
    if (node === null) throw unavailable('no node for blocks');
    let block = this.#inProgress.get(id);
    if (block === undefined) {
      block = this.#ask(node, id).finally(() => this.#inProgress.delete(id));
      this.#inProgress.set(id, block);
    }
    return block;
  }

  async #ask(node: Pick<NodeClient, 'block'>, id: Id): Promise<Buffer> {
    const bytes = await node.block(id, { signal: AbortSignal.timeout(MAX_CALL_MS) }).catch((error: unknown) => {
      throw nodeUnavailable(error, 'node away for blocks');
    });
    if (bytes === null) throw unavailable('block missing at node');
    if (!hasId(bytes, id)) throw unavailable('wrong block from node');
    return bytes;
  }
}

function hasId(bytes: Buffer, id: Id): boolean {
  try {
    return blockIdOfBytes(bytes) === id;
  } catch (error) {
    if (error instanceof DecodeError) return false;
    throw error;
  }
}
