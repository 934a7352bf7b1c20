/** Arbitrary values of every consensus type, for property tests: whatever has an encoding, sensible or not. */
import fc, { type Arbitrary } from 'fast-check';
import { encodeReward } from '../../src/chain/codec/block.ts';
import { compactTargetFault } from '../../src/chain/compact-target.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { hash } from '../../src/chain/hash.ts';
import { merkleRoot } from '../../src/chain/merkle.ts';
import type {
  AccountCommand,
  Block,
  BlockHeader,
  ConsensusData,
  Genesis,
  Hex,
  InputWitness,
  NftMetadata,
  OrderAccountCommand,
  Outpoint,
  OutputValue,
  SignedTransaction,
  TimeLock,
  TokenIssuance,
  Transaction,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { signedTransactionHash } from '../support/hashes.ts';

/**
 * Any code point that has an encoding, so none of a surrogate. It is what fast-check calls the unit `binary`, without the
 * second and the memory that its table of a million texts takes in each process.
 */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Characters of all of Unicode. */
export function text(lengths: { readonly maxLength?: number } = {}): Arbitrary<string> {
  return fc.string({ unit: character, ...lengths });
}

/** Integers of `bits` bits that favour the borders between encoded lengths. */
export function compactInteger(bits: number): Arbitrary<bigint> {
  const max = (1n << BigInt(bits)) - 1n;
  const border = fc
    .tuple(fc.constantFrom(6, 14, 30, 32, 40, 48, 53, 56, 64, 72, 96, 104, 120, 128), fc.integer({ min: -2, max: 2 }))
    .map(([exponent, distance]) => (1n << BigInt(exponent)) + BigInt(distance))
    .map((value) => (value > max ? max : value));
  return fc.oneof(border, fc.bigInt({ min: 0n, max }), fc.bigInt({ min: 0n, max: 100_000n }));
}

/** Exactly `length` bytes. */
export function hex(length: number): Arbitrary<Hex> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map(textOf);
}

/** Up to `maxLength` bytes. */
export function byteText(maxLength = 80): Arbitrary<Hex> {
  return fc.uint8Array({ maxLength }).map(textOf);
}

const textOf = (bytes: Uint8Array): Hex => Buffer.from(bytes).toString('hex');
/** A plain object: `deepEqual` tells one without prototype from it. */
function record<T>(fields: { [K in keyof T]: Arbitrary<T[K]> }): Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true }) as Arbitrary<T>;
}

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const u8 = fc.integer({ min: 0, max: 0xff });

export const id = hex(32);
export const amount = compactInteger(128);
export const nonce = compactInteger(64);
export const timestamp = fc.oneof(fc.maxSafeNat(), fc.integer({ min: 1_600_000_000, max: 2_000_000_000 }));

/** Kind byte and compressed point; not always on the curve. */
export const publicKey = fc.tuple(fc.constantFrom('0002', '0003'), id).map(([start, x]) => start + x);

export const destination = fc.oneof(
  fc.constant('00'),
  hex(20).map((rest) => `01${rest}`),
  publicKey.map((key) => `02${key}`),
  hex(32).map((rest) => `03${rest}`),
  hex(20).map((rest) => `04${rest}`),
);

export const outpoint: Arbitrary<Outpoint> = record({
  sourceType: fc.constantFrom('Transaction', 'BlockReward'),
  sourceId: id,
  index: u32,
});

const timeLock: Arbitrary<TimeLock> = record({
  type: fc.constantFrom('UntilHeight', 'UntilTime', 'ForBlockCount', 'ForSeconds'),
  value: compactInteger(64),
});

export const nftMetadata: Arbitrary<NftMetadata> = record({
  creator: fc.option(publicKey),
  name: byteText(10),
  description: byteText(),
  ticker: byteText(12),
  iconUri: byteText(),
  additionalMetadataUri: byteText(),
  mediaUri: byteText(),
  mediaHash: byteText(32),
});

const outputValue: Arbitrary<OutputValue> = fc.oneof(
  record({ type: fc.constant('Coin'), amount }),
  record({ type: fc.constant('TokenV1'), tokenId: id, amount }),
  record({
    type: fc.constant('TokenV0'),
    data: fc.oneof(
      record({ type: fc.constant('TokenTransfer'), tokenId: id, amount }),
      record({
        type: fc.constant('TokenIssuance'),
        ticker: byteText(12),
        amountToIssue: amount,
        numberOfDecimals: u8,
        metadataUri: byteText(),
      }),
      record({ type: fc.constant('NftIssuance'), metadata: nftMetadata }),
    ),
  }),
);

const tokenIssuance: Arbitrary<TokenIssuance> = record({
  ticker: byteText(12),
  numberOfDecimals: u8,
  metadataUri: byteText(),
  totalSupply: fc.oneof(
    record({ type: fc.constant('Fixed'), amount }),
    record({ type: fc.constant('Lockable') }),
    record({ type: fc.constant('Unlimited') }),
  ),
  authority: destination,
  isFreezable: fc.boolean(),
});

/** An arbitrary value of each kind of a union. */
type EachKind<T extends { readonly type: string }> = {
  readonly [Kind in T['type']]: Arbitrary<Extract<T, { readonly type: Kind }>>;
};

/** A value of any kind. */
function anyKind<T extends { readonly type: string }>(kinds: EachKind<T>): Arbitrary<T> {
  return fc.oneof(...(Object.values(kinds) as Arbitrary<T>[]));
}

export const output = anyKind<TxOutput>({
  Transfer: record({ type: fc.constant('Transfer'), value: outputValue, destination }),
  LockThenTransfer: record({ type: fc.constant('LockThenTransfer'), value: outputValue, destination, lock: timeLock }),
  Burn: record({ type: fc.constant('Burn'), value: outputValue }),
  CreateStakePool: record({
    type: fc.constant('CreateStakePool'),
    poolId: id,
    data: record({
      pledge: amount,
      staker: destination,
      vrfPublicKey: id.map((key) => `00${key}`),
      decommissionKey: destination,
      marginRatioPerThousand: fc.integer({ min: 0, max: 1000 }),
      costPerBlock: amount,
    }),
  }),
  ProduceBlockFromStake: record({ type: fc.constant('ProduceBlockFromStake'), destination, poolId: id }),
  CreateDelegationId: record({ type: fc.constant('CreateDelegationId'), destination, poolId: id }),
  DelegateStaking: record({ type: fc.constant('DelegateStaking'), amount, delegationId: id }),
  IssueFungibleToken: record({ type: fc.constant('IssueFungibleToken'), issuance: tokenIssuance }),
  IssueNft: record({ type: fc.constant('IssueNft'), tokenId: id, metadata: nftMetadata, destination }),
  DataDeposit: record({ type: fc.constant('DataDeposit'), data: byteText(384) }),
  Htlc: record({
    type: fc.constant('Htlc'),
    value: outputValue,
    contract: record({
      secretHash: hex(20),
      spendKey: destination,
      refundTimelock: timeLock,
      refundKey: destination,
    }),
  }),
  CreateOrder: record({
    type: fc.constant('CreateOrder'),
    order: record({ concludeKey: destination, ask: outputValue, give: outputValue }),
  }),
});

const accountCommand = anyKind<AccountCommand>({
  MintTokens: record({ type: fc.constant('MintTokens'), tokenId: id, amount }),
  UnmintTokens: record({ type: fc.constant('UnmintTokens'), tokenId: id }),
  LockTokenSupply: record({ type: fc.constant('LockTokenSupply'), tokenId: id }),
  FreezeToken: record({ type: fc.constant('FreezeToken'), tokenId: id, isUnfreezable: fc.boolean() }),
  UnfreezeToken: record({ type: fc.constant('UnfreezeToken'), tokenId: id }),
  ChangeTokenAuthority: record({ type: fc.constant('ChangeTokenAuthority'), tokenId: id, newAuthority: destination }),
  ConcludeOrder: record({ type: fc.constant('ConcludeOrder'), orderId: id }),
  FillOrder: record({ type: fc.constant('FillOrder'), orderId: id, fillAmount: amount, destination }),
  ChangeTokenMetadataUri: record({
    type: fc.constant('ChangeTokenMetadataUri'),
    tokenId: id,
    metadataUri: byteText(),
  }),
});

const orderAccountCommand = anyKind<OrderAccountCommand>({
  FillOrder: record({ type: fc.constant('FillOrder'), orderId: id, fillAmount: amount }),
  FreezeOrder: record({ type: fc.constant('FreezeOrder'), orderId: id }),
  ConcludeOrder: record({ type: fc.constant('ConcludeOrder'), orderId: id }),
});

const input = anyKind<TxInput>({
  Utxo: record({ type: fc.constant('Utxo'), outpoint }),
  Account: record({ type: fc.constant('Account'), nonce, delegationId: id, amount }),
  AccountCommand: record({ type: fc.constant('AccountCommand'), nonce, command: accountCommand }),
  OrderAccountCommand: record({ type: fc.constant('OrderAccountCommand'), command: orderAccountCommand }),
});

const witness: Arbitrary<InputWitness> = fc.oneof(
  record({ type: fc.constant('NoSignature'), data: fc.option(byteText(128)) }),
  record({
    type: fc.constant('Standard'),
    sighashType: fc.constantFrom(1, 2, 3, 0x81, 0x82, 0x83),
    rawSignature: byteText(160),
  }),
);

export const transaction: Arbitrary<Transaction> = record({
  flags: compactInteger(128),
  inputs: fc.array(input, { maxLength: 5 }),
  outputs: fc.array(output, { maxLength: 5 }),
});

export const signedTransaction: Arbitrary<SignedTransaction> = transaction.chain((unsigned) => {
  const length = unsigned.inputs.length;
  return record({
    transaction: fc.constant(unsigned),
    signatures: fc.array(witness, { minLength: length, maxLength: length }),
  });
});

export const consensus: Arbitrary<ConsensusData> = fc.oneof(
  record({ type: fc.constant('None') }),
  record({ type: fc.constant('PoW'), bits: u32, nonce: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }) }),
  record({
    type: fc.constant('PoS'),
    data: record({
      kernelInputs: fc.array(input, { maxLength: 2 }),
      kernelWitness: fc.array(witness, { maxLength: 2 }),
      stakePoolId: id,
      vrfData: hex(96).map((rest) => `00${rest}`),
      compactTarget: u32.filter((compact) => compactTargetFault(compact) === undefined),
    }),
  }),
);

export const header: Arbitrary<BlockHeader> = record({
  prevBlockId: id,
  txMerkleRoot: id,
  witnessMerkleRoot: id,
  timestamp,
  consensus,
});

/** Its merkle roots are arbitrary too; `sealed` makes them those of its contents. */
export const block: Arbitrary<Block> = record({
  header,
  signature: fc.option(hex(64).map((rest) => `00${rest}`)),
  reward: fc.array(output, { maxLength: 2 }),
  transactions: fc.array(signedTransaction, { maxLength: 5 }),
});

export const genesis: Arbitrary<Genesis> = record({
  message: text({ maxLength: 40 }),
  timestamp,
  outputs: fc.array(output, { maxLength: 3 }),
});

/** The block with the merkle roots of its contents. */
export function sealed(contents: Block): Block {
  const reward = hash(encodeReward(contents.reward));
  const ids = contents.transactions.map((signed) => transactionId(signed.transaction));
  const hashes = contents.transactions.map(signedTransactionHash);
  const header = {
    ...contents.header,
    txMerkleRoot: merkleRoot([reward, ...ids]),
    witnessMerkleRoot: merkleRoot([reward, ...hashes]),
  };
  return { ...contents, header };
}
