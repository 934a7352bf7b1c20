/**
 * Collects the keys of the rows that a batch of blocks will touch, so that all are read before it is applied: first those
 * that the blocks name, then those that follow from the rows that were read.
 */

import { COIN, type Currency } from '../chain/currency.ts';
import { assertNever, isStakeOutput } from '../chain/input-and-output-kinds.ts';
import { forEachReference, type ReferenceCallbacks } from '../chain/transaction-references.ts';
import type { Destination, Id, IdentifiedBlock, OutputValue, TxOutput } from '../chain/types.ts';
import type { LedgerState } from './state.ts';
import { balanceKey, hourKey, keyOfOutpoint, type OutpointKey, type Utxo } from './state-rows.ts';
import type { UnreadRowError } from './state-table.ts';

/** The keys of rows that are not in memory yet, by table. */
export interface MissingStateKeys {
  readonly utxos: Set<OutpointKey>;
  readonly balances: Set<string>;
  readonly pools: Set<Id>;
  readonly delegations: Set<Id>;
  /** Pools of which every delegation is needed. */
  readonly delegationsOfPools: Set<Id>;
  /** Fungible tokens and NFTs: an id may be either. */
  readonly tokens: Set<Id>;
  readonly orders: Set<Id>;
  readonly statistics: Set<string>;
  readonly hours: Set<string>;
}

export function noMissingKeys(): MissingStateKeys {
  return {
    utxos: new Set(),
    balances: new Set(),
    pools: new Set(),
    delegations: new Set(),
    delegationsOfPools: new Set(),
    tokens: new Set(),
    orders: new Set(),
    statistics: new Set(),
    hours: new Set(),
  };
}

/** Adds the row that was not collected to those that are missing. */
export function addUnreadRow(missing: MissingStateKeys, { table, key }: UnreadRowError): void {
  missing[(table === 'nfts' ? 'tokens' : table) as keyof MissingStateKeys]?.add(key);
}

class Collector {
  readonly missing = noMissingKeys();
  readonly #state: LedgerState;

  constructor(state: LedgerState) {
    this.#state = state;
  }

  /** Collects the key of a row. */
  row(table: keyof LedgerState['tables'] & keyof MissingStateKeys, key: string): void {
    if (!this.#state[table].isKnown(key)) this.missing[table].add(key);
  }

  balance(owner: Destination, currency: Currency): void {
    this.row('balances', balanceKey(owner, currency));
  }

  delegationsOfPool(id: Id): void {
    this.row('pools', id);
    if (!this.#state.delegationsOfPool.has(id)) this.missing.delegationsOfPools.add(id);
  }

  token(id: Id): void {
    this.row('tokens', id);
    if (!this.#state.nfts.isKnown(id)) this.missing.tokens.add(id);
    this.row('statistics', id);
  }

  /** Collects the keys that change with a value: its token and, unless `owner` is null, the owner's balance. */
  value(value: OutputValue, owner: string | null): void {
    if (value.type === 'TokenV0') return;
    const currency = value.type === 'Coin' ? COIN : value.tokenId;
    if (currency !== COIN) this.token(currency);
    if (owner !== null) this.balance(owner, currency);
  }

  /** The coins of whoever may decommission a pool; nothing for a pool that is not in memory yet. */
  decommissioner(poolId: Id): void {
    const pool = this.#state.pools.peek(poolId);
    if (pool) this.balance(pool.decommissionDestination, COIN);
  }

  /** Collects the keys that change when the output is created, and again when it is spent or unlocked. */
  output(output: TxOutput): void {
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
        return this.value(output.value, output.destination);
      case 'Burn':
        return this.value(output.value, null);
      // Whoever may pay the fee of a later transaction with its coins.
      case 'Htlc':
        this.value(output.value, null);
        if (output.value.type !== 'Coin') return;
        this.balance(output.contract.spendKey, COIN);
        return this.balance(output.contract.refundKey, COIN);
      case 'CreateStakePool':
        this.balance(output.data.decommissionKey, COIN);
        return this.row('pools', output.poolId);
      case 'ProduceBlockFromStake':
        return this.row('pools', output.poolId);
      case 'CreateDelegationId':
        this.balance(output.destination, COIN);
        return this.delegationsOfPool(output.poolId);
      case 'IssueNft':
        this.token(output.tokenId);
        return this.balance(output.destination, output.tokenId);
      case 'CreateOrder':
        this.value(output.order.ask, null);
        this.value(output.order.give, null);
        return this.balance(output.order.concludeKey, COIN);
      // `forEachReference` reports the delegation. The other two change no stored row but the coin's statistics.
      case 'DelegateStaking':
      case 'IssueFungibleToken':
      case 'DataDeposit':
        return;
      default:
        return assertNever(output);
    }
  }
}

/** Collects the keys that the blocks name, without the outputs that these blocks or those `ahead` of them create. */
export function collectDirectKeys(
  state: LedgerState,
  blocks: readonly IdentifiedBlock[],
  ahead: readonly IdentifiedBlock[] = [],
): MissingStateKeys {
  const collector = new Collector(state);
  const own = new Set<Id>();
  for (const { id, transactionIds } of ahead) {
    own.add(id);
    for (const transactionId of transactionIds) own.add(transactionId);
  }
  const uses: ReferenceCallbacks = {
    output(outpoint) {
      if (!own.has(outpoint.sourceId)) collector.row('utxos', keyOfOutpoint(outpoint));
    },
    delegation: (id) => collector.row('delegations', id),
    order: (id) => collector.row('orders', id),
    token: (id) => collector.token(id),
  };
  collector.row('statistics', COIN);
  // The hour of the newest block. The next block belongs to this hour or begins another one.
  collector.row('hours', hourKey(state.chain.hour));
  for (const { block, transactionIds, id } of blocks) {
    own.add(id);
    const { consensus } = block.header;
    if (consensus.type === 'PoS') {
      collector.delegationsOfPool(consensus.data.stakePoolId);
      forEachReference({ inputs: consensus.data.kernelInputs, outputs: [] }, uses);
    }
    for (const [position, { transaction }] of block.transactions.entries()) {
      forEachReference(transaction, uses);
      for (const output of transaction.outputs) collector.output(output);
      own.add(transactionIds[position]!);
    }
    for (const output of block.reward) collector.output(output);
  }
  return collector.missing;
}

/**
 * Collects the keys that follow from the rows of the first read: balances and tokens of the outputs that are spent or
 * unlocked, pools of delegations, tokens of orders, coins of whoever may pay a fee. `poolsOfWindows`: the pools with blocks
 * that enter or leave a window. Pools that were not in memory lead to more keys, which another call collects.
 */
export function collectIndirectKeys(
  state: LedgerState,
  blocks: readonly IdentifiedBlock[],
  unlocking: Iterable<Utxo>,
  poolsOfWindows: Iterable<Id> = [],
): MissingStateKeys {
  const collector = new Collector(state);
  const uses: ReferenceCallbacks = {
    output(outpoint) {
      const utxo = state.utxos.peek(keyOfOutpoint(outpoint));
      if (!utxo) return;
      collector.output(utxo.output);
      if (isStakeOutput(utxo.output)) collector.decommissioner(utxo.output.poolId);
    },
    delegation(id) {
      const row = state.delegations.peek(id);
      if (!row) return;
      collector.row('pools', row.poolId);
      collector.balance(row.spendDestination, COIN);
    },
    order(id) {
      const row = state.orders.peek(id);
      if (!row) return;
      collector.balance(row.concludeDestination, COIN);
      for (const currency of [row.askCurrency, row.giveCurrency]) if (currency !== COIN) collector.token(currency);
    },
    token() {},
  };
  for (const { block } of blocks) {
    // A later block may spend the stake that this one moves; its kernel may be of another pool than its maker.
    for (const output of block.reward) if (isStakeOutput(output)) collector.decommissioner(output.poolId);
    for (const { transaction } of block.transactions) forEachReference(transaction, uses);
  }
  for (const utxo of unlocking) collector.output(utxo.output);
  for (const poolId of poolsOfWindows) collector.row('pools', poolId);
  return collector.missing;
}
