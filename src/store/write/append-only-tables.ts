/** The append-only tables, and the rows of new blocks on their way into them by COPY. */
import type pg from 'pg';
import { isContractOutput, isDelegatingOutput } from '../../chain/input-and-output-kinds.ts';
import type { Atoms, Destination, Id, Transaction } from '../../chain/types.ts';
import type { AppliedBlock, AppliedGenesis, AppliedTransaction } from '../../ledger/applied-block.ts';
import type { Utxo } from '../../ledger/state-rows.ts';
import { KIND_NUMBERS, TRANSACTION_KINDS, type TransactionKind } from '../../ledger/transaction-kind.ts';
import type { BlockTexts } from '../../render/stored-block.ts';
import type { TableColumns } from '../postgres/column-values.ts';
import { CopyRows } from '../postgres/copy.ts';
import { deleteDayCountsAbove } from './day-counts.ts';
import { copyStatements, type WriteStatement } from './transferable-statements.ts';

/** The columns in the order of COPY, and the one by which a reorganisation finds the rows above a height: a height, or `tx_index`. */
function table<const C extends TableColumns>(removedBy: keyof C, columns: C) {
  return { removedBy, columns };
}

/** The append-only tables. */
export const APPEND_ONLY_TABLES = {
  blocks: table('height', {
    height: 'integer',
    block_id: 'bytea',
    timestamp: 'bigint',
    first_tx_index: 'bigint',
    tx_count: 'integer',
    pool_id: 'bytea | null',
    reward_hash: 'bytea',
    header: 'text',
    reward: 'text',
    place: 'text',
    median_time: 'bigint',
    size: 'integer',
    kinds: 'text',
    fees: 'numeric',
    staker_reward: 'numeric',
    delegations_reward: 'numeric',
    reward_rate: 'numeric',
  }),
  transactions: table('tx_index', {
    tx_index: 'bigint',
    tx_id: 'bytea',
    height: 'integer',
    size: 'integer',
    output_count: 'integer',
    kind: 'smallint',
    actors: 'text | null',
    body: 'text',
  }),
  outputs: table('height', {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    owner: 'bytea',
    refund_owner: 'bytea | null',
    secret_hash: 'bytea | null',
    entry: 'text',
  }),
  spends: table('spent_height', {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    spent_height: 'integer',
    spent_position: 'integer | null',
    input_index: 'integer',
    secret: 'bytea | null',
    unlisted_owner: 'bytea | null',
  }),
  address_transactions: table('tx_index', { tx_index: 'bigint', owner: 'bytea', tx_id: 'bytea' }),
  token_transactions: table('tx_index', { tx_index: 'bigint', token_id: 'bytea', tx_id: 'bytea' }),
  delegation_transactions: table('tx_index', {
    tx_index: 'bigint',
    delegation_id: 'bytea',
    deposited: 'numeric',
    withdrawn: 'numeric',
  }),
  nft_owners: table('tx_index', { token_id: 'bytea', tx_index: 'bigint', owner: 'bytea | null' }),
  balance_changes: table('height', {
    height: 'integer',
    position: 'integer',
    kinds: 'integer',
    owner: 'bytea',
    currency: 'bytea',
    change: 'numeric',
    balance: 'numeric',
    locked: 'numeric',
    fee: 'numeric',
  }),
  supplies: table('height', {
    height: 'integer',
    currency: 'bytea',
    circulating_supply: 'numeric',
    preminted: 'numeric',
    burned: 'numeric',
    staked: 'numeric',
  }),
  token_events: table('height', {
    height: 'integer',
    position: 'integer',
    event_index: 'integer',
    token_id: 'bytea',
    kind: 'text',
    amount: 'numeric | null',
    supply: 'numeric',
    actor: 'bytea | null',
    authority: 'bytea | null',
    metadata_uri: 'bytea | null',
    is_unfreezable: 'boolean | null',
  }),
  days: table('height', { height: 'integer', day: 'integer' }),
  delegation_days: table('height', {
    height: 'integer',
    day: 'integer',
    delegation_id: 'bytea',
    balance: 'numeric',
    deposited: 'numeric',
    withdrawn: 'numeric',
  }),
  pool_days: table('height', {
    height: 'integer',
    day: 'integer',
    blocks_total: 'integer',
    delegation_count: 'integer',
    pool_id: 'bytea',
    staker_balance: 'numeric',
    delegations_balance: 'numeric',
    staker_rewards: 'numeric',
    delegation_rewards: 'numeric',
    effective_stake: 'numeric',
    expected_base: 'numeric',
  }),
  fills: table('height', {
    height: 'integer',
    position: 'integer',
    input_index: 'integer',
    is_buy: 'boolean',
    timestamp: 'bigint',
    order_id: 'bytea',
    base: 'bytea',
    quote: 'bytea',
    base_amount: 'numeric',
    quote_amount: 'numeric',
    price_base: 'numeric | null',
    price_quote: 'numeric | null',
    taker: 'bytea | null',
  }),
};

type Tables = typeof APPEND_ONLY_TABLES;
type TableName = keyof Tables;
const TABLE_NAMES = Object.keys(APPEND_ONLY_TABLES) as TableName[];

/** The rows of blocks, gathered block by block until they are taken. */
export class AppendOnlyRows {
  readonly #rows = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, new CopyRows(APPEND_ONLY_TABLES[name].columns)]),
  ) as unknown as { readonly [Name in TableName]: CopyRows<Tables[Name]['columns']> };

  addBlock(applied: AppliedBlock, texts: BlockTexts): void {
    const { identified, height, firstTransactionIndex, transactions } = applied;
    const { header } = identified.block;
    const rows = this.#rows;
    rows.blocks.addRow({
      height,
      block_id: identified.id,
      timestamp: header.timestamp,
      first_tx_index: firstTransactionIndex,
      tx_count: transactions.length,
      pool_id: header.consensus.type === 'PoS' ? header.consensus.data.stakePoolId : null,
      reward_hash: identified.rewardHash,
      header: texts.header,
      reward: texts.reward,
      place: texts.blockReference,
      median_time: applied.medianTime,
      size: identified.size,
      kinds: kindsText(transactions),
      fees: applied.fees,
      staker_reward: applied.reward.staker,
      delegations_reward: applied.reward.delegations,
      reward_rate: applied.reward.rate,
    });
    for (let position = 0; position < transactions.length; position++) {
      const { id: tx_id, addresses, tokens, size, transaction, kind } = transactions[position]!;
      const tx_index = firstTransactionIndex + position;
      const output_count = transaction.outputs.length;
      const body = texts.transactions[position] ?? '';
      const actors = texts.actors[position] ?? null;
      rows.transactions.addRow({
        tx_index,
        tx_id,
        height,
        size,
        output_count,
        kind: KIND_NUMBERS[kind],
        actors,
        body,
      });
      for (const owner of addresses) rows.address_transactions.addRow({ tx_index, owner, tx_id });
      for (const token_id of tokens) rows.token_transactions.addRow({ tx_index, token_id, tx_id });
      for (const [delegation_id, { deposited, withdrawn }] of delegationMoves(transaction)) {
        rows.delegation_transactions.addRow({ tx_index, delegation_id, deposited, withdrawn });
      }
    }
    this.#addOutputs(applied.outputs, texts.entries);
    for (const { tokenId, position, owner } of applied.nftOwners) {
      rows.nft_owners.addRow({ token_id: tokenId, tx_index: firstTransactionIndex + position, owner });
    }
    for (const { utxo, position, inputIndex, secret } of applied.spends) {
      rows.spends.addRow({
        height: utxo.height,
        position: utxo.position,
        output_index: utxo.outputIndex,
        spent_height: height,
        spent_position: position,
        input_index: inputIndex,
        secret,
        unlisted_owner: unlistedOwner(utxo, position === null ? null : transactions[position]!),
      });
    }
    this.#addPast(height, applied);
    for (const { position, index, isBuy, orderId, base, quote, moved, price, taker } of applied.fills) {
      rows.fills.addRow({
        height,
        position,
        input_index: index,
        is_buy: isBuy,
        timestamp: header.timestamp,
        order_id: orderId,
        base,
        quote,
        base_amount: moved.base,
        quote_amount: moved.quote,
        price_base: price?.base ?? null,
        price_quote: price?.quote ?? null,
        taker,
      });
    }
  }

  /** The genesis: a block without header, reward or transactions to show, and its outputs. */
  addGenesis(
    { id, timestamp, size }: { readonly id: string; readonly timestamp: number; readonly size: number },
    applied: AppliedGenesis,
    texts: Pick<BlockTexts, 'blockReference' | 'entries'>,
  ): void {
    this.#rows.blocks.addRow({
      height: 0,
      block_id: id,
      timestamp,
      first_tx_index: 0,
      tx_count: 0,
      pool_id: null,
      reward_hash: '',
      header: '{}',
      reward: '[]',
      place: texts.blockReference,
      median_time: timestamp,
      size,
      kinds: '{}',
      fees: 0n,
      staker_reward: 0n,
      delegations_reward: 0n,
      reward_rate: 0n,
    });
    this.#addOutputs(applied.outputs, texts.entries);
    this.#addPast(0, { ...applied, tokenEvents: [], delegationDays: [], poolDays: [] });
  }

  /** What balances, supplies, tokens and stakes were. */
  #addPast(
    height: number,
    applied: Pick<
      AppliedBlock,
      'balanceChanges' | 'supplies' | 'tokenEvents' | 'startedDay' | 'delegationDays' | 'poolDays'
    >,
  ): void {
    const rows = this.#rows;
    for (const { position, kinds, owner, currency, change, balance, locked, fee } of applied.balanceChanges) {
      rows.balance_changes.add([height, position, kinds, owner, currency, change, balance, locked, fee]);
    }
    for (const { currency, circulatingSupply, preminted, burned, staked } of applied.supplies) {
      rows.supplies.add([height, currency, circulatingSupply, preminted, burned, staked]);
    }
    for (const { tokenId, position, index, kind, amount, supply, ...changed } of applied.tokenEvents) {
      rows.token_events.addRow({
        height,
        position,
        event_index: index,
        token_id: tokenId,
        kind,
        amount,
        supply,
        actor: changed.actor,
        authority: changed.authority,
        metadata_uri: changed.metadataUri,
        is_unfreezable: changed.isUnfreezable,
      });
    }
    if (applied.startedDay !== null) rows.days.addRow({ height, day: applied.startedDay });
    for (const { changedDay, delegationId, balance, deposited, withdrawn } of applied.delegationDays) {
      rows.delegation_days.add([height, changedDay, delegationId, balance, deposited, withdrawn]);
    }
    for (const pool of applied.poolDays) {
      rows.pool_days.addRow({
        height,
        day: pool.changedDay,
        blocks_total: pool.blocksTotal,
        delegation_count: pool.delegationCount,
        pool_id: pool.poolId,
        staker_balance: pool.pledge + pool.rewards,
        delegations_balance: pool.delegationsBalance,
        staker_rewards: pool.stakerRewards,
        delegation_rewards: pool.delegationRewards,
        effective_stake: pool.effectiveStake,
        expected_base: pool.expectedBase,
      });
    }
  }

  #addOutputs(outputs: readonly Utxo[], entries: readonly string[]): void {
    for (let i = 0; i < outputs.length; i++) {
      const { height, position, outputIndex, owner, refundOwner, output } = outputs[i]!;
      this.#rows.outputs.addRow({
        height,
        position,
        output_index: outputIndex,
        owner,
        refund_owner: refundOwner,
        secret_hash: isContractOutput(output) ? output.contract.secretHash : null,
        entry: entries[i] ?? '',
      });
    }
  }

  /** Takes the rows of those tables that have at least so many bytes. */
  takeStatements(atLeastBytes = 0): WriteStatement[] {
    return TABLE_NAMES.filter((name) => this.#rows[name].byteLength >= atLeastBytes).flatMap((name) =>
      copyStatements(name, this.#rows[name]),
    );
  }
}

/** Returns the owner of a spent output whose history does not have the spend; null if there is none. */
function unlistedOwner({ owner, refundOwner }: Utxo, spender: AppliedTransaction | null): Destination | null {
  if (spender === null || !spender.addresses.has(owner)) return owner;
  return refundOwner === null || spender.addresses.has(refundOwner) ? null : refundOwner;
}

/** Returns the number of transactions of each kind, as a rendered JSON object. */
function kindsText(transactions: readonly AppliedTransaction[]): string {
  const counts = new Map<TransactionKind, number>();
  for (const { kind } of transactions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const inOrder = TRANSACTION_KINDS.filter((kind) => counts.has(kind));
  return `{${inOrder.map((kind) => `"${kind}":${counts.get(kind)}`).join(',')}}`;
}

/** Removes the rows above a height within the client's transaction; `transactionCount` is the chain's at that height. */
export async function deleteRowsAbove(client: pg.Client, height: number, transactionCount: number): Promise<void> {
  for (const [name, { removedBy }] of Object.entries(APPEND_ONLY_TABLES)) {
    const [condition, bound] = removedBy === 'tx_index' ? ['>=', transactionCount] : ['>', height];
    await client.query(`delete from ${name} where ${removedBy} ${condition} $1`, [bound]);
  }
  await deleteDayCountsAbove(client, height);
}

const NOT_MOVED = { deposited: 0n, withdrawn: 0n };

/** Returns what a transaction puts into delegations and takes out of them. */
function delegationMoves({ inputs, outputs }: Pick<Transaction, 'inputs' | 'outputs'>) {
  const moves = new Map<Id, { readonly deposited: Atoms; readonly withdrawn: Atoms }>();
  for (const input of inputs) {
    if (input.type !== 'Account') continue;
    const { deposited, withdrawn } = moves.get(input.delegationId) ?? NOT_MOVED;
    moves.set(input.delegationId, { deposited, withdrawn: withdrawn + input.amount });
  }
  for (const output of outputs) {
    if (!isDelegatingOutput(output)) continue;
    const { deposited, withdrawn } = moves.get(output.delegationId) ?? NOT_MOVED;
    moves.set(output.delegationId, { deposited: deposited + output.amount, withdrawn });
  }
  return moves;
}
