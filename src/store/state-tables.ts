/** How each row of the ledger's state stands in its table: columns, COPY line, and back. */
import { metadataFromHex, metadataToHex } from '../chain/codec/nft.ts';
import { outputFromHex, outputToHex } from '../chain/codec/output.ts';
import type { TotalSupply } from '../chain/types.ts';
import type { Balance, Delegation, Nft, Order, Pool, Statistics, TickerFragment, Token, Utxo } from '../ledger/rows.ts';
import { balanceKey, tickerFragmentKey } from '../ledger/rows.ts';
import type { LedgerState } from '../ledger/state.ts';
import { bool, bytes, NULL, numeric, text } from './copy.ts';

export interface StateTableSpec<Row> {
  readonly table: string;
  /** Names and types, in the order of the fields; the key comes first. */
  readonly columns: Readonly<Record<string, string>>;
  readonly keyLength: number;
  /** As COPY has them. */
  fields(row: Row): string[];
  /** The first `keyLength` fields. */
  keyFields(row: Row): string[];
  /** A record of the table as `connect.ts` parses it. */
  fromRecord(record: never): Row;
  keyOf(row: Row): string;
}

export function columnsOf(spec: Pick<StateTableSpec<never>, 'columns'>): string[] {
  return Object.keys(spec.columns);
}

/** Enough decimal places to tell any two ratios of 128-bit amounts apart. */
const PRICE_SCALE = 10n ** 78n;

const utxos: StateTableSpec<Utxo> = {
  table: 'utxos',
  columns: {
    outpoint: 'bytea',
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    owner: 'bytea',
    refund_owner: 'bytea',
    unlock_height: 'bigint',
    unlock_time: 'bigint',
    refund_height: 'bigint',
    refund_time: 'bigint',
    is_reward: 'boolean',
    output: 'bytea',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.outpoint)],
  fields: (row) => [
    bytes(row.outpoint),
    numeric(row.height),
    numeric(row.position),
    numeric(row.outputIndex),
    bytes(row.owner),
    bytes(row.refundOwner),
    numeric(row.unlockHeight),
    numeric(row.unlockTime),
    numeric(row.refundHeight),
    numeric(row.refundTime),
    bool(row.isReward),
    bytes(outputToHex(row.output)),
  ],
  fromRecord: (record: UtxoRecord) => ({
    outpoint: record.outpoint,
    height: record.height,
    position: record.position,
    outputIndex: record.output_index,
    owner: record.owner,
    refundOwner: record.refund_owner,
    unlockHeight: record.unlock_height,
    unlockTime: record.unlock_time,
    refundHeight: record.refund_height,
    refundTime: record.refund_time,
    isReward: record.is_reward,
    output: outputFromHex(record.output),
  }),
  keyOf: (row) => row.outpoint,
};

interface UtxoRecord {
  outpoint: string;
  height: number;
  position: number;
  output_index: number;
  owner: string;
  refund_owner: string | null;
  unlock_height: number | null;
  unlock_time: number | null;
  refund_height: number | null;
  refund_time: number | null;
  is_reward: boolean;
  output: string;
}

const balances: StateTableSpec<Balance> = {
  table: 'balances',
  columns: { owner: 'bytea', currency: 'bytea', amount: 'numeric', locked: 'numeric' },
  keyLength: 2,
  keyFields: (row) => [bytes(row.owner), bytes(row.currency)],
  fields: (row) => [bytes(row.owner), bytes(row.currency), numeric(row.amount), numeric(row.locked)],
  fromRecord: (record: Balance) => ({
    owner: record.owner,
    currency: record.currency,
    amount: record.amount,
    locked: record.locked,
  }),
  keyOf: (row) => balanceKey(row.owner, row.currency),
};

const pools: StateTableSpec<Pool> = {
  table: 'pools',
  columns: {
    pool_id: 'bytea',
    creation_height: 'integer',
    pledge: 'numeric',
    rewards: 'numeric',
    delegations_balance: 'numeric',
    staker: 'bytea',
    decommission_destination: 'bytea',
    vrf_public_key: 'bytea',
    margin_ratio_per_thousand: 'smallint',
    cost_per_block: 'numeric',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.poolId)],
  fields: (row) => [
    bytes(row.poolId),
    numeric(row.creationHeight),
    numeric(row.pledge),
    numeric(row.rewards),
    numeric(row.delegationsBalance),
    bytes(row.staker),
    bytes(row.decommissionDestination),
    bytes(row.vrfPublicKey),
    numeric(row.marginRatioPerThousand),
    numeric(row.costPerBlock),
  ],
  fromRecord: (record: PoolRecord) => ({
    poolId: record.pool_id,
    creationHeight: record.creation_height,
    pledge: record.pledge,
    rewards: record.rewards,
    delegationsBalance: record.delegations_balance,
    staker: record.staker,
    decommissionDestination: record.decommission_destination,
    vrfPublicKey: record.vrf_public_key,
    marginRatioPerThousand: record.margin_ratio_per_thousand,
    costPerBlock: record.cost_per_block,
  }),
  keyOf: (row) => row.poolId,
};

interface PoolRecord {
  pool_id: string;
  creation_height: number;
  pledge: bigint;
  rewards: bigint;
  delegations_balance: bigint;
  staker: string;
  decommission_destination: string;
  vrf_public_key: string;
  margin_ratio_per_thousand: number;
  cost_per_block: bigint;
}

const delegations: StateTableSpec<Delegation> = {
  table: 'delegations',
  columns: {
    delegation_id: 'bytea',
    pool_id: 'bytea',
    spend_destination: 'bytea',
    balance: 'numeric',
    next_nonce: 'numeric',
    creation_height: 'integer',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.delegationId)],
  fields: (row) => [
    bytes(row.delegationId),
    bytes(row.poolId),
    bytes(row.spendDestination),
    numeric(row.balance),
    numeric(row.nextNonce),
    numeric(row.creationHeight),
  ],
  fromRecord: (record: DelegationRecord) => ({
    delegationId: record.delegation_id,
    poolId: record.pool_id,
    spendDestination: record.spend_destination,
    balance: record.balance,
    nextNonce: record.next_nonce,
    creationHeight: record.creation_height,
  }),
  keyOf: (row) => row.delegationId,
};

interface DelegationRecord {
  delegation_id: string;
  pool_id: string;
  spend_destination: string;
  balance: bigint;
  next_nonce: bigint;
  creation_height: number;
}

const tokens: StateTableSpec<Token> = {
  table: 'tokens',
  columns: {
    token_id: 'bytea',
    creation_height: 'integer',
    ticker: 'bytea',
    decimals: 'smallint',
    metadata_uri: 'bytea',
    total_supply_type: 'text',
    total_supply: 'numeric',
    circulating_supply: 'numeric',
    is_locked: 'boolean',
    is_frozen: 'boolean',
    is_freezable: 'boolean',
    is_unfreezable: 'boolean',
    authority: 'bytea',
    next_nonce: 'numeric',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.tokenId)],
  fields: (row) => [
    bytes(row.tokenId),
    numeric(row.creationHeight),
    bytes(row.ticker),
    numeric(row.decimals),
    bytes(row.metadataUri),
    row.totalSupply.type,
    numeric(row.totalSupply.type === 'Fixed' ? row.totalSupply.amount : null),
    numeric(row.circulatingSupply),
    bool(row.isLocked),
    bool(row.isFrozen),
    bool(row.isFreezable),
    row.isUnfreezable === null ? NULL : bool(row.isUnfreezable),
    bytes(row.authority),
    numeric(row.nextNonce),
  ],
  fromRecord: (record: TokenRecord) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    ticker: record.ticker,
    decimals: record.decimals,
    metadataUri: record.metadata_uri,
    totalSupply: totalSupply(record),
    circulatingSupply: record.circulating_supply,
    isLocked: record.is_locked,
    isFrozen: record.is_frozen,
    isFreezable: record.is_freezable,
    isUnfreezable: record.is_unfreezable,
    authority: record.authority,
    nextNonce: record.next_nonce,
  }),
  keyOf: (row) => row.tokenId,
};

interface TokenRecord {
  token_id: string;
  creation_height: number;
  ticker: string;
  decimals: number;
  metadata_uri: string;
  total_supply_type: TotalSupply['type'];
  total_supply: bigint | null;
  circulating_supply: bigint;
  is_locked: boolean;
  is_frozen: boolean;
  is_freezable: boolean;
  is_unfreezable: boolean | null;
  authority: string;
  next_nonce: bigint;
}

function totalSupply(record: TokenRecord): TotalSupply {
  const type = record.total_supply_type;
  return type === 'Fixed' ? { type, amount: record.total_supply ?? 0n } : { type };
}

const nfts: StateTableSpec<Nft> = {
  table: 'nfts',
  columns: { token_id: 'bytea', creation_height: 'integer', owner: 'bytea', metadata: 'bytea' },
  keyLength: 1,
  keyFields: (row) => [bytes(row.tokenId)],
  fields: (row) => [
    bytes(row.tokenId),
    numeric(row.creationHeight),
    bytes(row.owner),
    bytes(metadataToHex(row.metadata)),
  ],
  fromRecord: (record: { token_id: string; creation_height: number; owner: string | null; metadata: string }) => ({
    tokenId: record.token_id,
    creationHeight: record.creation_height,
    owner: record.owner,
    metadata: metadataFromHex(record.metadata),
  }),
  keyOf: (row) => row.tokenId,
};

const tickerFragments: StateTableSpec<TickerFragment> = {
  table: 'ticker_fragments',
  columns: { fragment: 'text', is_nft: 'boolean', token_id: 'bytea' },
  keyLength: 3,
  keyFields: (row) => [text(row.fragment), bool(row.isNft), bytes(row.tokenId)],
  fields: (row) => [text(row.fragment), bool(row.isNft), bytes(row.tokenId)],
  fromRecord: (record: { fragment: string; is_nft: boolean; token_id: string }) => ({
    fragment: record.fragment,
    isNft: record.is_nft,
    tokenId: record.token_id,
  }),
  keyOf: tickerFragmentKey,
};

const orders: StateTableSpec<Order> = {
  table: 'orders',
  columns: {
    order_id: 'bytea',
    creation_height: 'integer',
    conclude_destination: 'bytea',
    ask_currency: 'bytea',
    ask_decimals: 'smallint',
    initially_asked: 'numeric',
    ask_balance: 'numeric',
    give_currency: 'bytea',
    give_decimals: 'smallint',
    initially_given: 'numeric',
    give_balance: 'numeric',
    next_nonce: 'numeric',
    is_frozen: 'boolean',
    is_concluded: 'boolean',
    price: 'numeric',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.orderId)],
  fields: (row) => [
    bytes(row.orderId),
    numeric(row.creationHeight),
    bytes(row.concludeDestination),
    bytes(row.askCurrency),
    numeric(row.askDecimals),
    numeric(row.initiallyAsked),
    numeric(row.askBalance),
    bytes(row.giveCurrency),
    numeric(row.giveDecimals),
    numeric(row.initiallyGiven),
    numeric(row.giveBalance),
    numeric(row.nextNonce),
    bool(row.isFrozen),
    bool(row.isConcluded),
    numeric(row.initiallyGiven === 0n ? 0n : (row.initiallyAsked * PRICE_SCALE) / row.initiallyGiven),
  ],
  fromRecord: (record: OrderRecord) => ({
    orderId: record.order_id,
    creationHeight: record.creation_height,
    concludeDestination: record.conclude_destination,
    askCurrency: record.ask_currency,
    askDecimals: record.ask_decimals,
    initiallyAsked: record.initially_asked,
    askBalance: record.ask_balance,
    giveCurrency: record.give_currency,
    giveDecimals: record.give_decimals,
    initiallyGiven: record.initially_given,
    giveBalance: record.give_balance,
    nextNonce: record.next_nonce,
    isFrozen: record.is_frozen,
    isConcluded: record.is_concluded,
  }),
  keyOf: (row) => row.orderId,
};

interface OrderRecord {
  order_id: string;
  creation_height: number;
  conclude_destination: string;
  ask_currency: string;
  ask_decimals: number;
  initially_asked: bigint;
  ask_balance: bigint;
  give_currency: string;
  give_decimals: number;
  initially_given: bigint;
  give_balance: bigint;
  next_nonce: bigint;
  is_frozen: boolean;
  is_concluded: boolean;
}

const statistics: StateTableSpec<Statistics> = {
  table: 'statistics',
  columns: {
    currency: 'bytea',
    circulating_supply: 'numeric',
    preminted: 'numeric',
    burned: 'numeric',
    staked: 'numeric',
  },
  keyLength: 1,
  keyFields: (row) => [bytes(row.currency)],
  fields: (row) => [
    bytes(row.currency),
    numeric(row.circulatingSupply),
    numeric(row.preminted),
    numeric(row.burned),
    numeric(row.staked),
  ],
  fromRecord: (record: {
    currency: string;
    circulating_supply: bigint;
    preminted: bigint;
    burned: bigint;
    staked: bigint;
  }) => ({
    currency: record.currency,
    circulatingSupply: record.circulating_supply,
    preminted: record.preminted,
    burned: record.burned,
    staked: record.staked,
  }),
  keyOf: (row) => row.currency,
};

/** One for each table of the ledger's state, by its name there. */
export const STATE_TABLES = {
  utxos,
  balances,
  pools,
  delegations,
  tokens,
  nfts,
  orders,
  statistics,
  tickerFragments,
} satisfies Record<keyof LedgerState['tables'], unknown>;

export type StateTableName = keyof typeof STATE_TABLES;
export const STATE_TABLE_NAMES = Object.keys(STATE_TABLES) as StateTableName[];
