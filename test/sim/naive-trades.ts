/**
 * The trades of a chain, and its candles and markets, worked out in the plainest way: from the blocks, one trade after the other.
 * It knows nothing of the tables. A price is a text, quote/base, in lowest terms.
 */
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { decodeHtlcSpend } from '../../src/chain/codec/witness.ts';
import { deriveDelegationId, deriveOrderId } from '../../src/chain/derive-ids.ts';
import { type Network, ordersVersionAt } from '../../src/chain/networks/network.ts';
import type {
  Atoms,
  Destination,
  Id,
  IdentifiedBlock,
  InputWitness,
  OutputValue,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { keyOf } from './naive-lists.ts';

interface Side {
  readonly currency: string;
  readonly whole: Atoms;
  left: Atoms;
}

interface NaiveOrder {
  readonly ask: Side;
  readonly give: Side;
  isFrozen: boolean;
  isConcluded: boolean;
}

/** A fill: what the order got for what. Currencies are `TICKER` of the coin or addresses of tokens. */
export interface NaiveTrade {
  readonly height: number;
  readonly time: number;
  readonly txId: Id;
  readonly order: string;
  readonly paid: { readonly currency: string; readonly amount: Atoms };
  readonly given: { readonly currency: string; readonly amount: Atoms };
  readonly taker: string | null;
}

/** A trade as a pair shows it. */
export interface SeenTrade {
  readonly trade: NaiveTrade;
  readonly side: 'buy' | 'sell';
  readonly base: Atoms;
  readonly quote: Atoms;
  readonly price: string | null;
}

export interface NaiveCandle {
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly base: Atoms;
  readonly quote: Atoms;
  readonly trades: number;
}

const common = (a: bigint, b: bigint): bigint => (b === 0n ? a : common(b, a % b));

export function priceText(base: Atoms, quote: Atoms): string | null {
  if (base === 0n || quote === 0n) return null;
  const divisor = common(base, quote);
  return `${quote / divisor}/${base / divisor}`;
}

/** Is the first price lower? */
export function isLower(one: string, other: string): boolean {
  const [[a, b], [c, d]] = [one.split('/').map(BigInt), other.split('/').map(BigInt)] as [
    [bigint, bigint],
    [bigint, bigint],
  ];
  return a * d < c * b;
}

/** The beginning of the UTC hour, the UTC day, or the Monday of a time. */
export function beginning(interval: string, time: number): number {
  const date = new Date(time * 1_000);
  const hour = interval === 'hour' ? date.getUTCHours() : 0;
  const back = interval === 'week' ? (date.getUTCDay() + 6) % 7 : 0;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() - back, hour) / 1_000;
}

export class NaiveTrades {
  readonly network: Network;
  readonly trades: NaiveTrade[] = [];
  readonly orders = new Map<string, NaiveOrder>();
  readonly #outputs = new Map<string, TxOutput>();
  readonly #poolKeys = new Map<Id, Destination>();
  readonly #delegators = new Map<Id, Destination>();

  constructor(network: Network, mainChain: readonly IdentifiedBlock[]) {
    this.network = network;
    const genesis = decodeGenesis(network.genesis);
    for (const [index, output] of genesis.outputs.entries()) this.#create(output, [], `${network.genesisId}:${index}`);
    for (const [i, block] of mainChain.entries()) this.#block(i + 1, block);
  }

  #block(height: number, { block, id, transactionIds }: IdentifiedBlock): void {
    for (const [position, { transaction, signatures }] of block.transactions.entries()) {
      const txId = transactionIds[position]!;
      const { inputs, outputs } = transaction;
      const owners = inputs.map((input, i) => this.#owner(input, signatures[i]!)).filter((owner) => owner !== null);
      const taker = owners.length > 0 ? destinationAddress(this.network, owners[0]!) : null;
      for (const input of inputs) {
        if (input.type !== 'AccountCommand' && input.type !== 'OrderAccountCommand') continue;
        const { command } = input;
        if (!('orderId' in command)) continue;
        const name = orderAddress(this.network, command.orderId);
        const order = this.orders.get(name)!;
        if (command.type === 'FreezeOrder') order.isFrozen = true;
        if (command.type === 'ConcludeOrder') order.isConcluded = true;
        if (command.type !== 'FillOrder') continue;
        const { ask, give } = order;
        const amount =
          ordersVersionAt(this.network, height) === 1
            ? (command.fillAmount * give.whole) / ask.whole
            : (command.fillAmount * give.left) / ask.left;
        ask.left -= command.fillAmount;
        give.left -= amount;
        const { timestamp: time } = block.header;
        const paid = { currency: ask.currency, amount: command.fillAmount };
        this.trades.push({ height, time, txId, order: name, paid, given: { currency: give.currency, amount }, taker });
      }
      for (const [index, output] of outputs.entries()) this.#create(output, inputs, `${txId}:${index}`);
    }
    for (const [index, output] of block.reward.entries()) this.#create(output, [], `${id}:${index}`);
  }

  #create(output: TxOutput, inputs: readonly TxInput[], key: string): void {
    this.#outputs.set(key, output);
    if (output.type === 'CreateStakePool') this.#poolKeys.set(output.poolId, output.data.decommissionKey);
    if (output.type === 'CreateDelegationId') this.#delegators.set(deriveDelegationId(inputs)!, output.destination);
    if (output.type !== 'CreateOrder') return;
    const [ask, give] = [this.#side(output.order.ask), this.#side(output.order.give)];
    this.orders.set(orderAddress(this.network, deriveOrderId(inputs)!), {
      ask,
      give,
      isFrozen: false,
      isConcluded: false,
    });
  }

  #side(value: OutputValue): Side {
    assertCounted(value);
    const currency = value.type === 'Coin' ? this.network.coinTicker : tokenAddress(this.network, value.tokenId);
    return { currency, whole: value.amount, left: value.amount };
  }

  #owner(input: TxInput, witness: InputWitness): Destination | null {
    if (input.type === 'Account') return this.#delegators.get(input.delegationId)!;
    if (input.type !== 'Utxo') return null;
    const output = this.#outputs.get(keyOf(input.outpoint))!;
    switch (output.type) {
      case 'Htlc': {
        const isClaim = witness.type === 'Standard' && decodeHtlcSpend(witness.rawSignature)?.type === 'Spend';
        return isClaim ? output.contract.spendKey : output.contract.refundKey;
      }
      case 'CreateStakePool':
      case 'ProduceBlockFromStake':
        return this.#poolKeys.get(output.poolId)!;
      case 'Transfer':
      case 'LockThenTransfer':
      case 'IssueNft':
        return output.destination;
      default:
        throw new Error(`nobody spends ${output.type}`);
    }
  }

  /** The trades of a pair in this direction, in the order of the chain. */
  ofPair(base: string, quote: string): SeenTrade[] {
    return this.trades.flatMap((trade): SeenTrade[] => {
      const { paid, given } = trade;
      const { ask, give } = this.orders.get(trade.order)!;
      if (given.currency === base && paid.currency === quote) return [seen(trade, 'buy', [given, give], [paid, ask])];
      if (given.currency === quote && paid.currency === base) return [seen(trade, 'sell', [paid, ask], [given, give])];
      return [];
    });
  }

  /** The candles of a pair, oldest first. */
  candles(base: string, quote: string, interval: string): NaiveCandle[] {
    const byTime = new Map<number, SeenTrade[]>();
    for (const each of this.ofPair(base, quote)) {
      if (each.price === null) continue;
      const time = beginning(interval, each.trade.time);
      byTime.set(time, [...(byTime.get(time) ?? []), each]);
    }
    return [...byTime].sort(([a], [b]) => a - b).map(([time, trades]) => candle(time, trades));
  }

  /** The open orders that exchange two currencies. */
  openOrders(one: string, other: string): NaiveOrder[] {
    return [...this.orders.values()].filter(
      ({ ask, give, isFrozen, isConcluded }) =>
        [ask.currency, give.currency].sort().join() === [one, other].sort().join() &&
        !isFrozen &&
        !isConcluded &&
        ask.left > 0n,
    );
  }
}

type Moved = readonly [{ readonly amount: Atoms }, ofOrder: Side];

/** Amounts are what moved, the price is that of the order. */
function seen(trade: NaiveTrade, side: SeenTrade['side'], [base, of]: Moved, [quote, forWhat]: Moved): SeenTrade {
  const price = base.amount * quote.amount === 0n ? null : priceText(of.whole, forWhat.whole);
  return { trade, side, base: base.amount, quote: quote.amount, price };
}

function candle(time: number, trades: readonly SeenTrade[]): NaiveCandle {
  const prices = trades.map(({ price }) => price!);
  const sum = (of: 'base' | 'quote') => trades.reduce((all, each) => all + each[of], 0n);
  return {
    time,
    open: prices[0]!,
    high: prices.reduce((best, price) => (isLower(best, price) ? price : best)),
    low: prices.reduce((best, price) => (isLower(price, best) ? price : best)),
    close: prices.at(-1)!,
    base: sum('base'),
    quote: sum('quote'),
    trades: trades.length,
  };
}

function assertCounted(value: OutputValue): asserts value is Exclude<OutputValue, { type: 'TokenV0' }> {
  if (value.type === 'TokenV0') throw new Error('an order of legacy tokens');
}
