/** Signed messages: vectors of mintlayer-core and of BIP 340, and signatures that the node's own code makes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, it } from 'node:test';
import * as wasm from '@mintlayer/wasm-lib';
import { schnorr } from '@noble/secp256k1';
import { destinationAddress, parseDestination, publicKeyAddress } from '../../src/chain/address.ts';
import { hash } from '../../src/chain/hash.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { signatureFault } from '../../src/chain/signed-message.ts';

const network = networkByName('regtest');
const bytes = (hex: string) => Buffer.from(hex, 'hex');
const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex');
const fault = (address: string, message: string | Uint8Array, signature: Uint8Array) =>
  signatureFault({
    destination: parseDestination(network, address),
    message: Buffer.from(message).toString('hex'),
    signature: hexOf(signature),
  });

before(() => {
  wasm.initSync({ module: readFileSync(new URL(import.meta.resolve('@mintlayer/wasm-lib/wasm_wrappers_bg.wasm'))) });
});

/** A secret key: kind byte and the SHA-256 of a name. */
function keyOf(name: string) {
  const secret = Buffer.concat([Buffer.of(0), createHash('sha256').update(name).digest()]);
  const publicKey = wasm.public_key_from_private_key(secret);
  return {
    secret,
    publicKey,
    hashAddress: wasm.pubkey_to_pubkeyhash_address(publicKey, wasm.Network.Regtest),
    keyAddress: publicKeyAddress(network, hexOf(publicKey)),
  };
}

/** The fixed signatures of mintlayer-core's tests of signed intents (wasm-wrappers), with their message and addresses. */
const INTENT = '<tx_id:dfc2bb0cc4c7f3ed3fe682a48ee9f78bcd4962e55e7bc239bd340ec22aff8657;intent:the intent>';
const FIXED = [
  {
    hashAddress: 'rmt1qxtlh84a7fflmeem9g4wtmyp2px42gnxwqprnjlw',
    keyAddress: 'rpmt1qgqqxtunp0gdsysq9g3fke9pesl4w8xg3t7ynssfrvqetae0d9nqn3prq3mdt7',
    signature:
      '00032f930bd0d812002a229b64a1cc3f571cc88afc49c2091b0195f72f696609c4230027b2c8adb02e2fef9eacc52f4fd38480f40ee9c91068d97dde071c8387ee315a5cbda5a2c63ddc05f6067c35c97cc2072d773145e02096801de65f6badbe52a3',
  },
  {
    hashAddress: 'rmt1qx0y7ktusde6d4hf9474z28dwcsys3uk5qxphddl',
    keyAddress: 'rpmt1qgqqylj755w0rlejn3cjadtrhskkzyxqs9nq7mura3z467fkaam7ppxkjr77n7',
    signature:
      '00027e5ea51cf1ff329c712eb563bc2d6110c081660f6f83ec455d7936ef77e084d60091da522e20b65e0ccce96f4bf2ce390915c8f4dedbac55cd755f4cc890ace2a2411a0f5db5482dd162f8a10377950d9f7ddaa682903ea05bd8a0587ee5449ef0',
  },
];

it('the fixed signatures of mintlayer-core are valid for both addresses of their keys, and for no others', () => {
  for (const [i, { hashAddress, keyAddress, signature }] of FIXED.entries()) {
    const other = FIXED[1 - i]!;
    assert.equal(fault(hashAddress, INTENT, bytes(signature)), null);
    // Without the public key it is the signature for the address that has the key.
    assert.equal(fault(keyAddress, INTENT, bytes(signature).subarray(34)), null);
    assert.equal(fault(other.hashAddress, INTENT, bytes(signature)), 'other_key');
    assert.equal(fault(other.keyAddress, INTENT, bytes(signature).subarray(34)), 'mismatch');
    assert.equal(fault(keyAddress, INTENT, bytes(signature)), 'malformed');
    assert.equal(fault(hashAddress, INTENT, bytes(signature).subarray(34)), 'malformed');
    assert.equal(fault(hashAddress, `${INTENT} `, bytes(signature)), 'mismatch');
  }
});

it('Schnorr signatures are those of BIP 340', () => {
  // Vectors 1 and 6 of the BIP, which mintlayer-core tests, too: valid, and with the wrong parity.
  const key = bytes('dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659');
  const message = bytes('243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89');
  const verify = (signature: string) => schnorr.verify(bytes(signature), message, key);
  assert.ok(
    verify(
      '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
    ),
  );
  assert.ok(
    !verify(
      'fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a14602975563cc27944640ac607cd107ae10923d9ef7a73c643e166be5ebeafa34b1ac553e2',
    ),
  );
});

it('what the node’s code signs is valid, and what differs in one bit is not, as the node’s code says', () => {
  for (let i = 0; i < 12; i++) {
    const { secret, hashAddress } = keyOf(`key ${i}`);
    const message = Buffer.from(`message ${i} · ${'x'.repeat(i * 37)}`);
    const signature = Buffer.from(wasm.sign_challenge(secret, message));
    assert.equal(fault(hashAddress, message, signature), null);
    const damaged = Buffer.from(signature);
    damaged[(i * 29) % signature.length]! ^= 1 << (i % 8);
    assert.notEqual(fault(hashAddress, message, damaged), null);
    assert.throws(() => wasm.verify_challenge(hashAddress, wasm.Network.Regtest, damaged, message));
    assert.equal(fault(hashAddress, Buffer.concat([message, Buffer.of(10)]), signature), 'mismatch');
  }
  const { secret, hashAddress } = keyOf('empty');
  assert.equal(fault(hashAddress, '', wasm.sign_challenge(secret, new Uint8Array())), null);
});

it('a multisig needs as many signatures as it says, each of the key with its number', () => {
  const keys = ['a', 'b', 'c'].map(keyOf);
  const challenge = Buffer.from(
    wasm.encode_multisig_challenge(Buffer.concat(keys.map(({ publicKey }) => publicKey)), 2, wasm.Network.Regtest),
  );
  const address = destinationAddress(network, `04${hash(challenge).slice(0, 40)}`);
  const sign = (i: number) => Buffer.from(wasm.sign_challenge(keys[i]!.secret, Buffer.from('ours'))).subarray(34);
  const numbered = (...signers: readonly (readonly [number: number, signer: number])[]) => {
    const entries = signers.map(([number, signer]) => Buffer.concat([Buffer.of(number), sign(signer)]));
    return Buffer.concat([Buffer.of(signers.length << 2), ...entries, challenge]);
  };
  const check = (signature: Buffer) => {
    const found = fault(address, 'ours', signature);
    const verify = () => wasm.verify_challenge(address, wasm.Network.Regtest, signature, Buffer.from('ours'));
    if (found === null) assert.ok(verify());
    else assert.throws(verify);
    return found;
  };
  assert.equal(check(numbered([0, 0], [2, 2])), null);
  assert.equal(check(numbered([2, 2], [1, 1])), null);
  assert.equal(check(numbered([0, 0], [2, 1])), 'mismatch');
  assert.equal(check(numbered([0, 0])), 'incomplete');
  assert.equal(check(numbered([0, 0], [0, 0])), 'incomplete');
  assert.equal(check(numbered([0, 0], [1, 1], [2, 2])), 'malformed');
  assert.equal(check(numbered([0, 0], [3, 2])), 'malformed');
  const otherThreshold = numbered([0, 0]);
  otherThreshold[1 + 66] = 1;
  assert.equal(check(otherThreshold), 'other_key');
});

const ZEROS = { message: '', signature: '00'.repeat(65) };

it('nobody can sign for anyone, or for a script', () => {
  assert.equal(signatureFault({ ...ZEROS, destination: '00' }), 'unsupported_address');
  assert.equal(signatureFault({ ...ZEROS, destination: `03${'ab'.repeat(32)}` }), 'unsupported_address');
});

it('a key that is no point of the curve has no signatures', () => {
  const key = `0002${'ff'.repeat(32)}`;
  const destination = `01${hash(bytes(key)).slice(0, 40)}`;
  assert.equal(signatureFault({ destination, message: '', signature: `${key}00${'01'.repeat(64)}` }), 'malformed');
});
