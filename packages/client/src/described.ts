/** The types of the response profile `described`. Made by generate-types.ts from the OpenAPI document. */

export type Address = {
  /** Not under a time lock */
  coin_balance: Amount;
  /** Under a time lock */
  locked_coin_balance: Amount;
  tokens: string[];
  /** Most recent first */
  transaction_history: string[];
};

export type AddressAt = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  timestamp: number;
  /** Not under a time lock */
  coin_balance: Amount;
  /** Under a time lock */
  locked_coin_balance: Amount;
  /** Tokens and NFTs, by id */
  tokens: ({
    currency: Currency;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    /** All that is held */
    balance: Amount;
    /** The part of `balance` under a time lock */
    locked: Amount;
  })[];
  staked: {
    /** The block after which they held it */
    height: number;
    /** Pledge and rewards of the pools that it may decommission */
    pools: Amount;
    delegations: Amount;
  } | null;
};

export type AddressHtlc = {
  outpoint: Outpoint;
  value: {
    type: "Coin";
    amount: Amount;
  } | {
    type: "TokenV1";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    amount: Amount;
  } | {
    type: "TokenV0";
  };
  /** 20 bytes as lower-case hex */
  secret_hash: string;
  /** Can claim it with the secret */
  spend_address: string;
  /** Can refund it after the lock */
  refund_address: string;
  refund_lock: Lock;
  /** The block that created it */
  block: {
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  };
  /** Is the address that of the spend key? */
  may_spend: boolean;
  /** Is it that of the refund key? */
  may_refund: boolean;
  /** The first height at which it can be refunded, for locks by blocks */
  refund_height: number | null;
  /** The first median time past at which it can be refunded, in seconds since the epoch, for locks by time */
  refund_time: number | null;
};

export type AddressTransaction = {
  /** 32 bytes as lower-case hex */
  tx_id: string;
  tx_global_index: number;
  block_height: number;
  timestamp: number;
};

export type Amount = {
  /** Integer count of the smallest unit */
  atoms: string;
  /** The same as a decimal number */
  decimal: string;
};

export type BalanceChange = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  timestamp: number;
  /** null for a lock that ended, a block reward and the genesis */
  tx_id: string | null;
  currency: Currency;
  /** null while the token is not issued: an order may ask for it */
  ticker: string | null;
  /** 0 for an NFT, and while the token is not issued */
  decimals: number;
  /** Of all that is held, under a time lock or not */
  change: SignedAmount;
  /** The whole fee of the transaction, if this owner paid its first coin */
  fee: Amount;
  /** All that is held after it */
  balance: Amount;
  /** The part of `balance` under a time lock */
  locked: Amount;
  /** What was done */
  kinds: ("received" | "sent" | "unlocked" | "reward" | "token_issue" | "nft_issue" | "token_mint" | "token_unmint" | "token_lock" | "token_freeze" | "token_unfreeze" | "token_authority" | "token_metadata" | "pool_create" | "pool_decommission" | "delegation_create" | "delegate" | "delegation_withdraw" | "order_create" | "order_fill" | "order_freeze" | "order_conclude" | "htlc_create" | "htlc_claim" | "htlc_refund" | "data_deposit" | "burn" | "lock" | "transfer")[];
};

export type BalanceDay = {
  /** Its first second, UTC */
  day: number;
  /** Its last block */
  height: number;
  currency: Currency;
  /** null while the token is not issued: an order may ask for it */
  ticker: string | null;
  /** 0 for an NFT, and while the token is not issued */
  decimals: number;
  received: Amount;
  sent: Amount;
  /** All that was held at its end */
  balance: Amount;
  /** The part of `balance` under a time lock */
  locked: Amount;
};

/** A transaction as it stands in its block */
export type BaseTransaction = {
  /** 32 bytes as lower-case hex */
  id: string;
  version_byte: number;
  is_replaceable: boolean;
  flags: number;
  fee: Amount;
  inputs: InputEntry[];
  outputs: Output[];
};

export type Block = {
  height: number;
  header: BlockHeader;
  body: {
    reward: Output[];
    transactions: BaseTransaction[];
  };
};

/** consensus_data: a target for PoS, nonce and bits for PoW, null for none */
export type BlockHeader = {
  /** 32 bytes as lower-case hex */
  previous_block_id: string;
  timestamp: Timestamp;
  /** 32 bytes as lower-case hex */
  merkle_root: string;
  /** 32 bytes as lower-case hex */
  witness_merkle_root: string;
  consensus_data: {
    target: string;
  } | {
    nonce: number;
    bits: number;
  } | null;
};

export type BlockPoint = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  /** Seconds since the epoch */
  timestamp: number;
};

/** Bytes as numbers */
export type Bytes = number[];

export type Candle = {
  /** Its first second */
  time: number;
  /** false while its hour, day or week is not over at the tip */
  complete: boolean;
  /** The price of its first trade */
  open: Price;
  high: Price;
  low: Price;
  /** The price of its last trade */
  close: Price;
  base_volume: Amount;
  quote_volume: Amount;
  trades: number;
};

export type CoinStatistics = {
  circulating_supply: Amount;
  preminted: Amount;
  burned: Amount;
  staked: Amount;
};

/** The block that created it */
export type Created = {
  height: number;
  /** Seconds since the epoch */
  timestamp: number;
};

/** What an order asks or gives */
export type Currency = {
  type: "Coin";
} | {
  type: "Token";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
};

export type CurrencyBalance = {
  currency: Currency;
  /** null while the token is not issued: an order may ask for it */
  ticker: string | null;
  /** 0 for an NFT, and while the token is not issued */
  decimals: number;
  /** All that is held */
  balance: Amount;
  /** The part of `balance` under a time lock */
  locked: Amount;
};

export type Delegation = {
  /** Whose key authorises withdrawals */
  spend_destination: string;
  balance: Amount;
  creation_block_height: number;
  next_nonce: number;
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
};

export type DelegationDay = {
  /** Its first second, UTC */
  day: number;
  deposited: Amount;
  withdrawn: Amount;
  rewards: Amount;
  balance: Amount;
};

/** What went wrong */
export type Error = {
  error: string;
};

export type ExpandedPool = {
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  decommission_destination: string;
  /** The staker's pledge and rewards; 0 when decommissioned */
  staker_balance: Amount;
  margin_ratio_per_thousand: string;
  cost_per_block: Amount;
  /** Bech32m text; its prefix says the network and the kind */
  vrf_public_key: string;
  /** Total delegated by others */
  delegations_balance: Amount;
  created: Created;
  /** Delegations with a balance */
  delegation_count: number;
  /** Pledge, rewards and delegated coins */
  total_stake: Amount;
  /** The weight of the stake in the selection of block producers */
  effective_stake: Amount;
  /** Share of the effective stake of all pools; 9 decimals, rounded down */
  stake_share: string;
  /** Blocks produced in the last complete 24 and 720 UTC hours before the tip's hour, and in total */
  blocks: {
    day: number;
    month: number;
    total: number;
  };
  /** `stake_share` of the 21600 blocks of 720 hours; 3 decimals, rounded down */
  expected_blocks_month: string;
  /** Rewards of delegators in the last 720 hours per delegated coin, as a yearly rate without compounding: 0.05 is 5%; 6 decimals, rounded down; null where nothing was delegated */
  apy_month: string | null;
};

export type ExpandedToken = {
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  type: "fungible";
  ticker: string;
  name: null;
  decimals: number;
  /** Without what was burned, as `/statistics/token/{id}` has it */
  circulating_supply: Amount;
  /** Addresses with a balance, spendable or under a time lock */
  holders: number;
  /** Bech32m text; its prefix says the network and the kind */
  authority: string;
  created: Created;
} | {
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  type: "nft";
  ticker: string;
  name: string;
  decimals: 0;
  /** Without what was burned, as `/statistics/token/{id}` has it */
  circulating_supply: Amount;
  /** Addresses with a balance, spendable or under a time lock */
  holders: number;
  /** null when burned, or held by an order or an HTLC */
  owner: string | null;
  created: Created;
};

export type Fill = {
  height: number;
  timestamp: number;
  /** 32 bytes as lower-case hex */
  tx_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
  /** What the taker did with base */
  side: "buy" | "sell";
  /** null where one of the amounts is 0 */
  price: Price | null;
  base: {
    currency: Currency;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    amount: Amount;
  };
  quote: {
    currency: Currency;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    amount: Amount;
  };
  /** The owner of the first input that has one: commands have none. null if none has */
  taker: string | null;
};

export type Genesis = {
  /** 32 bytes as lower-case hex */
  block_id: string;
  genesis_message: string;
  timestamp: Timestamp;
  utxos: Output[];
};

/** secret: only where a spend by the secret is shown */
export type HashedTimelockContract = {
  secret: StringOrHex | null;
  secret_hash: StringOrHex;
  /** Bech32m text; its prefix says the network and the kind */
  spend_key: string;
  /** Bech32m text; its prefix says the network and the kind */
  refund_key: string;
  refund_timelock: Lock;
};

export type Holder = {
  /** Bech32m text; its prefix says the network and the kind */
  address: string;
  /** What can be spent, as `/address` shows it */
  amount: Amount;
  /** Under a time lock */
  locked: Amount;
  /** Both together */
  total: Amount;
  /** `amount` as a part of the circulating supply, rounded down */
  share_per_million: number;
};

export type Htlc = {
  outpoint: Outpoint;
  value: {
    type: "Coin";
    amount: Amount;
  } | {
    type: "TokenV1";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    amount: Amount;
  } | {
    type: "TokenV0";
  };
  /** 20 bytes as lower-case hex */
  secret_hash: string;
  /** Can claim it with the secret */
  spend_address: string;
  /** Can refund it after the lock */
  refund_address: string;
  refund_lock: Lock;
  /** The block that created it */
  block: {
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  };
  status: "open" | "claimed" | "refunded";
  /** Revealed by the claim; null unless claimed */
  secret: string | null;
  /** The input that spends it; null while it is open */
  spent: {
    /** 32 bytes as lower-case hex */
    tx_id: string;
    input_index: number;
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  } | null;
};

/** What a transaction spends, or the command that it gives to an account */
export type Input = {
  input_type: "UTXO";
  source_type: "Transaction" | "BlockReward";
  /** 32 bytes as lower-case hex */
  source_id: string;
  index: number;
} | {
  input_type: "Account";
  account_type: "DelegationBalance";
  /** Bech32m text; its prefix says the network and the kind */
  delegation_id: string;
  amount: Amount;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "MintTokens";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  amount: Amount;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "UnmintTokens";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "FreezeTokens";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  is_token_unfreezable: boolean;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "UnfreezeTokens";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "LockTokenSupply";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "ChangeTokenAuthority";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  new_authority: string;
  nonce: number;
} | {
  input_type: "AccountCommand";
  command: "ChangeTokenMetadataUri";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  metadata_uri: Bytes;
} | {
  input_type: "AccountCommand";
  command: "ConcludeOrder";
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
} | {
  input_type: "AccountCommand";
  command: "FillOrder";
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
  fill_atoms: {
    /** An integer as text */
    atoms: string;
  };
} | {
  input_type: "OrderAccountCommand";
  command: "FillOrder";
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
  fill_atoms: {
    /** An integer as text */
    atoms: string;
  };
} | {
  input_type: "OrderAccountCommand";
  command: "FreezeOrder";
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
} | {
  input_type: "OrderAccountCommand";
  command: "ConcludeOrder";
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
};

/** utxo: the output that is spent; null where the input spends none */
export type InputEntry = {
  input: Input;
  utxo: Output | null;
};

export type ListedBlock = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  /** Seconds since the epoch */
  timestamp: number;
  transaction_count: number;
  /** How many transactions there are of each kind; each is of one, the first that applies: `token_issue`, `nft_issue`, `token_mint`, `token_unmint`, `token_lock`, `token_freeze`, `token_unfreeze`, `token_authority`, `token_metadata`, `pool_create`, `pool_decommission`, `delegation_create`, `delegate`, `delegation_withdraw`, `order_create`, `order_fill`, `order_freeze`, `order_conclude`, `htlc_create`, `htlc_claim`, `htlc_refund`, `data_deposit`, `burn`, `lock`, `transfer` */
  kinds: Record<string, number>;
  /** Of the encoded block, in bytes */
  size: number;
  /** Total fees of its transactions */
  fees: Amount;
  /** The part of subsidy and fees that the staker receives */
  staker_reward: Amount;
  /** The part of subsidy and fees that the pool's delegations receive */
  delegations_reward: Amount;
  /** The pool that produced it; null without proof of stake */
  pool_id: string | null;
};

export type ListedNft = {
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  ticker: string;
  decimals: 0;
  name: string;
  description: string | null;
  creator: string | null;
  icon_uri: string | null;
  additional_metadata_uri: string | null;
  media_uri: string | null;
  media_hash: string | null;
  /** null when burned, or held by an order or an HTLC */
  owner: string | null;
  created: Created;
};

export type ListedTransaction = {
  /** 32 bytes as lower-case hex */
  id: string;
  version_byte: number;
  is_replaceable: boolean;
  flags: number;
  fee: Amount;
  inputs: InputEntry[];
  outputs: Output[];
  /** 32 bytes as lower-case hex */
  block_id: string;
  timestamp: number;
  /** Blocks above the one with the transaction */
  confirmations: string;
  tx_global_index: number;
  /** With signatures, in bytes */
  size: number;
  /** The fee in atoms per 1,000 bytes, rounded down; absent where the fee is not known */
  fee_rate?: string;
};

/** How long an output cannot be spent */
export type Lock = {
  type: "UntilHeight";
  content: number;
} | {
  type: "UntilTime";
  content: Timestamp;
} | {
  type: "ForBlockCount";
  content: number;
} | {
  type: "ForSeconds";
  content: number;
};

export type Market = {
  /** `BASE_QUOTE`, as in the paths of `/order/pair` */
  pair: string;
  base: {
    currency: Currency;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
  };
  quote: {
    currency: Currency;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
  };
  /** Of the newest trade */
  last_price: Price | null;
  /** The best price of the open orders that buy base */
  bid: Price | null;
  /** The best price of the open orders that sell base */
  ask: Price | null;
  open_orders: number;
  /** All trades */
  trades: number;
  /** The last 24 complete UTC hours before that of the tip */
  day: {
    /** The last price at its end against the last one before it, or its first one: 0.05 is 5% more; 6 decimals, rounded towards 0; null without a trade until then */
    change: string | null;
    high: Price | null;
    low: Price | null;
    base_volume: Amount;
    quote_volume: Amount;
    trades: number;
  };
};

export type Mempool = {
  count: number;
  /** Of the encoded transactions */
  bytes: number;
  /** Total fee of the transactions whose fee is known */
  total_fee: Amount;
  /** Fee rate in atoms per 1,000 bytes, and the bytes of the transactions at that fee rate; highest first */
  fee_histogram: ([string, number])[];
  /** False while there may be pending transactions that are not known here */
  complete: boolean;
};

export type MempoolAddress = {
  coin: {
    incoming: Amount;
    outgoing: Amount;
  };
  tokens: ({
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    incoming: Amount;
    outgoing: Amount;
  })[];
  /** Outputs of the address that pending transactions spend, those of other pending ones included */
  spent_outpoints: Outpoint[];
  /** Outputs that it will have, without those that are spent again */
  new_utxos: ({
    outpoint: Outpoint;
    utxo: Output;
  })[];
  /** Of its delegations and tokens that pending transactions use: the nonces for the transactions after */
  next_nonces: ({
    /** Bech32m text; its prefix says the network and the kind */
    delegation_id: string;
    nonce: number;
  } | {
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    nonce: number;
  })[];
  /** Pending transactions of the address, in the order of their acceptance */
  transactions: string[];
  /** False while there may be pending transactions that are not known here */
  complete: boolean;
};

export type MerklePath = {
  /** 32 bytes as lower-case hex */
  block_id: string;
  transaction_index: number;
  /** 32 bytes as lower-case hex */
  merkle_root: string;
  merkle_path: string[];
};

export type Nft = {
  creator: string | null;
  name: string | null;
  description: string | null;
  ticker: string | null;
  icon_uri: string | null;
  additional_metadata_uri: string | null;
  media_uri: string | null;
  media_hash: string | null;
  /** null when burned, or held by an order or an HTLC */
  owner: string | null;
};

/** What an NFT was issued with */
export type NftIssuance = {
  creator: string | null;
  name: StringOrHex;
  description: StringOrHex;
  ticker: StringOrHex;
  icon_uri: StringOrHex | null;
  additional_metadata_uri: StringOrHex | null;
  media_uri: StringOrHex | null;
  media_hash: StringOrHex;
};

export type NftOwner = {
  /** null when burned, or held by an order or an HTLC */
  owner: string | null;
  /** The transaction that changed the owner */
  tx_id: string;
  tx_global_index: number;
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  /** Seconds since the epoch */
  timestamp: number;
};

export type Order = {
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  conclude_destination: string;
  give_currency: Currency;
  initially_given: Amount;
  /** Still offered */
  give_balance: Amount;
  ask_currency: Currency;
  initially_asked: Amount;
  /** Still asked */
  ask_balance: Amount;
  nonce: number;
};

/** Names an output: the transaction or block that has it, and its position there */
export type Outpoint = {
  source_type: "Transaction" | "BlockReward";
  /** 32 bytes as lower-case hex */
  source_id: string;
  index: number;
};

/** An output of a transaction or of a block reward */
export type Output = {
  type: "Transfer";
  value: Value;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
} | {
  type: "LockThenTransfer";
  value: Value;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  lock: Lock;
} | {
  type: "Burn";
  value: Value;
} | {
  type: "CreateStakePool";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  data: StakePoolData;
} | {
  type: "ProduceBlockFromStake";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
} | {
  type: "CreateDelegationId";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
} | {
  type: "DelegateStaking";
  /** Bech32m text; its prefix says the network and the kind */
  delegation_id: string;
  amount: Amount;
} | {
  type: "IssueFungibleToken";
  token_ticker: StringOrHex;
  number_of_decimals: number;
  metadata_uri: StringOrHex;
  total_supply: {
    type: "Fixed";
    amount: Amount;
  } | {
    type: "Lockable";
  } | {
    type: "Unlimited";
  };
  /** Bech32m text; its prefix says the network and the kind */
  authority: string;
  is_freezable: "Yes" | "No";
} | {
  type: "IssueNft";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  data: NftIssuance;
} | {
  type: "DataDeposit";
  data: Bytes;
} | {
  type: "Htlc";
  value: Value;
  htlc: HashedTimelockContract;
} | {
  type: "CreateOrder";
  /** Bech32m text; its prefix says the network and the kind */
  conclude_key: string;
  ask_value: Value;
  give_value: Value;
};

export type OutputState = {
  type: "Transfer";
  value: Value;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  spent_at_block_height: number | null;
} | {
  type: "LockThenTransfer";
  value: Value;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  lock: Lock;
  spent_at_block_height: number | null;
} | {
  type: "Burn";
  value: Value;
  spent_at_block_height: number | null;
} | {
  type: "CreateStakePool";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  data: StakePoolData;
  spent_at_block_height: number | null;
} | {
  type: "ProduceBlockFromStake";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  spent_at_block_height: number | null;
} | {
  type: "CreateDelegationId";
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  spent_at_block_height: number | null;
} | {
  type: "DelegateStaking";
  /** Bech32m text; its prefix says the network and the kind */
  delegation_id: string;
  amount: Amount;
  spent_at_block_height: number | null;
} | {
  type: "IssueFungibleToken";
  token_ticker: StringOrHex;
  number_of_decimals: number;
  metadata_uri: StringOrHex;
  total_supply: {
    type: "Fixed";
    amount: Amount;
  } | {
    type: "Lockable";
  } | {
    type: "Unlimited";
  };
  /** Bech32m text; its prefix says the network and the kind */
  authority: string;
  is_freezable: "Yes" | "No";
  spent_at_block_height: number | null;
} | {
  type: "IssueNft";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  destination: string;
  data: NftIssuance;
  spent_at_block_height: number | null;
} | {
  type: "DataDeposit";
  data: Bytes;
  spent_at_block_height: number | null;
} | {
  type: "Htlc";
  value: Value;
  htlc: HashedTimelockContract;
  spent_at_block_height: number | null;
} | {
  type: "CreateOrder";
  /** Bech32m text; its prefix says the network and the kind */
  conclude_key: string;
  ask_value: Value;
  give_value: Value;
  spent_at_block_height: number | null;
};

export type OwnOrder = {
  /** Bech32m text; its prefix says the network and the kind */
  order_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  conclude_destination: string;
  give_currency: {
    type: "Coin";
  } | {
    type: "Token";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
  };
  initially_given: Amount;
  /** Still offered */
  give_balance: Amount;
  ask_currency: {
    type: "Coin";
  } | {
    type: "Token";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
  };
  initially_asked: Amount;
  /** Still asked */
  ask_balance: Amount;
  nonce: number;
  /** A frozen order can no longer be filled */
  is_frozen: boolean;
  creation_block_height: number;
};

export type OwnPool = {
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  decommission_destination: string;
  /** The staker's pledge and rewards; 0 when decommissioned */
  staker_balance: Amount;
  margin_ratio_per_thousand: string;
  cost_per_block: Amount;
  /** Bech32m text; its prefix says the network and the kind */
  vrf_public_key: string;
  /** Total delegated by others */
  delegations_balance: Amount;
  creation_block_height: number;
};

export type PaidOutput = {
  outpoint: Outpoint;
  utxo: Output;
  block: {
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  };
  spent: {
    transaction_id: string | null;
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  } | null;
};

export type PastHolder = {
  /** Bech32m text; its prefix says the network and the kind */
  address: string;
  /** Not under a time lock then */
  amount: Amount;
  /** Under a time lock */
  locked: Amount;
  /** Both together, by which the list is sorted */
  total: Amount;
  /** `amount` as a part of the circulating supply, rounded down */
  share_per_million: number;
};

export type Pool = {
  /** Bech32m text; its prefix says the network and the kind */
  pool_id: string;
  /** Bech32m text; its prefix says the network and the kind */
  decommission_destination: string;
  /** The staker's pledge and rewards; 0 when decommissioned */
  staker_balance: Amount;
  margin_ratio_per_thousand: string;
  cost_per_block: Amount;
  /** Bech32m text; its prefix says the network and the kind */
  vrf_public_key: string;
  /** Total delegated by others */
  delegations_balance: Amount;
};

export type PoolDay = {
  /** Its first second, UTC */
  day: number;
  /** That the pool made */
  blocks: number;
  staker_rewards: Amount;
  delegation_rewards: Amount;
  pledge: Amount;
  delegated: Amount;
  /** Delegations with a balance */
  delegation_count: number;
};

export type PoolDelegation = {
  /** Bech32m text; its prefix says the network and the kind */
  delegation_id: string;
  next_nonce: number;
  /** Bech32m text; its prefix says the network and the kind */
  spend_destination: string;
  balance: Amount;
  creation_block_height: number;
};

export type Price = {
  /** For one whole unit of base, in whole units of quote, rounded down to quote's decimals */
  decimal: string;
  /** The exact price: atoms of quote for one atom of base, in lowest terms */
  atoms: string;
};

export type PriceLevel = {
  price: {
    /** For one whole unit of base, in whole units of quote, rounded down to quote's decimals */
    decimal: string;
    /** The exact price: atoms of quote for one atom of base, in lowest terms */
    atoms: string;
  };
  /** The remaining amount of these orders in the base currency */
  amount: Amount;
  order_count: number;
};

export type RecommendedFeeRates = {
  /** An integer as text */
  fastest: string;
  /** An integer as text */
  half_hour: string;
  /** An integer as text */
  hour: string;
  /** An integer as text */
  economy: string;
  /** An integer as text */
  minimum: string;
};

export type Reorganisation = {
  /** When this index followed it, in seconds since the epoch */
  seen_at: number;
  /** Height of the last common block */
  ancestor_height: number;
  /** The blocks that were removed, lowest first */
  removed: ({
    height: number;
    /** 32 bytes as lower-case hex */
    block_id: string;
    /** The pool that produced it; null without proof of stake */
    pool_id: string | null;
  })[];
  /** The blocks that replaced them in the same step */
  added: ({
    height: number;
    /** 32 bytes as lower-case hex */
    block_id: string;
    /** The pool that produced it; null without proof of stake */
    pool_id: string | null;
  })[];
};

export type RewardShare = {
  /** Bech32m text; its prefix says the network and the kind */
  delegation_id: string;
  /** Whose key authorises withdrawals */
  owner: string;
  balance: Amount;
  rewards: Amount;
};

export type SearchResult = {
  /** The type of the result. `other_network`: the searched text is an id of another network. `wrong_checksum`: it is mistyped */
  type: "block" | "transaction" | "address" | "pool" | "delegation" | "token" | "nft" | "order" | "other_network" | "wrong_checksum";
  /** As used in paths; the searched text itself if it is not an id of this network */
  id: string;
  /** A name: a ticker, an NFT name, a height */
  label: string;
  /** Further information, as a text */
  detail: string;
};

export type Series = {
  id: "blocks" | "block_time" | "transactions" | "bytes" | "fees" | "circulating_supply" | "total_supply" | "staked" | "burned" | "pools" | "delegations" | "largest_pools_share" | "tokens" | "nfts" | "open_orders" | "trades" | "holders" | "active_addresses" | "new_addresses";
  /** `coins`: coins, with the decimals of the coin */
  unit: string;
  interval: "hour" | "day" | "week" | "month";
  points: ([number, string])[];
  /** The points before this time do not change any more with new blocks */
  complete_until: number;
};

export type SignedAmount = {
  /** Integer count of the smallest unit */
  atoms: string;
  /** The same as a decimal number */
  decimal: string;
};

/** What a pool was created with; `amount` is the pledge */
export type StakePoolData = {
  amount: Amount;
  /** Bech32m text; its prefix says the network and the kind */
  staker: string;
  /** Bech32m text; its prefix says the network and the kind */
  vrf_public_key: string;
  /** Bech32m text; its prefix says the network and the kind */
  decommission_key: string;
  margin_ratio_per_thousand: number;
  margin_ratio_decimal: string;
  margin_ratio_percentage: string;
  cost_per_block: Amount;
};

export type StakingIncome = {
  /** Its first second, UTC */
  day: number;
  /** null for a delegation */
  pool_id: string | null;
  /** null for a pool */
  delegation_id: string | null;
  rewards: Amount;
};

/** Bytes as hex, and as text where they are UTF-8 */
export type StringOrHex = {
  string: string | null;
  /** Bytes as lower-case hex */
  hex: string;
};

export type Ticker = {
  /** `BASE_TARGET`, as in the paths of `/order/pair` */
  ticker_id: string;
  /** The id of the token */
  base_currency: string;
  base_ticker: string;
  /** The ticker of the coin, or the id of the token */
  target_currency: string;
  target_ticker: string;
  /** A decimal number as text */
  last_price: string;
  /** Of the last 24 complete hours, as are the next three */
  base_volume: string;
  /** A decimal number as text */
  target_volume: string;
  high: string | null;
  low: string | null;
  bid: string | null;
  ask: string | null;
};

/** Seconds since the epoch */
export type Timestamp = {
  timestamp: number;
};

export type Tip = {
  block_height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
};

export type Token = {
  /** Bech32m text; its prefix says the network and the kind */
  authority: string;
  /** Is the supply locked? */
  is_locked: boolean;
  /** What was minted and not unminted; tokens that were burned without an unmint are part of it */
  circulating_supply: Amount;
  token_ticker: string;
  metadata_uri: {
    /** Bytes as lower-case hex */
    hex: string;
  };
  number_of_decimals: number;
  frozen: boolean;
  is_token_freezable: boolean;
  /** null unless frozen */
  is_token_unfreezable: boolean | null;
  next_nonce: number;
  total_supply: Amount;
  total_supply_type: "Fixed" | "Lockable" | "Unlimited";
};

export type TokenEvent = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  timestamp: number;
  /** 32 bytes as lower-case hex */
  tx_id: string;
  event: "issue" | "mint" | "unmint" | "lock" | "freeze" | "unfreeze" | "authority" | "metadata";
  /** What was minted or unminted; 1 for the issuance of an NFT */
  amount: Amount | null;
  /** What was minted and not unminted, after it */
  supply: Amount;
  /** The new authority */
  authority: string | null;
  /** The new URI */
  metadata_uri: StringOrHex | null;
  /** Of a freeze: can it be undone? */
  is_unfreezable: boolean | null;
};

export type TokenStatistics = {
  circulating_supply: Amount;
  preminted: Amount;
  burned: Amount;
  staked: Amount;
  total_supply: Amount;
};

export type TokenTransaction = {
  tx_global_index: number;
  /** 32 bytes as lower-case hex */
  tx_id: string;
};

/** While it is pending, all fields that depend on the block are null or absent */
export type Transaction = {
  /** 32 bytes as lower-case hex */
  id: string;
  version_byte: number;
  is_replaceable: boolean;
  flags: number;
  fee?: Amount;
  inputs: InputEntry[];
  outputs: Output[];
  block_id: string | null;
  timestamp: number | null;
  /** Blocks above the one with the transaction */
  confirmations: string | null;
  tx_global_index?: number;
  /** With signatures, in bytes */
  size: number;
  /** The fee in atoms per 1,000 bytes, rounded down; absent where the fee is not known */
  fee_rate?: string;
};

export type Unlock = {
  outpoint: Outpoint;
  value: {
    type: "Coin";
    amount: Amount;
  } | {
    type: "TokenV1";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
    amount: Amount;
  } | {
    type: "TokenV0";
  };
  lock: Lock;
  /** When it unlocks, in seconds since the epoch */
  opens_at: number;
  /** For a lock by height, `opens_at` counts 120 seconds for each block from the tip on: the tip of the first page, as long as one walks by cursor */
  is_estimate: boolean;
  /** The height at which it unlocks, for locks by blocks */
  unlock_height: number | null;
  /** The median time past at which it unlocks, for locks by time */
  unlock_time: number | null;
  /** The block that created it */
  block: {
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  };
};

export type Utxo = {
  outpoint: Outpoint;
  utxo: Output;
  block: {
    /** 32 bytes as lower-case hex */
    block_id: string;
    height: number;
    timestamp: number;
  };
};

/** What an output is worth */
export type Value = {
  type: "Coin";
  amount: Amount;
} | {
  type: "TokenV1";
  /** Bech32m text; its prefix says the network and the kind */
  token_id: string;
  amount: Amount;
} | {
  type: "TokenV0";
};

export type WalletBalance = {
  currency: {
    type: "Coin";
  } | {
    type: "Token";
    /** Bech32m text; its prefix says the network and the kind */
    token_id: string;
    /** null while the token is not issued: an order may ask for it */
    ticker: string | null;
    /** 0 for an NFT, and while the token is not issued */
    decimals: number;
  };
  /** Not under a time lock */
  amount: Amount;
  /** Under a time lock */
  locked: Amount;
};

/** What a client was told; to be sent back as it came */
export type WalletCursor = {
  height: number;
  /** 32 bytes as lower-case hex */
  block_id: string;
  /** So many transactions of the block were told. Absent: it was told completely */
  position?: number;
  /** The first of the unspent outputs that were not told. Absent: all were told */
  unspent_from?: string;
};

export type WalletOutput = {
  outpoint: Outpoint;
  utxo: Output;
  /** Of the block that created it */
  block_height: number;
};

export type WalletTransaction = {
  /** 32 bytes as lower-case hex */
  id: string;
  version_byte: number;
  is_replaceable: boolean;
  flags: number;
  fee: Amount;
  inputs: InputEntry[];
  outputs: Output[];
  /** 32 bytes as lower-case hex */
  block_id: string;
  timestamp: number;
  /** Blocks above the one with the transaction */
  confirmations: string;
  tx_global_index: number;
  /** With signatures, in bytes */
  size: number;
  /** The fee in atoms per 1,000 bytes, rounded down; absent where the fee is not known */
  fee_rate?: string;
  height: number;
};

/** All operations, by their path below `/api/v2`. */
export interface Described {
  get: {
    /** Balances and history of an address */
    '/address/{address}': { parameters: { height?: number; time?: number; address: string }; response: Address | AddressAt };
    /** All outputs ever paid to an address */
    '/address/{address}/all-utxos': { parameters: { cursor?: string; address: string }; response: PaidOutput[] | {
        items: PaidOutput[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The balance of an address at the end of each UTC day, newest first */
    '/address/{address}/balance-series': { parameters: { items?: number; cursor?: string; currency?: string; interval?: "day"; from?: string; to?: string; address: string }; response: {
        items: BalanceDay[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The delegations that an address may withdraw from, by id */
    '/address/{address}/delegations': { parameters: { cursor?: string; address: string }; response: string[] | {
        items: string[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** What changed the balances of an address, newest first */
    '/address/{address}/history': { parameters: { items?: number; cursor?: string; currency?: string; kind?: string; direction?: string; from?: string; to?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; address: string }; response: {
        items: BalanceChange[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The open HTLCs that an address may spend or refund, newest first */
    '/address/{address}/htlcs': { parameters: { items?: number; cursor?: string; address: string }; response: {
        items: AddressHtlc[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The NFTs that an address has, the youngest first */
    '/address/{address}/nfts': { parameters: { items?: number; cursor?: string; address: string }; response: {
        items: ListedNft[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The orders that an address may conclude, the youngest first */
    '/address/{address}/orders': { parameters: { items?: number; cursor?: string; address: string }; response: {
        items: OwnOrder[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The active pools that an address may decommission, the youngest first */
    '/address/{address}/pools': { parameters: { items?: number; cursor?: string; address: string }; response: {
        items: OwnPool[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The outputs of an address that can be spent now */
    '/address/{address}/spendable-utxos': { parameters: { cursor?: string; pending?: "" | "exclude"; address: string }; response: Utxo[] | {
        items: Utxo[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** What the pools and delegations of an address earned by UTC day, newest first */
    '/address/{address}/staking': { parameters: { items?: number; cursor?: string; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; address: string }; response: {
        items: StakingIncome[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
        /** Of all days between `from` and `to` */
        sums: {
          pools: Amount;
          delegations: Amount;
          rewards: Amount;
        };
      } };
    /** The tokens whose authority is an address, by id */
    '/address/{address}/token-authority': { parameters: { cursor?: string; address: string }; response: string[] | {
        items: string[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The transactions of an address, newest first */
    '/address/{address}/transactions': { parameters: { items?: number; cursor?: string; from?: string; to?: string; address: string }; response: {
        items: AddressTransaction[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The time-locked outputs of an address, those first that open first */
    '/address/{address}/unlocks': { parameters: { items?: number; cursor?: string; address: string }; response: {
        items: Unlock[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The blocks of the main chain, newest first */
    '/block': { parameters: { items?: number; cursor?: string; from?: string; to?: string }; response: {
        items: ListedBlock[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** A block */
    '/block/{id}': { parameters: { id: string }; response: Block };
    /** A block's header */
    '/block/{id}/header': { parameters: { id: string }; response: BlockHeader };
    /** The encoded block with its signatures, as hex */
    '/block/{id}/raw': { parameters: { id: string }; response: string };
    /** A block's reward */
    '/block/{id}/reward': { parameters: { id: string }; response: Output[] };
    /** The ids of a block's transactions in block order */
    '/block/{id}/transaction-ids': { parameters: { id: string }; response: string[] };
    /** The last block of a time */
    '/chain/at': { parameters: { time: number }; response: BlockPoint };
    /** The genesis block */
    '/chain/genesis': { parameters: Record<never, never>; response: Genesis };
    /** The reorganisations that this index followed, newest first */
    '/chain/reorganisations': { parameters: { items?: number; cursor?: string }; response: {
        items: Reorganisation[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The newest block of the main chain */
    '/chain/tip': { parameters: Record<never, never>; response: Tip };
    /** The id of the main-chain block at a height */
    '/chain/{height}': { parameters: { height: number }; response: string | null };
    /** A delegation */
    '/delegation/{id}': { parameters: { id: string }; response: Delegation };
    /** What a delegation got by UTC day, newest first */
    '/delegation/{id}/history': { parameters: { items?: number; cursor?: string; interval?: "day"; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; response: {
        items: DelegationDay[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
        /** Since it was created, whatever `from` and `to` say */
        sums: {
          deposited: Amount;
          withdrawn: Amount;
          rewards: Amount;
        };
      } };
    /** The estimated fee rate in atoms per kilobyte */
    '/feerate': { parameters: { in_top_x_mb?: number }; response: string };
    /** Fee rates in atoms per kilobyte, by how soon a transaction should be in a block */
    '/feerate/recommended': { parameters: Record<never, never>; response: RecommendedFeeRates };
    /** The HTLCs with the hash of a secret, newest first */
    '/htlc/{hash}': { parameters: { items?: number; cursor?: string; hash: string }; response: {
        items: Htlc[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The markets: pairs with trades or open orders, the one with the newest trade first */
    '/market': { parameters: { items?: number; cursor?: string; format?: "json" | "tickers" }; response: {
        items: Market[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } | Ticker[] };
    /** The pending transactions in figures */
    '/mempool': { parameters: Record<never, never>; response: Mempool };
    /** What pending transactions do to an address */
    '/mempool/address/{address}': { parameters: { address: string }; response: MempoolAddress };
    /** The pending transactions */
    '/mempool/transactions': { parameters: { order?: "insertion" | "dependency"; offset?: number; items?: number }; response: Transaction[] };
    /** The NFTs, the youngest first */
    '/nft': { parameters: { items?: number; cursor?: string }; response: {
        items: ListedNft[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** An NFT: what was issued, and who owns it */
    '/nft/{id}': { parameters: { id: string }; response: Nft };
    /** Who had an NFT from when on, newest first */
    '/nft/{id}/owners': { parameters: { items?: number; cursor?: string; id: string }; response: {
        items: NftOwner[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The open orders, the youngest first */
    '/order': { parameters: { offset?: number; items?: number; cursor?: string }; response: Order[] | {
        items: Order[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The open orders between two currencies, the youngest first */
    '/order/pair/{pair}': { parameters: { offset?: number; items?: number; cursor?: string; pair: string }; response: Order[] | {
        items: Order[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The open orders of a pair by price */
    '/order/pair/{pair}/book': { parameters: { offset?: number; items?: number; cursor?: string; side: "ask" | "bid"; order?: "worst" | "best"; pair: string }; response: {
        items: PriceLevel[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The prices and volumes of a pair by hour, day or week, newest first */
    '/order/pair/{pair}/candles': { parameters: { items?: number; cursor?: string; interval?: "hour" | "day" | "week"; from?: number; to?: number; pair: string }; response: {
        items: Candle[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The trades of a pair, newest first */
    '/order/pair/{pair}/trades': { parameters: { items?: number; cursor?: string; from?: string; to?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; pair: string }; response: {
        items: Fill[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** An order, open or not */
    '/order/{id}': { parameters: { id: string }; response: Order };
    /** The fills of an order, newest first */
    '/order/{id}/fills': { parameters: { items?: number; cursor?: string; id: string }; response: {
        items: Fill[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The active pools */
    '/pool': { parameters: { offset?: number; items?: number; cursor?: string; sort?: "by_height" | "by_pledge" | "by_stake" | "by_blocks" | "by_margin" | "by_apy"; expand?: "true" | "false" }; response: (Pool | ExpandedPool)[] | {
        items: (Pool | ExpandedPool)[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** A pool */
    '/pool/{id}': { parameters: { id: string }; response: Pool };
    /** How many blocks a pool made in a span of time */
    '/pool/{id}/block-stats': { parameters: { from: number; to: number; id: string }; response: {
        block_count: number;
      } };
    /** The blocks that a pool made, newest first */
    '/pool/{id}/blocks': { parameters: { items?: number; cursor?: string; id: string }; response: {
        items: ListedBlock[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The delegations of a pool, by id */
    '/pool/{id}/delegations': { parameters: { offset?: number; items?: number; cursor?: string; id: string }; response: PoolDelegation[] | {
        items: PoolDelegation[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** What a pool made and had by UTC day, newest first */
    '/pool/{id}/history': { parameters: { items?: number; cursor?: string; interval?: "day"; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; response: {
        items: PoolDay[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** How a day's rewards of a pool were split among its delegations, by id */
    '/pool/{id}/history/{day}/delegations': { parameters: { items?: number; cursor?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string; day: number }; response: {
        items: RewardShare[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** What a text may mean */
    '/search': { parameters: { q: string }; response: {
        items: SearchResult[];
        next_cursor: null;
      } };
    /** How much there is of the coin */
    '/statistics/coin': { parameters: { height?: number; time?: number }; response: CoinStatistics };
    /** Who holds the coin, the largest holder first */
    '/statistics/coin/holders': { parameters: { offset?: number; items?: number; cursor?: string; sort?: "amount" | "total"; height?: number; time?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | "," }; response: {
        items: (Holder | PastHolder)[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The series of the chain over time */
    '/statistics/series': { parameters: Record<never, never>; response: ({
        id: "blocks" | "block_time" | "transactions" | "bytes" | "fees" | "circulating_supply" | "total_supply" | "staked" | "burned" | "pools" | "delegations" | "largest_pools_share" | "tokens" | "nfts" | "open_orders" | "trades" | "holders" | "active_addresses" | "new_addresses";
        title: string;
        /** `coins`: coins, with the decimals of the coin */
        unit: string;
        intervals: ("hour" | "day" | "week" | "month")[];
      })[] };
    /** A series of the chain over time, oldest first */
    '/statistics/series/{id}': { parameters: { interval?: "day" | "hour" | "week" | "month"; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: "blocks" | "block_time" | "transactions" | "bytes" | "fees" | "circulating_supply" | "total_supply" | "staked" | "burned" | "pools" | "delegations" | "largest_pools_share" | "tokens" | "nfts" | "open_orders" | "trades" | "holders" | "active_addresses" | "new_addresses" }; response: Series };
    /** How much there is of a token or NFT */
    '/statistics/token/{id}': { parameters: { height?: number; time?: number; id: string }; response: TokenStatistics };
    /** Who holds a token or NFT, the largest holder first */
    '/statistics/token/{id}/holders': { parameters: { offset?: number; items?: number; cursor?: string; sort?: "amount" | "total"; height?: number; time?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; response: {
        items: (Holder | PastHolder)[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The ids of all tokens */
    '/token': { parameters: { offset?: number; items?: number; cursor?: string; expand?: "true" | "false" }; response: (string | ExpandedToken)[] | {
        items: (string | ExpandedToken)[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The ids of the tokens whose ticker contains a text */
    '/token/ticker/{ticker}': { parameters: { offset?: number; items?: number; cursor?: string; expand?: "true" | "false"; ticker: string }; response: (string | ExpandedToken)[] | {
        items: (string | ExpandedToken)[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** A fungible token */
    '/token/{id}': { parameters: { id: string }; response: Token };
    /** What happened to a token or NFT, newest first */
    '/token/{id}/events': { parameters: { items?: number; cursor?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; response: {
        items: TokenEvent[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** The transactions of a token or NFT, newest first */
    '/token/{id}/transactions': { parameters: { offset?: number; items?: number; cursor?: string; from?: string; to?: string; id: string }; response: TokenTransaction[] | {
        items: TokenTransaction[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** Transactions, newest first */
    '/transaction': { parameters: { offset?: number; items?: number; cursor?: string; offset_mode?: "legacy" | "absolute"; from?: string; to?: string }; response: ListedTransaction[] | {
        items: ListedTransaction[];
        /** The `cursor` of the next page; null on the last one */
        next_cursor: string | null;
      } };
    /** A transaction */
    '/transaction/{id}': { parameters: { id: string }; response: Transaction };
    /** The proof that a block holds a transaction */
    '/transaction/{id}/merkle-path': { parameters: { id: string }; response: MerklePath };
    /** An output of the UTXO set */
    '/transaction/{id}/output/{index}': { parameters: { id: string; index: number }; response: OutputState };
    /** What spends the outputs of a transaction */
    '/transaction/{id}/outspends': { parameters: { id: string }; response: ({
        /** null where a block was staked with the output */
        tx_id: string | null;
        /** Among the inputs of that transaction, or of the block that was staked */
        input_index: number;
        /** 32 bytes as lower-case hex */
        block_id: string;
        height: number;
        /** Of the block, in seconds since the epoch */
        timestamp: number;
      } | null)[] };
    /** The encoded transaction with its signatures, as hex */
    '/transaction/{id}/raw': { parameters: { id: string }; response: string };
  };
  lists: {
    /** All outputs ever paid to an address */
    '/address/{address}/all-utxos': { parameters: { address: string }; item: PaidOutput };
    /** The balance of an address at the end of each UTC day, newest first */
    '/address/{address}/balance-series': { parameters: { currency?: string; interval?: "day"; from?: string; to?: string; address: string }; item: BalanceDay };
    /** The delegations that an address may withdraw from, by id */
    '/address/{address}/delegations': { parameters: { address: string }; item: string };
    /** What changed the balances of an address, newest first */
    '/address/{address}/history': { parameters: { currency?: string; kind?: string; direction?: string; from?: string; to?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; address: string }; item: BalanceChange };
    /** The open HTLCs that an address may spend or refund, newest first */
    '/address/{address}/htlcs': { parameters: { address: string }; item: AddressHtlc };
    /** The NFTs that an address has, the youngest first */
    '/address/{address}/nfts': { parameters: { address: string }; item: ListedNft };
    /** The orders that an address may conclude, the youngest first */
    '/address/{address}/orders': { parameters: { address: string }; item: OwnOrder };
    /** The active pools that an address may decommission, the youngest first */
    '/address/{address}/pools': { parameters: { address: string }; item: OwnPool };
    /** The outputs of an address that can be spent now */
    '/address/{address}/spendable-utxos': { parameters: { pending?: "" | "exclude"; address: string }; item: Utxo };
    /** What the pools and delegations of an address earned by UTC day, newest first */
    '/address/{address}/staking': { parameters: { from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; address: string }; item: StakingIncome };
    /** The tokens whose authority is an address, by id */
    '/address/{address}/token-authority': { parameters: { address: string }; item: string };
    /** The transactions of an address, newest first */
    '/address/{address}/transactions': { parameters: { from?: string; to?: string; address: string }; item: AddressTransaction };
    /** The time-locked outputs of an address, those first that open first */
    '/address/{address}/unlocks': { parameters: { address: string }; item: Unlock };
    /** The blocks of the main chain, newest first */
    '/block': { parameters: { from?: string; to?: string }; item: ListedBlock };
    /** The reorganisations that this index followed, newest first */
    '/chain/reorganisations': { parameters: Record<never, never>; item: Reorganisation };
    /** What a delegation got by UTC day, newest first */
    '/delegation/{id}/history': { parameters: { interval?: "day"; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; item: DelegationDay };
    /** The HTLCs with the hash of a secret, newest first */
    '/htlc/{hash}': { parameters: { hash: string }; item: Htlc };
    /** The markets: pairs with trades or open orders, the one with the newest trade first */
    '/market': { parameters: { format?: "json" | "tickers" }; item: Market };
    /** The NFTs, the youngest first */
    '/nft': { parameters: Record<never, never>; item: ListedNft };
    /** Who had an NFT from when on, newest first */
    '/nft/{id}/owners': { parameters: { id: string }; item: NftOwner };
    /** The open orders, the youngest first */
    '/order': { parameters: Record<never, never>; item: Order };
    /** The open orders between two currencies, the youngest first */
    '/order/pair/{pair}': { parameters: { pair: string }; item: Order };
    /** The open orders of a pair by price */
    '/order/pair/{pair}/book': { parameters: { side: "ask" | "bid"; order?: "worst" | "best"; pair: string }; item: PriceLevel };
    /** The prices and volumes of a pair by hour, day or week, newest first */
    '/order/pair/{pair}/candles': { parameters: { interval?: "hour" | "day" | "week"; from?: number; to?: number; pair: string }; item: Candle };
    /** The trades of a pair, newest first */
    '/order/pair/{pair}/trades': { parameters: { from?: string; to?: string; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; pair: string }; item: Fill };
    /** The fills of an order, newest first */
    '/order/{id}/fills': { parameters: { id: string }; item: Fill };
    /** The active pools */
    '/pool': { parameters: { sort?: "by_height" | "by_pledge" | "by_stake" | "by_blocks" | "by_margin" | "by_apy"; expand?: "true" | "false" }; item: Pool | ExpandedPool };
    /** The blocks that a pool made, newest first */
    '/pool/{id}/blocks': { parameters: { id: string }; item: ListedBlock };
    /** The delegations of a pool, by id */
    '/pool/{id}/delegations': { parameters: { id: string }; item: PoolDelegation };
    /** What a pool made and had by UTC day, newest first */
    '/pool/{id}/history': { parameters: { interval?: "day"; from?: number; to?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; item: PoolDay };
    /** How a day's rewards of a pool were split among its delegations, by id */
    '/pool/{id}/history/{day}/delegations': { parameters: { format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string; day: number }; item: RewardShare };
    /** What a text may mean */
    '/search': { parameters: { q: string }; item: SearchResult };
    /** Who holds the coin, the largest holder first */
    '/statistics/coin/holders': { parameters: { sort?: "amount" | "total"; height?: number; time?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | "," }; item: Holder | PastHolder };
    /** Who holds a token or NFT, the largest holder first */
    '/statistics/token/{id}/holders': { parameters: { sort?: "amount" | "total"; height?: number; time?: number; format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; item: Holder | PastHolder };
    /** The ids of all tokens */
    '/token': { parameters: { expand?: "true" | "false" }; item: string | ExpandedToken };
    /** The ids of the tokens whose ticker contains a text */
    '/token/ticker/{ticker}': { parameters: { expand?: "true" | "false"; ticker: string }; item: string | ExpandedToken };
    /** What happened to a token or NFT, newest first */
    '/token/{id}/events': { parameters: { format?: "json" | "csv" | "ndjson"; delimiter?: "," | ";"; decimal?: "." | ","; id: string }; item: TokenEvent };
    /** The transactions of a token or NFT, newest first */
    '/token/{id}/transactions': { parameters: { from?: string; to?: string; id: string }; item: TokenTransaction };
    /** Transactions, newest first */
    '/transaction': { parameters: { from?: string; to?: string }; item: ListedTransaction };
  };
  post: {
    /** What several addresses have as one wallet, now or after a block */
    '/balances': { body: {
        addresses: readonly string[];
        /** The ticker of the coin, in any case, or a token id */
        currency?: string;
        /** As it was after the block at this height */
        height?: number;
        /** As it was after the last block with at most this timestamp, in seconds since the epoch; not with `height` */
        time?: number;
        /** Of a row of an export, which goes on after it; only with `format` */
        cursor?: string;
        /** `csv` or `ndjson`: all entries from the cursor on, as a file; also by `Accept` */
        format?: "json" | "csv" | "ndjson";
        /** Between the fields of CSV: `,`, or `;` if the decimal mark is a comma */
        delimiter?: "," | ";";
        /** The decimal mark of amounts in CSV */
        decimal?: "." | ",";
      }; response: {
        height: number;
        /** 32 bytes as lower-case hex */
        block_id: string;
        timestamp: number;
        balances: CurrencyBalance[];
      } };
    /** The responses to one kind of request for many ids */
    '/batch': { body: {
        /** The request */
        type: "/address/:address" | "/address/:address/all-utxos" | "/address/:address/spendable-utxos" | "/address/:address/delegations" | "/address/:address/orders" | "/address/:address/pools" | "/address/:address/nfts" | "/address/:address/htlcs" | "/address/:address/unlocks" | "/transaction/:txid" | "/transaction/:txid/outspends" | "/token/:token" | "/token?offset=:offset" | "/nft/:token" | "/nft/:token/owners" | "/pool/:pool/blocks" | "/htlc/:hash" | "/chain/at?time=:time" | "/search?q=:q" | "/delegation/:address" | "/chain/:address" | "/block/:address" | "/pool/:address" | "/token?offset=:address";
        /** What stands in its place after the colon */
        ids: readonly (string | number)[];
        /** 0: mainnet, 1: testnet; that of this server. Null is as if absent */
        network?: 0 | 1 | null;
      }; response: {
        /** In the order of the ids */
        results: unknown[];
      } };
    /** What changed the balances of several addresses as one wallet, newest first */
    '/history': { body: {
        addresses: readonly string[];
        /** The ticker of the coin, in any case, or a token id */
        currency?: string;
        /** Only blocks from this time or height on: seconds since the epoch, or a height as `#123` (`%23123` in a URL) */
        from?: string;
        /** Only blocks before this time or below this height: seconds since the epoch, or a height as `#123` (`%23123` in a URL) */
        to?: string;
        items?: number;
        cursor?: string;
        /** `csv` or `ndjson`: all entries from the cursor on, as a file; also by `Accept` */
        format?: "json" | "csv" | "ndjson";
        /** Between the fields of CSV: `,`, or `;` if the decimal mark is a comma */
        delimiter?: "," | ";";
        /** The decimal mark of amounts in CSV */
        decimal?: "." | ",";
      }; response: {
        /** What the wallet had before the range */
        opening: CurrencyBalance[];
        /** What it had after the range, or has now */
        closing: CurrencyBalance[];
        /** Newest first */
        items: BalanceChange[];
        next_cursor: string | null;
      } };
    /** What the pools and delegations of several addresses earned by UTC day, newest first */
    '/staking': { body: {
        addresses: readonly string[];
        /** Only days that begin at this time or later, in seconds since the epoch */
        from?: number;
        /** Only days that begin before this time */
        to?: number;
        items?: number;
        cursor?: string;
      }; response: {
        items: StakingIncome[];
        next_cursor: string | null;
        /** Of all days between `from` and `to` */
        sums: {
          pools: Amount;
          delegations: Amount;
          rewards: Amount;
        };
      } };
    /** Submits a signed transaction to the node */
    '/transaction': { body: string | {
        /** The encoded signed transaction as hex text */
        transaction: string;
      }; response: {
        /** 32 bytes as lower-case hex */
        tx_id: string;
      } };
    /** What has changed for the addresses of a wallet */
    '/wallet/sync': { body: {
        addresses: readonly string[];
        cursor?: WalletCursor | null;
      }; response: {
        /** The cursor of the request */
        from: WalletCursor | null;
        /** The cursor of the next request */
        to: WalletCursor;
        /** null, unless a reorganisation removed the block of the cursor: then the last block that is still on the main chain. What was told of later blocks is void, and so are all outputs: `created` begins again with all unspent ones */
        rolled_back_to: {
          height: number;
          /** 32 bytes as lower-case hex */
          block_id: string;
        } | null;
        /** Confirmed since, in the order of the chain; none if the cursor of the request is null */
        transactions: WalletTransaction[];
        /** Outputs that were created since, also if they are spent again. All unspent ones if the cursor is null */
        created: WalletOutput[];
        /** Outputs that were spent since, also those that nothing was told of. They come after `created` */
        spent: Outpoint[];
        /** Those of `pending` that a removed block contained, as far as this server knows */
        unconfirmed_again: string[];
        /** The pending transactions of the addresses now; null while they are not known */
        pending: Transaction[] | null;
        /** false while `pending` may lack some: this server does not know all pending transactions, or the addresses have more than 500. A transaction that was in `pending` before may be pending still, unless it is in `dropped` or confirmed */
        pending_complete: boolean;
        /** Transactions that left without being confirmed within the last hour, as far as this server knows */
        dropped: string[];
        /** Of all addresses together at `to`; null if nothing of the addresses changed since the cursor, or `complete` is false */
        balances: WalletBalance[] | null;
        /** false: there is more; ask again with `to` */
        complete: boolean;
      } };
  };
}
