import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nftMetadataFromHex, nftMetadataToHex } from '../../../src/chain/codec/nft.ts';
import { encodeOutput, outputFromHex } from '../../../src/chain/codec/output.ts';
import { DecodeError, EncodeError } from '../../../src/chain/scale/codec-errors.ts';
import type { TxOutput } from '../../../src/chain/types.ts';
import { nftMetadata } from '../arbitrary.ts';

const T = 'a2d091c2a51b0e761f8bc7fe0bbe6c0f40b4326ad31a6bf2791d37acb905c477';
const D = '015b3a6eb064cf06c229c11e5b04c3ca67cf50d9b2';
const OTHER = `01${'5a'.repeat(20)}`;
const ZERO = '00'.repeat(32);
const ID = 'aa'.repeat(32);
const VRF_KEY = '006cf5ea61aa09f79ea964547bebb7931d8876cb1892383cd902c62085fff0547b';
const SECRET_HASH = '0102030405060708090a0b0c0d0e0f1011121314';
const CREATOR = '0002e3fc21c3df2c26234991d4b431730496ccfacd7b83c97282bad162b576e98559';
const METADATA = `01${CREATOR}0c6e667410646573630c5858582c687474703a2f2f69636f6e28687474703a2f2f666f6f28687474703a2f2f7572691001020304`;

const ascii = (text: string) => Buffer.from(text).toString('hex');
const tokens = { type: 'TokenV1', tokenId: T, amount: 100n } as const;
const metadata = {
  creator: CREATOR,
  name: ascii('nft'),
  description: ascii('desc'),
  ticker: ascii('XXX'),
  iconUri: ascii('http://icon'),
  additionalMetadataUri: ascii('http://foo'),
  mediaUri: ascii('http://uri'),
  mediaHash: '01020304',
};

const VECTORS: [string, TxOutput][] = [
  [`0002${T}9101${D}`, { type: 'Transfer', value: tokens, destination: D }],
  [
    `0102${T}9101${D}009101`,
    { type: 'LockThenTransfer', value: tokens, destination: D, lock: { type: 'UntilHeight', value: 100n } },
  ],
  [`0202${T}9101`, { type: 'Burn', value: tokens }],
  [`04${D}${ZERO}`, { type: 'ProduceBlockFromStake', destination: D, poolId: ZERO }],
  [
    `07010c5858580238687474703a2f2f7572692e636f6d02${D}01`,
    {
      type: 'IssueFungibleToken',
      issuance: {
        ticker: ascii('XXX'),
        numberOfDecimals: 2,
        metadataUri: ascii('http://uri.com'),
        totalSupply: { type: 'Unlimited' },
        authority: D,
        isFreezable: true,
      },
    },
  ],
  [
    `0b${D}000271020002${T}419c`,
    {
      type: 'CreateOrder',
      order: {
        concludeKey: D,
        ask: { type: 'Coin', amount: 40_000n },
        give: { type: 'TokenV1', tokenId: T, amount: 10_000n },
      },
    },
  ],
  [`08${T}00${METADATA}${D}`, { type: 'IssueNft', tokenId: T, metadata, destination: D }],
  [
    `03${ID}9101${D}${VRF_KEY}${OTHER}460014`,
    {
      type: 'CreateStakePool',
      poolId: ID,
      data: {
        ...{ pledge: 100n, staker: D, vrfPublicKey: VRF_KEY, decommissionKey: OTHER },
        ...{ marginRatioPerThousand: 70, costPerBlock: 5n },
      },
    },
  ],
  [`05${OTHER}${ID}`, { type: 'CreateDelegationId', destination: OTHER, poolId: ID }],
  [`069101${ID}`, { type: 'DelegateStaking', amount: 100n, delegationId: ID }],
  [
    `0a02${T}9101${SECRET_HASH}${D}031c${OTHER}`,
    {
      type: 'Htlc',
      value: tokens,
      contract: {
        ...{ secretHash: SECRET_HASH, spendKey: D, refundKey: OTHER },
        refundTimelock: { type: 'ForSeconds', value: 7n },
      },
    },
  ],
];

for (const [hex, value] of VECTORS) {
  test(`the vector of an output ${value.type} is decoded and encoded`, () => {
    assert.deepEqual(outputFromHex(hex), value);
    assert.equal(encodeOutput(value).toString('hex'), hex);
  });
}

test('the vector of NFT metadata alone is decoded and encoded', () => {
  assert.deepEqual(nftMetadataFromHex(METADATA), metadata);
  assert.equal(nftMetadataToHex(metadata), METADATA);
});

test('any metadata come back from their bytes', () => {
  fc.assert(fc.property(nftMetadata, (some) => assert.deepEqual(nftMetadataFromHex(nftMetadataToHex(some)), some)));
});

const pool = (margin: string) => `03${ZERO}00${D}00${ZERO}${D}${margin}00`;
const refused: [string, string][] = [
  ['of unknown kind', `0c${D}`],
  ['with a value of unknown kind', `0203${T}9101`],
  ['with legacy token data of kind 0', `020100${T}9101`],
  ['with a destination of unknown kind', `00000005${'00'.repeat(20)}`],
  ['with a public key of unknown kind', `0000000201${'02'.repeat(33)}`],
  ['with an uncompressed public key', `0000000200${'04'.repeat(33)}`],
  ['with a lock of unknown kind', `010000${D}0400`],
  ['with a margin above 1000 per thousand', pool('e903')],
  ['with a VRF key of unknown kind', `03${ZERO}00${D}01${ZERO}${D}e80300`],
  ['issuing a token of another version', `0700${'00'.repeat(4)}${D}00`],
  ['issuing a token of unknown supply', `070100000003${D}00`],
  ['issuing a token that is neither freezable nor not', `070100000002${D}02`],
  ['issuing an NFT of another version', `08${T}01${METADATA}${D}`],
  ['issuing an NFT with half a creator', `08${T}0002${METADATA.slice(2)}${D}`],
  ['with bytes behind it', `0202${T}910100`],
  ['when it is not hex', '0x00'],
];
for (const [how, hex] of refused)
  test(`an output is refused: ${how}`, () => assert.throws(() => outputFromHex(hex), DecodeError));

test('an output is refused but not with the greatest margin', () => {
  const whole = outputFromHex(pool('e803'));
  assert.equal(whole.type === 'CreateStakePool' && whole.data.marginRatioPerThousand, 1000);
});

test('an output is refused to be written when it has no encoding', () => {
  const burn = (amount: bigint): TxOutput => ({ type: 'Burn', value: { type: 'Coin', amount } });
  assert.throws(() => encodeOutput(burn(-1n)), EncodeError);
  assert.throws(() => encodeOutput(burn(1n << 128n)), EncodeError);
  assert.throws(() => encodeOutput({ type: 'DataDeposit', data: 'xyz0' }), EncodeError);
  const to = (destination: string): TxOutput => ({ type: 'ProduceBlockFromStake', destination, poolId: ZERO });
  const metadataBy = (creator: string) => nftMetadataToHex({ ...metadata, creator });
  assert.throws(() => metadataBy(`0004${ZERO}`), EncodeError);
  assert.throws(() => encodeOutput(to(`020102${ZERO}`)), EncodeError);
  for (const wrong of ['', '05', '01', `${D}00`, 'zz']) assert.throws(() => encodeOutput(to(wrong)), EncodeError);
  assert.throws(() => encodeOutput({ type: 'Nonsense' } as unknown as TxOutput), EncodeError);
});
