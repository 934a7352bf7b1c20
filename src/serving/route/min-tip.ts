/**
 * Requests with `x-min-tip`, which name the newest tip that their client has seen. They are served at that height or above
 * it, or once a reorganisation has removed the named block. Otherwise they wait for that, and are refused in the end.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Network } from '../../chain/networks/network.ts';
import { getRemovedBlock } from '../../store/queries/blocks/removed-blocks.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { ServedTip } from '../../store/read/tip-watch.ts';
import { badRequest } from '../errors/api-error.ts';
import { unavailable } from '../errors/causes-of-503.ts';
import { callerOf } from '../http/connection.ts';
import { parseChainPosition } from '../http/headers.ts';
import { sendCounted } from '../http/prepared-response.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ClientGone } from '../resources/caller.ts';
import type { WebServerResources } from '../resources/create-resources.ts';
import type { ReadPool } from '../resources/read-pool.ts';
import type { Holding } from '../resources/reclaimable-holdings.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import { type ErrorContext, errorResponse } from './error-response.ts';
import { requireTip } from './readiness.ts';

const MAX_WAIT_MS = 2_000;
/** A tip this far above ours does not come within that time. */
const MAX_BLOCKS_AHEAD = 3;

interface MinTipContext extends ErrorContext {
  readonly network: Network;
  readonly store: ReadPool;
  readonly resources: WebServerResources;
  readonly metrics: Metrics;
}

export class MinTips {
  readonly #context: MinTipContext;
  /** Called when the tip has changed. */
  readonly #waiting = new Set<() => void>();

  constructor(context: MinTipContext) {
    this.#context = context;
    // Only when all that listens has dropped what it had of the old tip.
    context.tipWatch.onChange(() => queueMicrotask(() => this.#checkAll()));
  }

  /** Calls `serve` now or later, or responds with an error. `named`: the value of the header. */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    named: string,
    serve: (request: IncomingMessage, response: ServerResponse) => void,
  ): void {
    const minTip = parseChainPosition(named);
    try {
      if (minTip === null) throw badRequest('Invalid x-min-tip: HEIGHT-ID is expected');
      if (isReached(requireTip(this.#context), minTip)) {
        serve(request, response);
        return;
      }
    } catch (error) {
      this.#refuse(request, response, error);
      return;
    }
    this.#wait(request, minTip).then(
      () => serve(request, response),
      (error) => this.#refuse(request, response, error),
    );
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    sendCounted(this.#context.metrics, 'none', request, response, errorResponse(this.#context, error));
  }

  /** Resolves when the tip is reached, or is known to be removed. Rejects with the error to respond with. */
  #wait(request: IncomingMessage, minTip: ChainPosition): Promise<void> {
    const { tipWatch, resources, store } = this.#context;
    const caller = callerOf(request);
    return new Promise((resolve, reject) => {
      /** The revision of the index in which the block is known to be removed. */
      let removedAt = Number.POSITIVE_INFINITY;
      const end = (error?: unknown): void => {
        if (!this.#waiting.delete(check)) return;
        clearTimeout(timer);
        caller.offGone(onGone);
        resources.tip_waits.remove(holding);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onGone = (): void => end(new ClientGone());
      const isServable = (tip: ServedTip): boolean => isReached(tip, minTip) || tip.revision >= removedAt;
      const lookUp = async (): Promise<void> => {
        const { tip, rows } = await getRemovedBlock(store, minTip.id);
        if (rows.length > 0) removedAt = tip.revision;
        tipWatch.noteAdvertised(tip.revision);
        const served = requireTip(this.#context);
        if (isServable(served)) end();
        else if (rows.length === 0 && isFarAhead(tip, minTip)) end(unavailable('tip not reached'));
      };
      const check = (): void => {
        if (tipWatch.tip === null) return;
        if (isServable(tipWatch.tip)) end();
        else lookUp().catch(end);
      };
      const holding: Holding = {
        client: caller.client,
        amount: 1,
        takeBack: () => end(new ResourceRefusal('tip_waits', true)),
      };
      const timer = setTimeout(() => end(unavailable('tip not reached')), MAX_WAIT_MS);
      this.#waiting.add(check);
      caller.onGone(onGone);
      resources.tip_waits.add(holding);
      tipWatch.noteRequest();
      if (this.#waiting.has(check)) lookUp().catch(end);
    });
  }

  #checkAll(): void {
    for (const check of [...this.#waiting]) check();
  }
}

/** Is a state at this tip no older than one at the named tip? */
function isReached(tip: ChainPosition, named: ChainPosition): boolean {
  return tip.height > named.height || tip.id === named.id;
}

function isFarAhead(tip: ChainPosition, named: ChainPosition): boolean {
  return named.height > tip.height + MAX_BLOCKS_AHEAD;
}
