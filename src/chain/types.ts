/**
 * The consensus types of Mintlayer as closed unions (docs/protocol.md#blocks).
 *
 * Ids, hashes, destinations and byte strings are lower-case hex text: JavaScript has no map that is keyed by bytes,
 * PostgreSQL takes hex as it is, and a text does not keep the buffer of a whole block alive. Amounts, nonces and lock
 * values are `bigint`. Heights, timestamps and indexes are `number`s (the decoder refuses what does not fit exactly).
 */

/** Bytes as lower-case hex without prefix. */
export type Hex = string;
/** 32 bytes as hex: a block, transaction, pool, delegation, token or order id. */
export type Id = Hex;
/**
 * The SCALE encoding of a destination as hex: kind byte, then the key or hash (docs/protocol.md#destinations-and-keys).
 */
export type Destination = Hex;
/** An amount in atoms, 0 … 2^128 − 1. */
export type Atoms = bigint;

/**
 * The output that an input spends: the output at `index` of a transaction, or of the reward of a block or the genesis.
 */
export interface Outpoint {
  readonly sourceType: 'Transaction' | 'BlockReward';
  readonly sourceId: Id;
  readonly index: number;
}

// ---------------------------------------------------------------------------------------------------- outputs

export type OutputValue =
  | { readonly type: 'Coin'; readonly amount: Atoms }
  | { readonly type: 'TokenV0'; readonly data: TokenDataV0 }
  | { readonly type: 'TokenV1'; readonly tokenId: Id; readonly amount: Atoms };

/** Legacy tokens (testnet below 78,440): kept as data, never counted. */
export type TokenDataV0 =
  | { readonly type: 'TokenTransfer'; readonly tokenId: Id; readonly amount: Atoms }
  | {
      readonly type: 'TokenIssuance';
      readonly ticker: Hex;
      readonly amountToIssue: Atoms;
      readonly numberOfDecimals: number;
      readonly metadataUri: Hex;
    }
  | { readonly type: 'NftIssuance'; readonly metadata: NftMetadata };

/** Blocks, seconds since the epoch, or a count of either, by type. */
export interface TimeLock {
  readonly type: 'UntilHeight' | 'UntilTime' | 'ForBlockCount' | 'ForSeconds';
  readonly value: bigint;
}

export interface StakePoolData {
  readonly pledge: Atoms;
  readonly staker: Destination;
  /** Kind byte and 32 bytes. */
  readonly vrfPublicKey: Hex;
  readonly decommissionKey: Destination;
  /** 0 … 1000. */
  readonly marginRatioPerThousand: number;
  readonly costPerBlock: Atoms;
}

export type TotalSupply =
  | { readonly type: 'Fixed'; readonly amount: Atoms }
  | { readonly type: 'Lockable' }
  | { readonly type: 'Unlimited' };

export interface TokenIssuance {
  readonly ticker: Hex;
  readonly numberOfDecimals: number;
  readonly metadataUri: Hex;
  readonly totalSupply: TotalSupply;
  readonly authority: Destination;
  readonly isFreezable: boolean;
}

export interface NftMetadata {
  /** The creator's public key: kind byte and 33 bytes. */
  readonly creator: Hex | null;
  readonly name: Hex;
  readonly description: Hex;
  readonly ticker: Hex;
  /** Empty means absent, as in the next two. */
  readonly iconUri: Hex;
  readonly additionalMetadataUri: Hex;
  readonly mediaUri: Hex;
  readonly mediaHash: Hex;
}

export interface HashedTimelockContract {
  /** 20 bytes. */
  readonly secretHash: Hex;
  readonly spendKey: Destination;
  readonly refundTimelock: TimeLock;
  readonly refundKey: Destination;
}

export interface OrderData {
  readonly concludeKey: Destination;
  readonly ask: OutputValue;
  readonly give: OutputValue;
}

export type TxOutput =
  | { readonly type: 'Transfer'; readonly value: OutputValue; readonly destination: Destination }
  | {
      readonly type: 'LockThenTransfer';
      readonly value: OutputValue;
      readonly destination: Destination;
      readonly lock: TimeLock;
    }
  | { readonly type: 'Burn'; readonly value: OutputValue }
  | { readonly type: 'CreateStakePool'; readonly poolId: Id; readonly data: StakePoolData }
  | { readonly type: 'ProduceBlockFromStake'; readonly destination: Destination; readonly poolId: Id }
  | { readonly type: 'CreateDelegationId'; readonly destination: Destination; readonly poolId: Id }
  | { readonly type: 'DelegateStaking'; readonly amount: Atoms; readonly delegationId: Id }
  | { readonly type: 'IssueFungibleToken'; readonly issuance: TokenIssuance }
  | {
      readonly type: 'IssueNft';
      readonly tokenId: Id;
      readonly metadata: NftMetadata;
      readonly destination: Destination;
    }
  | { readonly type: 'DataDeposit'; readonly data: Hex }
  | { readonly type: 'Htlc'; readonly value: OutputValue; readonly contract: HashedTimelockContract }
  | { readonly type: 'CreateOrder'; readonly order: OrderData };

// ----------------------------------------------------------------------------------------------------- inputs

export type AccountCommand =
  | { readonly type: 'MintTokens'; readonly tokenId: Id; readonly amount: Atoms }
  | { readonly type: 'UnmintTokens'; readonly tokenId: Id }
  | { readonly type: 'LockTokenSupply'; readonly tokenId: Id }
  | { readonly type: 'FreezeToken'; readonly tokenId: Id; readonly isUnfreezable: boolean }
  | { readonly type: 'UnfreezeToken'; readonly tokenId: Id }
  | { readonly type: 'ChangeTokenAuthority'; readonly tokenId: Id; readonly newAuthority: Destination }
  | { readonly type: 'ConcludeOrder'; readonly orderId: Id }
  | {
      readonly type: 'FillOrder';
      readonly orderId: Id;
      /** The amount of a fill, in the ask currency. */
      readonly fillAmount: Atoms;
      readonly destination: Destination;
    }
  | { readonly type: 'ChangeTokenMetadataUri'; readonly tokenId: Id; readonly metadataUri: Hex };

export type OrderAccountCommand =
  /** The fill amount is in the ask currency. */
  | { readonly type: 'FillOrder'; readonly orderId: Id; readonly fillAmount: Atoms }
  | { readonly type: 'FreezeOrder'; readonly orderId: Id }
  | { readonly type: 'ConcludeOrder'; readonly orderId: Id };

export type OrderCommand = Extract<AccountCommand, { readonly orderId: Id }> | OrderAccountCommand;
export type TokenCommand = Exclude<AccountCommand, { readonly orderId: Id }>;

export type TxInput =
  | { readonly type: 'Utxo'; readonly outpoint: Outpoint }
  /** The only account kind is the withdrawal from a delegation. */
  | { readonly type: 'Account'; readonly nonce: bigint; readonly delegationId: Id; readonly amount: Atoms }
  | { readonly type: 'AccountCommand'; readonly nonce: bigint; readonly command: AccountCommand }
  | { readonly type: 'OrderAccountCommand'; readonly command: OrderAccountCommand };

export type InputWitness =
  | { readonly type: 'NoSignature'; readonly data: Hex | null }
  | { readonly type: 'Standard'; readonly sighashType: number; readonly rawSignature: Hex };

// --------------------------------------------------------------------------------------- transactions and blocks

export interface Transaction {
  /** Flags of up to 128 bits; bit 0 means replaceable. */
  readonly flags: bigint;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
}

export interface SignedTransaction {
  readonly transaction: Transaction;
  /** The signatures, one per input. */
  readonly signatures: readonly InputWitness[];
}

export interface PoSData {
  readonly kernelInputs: readonly TxInput[];
  readonly kernelWitness: readonly InputWitness[];
  readonly stakePoolId: Id;
  /** Tag, 32 bytes of pre-output, 64 bytes of proof. */
  readonly vrfData: Hex;
  readonly compactTarget: number;
}

export type ConsensusData =
  | { readonly type: 'None' }
  | { readonly type: 'PoW'; readonly bits: number; readonly nonce: bigint }
  | { readonly type: 'PoS'; readonly data: PoSData };

export interface BlockHeader {
  readonly prevBlockId: Id;
  readonly txMerkleRoot: Hex;
  readonly witnessMerkleRoot: Hex;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly consensus: ConsensusData;
}

export interface Block {
  readonly header: BlockHeader;
  /** The header signature: kind byte and 64 bytes. */
  readonly signature: Hex | null;
  readonly reward: readonly TxOutput[];
  readonly transactions: readonly SignedTransaction[];
}

/** A block together with the ids that its bytes hash to. */
export interface IdentifiedBlock {
  readonly id: Id;
  readonly block: Block;
  /** The ids in block order. */
  readonly transactionIds: readonly Id[];
  /** The lengths of the transactions with their signatures, in bytes. */
  readonly transactionSizes: readonly number[];
  /** The leaf of the reward in both merkle trees. */
  readonly rewardHash: Hex;
  /** Length of the encoded block in bytes. */
  readonly size: number;
}

export interface Genesis {
  readonly message: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly outputs: readonly TxOutput[];
}

export interface ResolvedInput {
  readonly output: TxOutput;
  /** The secret that the spend of an HTLC reveals. */
  readonly secret: Hex | null;
}
