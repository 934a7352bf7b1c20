import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInput, writeInput } from '../../../src/chain/codec/input.ts';
import { DecodeError } from '../../../src/chain/scale/codec-errors.ts';
import { decodeWhole } from '../../../src/chain/scale/reader.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { AccountCommand, OrderAccountCommand, TxInput } from '../../../src/chain/types.ts';

const tokenId = 'a2d091c2a51b0e761f8bc7fe0bbe6c0f40b4326ad31a6bf2791d37acb905c477';
const orderId = '3196feb24b5d53fb01eb9fc81bedbbaf7b22b3763506add507d466e8fd09f4c5';
const destination = '015b3a6eb064cf06c229c11e5b04c3ca67cf50d9b2';
const uri = '746d74317139646e356d3473766e387364733366637930396b70787265666e75373578656b6772357761336e';

const command = (nonce: bigint, of: AccountCommand): TxInput => ({ type: 'AccountCommand', nonce, command: of });
const orderCommand = (of: OrderAccountCommand): TxInput => ({ type: 'OrderAccountCommand', command: of });

const VECTORS: [string, TxInput][] = [
  [`020400${tokenId}9101`, command(1n, { type: 'MintTokens', tokenId, amount: 100n })],
  [`020801${tokenId}`, command(2n, { type: 'UnmintTokens', tokenId })],
  [`020802${tokenId}`, command(2n, { type: 'LockTokenSupply', tokenId })],
  [`020803${tokenId}01`, command(2n, { type: 'FreezeToken', tokenId, isUnfreezable: true })],
  [`020804${tokenId}`, command(2n, { type: 'UnfreezeToken', tokenId })],
  [`020805${tokenId}${destination}`, command(2n, { type: 'ChangeTokenAuthority', tokenId, newAuthority: destination })],
  [`020808${tokenId}b0${uri}`, command(2n, { type: 'ChangeTokenMetadataUri', tokenId, metadataUri: uri })],
  [
    `020407${orderId}02710200${destination}`,
    command(1n, { type: 'FillOrder', orderId, fillAmount: 40_000n, destination }),
  ],
  [`020406${orderId}`, command(1n, { type: 'ConcludeOrder', orderId })],
  [`0300${orderId}02710200`, orderCommand({ type: 'FillOrder', orderId, fillAmount: 40_000n })],
  [`0301${orderId}`, orderCommand({ type: 'FreezeOrder', orderId })],
  [`0302${orderId}`, orderCommand({ type: 'ConcludeOrder', orderId })],
];

const decode = (hex: string) => decodeWhole(Buffer.from(hex, 'hex'), readInput, 'an input');

function encode(value: TxInput): string {
  const writer = new ScaleWriter();
  writeInput(writer, value);
  return writer.finish().toString('hex');
}

for (const [hex, value] of VECTORS) {
  test(`the vector of an input ${value.type} ${'command' in value ? value.command.type : ''} is decoded and encoded`, () => {
    assert.deepEqual(decode(hex), value);
    assert.equal(encode(value), hex);
  });
}

const refused: [string, string][] = [
  ['of unknown kind', `04${tokenId}`],
  ['from an unknown source', `0002${tokenId}00000000`],
  ['with an account of unknown kind', `010001${tokenId}00`],
  ['with an unknown command', `020009${tokenId}`],
  ['with an unknown order command', `0303${orderId}`],
  ['freezing neither for good nor not', `020003${tokenId}02`],
  ['with a nonce of more than 64 bits', `0217${'ff'.repeat(9)}01${tokenId}`],
];
for (const [how, hex] of refused)
  test(`an input is refused: ${how}`, () => assert.throws(() => decode(hex), DecodeError));
