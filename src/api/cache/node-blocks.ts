/** Encoded blocks from the node: a block that several requests wait for is asked for once, and few at a time. */
import { blockIdOfBytes } from '../../chain/codec/block.ts';
import { DecodeError } from '../../chain/scale/decode-error.ts';
import type { Id } from '../../chain/types.ts';
import type { NodeClient } from '../../node/client.ts';
import type { ApiLogger } from '../operations/logger-interface.ts';
import { OutageLog } from '../operations/outage-log.ts';
import { unavailable } from '../route/unavailable.ts';

const LONGEST_CALL_MS = 10_000;
/** Blocks that the node is asked for at a time, each of some megabytes as hex; the other connections are for other requests. */
const MOST_AT_NODE = 4;

export class NodeBlocks {
  readonly #node: Pick<NodeClient, 'block'> | null;
  readonly #outages: OutageLog;
  readonly #underWay = new Map<Id, Promise<Buffer>>();

  constructor(node: Pick<NodeClient, 'block'> | null, logger: ApiLogger) {
    this.#node = node;
    this.#outages = new OutageLog(logger, {
      failed: 'The node gives no blocks; those who ask for encoded ones get 503.',
      works: 'The node gives blocks again.',
    });
  }

  /** The encoded block with this id. Rejects with the error 503 where the node does not give it. */
  async get(id: Id): Promise<Buffer> {
    const node = this.#node;
    if (node === null) throw unavailable('no node for blocks');
    let block = this.#underWay.get(id);
    if (block === undefined) {
      if (this.#underWay.size >= MOST_AT_NODE) throw unavailable('too many blocks at node');
      block = this.#ask(node, id).finally(() => this.#underWay.delete(id));
      this.#underWay.set(id, block);
    }
    return await block;
  }

  async #ask(node: Pick<NodeClient, 'block'>, id: Id): Promise<Buffer> {
    let bytes: Buffer | null;
    try {
      bytes = await node.block(id, { signal: AbortSignal.timeout(LONGEST_CALL_MS) });
      this.#outages.works();
    } catch (error) {
      this.#outages.failed(error);
      throw unavailable('node away for blocks');
    }
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
