/** Asks the node about its chain. Each request is retried until there is a response. */
import type { Logger } from 'pino';
import type { Id } from '../../chain/types.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import type { NodeCallOptions, NodeClient } from '../../node/client.ts';
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

  /**
   * Waits for a node of the network. `isStart`: throws an OperatorError for a node of another network, because nothing has been
   * right yet.
   */
  async checkNetwork(isStart: boolean): Promise<void> {
    try {
      await this.#ask((options) => this.#node.chainInfo(options), isStart);
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'other network') throw new OperatorError(error.message);
      throw error;
    }
  }

  #ask<T>(call: (options: NodeCallOptions) => Promise<T>, endsAtOtherNetwork = false): Promise<T> {
    return retryUntilAnswered(this.#signal, call, (error, attempt, pauseMs) => {
      if (endsAtOtherNetwork && error instanceof NodeError && error.kind === 'other network') throw error;
      this.#status.enter('waiting_for_node');
      this.#status.failed(error);
      this.#logger.debug?.({ err: error, attempt, pauseMs: Math.round(pauseMs) }, 'waiting for the node');
    });
  }
}
