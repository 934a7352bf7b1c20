/** The index of a chain in memory, as the mirror of a mempool sees it: the ledger's own state, block by block. */
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Id, IdentifiedBlock, TxOutput } from '../../src/chain/types.ts';
import type { ServedNode } from '../../src/devnet/served-node-interface.ts';
import type { AppliedBlock } from '../../src/ledger/applied-block.ts';
import { applyBlock, applyGenesis } from '../../src/ledger/apply-block.ts';
import { LedgerState } from '../../src/ledger/state.ts';
import { keyOfOutpoint } from '../../src/ledger/state-rows.ts';
import type { PoolTerms } from '../../src/ledger/transaction-effects.ts';
import type {
  ConfirmedIndex,
  IndexBlock,
  IndexLookupKeys,
  IndexLookupResult,
  IndexMove,
} from '../../src/mempool/confirmed-index-interface.ts';

export class MemoryIndex implements ConfirmedIndex {
  readonly network: Network;
  readonly #blocks: IdentifiedBlock[] = [];
  /** The heights of the blocks, by transaction. */
  readonly heights = new Map<Id, number>();
  #state: LedgerState;
  /** Waited for before each answer. */
  beforeAnswer: () => Promise<void> | void = () => {};
  questions = 0;

  constructor(network: Network) {
    this.network = network;
    this.#state = this.#genesis();
  }

  get tip() {
    const { height, blockId } = this.#state.chain;
    return { id: blockId, height };
  }

  apply(block: IdentifiedBlock): AppliedBlock {
    const applied = applyBlock(this.#state, this.network, block);
    this.#blocks.push(block);
    for (const id of block.transactionIds) this.heights.set(id, applied.height);
    return applied;
  }

  /** Becomes equal to the main chain of a node, and says how it moved. */
  follow(node: ServedNode): IndexMove {
    let commonHeight = this.tip.height;
    while (commonHeight > 0 && node.mainChainId(commonHeight) !== this.#blocks[commonHeight - 1]!.id) commonHeight--;
    if (commonHeight < this.tip.height) {
      const kept = this.#blocks.splice(0).slice(0, commonHeight);
      this.heights.clear();
      this.#state = this.#genesis();
      for (const block of kept) this.apply(block);
    }
    const blocks: IndexBlock[] = [];
    for (let height = commonHeight + 1; height <= node.tip().height; height++) {
      const block = identifyBlock(node.blockBytes(node.mainChainId(height)!)!);
      this.apply(block);
      blocks.push({ height, id: block.id, transactionIds: block.transactionIds });
    }
    return { tip: this.tip, commonHeight, blocks };
  }

  async read(asked: IndexLookupKeys): Promise<IndexLookupResult> {
    this.questions++;
    const confirmed = this.now(asked);
    await this.beforeAnswer();
    return confirmed;
  }

  /** Returns the result of `read` synchronously. */
  now(asked: IndexLookupKeys): IndexLookupResult {
    const { utxos, pools, delegations, orders, tokens, chain } = this.#state;
    const outputs = new Map<string, TxOutput>();
    const usedPools = new Map<Id, PoolTerms>();
    for (const outpoint of asked.outpoints) {
      const key = keyOfOutpoint(outpoint);
      const output = utxos.find(key)?.output;
      if (output === undefined) continue;
      outputs.set(key, output);
      const pool = 'poolId' in output ? pools.get(output.poolId) : null;
      if (pool === null) continue;
      const { poolId, pledge, rewards, decommissionDestination } = pool;
      usedPools.set(poolId, { stakerBalance: pledge + rewards, decommissionDestination });
    }
    return {
      height: chain.height,
      transactions: found(asked.transactions, (id) => this.heights.get(id)),
      outputs,
      pools: usedPools,
      delegations: found(asked.delegations, (id) => delegations.get(id)?.spendDestination),
      orders: found(asked.orders, (id) => orders.get(id) ?? undefined),
      tokens: found(asked.tokens, (id) => tokens.get(id)?.authority),
    };
  }

  #genesis(): LedgerState {
    const state = new LedgerState({ isWhole: true });
    applyGenesis(state, this.network, decodeGenesis(this.network.genesis), this.network.genesisId);
    return state;
  }
}

function found<T>(ids: readonly Id[], find: (id: Id) => T | undefined): Map<Id, T> {
  const byId = new Map<Id, T>();
  for (const id of ids) {
    const value = find(id);
    if (value !== undefined) byId.set(id, value);
  }
  return byId;
}
