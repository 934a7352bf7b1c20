/** Every table of the ledger's state. */
import { nftMetadataFromHex, nftMetadataToHex } from '../../../chain/codec/nft.ts';
import { encodeOutput, outputFromHex } from '../../../chain/codec/output.ts';
import type { Currency } from '../../../chain/currency.ts';
import { isContractOutput } from '../../../chain/input-and-output-kinds.ts';
import { currencyAndAmount } from '../../../chain/output-owner-and-value.ts';
import type { Atoms, TotalSupply } from '../../../chain/types.ts';
import type { LedgerState } from '../../../ledger/state.ts';
import {
  type Balance,
  balanceKey,
  type CurrencyStatistics,
  type Delegation,
  type Hour,
  hourKey,
  type Nft,
  type NftNameFragment,
  nftNameFragmentKey,
  type Order,
  type Pool,
  type TickerFragment,
  type Token,
  tickerFragmentKey,
  type Utxo,
} from '../../../ledger/state-rows.ts';
import { defineStateTable } from './define-state-table.ts';

/** The definition of each table of the ledger's state, by its name there. */
export const STATE_TABLES = {
  utxos: defineStateTable<Utxo>()({
    table: 'utxos',
    key: { outpoint: 'bytea' },
    fixed: {
      height: 'integer',
      position: 'integer',
      output_index: 'integer',
      owner: 'bytea',
      refund_owner: 'bytea | null',
      refund_height: 'bigint | null',
      refund_time: 'bigint | null',
      is_reward: 'boolean',
      htlc_currency: 'bytea | null',
      htlc_amount: 'numeric | null',
      output: 'bytea',
    },
    changing: { unlock_height: 'bigint | null', unlock_time: 'bigint | null' },
    encoders: {
      htlc_currency: (row) => heldInHtlc(row)?.currency ?? null,
      htlc_amount: (row) => heldInHtlc(row)?.amount ?? null,
      output: (row) => encodeOutput(row.output),
    },
    decoders: { output: (record) => outputFromHex(record.output) },
    keyOf: (row) => row.outpoint,
  }),
  balances: defineStateTable<Balance>()({
    table: 'balances',
    key: { owner: 'bytea', currency: 'bytea' },
    fixed: {},
    changing: { amount: 'numeric', locked: 'numeric' },
    keyOf: (row) => balanceKey(row.owner, row.currency),
  }),
  pools: defineStateTable<Pool>()({
    table: 'pools',
    key: { pool_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      staker: 'bytea',
      decommission_destination: 'bytea',
      vrf_public_key: 'bytea',
      margin_ratio_per_thousand: 'smallint',
      cost_per_block: 'numeric',
    },
    changing: {
      pledge: 'numeric',
      rewards: 'numeric',
      delegations_balance: 'numeric',
      delegation_count: 'integer',
      effective_stake: 'numeric',
      expected_base: 'numeric',
      blocks_total: 'integer',
      blocks_day: 'integer',
      blocks_month: 'integer',
      month_rate: 'numeric',
      staker_rewards: 'numeric',
      delegation_rewards: 'numeric',
      decommissioned_by: 'bigint | null',
      changed_day: 'integer',
    },
    keyOf: (row) => row.poolId,
  }),
  delegations: defineStateTable<Delegation>()({
    table: 'delegations',
    key: { delegation_id: 'bytea' },
    fixed: {
      pool_id: 'bytea',
      spend_destination: 'bytea',
      creation_height: 'integer',
    },
    changing: {
      balance: 'numeric',
      deposited: 'numeric',
      withdrawn: 'numeric',
      next_nonce: 'numeric',
      changed_day: 'integer',
    },
    keyOf: (row) => row.delegationId,
  }),
  tokens: defineStateTable<Token>()({
    table: 'tokens',
    key: { token_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      ticker: 'bytea',
      decimals: 'smallint',
      total_supply_type: 'text',
      total_supply: 'numeric | null',
    },
    changing: {
      metadata_uri: 'bytea',
      circulating_supply: 'numeric',
      is_locked: 'boolean',
      is_frozen: 'boolean',
      is_freezable: 'boolean',
      is_unfreezable: 'boolean | null',
      authority: 'bytea',
      next_nonce: 'numeric',
    },
    encoders: {
      total_supply_type: (row) => row.totalSupply.type,
      total_supply: (row) => (row.totalSupply.type === 'Fixed' ? row.totalSupply.amount : null),
    },
    decoders: {
      totalSupply: (record) => totalSupply(record.total_supply_type as TotalSupply['type'], record.total_supply),
    },
    keyOf: (row) => row.tokenId,
  }),
  nfts: defineStateTable<Nft>()({
    table: 'nfts',
    key: { token_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      metadata: 'bytea',
    },
    changing: { owner: 'bytea | null' },
    encoders: { metadata: (row) => nftMetadataToHex(row.metadata) },
    decoders: { metadata: (record) => nftMetadataFromHex(record.metadata) },
    keyOf: (row) => row.tokenId,
  }),
  orders: defineStateTable<Order>()({
    table: 'orders',
    key: { order_id: 'bytea' },
    fixed: {
      creation_height: 'integer',
      conclude_destination: 'bytea',
      ask_currency: 'bytea',
      ask_decimals: 'smallint | null',
      initially_asked: 'numeric',
      give_currency: 'bytea',
      give_decimals: 'smallint',
      initially_given: 'numeric',
    },
    changing: {
      ask_balance: 'numeric',
      give_balance: 'numeric',
      next_nonce: 'numeric',
      is_frozen: 'boolean',
      concluded_height: 'integer | null',
    },
    keyOf: (row) => row.orderId,
  }),
  statistics: defineStateTable<CurrencyStatistics>()({
    table: 'statistics',
    key: { currency: 'bytea' },
    fixed: {},
    changing: {
      circulating_supply: 'numeric',
      preminted: 'numeric',
      burned: 'numeric',
      staked: 'numeric',
      holders: 'integer',
      effective_stake: 'numeric',
    },
    keyOf: (row) => row.currency,
  }),
  hours: defineStateTable<Hour>()({
    table: 'hours',
    key: { hour: 'integer' },
    fixed: { first_height: 'integer' },
    changing: {
      height: 'integer',
      timestamp: 'bigint',
      ends_day: 'boolean',
      ends_week: 'boolean',
      ends_month: 'boolean',
      transactions: 'bigint',
      bytes: 'bigint',
      fees: 'numeric',
      trades: 'bigint',
      circulating_supply: 'numeric',
      burned: 'numeric',
      staked: 'numeric',
      holders: 'integer',
      expected_per_stake: 'numeric',
      pools: 'integer',
      delegations: 'integer',
      tokens: 'integer',
      nfts: 'integer',
      open_orders: 'integer',
    },
    keyOf: (row) => hourKey(row.hour),
  }),
  tickerFragments: defineStateTable<TickerFragment>()({
    table: 'ticker_fragments',
    key: {
      fragment: 'text',
      is_nft: 'boolean',
      token_id: 'bytea',
    },
    fixed: { is_whole: 'boolean' },
    changing: {},
    keyOf: tickerFragmentKey,
  }),
  nameFragments: defineStateTable<NftNameFragment>()({
    table: 'name_fragments',
    key: { fragment: 'text', token_id: 'bytea' },
    fixed: { is_whole: 'boolean' },
    changing: {},
    keyOf: nftNameFragmentKey,
  }),
} satisfies Record<keyof LedgerState['tables'], unknown>;

export type StateTableName = keyof typeof STATE_TABLES;
export const STATE_TABLE_NAMES = Object.keys(STATE_TABLES) as StateTableName[];

function heldInHtlc({ output }: Utxo): { readonly currency: Currency; readonly amount: Atoms } | null {
  return isContractOutput(output) ? currencyAndAmount(output.value) : null;
}

function totalSupply(type: TotalSupply['type'], amount: Atoms | null): TotalSupply {
  return type === 'Fixed' ? { type, amount: amount ?? 0n } : { type };
}
