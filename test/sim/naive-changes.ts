/** What changed the balances of a simulated chain, worked out in the plainest way: from what its blocks pay and spend. */
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { COIN, type Currency } from '../../src/chain/currency.ts';
import { isUtxoInput } from '../../src/chain/input-and-output-kinds.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Atoms, Destination, Id, IdentifiedBlock, TxInput, TxOutput } from '../../src/chain/types.ts';
import { keyOf, type TakingPart } from './naive-lists.ts';

export interface NaiveChange {
  readonly height: number;
  /** Null for a reward and for the genesis. */
  readonly transactionId: Id | null;
  readonly owner: Destination;
  readonly currency: Currency;
  /** Not zero. */
  readonly change: Atoms;
  /** All that the owner has after it. */
  readonly balance: Atoms;
}

/** What an output adds to a balance; null if it adds nothing. */
function worthOf(output: TxOutput): { owner: Destination; currency: Currency; atoms: Atoms } | null {
  if (output.type === 'IssueNft') return { owner: output.destination, currency: output.tokenId, atoms: 1n };
  if (output.type !== 'Transfer' && output.type !== 'LockThenTransfer') return null;
  const { destination: owner, value } = output;
  if (value.type === 'TokenV0') return null;
  return { owner, currency: value.type === 'Coin' ? COIN : value.tokenId, atoms: value.amount };
}

/** All changes of a main chain, oldest first. */
export class NaiveChanges {
  readonly changes: NaiveChange[] = [];
  readonly #balances = new Map<string, Atoms>();
  readonly #taking: TakingPart;

  constructor(network: Network, mainChain: readonly IdentifiedBlock[], taking: TakingPart) {
    this.#taking = taking;
    this.#change(0, null, [], decodeGenesis(network.genesis).outputs);
    for (const [index, { block, transactionIds }] of mainChain.entries()) {
      for (const [position, { transaction }] of block.transactions.entries()) {
        this.#change(index + 1, transactionIds[position]!, transaction.inputs, transaction.outputs);
      }
      this.#change(index + 1, null, [], block.reward);
    }
  }

  #change(height: number, transactionId: Id | null, inputs: readonly TxInput[], outputs: readonly TxOutput[]): void {
    const changes = new Map<string, { owner: Destination; currency: Currency; change: Atoms }>();
    const add = (output: TxOutput, sign: 1n | -1n): void => {
      const worth = worthOf(output);
      if (worth === null) return;
      const { owner, currency, atoms } = worth;
      const key = `${owner} ${currency}`;
      const known = changes.get(key) ?? { owner, currency, change: 0n };
      changes.set(key, { ...known, change: known.change + sign * atoms });
    };
    for (const input of inputs) {
      if (isUtxoInput(input)) add(this.#taking.created.get(keyOf(input.outpoint))!.output, -1n);
    }
    for (const output of outputs) add(output, 1n);
    for (const [key, { owner, currency, change }] of changes) {
      if (change === 0n) continue;
      const balance = (this.#balances.get(key) ?? 0n) + change;
      this.#balances.set(key, balance);
      this.changes.push({ height, transactionId, owner, currency, change, balance });
    }
  }

  /** What an owner had of each currency after a block; 0 for one that it had before. */
  balancesAt(owner: Destination, height: number): Map<Currency, Atoms> {
    const balances = new Map<Currency, Atoms>();
    for (const change of this.changes) {
      if (change.owner === owner && change.height <= height) balances.set(change.currency, change.balance);
    }
    return balances;
  }

  /** Who had some of a currency after a block, the largest first, ties by owner. */
  holdersAt(currency: Currency, height: number): (readonly [owner: Destination, balance: Atoms])[] {
    const balances = new Map<Destination, Atoms>();
    for (const change of this.changes) {
      if (change.currency === currency && change.height <= height) balances.set(change.owner, change.balance);
    }
    return [...balances]
      .filter(([, balance]) => balance > 0n)
      .sort(([a, x], [b, y]) => (x > y ? -1 : x < y ? 1 : a < b ? -1 : 1));
  }
}
