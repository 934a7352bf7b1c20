/** Asks the node about its chain. Each request is retried until there is a response. */
import type { Logger } from 'pino';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import type { NodeCallOptions, NodeClient } from '../../node/client.ts';
import { hostPortText } from '../../node/host-port.ts';
import { NodeError } from '../../node/node-error.ts';
import type { ScannerStatus } from '../monitor/status.ts';
import { retryUntilAnswered } from './node-retry.ts';

export class NodeChain {
  readonly #node: NodeClient;
  readonly #status: ScannerStatus;
  readonly #logger: Logger;
  readonly #signal: AbortSignal;

  constructor(node: NodeClient, status: ScannerStatus, logger: Logger, signal: AbortSignal) {
    this.#node = node;
    this.#status = status;
    this.#logger = logger;
    this.#signal = signal;
  }

  async bestHeight(): Promise<number> {
    const info = await this.#ask((options) => this.#node.chainInfo(options));
    this.#status.nodeAnswered(info.bestBlock.height);
    return info.bestBlock.height;
  }

  /** Is this block on the node's main chain? */
  async has({ height, blockId }: { readonly height: number; readonly blockId: Id }): Promise<boolean> {
    return (await this.#ask((options) => this.#node.blockIdAtHeight(height, options))) === blockId;
  }

  /** Throws an OperatorError if the node's genesis is not the network's. */
  async checkGenesis(network: Network): Promise<void> {
    const theirs = await this.#ask(async (options) => {
      const id = await this.#node.blockIdAtHeight(0, options);
      // Every node has a genesis, so this answer is damaged.
      if (id === null) throw NodeError.malformed('chainstate_block_id_at_height', 'the id of its genesis', id);
      return id;
    });
    if (theirs === network.genesisId) return;
    throw new OperatorError(
      `the node at ${hostPortText(this.#node.address)} follows another chain: its genesis is ${theirs}, that of ` +
        `${network.name} is ${network.genesisId}. Check --network and --node-rpc-address.`,
    );
  }

  #ask<T>(call: (options: NodeCallOptions) => Promise<T>): Promise<T> {
    return retryUntilAnswered(this.#signal, call, (error, attempt, pauseMs) => {
      this.#status.enter('waiting_for_node');
      this.#status.failed(error);
      this.#logger.warn(
        { err: error, attempt, pauseMs: Math.round(pauseMs) },
        'the node does not answer, waiting for it',
      );
    });
  }
}
