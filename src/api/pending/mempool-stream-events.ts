/** What happens to pending transactions, as events of the stream. */

import type { PendingTransactions } from '../../answers/pending/pending-transactions-interface.ts';
import { outputKindProperties } from '../../chain/input-and-output-kinds.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { PendingTransaction } from '../../mempool/pending-transaction.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { renderOutput } from '../../render/output.ts';
import { renderTransaction } from '../../render/transaction.ts';
import type { MempoolStreamEvents, StreamedTransaction } from '../stream/stream-event.ts';

export function mempoolStreamEvents(network: Network, pending: PendingTransactions): MempoolStreamEvents {
  // The text is only read for its pools, delegations and orders, so it needs no decimals.
  const context: RenderContext = { network, decimalsOf: () => 0 };
  const streamed = (transaction: PendingTransaction): StreamedTransaction => {
    const { id, origin, addresses, tokens } = transaction;
    return { id, origin, addresses, tokens, text: () => baseTransaction(context, transaction) };
  };
  return {
    listen: (listener) => {
      let isFollowed = pending.pool.state.staleSince === null;
      return pending.listen((change, event) => {
        if (change.type === 'State') {
          const wasFollowed = isFollowed;
          isFollowed = change.state.staleSince === null;
          // Changes during an outage of the node are lost.
          if (wasFollowed && !isFollowed) listener({ type: 'lost' });
          return;
        }
        const { sequence } = pending.pool;
        if (event?.type === 'seen') listener({ type: 'seen', transaction: streamed(event.transaction), sequence });
        else if (event !== undefined) {
          const { id, transaction } = event;
          listener({
            type: 'dropped',
            id,
            transaction: transaction === undefined ? null : streamed(transaction),
            sequence,
          });
        }
      });
    },
  };
}

const SUBJECTS_IN_TEXT: ReadonlySet<string | null> = new Set(['pool', 'delegation', 'order']);

/** Leaves out the outputs that name no pool, delegation or order: a transaction may have 349,000 of them. */
function baseTransaction(context: RenderContext, { id, signed, inputs, fee }: PendingTransaction): string {
  const { transaction } = signed;
  const outputs = transaction.outputs.flatMap((output) => {
    const { holder, creates } = outputKindProperties(output.type);
    return SUBJECTS_IN_TEXT.has(holder) || SUBJECTS_IN_TEXT.has(creates) ? [renderOutput(context, output)] : [];
  });
  return renderTransaction(context, { id, transaction, inputs, fee }, outputs);
}
