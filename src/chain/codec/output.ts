/** Outputs of transactions and block rewards, and what they carry (docs/protocol.md#outputs). */
import { EncodeError } from '../scale/codec-errors.ts';
import { bytesFromHex } from '../scale/hex.ts';
import { decodeWhole, type ScaleReader } from '../scale/reader.ts';
import { encodeToBuffer } from '../scale/writer.ts';
import type {
  HashedTimelockContract,
  Hex,
  OrderData,
  StakePoolData,
  TimeLock,
  TokenIssuance,
  TotalSupply,
  TxOutput,
} from '../types.ts';
import { AMOUNT_CODEC, behindVersion, bool, bytes, byteVector, type Codec, id, struct, u8, union } from './codec.ts';
import { DESTINATION_CODEC, VRF_KEY_CODEC } from './destination.ts';
import { NFT_ISSUANCE_CODEC } from './nft.ts';
import { OUTPUT_VALUE_CODEC } from './value.ts';

/** docs/protocol.md#time-locks. The position is the tag. */
const TIME_LOCK_TYPES = ['UntilHeight', 'UntilTime', 'ForBlockCount', 'ForSeconds'] as const;
const TIME_LOCK: Codec<TimeLock> = {
  read(reader: ScaleReader) {
    const tag = reader.u8('a time lock');
    const type = TIME_LOCK_TYPES[tag];
    if (type === undefined) reader.fail('the kind of a time lock: 0 to 3', `${tag}`, reader.position - 1);
    return { type, value: reader.compact(8, 'the value of a time lock') };
  },
  write(writer, lock) {
    writer.u8(TIME_LOCK_TYPES.indexOf(lock.type));
    writer.compact(lock.value, 64);
  },
};

const MAX_PER_THOUSAND = 1000;
const MARGIN_RATIO: Codec<number> = {
  read(reader: ScaleReader) {
    const ratio = reader.u16('a margin ratio per thousand');
    if (ratio > MAX_PER_THOUSAND) reader.fail('a margin ratio of 0 to 1000', `${ratio}`, reader.position - 2);
    return ratio;
  },
  write(writer, ratio) {
    if (ratio > MAX_PER_THOUSAND) throw new EncodeError(`a margin ratio of ${ratio} per thousand`);
    writer.u16(ratio);
  },
};

/** docs/protocol.md#stake-pool-data. */
const STAKE_POOL = struct<StakePoolData>({
  pledge: AMOUNT_CODEC,
  staker: DESTINATION_CODEC,
  vrfPublicKey: VRF_KEY_CODEC,
  decommissionKey: DESTINATION_CODEC,
  marginRatioPerThousand: MARGIN_RATIO,
  costPerBlock: AMOUNT_CODEC,
});

const TOTAL_SUPPLY = union<TotalSupply>('a total supply', {
  Fixed: { index: 0, fields: { amount: AMOUNT_CODEC } },
  Lockable: { index: 1, fields: {} },
  Unlimited: { index: 2, fields: {} },
});

/** docs/protocol.md#token-issuance. */
const TOKEN_ISSUANCE = behindVersion(
  1,
  'a token issuance',
  struct<TokenIssuance>({
    ticker: byteVector('a ticker'),
    numberOfDecimals: u8('a number of decimals'),
    metadataUri: byteVector('a metadata URI'),
    totalSupply: TOTAL_SUPPLY,
    authority: DESTINATION_CODEC,
    isFreezable: bool('whether a token is freezable'),
  }),
);

/** docs/protocol.md#htlcs. */
const HTLC = struct<HashedTimelockContract>({
  secretHash: bytes(20, 'the hash of a secret'),
  spendKey: DESTINATION_CODEC,
  refundTimelock: TIME_LOCK,
  refundKey: DESTINATION_CODEC,
});

/** docs/protocol.md#order-data. */
const ORDER = struct<OrderData>({ concludeKey: DESTINATION_CODEC, ask: OUTPUT_VALUE_CODEC, give: OUTPUT_VALUE_CODEC });

const POOL_ID = id('a pool id');

export const { read: readOutput, write: writeOutput } = union<TxOutput>('an output', {
  Transfer: {
    index: 0,
    read: (reader) => ({
      type: 'Transfer',
      value: OUTPUT_VALUE_CODEC.read(reader),
      destination: DESTINATION_CODEC.read(reader),
    }),
    write(writer, output) {
      OUTPUT_VALUE_CODEC.write(writer, output.value);
      DESTINATION_CODEC.write(writer, output.destination);
    },
  },
  LockThenTransfer: {
    index: 1,
    read: (reader) => ({
      type: 'LockThenTransfer',
      value: OUTPUT_VALUE_CODEC.read(reader),
      destination: DESTINATION_CODEC.read(reader),
      lock: TIME_LOCK.read(reader),
    }),
    write(writer, output) {
      OUTPUT_VALUE_CODEC.write(writer, output.value);
      DESTINATION_CODEC.write(writer, output.destination);
      TIME_LOCK.write(writer, output.lock);
    },
  },
  Burn: { index: 2, fields: { value: OUTPUT_VALUE_CODEC } },
  CreateStakePool: { index: 3, fields: { poolId: POOL_ID, data: STAKE_POOL } },
  ProduceBlockFromStake: {
    index: 4,
    read: (reader) => ({
      type: 'ProduceBlockFromStake',
      destination: DESTINATION_CODEC.read(reader),
      poolId: POOL_ID.read(reader),
    }),
    write(writer, output) {
      DESTINATION_CODEC.write(writer, output.destination);
      POOL_ID.write(writer, output.poolId);
    },
  },
  CreateDelegationId: { index: 5, fields: { destination: DESTINATION_CODEC, poolId: POOL_ID } },
  DelegateStaking: { index: 6, fields: { amount: AMOUNT_CODEC, delegationId: id('a delegation id') } },
  IssueFungibleToken: { index: 7, fields: { issuance: TOKEN_ISSUANCE } },
  IssueNft: {
    index: 8,
    fields: { tokenId: id('a token id'), metadata: NFT_ISSUANCE_CODEC, destination: DESTINATION_CODEC },
  },
  DataDeposit: { index: 9, fields: { data: byteVector('deposited data') } },
  Htlc: { index: 10, fields: { value: OUTPUT_VALUE_CODEC, contract: HTLC } },
  CreateOrder: { index: 11, fields: { order: ORDER } },
});

/** Throws EncodeError. */
export function encodeOutput(output: TxOutput): Buffer {
  return encodeToBuffer(writeOutput, output, 96);
}

/** Decodes an output from hex. Throws DecodeError. */
export function outputFromHex(hex: Hex): TxOutput {
  return decodeWhole(bytesFromHex(hex), readOutput, 'an output');
}
