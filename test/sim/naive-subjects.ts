/** What transactions and blocks touch, from the blocks themselves: addresses, tokens, pools, delegations, orders and pairs. */
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { COIN, type Currency } from '../../src/chain/currency.ts';
import { deriveDelegationId, deriveOrderId } from '../../src/chain/derive-ids.ts';
import { isDelegatingOutput, isStakeOutput, isUtxoInput } from '../../src/chain/input-and-output-kinds.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Id, IdentifiedBlock, OutputValue, TxOutput } from '../../src/chain/types.ts';
import { TakingPart } from './naive-lists.ts';

const currencyOf = (value: OutputValue): Currency => (value.type === 'TokenV1' ? value.tokenId : COIN);
const sideOf = (network: Network, currency: Currency) =>
  currency === COIN ? network.coinTicker : tokenAddress(network, currency);

/** The texts of subjects, each with the `transaction block` pairs that touch it; "null" for the block itself. */
export class NaiveSubjects {
  readonly touches = new Map<string, Set<string>>();
  readonly pairs = new Set<string>();
  readonly #outputs = new Map<string, TxOutput>();
  readonly #orders = new Map<Id, { readonly pair: string; readonly owner: string }>();
  readonly #delegations = new Map<Id, { readonly poolId: Id; readonly owner: string }>();

  readonly #network: Network;

  constructor(network: Network, chain: readonly IdentifiedBlock[]) {
    this.#network = network;
    const part = new TakingPart(network, chain);
    const blockOf = new Map(chain.flatMap(({ id, transactionIds }) => transactionIds.map((tx) => [tx, id] as const)));
    const addAll = (text: string, ids: readonly Id[]) => {
      for (const id of ids) this.#add(text, id, blockOf.get(id)!);
    };
    for (const [owner, ids] of part.ofAddress) addAll(destinationAddress(network, owner), ids);
    for (const [token, ids] of part.ofToken) addAll(tokenAddress(network, token), ids);
    for (const block of chain) this.#block(block);
  }

  /** The transactions that touch a subject, sorted. */
  transactionsOf(text: string): Id[] {
    const touches = Array.from(this.touches.get(text) ?? [], (touch) => touch.split(' ')[0]!);
    return touches.filter((txId) => txId !== 'null').sort();
  }

  #add(text: string, txId: Id | null, blockId: Id): void {
    this.touches.set(text, (this.touches.get(text) ?? new Set()).add(`${txId} ${blockId}`));
  }

  #block({ id, block, transactionIds }: IdentifiedBlock): void {
    const network = this.#network;
    for (const [position, { transaction }] of block.transactions.entries()) {
      const txId = transactionIds[position]!;
      const pool = (poolId: Id) => this.#add(poolAddress(network, poolId), txId, id);
      const delegation = (delegationId: Id) => {
        this.#add(delegationAddress(network, delegationId), txId, id);
        const { poolId, owner } = this.#delegations.get(delegationId)!;
        pool(poolId);
        this.#add(owner, txId, id);
      };
      const order = (orderId: Id) => {
        this.#add(orderAddress(network, orderId), txId, id);
        const { pair, owner } = this.#orders.get(orderId)!;
        this.#add(pair, txId, id);
        this.#add(owner, txId, id);
      };
      for (const input of transaction.inputs) {
        if (isUtxoInput(input)) {
          const spent = this.#outputs.get(`${input.outpoint.sourceId} ${input.outpoint.index}`);
          if (spent && isStakeOutput(spent)) pool(spent.poolId);
        } else if (input.type === 'Account') delegation(input.delegationId);
        else if ('orderId' in input.command) order(input.command.orderId);
      }
      for (const [index, output] of transaction.outputs.entries()) {
        this.#outputs.set(`${txId} ${index}`, output);
        if (output.type === 'CreateStakePool') pool(output.poolId);
        if (output.type === 'CreateDelegationId') {
          const created = deriveDelegationId(transaction.inputs)!;
          const owner = destinationAddress(network, output.destination);
          this.#delegations.set(created, { poolId: output.poolId, owner });
          delegation(created);
        }
        if (isDelegatingOutput(output)) delegation(output.delegationId);
        if (output.type === 'CreateOrder') {
          const pair = [output.order.ask, output.order.give]
            .map(currencyOf)
            .sort()
            .map((each) => sideOf(network, each))
            .join('_');
          this.pairs.add(pair);
          const owner = destinationAddress(network, output.order.concludeKey);
          this.#orders.set(deriveOrderId(transaction.inputs)!, { pair, owner });
          order(deriveOrderId(transaction.inputs)!);
        }
      }
    }
    block.reward.forEach((output, index) => void this.#outputs.set(`${id} ${index}`, output));
    const { consensus } = block.header;
    if (consensus.type === 'PoS') this.#add(poolAddress(network, consensus.data.stakePoolId), null, id);
  }
}
