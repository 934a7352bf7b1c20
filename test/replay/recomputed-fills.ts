/** The fills of orders, from the texts of transactions alone. Ids and destinations have the form of the API. */

import { orderAddress } from '../../src/chain/address.ts';
import { deriveOrderId } from '../../src/chain/derive-ids.ts';
import { createsOrder } from '../../src/chain/input-and-output-kinds.ts';
import { type Network, ordersVersionAt } from '../../src/chain/networks/network.ts';
import type { Atoms } from '../../src/chain/types.ts';
import { firstUtxoInput } from './recomputed-chain.ts';
import { countedValue } from './recomputed-past.ts';
import type { StoredTransactionJson } from './stored-transaction-json.ts';

interface ReplayedSide {
  readonly currency: string;
  readonly initially: Atoms;
  left: Atoms;
}

interface ReplayedOrder {
  readonly concludeKey: string;
  readonly ask: ReplayedSide;
  readonly give: ReplayedSide;
}

/** A fill as a line of text: index of the command, order, currency and amount that the order got, and gave, the taker. */
type FillLine = string;

export class RecomputedFills {
  readonly #network: Network;
  readonly #orders = new Map<string, ReplayedOrder>();

  constructor(network: Network) {
    this.#network = network;
  }

  /** Returns the fills of the next transaction. `taker`: the owner of its first input that has one. */
  transaction({ inputs, outputs }: StoredTransactionJson, height: number, taker: string | null): FillLine[] {
    const lines: FillLine[] = [];
    for (const [index, { input }] of inputs.entries()) {
      if (input.command !== 'FillOrder') continue;
      const { ask, give } = this.#orders.get(input.order_id!)!;
      const paid = BigInt(input.fill_atoms!.atoms);
      const [whole, wholePrice] =
        ordersVersionAt(this.#network, height) === 0 ? [give.left, ask.left] : [give.initially, ask.initially];
      const given = wholePrice === 0n ? 0n : (whole * paid) / wholePrice;
      ask.left -= paid;
      give.left -= given;
      lines.push([index, input.order_id, ask.currency, paid, give.currency, given, taker ?? ''].join(' '));
    }
    for (const output of outputs) {
      if (!createsOrder(output)) continue;
      const [asked, given] = [countedValue(output.ask_value), countedValue(output.give_value)];
      const id = deriveOrderId(firstUtxoInput(inputs));
      if (asked === null || given === null || id === null) continue;
      this.#orders.set(orderAddress(this.#network, id), {
        concludeKey: output.conclude_key!,
        ask: { currency: asked.currency, initially: asked.amount, left: asked.amount },
        give: { currency: given.currency, initially: given.amount, left: given.amount },
      });
    }
    return lines;
  }

  concludeKeyOf(order: string): string | undefined {
    return this.#orders.get(order)?.concludeKey;
  }
}
