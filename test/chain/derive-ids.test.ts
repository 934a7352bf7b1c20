import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveDelegationId, deriveOrderId, derivePoolId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import { hash } from '../../src/chain/hash.ts';
import type { TxInput } from '../../src/chain/types.ts';

const ZERO = '00'.repeat(32);
const utxo: TxInput = { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: ZERO, index: 1 } };
const withdrawal: TxInput = { type: 'Account', nonce: 1n, delegationId: ZERO, amount: 1n };

test('the hash is BLAKE2b-512 cut to 32 bytes', () => {
  assert.equal(hash(Buffer.from('0')), 'e9f11462495399c0b8d0d8ec7128df9c0d7269cda23531a352b174bd29c3b631');
  assert.equal(hash(Buffer.of(0)), '2fa3f686df876995167e7c2e5d74c4c7b6e48f8068fe0e44208344d480f7904c');
});

for (const [order, inputs] of [
  ['first', [utxo, withdrawal]],
  ['second', [withdrawal, utxo]],
] as const) {
  test(`what a transaction creates is named after its first UTXO when that is its ${order} input`, () => {
    assert.equal(derivePoolId(inputs), '7954aec585558377b6f9c75fe488d2b2d88c4a1efe073ebe64aad8ea2e2b53e0');
    assert.equal(deriveDelegationId(inputs), 'e00a4937f0992ab3184560cf18c14202aea0954ec80b0aec22f0c6cc4c0e12d0');
    assert.equal(deriveOrderId(inputs), '4f5969d6c01987c03576911d7ea73bcc5e23a47fe1e86e2eb9e092de07e38778');
    assert.equal(deriveTokenId(inputs, 1), '8e2786857d252882f6571dbae7a435d0deb80405b057cf9d92503c4637459d45');
  });
}

test('what a transaction creates is named after its first UTXO and has no name without a UTXO', () => {
  for (const idOf of [derivePoolId, deriveDelegationId, deriveOrderId]) assert.equal(idOf([withdrawal]), null);
  assert.equal(deriveTokenId([withdrawal], 1), null);
});

test('the first generation of token ids comes from the first input of any kind', () => {
  assert.equal(deriveTokenId([utxo, withdrawal], 0), deriveTokenId([utxo], 1));
  assert.notEqual(deriveTokenId([withdrawal, utxo], 0), deriveTokenId([withdrawal, utxo], 1));
  assert.equal(deriveTokenId([withdrawal, utxo], 0), hash(Buffer.from(`010400${ZERO}04`, 'hex')));
  assert.equal(deriveTokenId([], 0), null);
});
