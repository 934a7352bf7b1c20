import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32, bech32m } from '@scure/base';
import fc from 'fast-check';
import {
  AddressError,
  delegationAddress,
  destinationAddress,
  orderAddress,
  parseDelegationId,
  parseDestination,
  parseOrderId,
  parsePoolId,
  parseTokenId,
  poolAddress,
  publicKeyAddress,
  tokenAddress,
  vrfKeyAddress,
} from '../../src/chain/address.ts';
import {
  KNOWN_NETWORKS,
  mainnet,
  regtest,
  regtestPos,
  signet,
  testnet,
} from '../../src/chain/networks/known-networks.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { destination, id, text } from './arbitrary.ts';

const ZERO = '00'.repeat(32);
type Write = (network: Network, hex: string) => string;
type Parse = (network: Network, text: string) => string;

/** No client names a VRF key. */
const parseVrfKey: Parse = (_, address) =>
  Buffer.from(bech32m.fromWords(bech32m.decode(address as `${string}1${string}`, 1023).words)).toString('hex');

/** How the address of each kind of id is written and read. */
const KINDS = {
  destination: [destinationAddress, parseDestination],
  vrfKey: [vrfKeyAddress, parseVrfKey],
  pool: [poolAddress, parsePoolId],
  delegation: [delegationAddress, parseDelegationId],
  token: [tokenAddress, parseTokenId],
  order: [orderAddress, parseOrderId],
} as const satisfies Record<string, readonly [Write, Parse]>;
type Kind = keyof typeof KINDS;

const VECTORS: Record<Kind, [Network, string, string][]> = {
  destination: [
    [mainnet, 'mtc1q9aaqkulkth7qp7mqtyv0rpgdwdytdewdu6ykrsj', '017bd05b9fb2efe007db02c8c78c286b9a45b72e6f'],
    [regtest, 'rmt1qyyra5j3qduhyd43wa50lpn2ddpg9ql0u50ceu68', '01083ed25103797236b17768ff866a6b428283efe5'],
    [testnet, 'tmt1q9dn5m4svn8sds3fcy09kpxrefnu75xekgr5wa3n', '015b3a6eb064cf06c229c11e5b04c3ca67cf50d9b2'],
    [testnet, 'tmtc1q3a9qcp92m6elfgruz30xz50a46ze0gtnqu23lv3', '047a50602556f59fa503e0a2f30a8fed742cbd0b98'],
    [
      regtest,
      'rpmt1qgqqxtunp0gdsysq9g3fke9pesl4w8xg3t7ynssfrvqetae0d9nqn3prq3mdt7',
      '0200032f930bd0d812002a229b64a1cc3f571cc88afc49c2091b0195f72f696609c423',
    ],
    [mainnet, 'mxanyonecanspend1qqx4x7pk', '00'],
    [testnet, 'txanyonecanspend1qqqassru', '00'],
    [regtest, 'rxanyonecanspend1qq7uv0fh', '00'],
    [signet, 'sxanyonecanspend1qqms3x2c', '00'],
  ],
  vrfKey: [
    [
      mainnet,
      'mvrfpk1qqyxcl4tc6y9amf2vmv6sgu8x5jwqlxawx73vhgemkduag9c8ku57m03mze',
      '00086c7eabc6885eed2a66d9a823873524e07cdd71bd165d19dd9bcea0b83db94f',
    ],
    [
      regtest,
      'rvrfpk1qregu4v895mchautf84u46nsf9xel2507a37ksaf3stmuw44y3m4vc2kzme',
      '00f28e55872d378bf78b49ebcaea70494d9faa8ff763eb43a98c17be3ab5247756',
    ],
    [
      testnet,
      'tvrfpk1qpk0t6np4gyl084fv328h6ahjvwcsaktrzfrs0xeqtrzpp0l7p28knrnn57',
      '006cf5ea61aa09f79ea964547bebb7931d8876cb1892383cd902c62085fff0547b',
    ],
  ],
  pool: [
    [
      regtest,
      'rpool1zg7yccqqjlz38cyghxlxyp5lp36vwecu2g7gudrf58plzjm75tzq99fr6v',
      '123c4c600097c513e088b9be62069f0c74c7671c523c8e3469a1c3f14b7ea2c4',
    ],
    [testnet, 'tpool1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqza035u', ZERO],
  ],
  delegation: [
    [
      regtest,
      'rdelg1zl206x6hkh6cmtmyhmjx3zhtc2qaunckcuvxsywpnervkclj2keq2wmdff',
      '17d4fd1b57b5f58daf64bee4688aebc281de4f16c7186811c19e46cb63f255b2',
    ],
    [testnet, 'tdelg1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnu8zn4', ZERO],
    [mainnet, 'mdelg1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqut3aj8', ZERO],
  ],
  token: [
    [
      testnet,
      'tmltk15tgfrs49rv88v8utcllqh0nvpaqtgvn26vdxhuner5m6ewg9c3msn9fxns',
      'a2d091c2a51b0e761f8bc7fe0bbe6c0f40b4326ad31a6bf2791d37acb905c477',
    ],
  ],
  order: [
    [
      testnet,
      'tordr1xxt0avjtt4flkq0tnlyphmdm4aaj9vmkx5r2m4g863nw3lgf7nzs7mlkqc',
      '3196feb24b5d53fb01eb9fc81bedbbaf7b22b3763506add507d466e8fd09f4c5',
    ],
  ],
};

for (const [kind, vectors] of Object.entries(VECTORS)) {
  const [write, parse] = KINDS[kind as Kind];
  for (const [network, address, hex] of vectors) {
    test(`the address ${address} stands for ${hex}`, () => {
      assert.equal(write(network, hex), address);
      assert.equal(parse(network, address), hex);
    });
  }
}

test('addresses of every id on every network come back as the id', () => {
  const kinds = fc.constantFrom(KINDS.pool, KINDS.delegation, KINDS.token, KINDS.order);
  fc.assert(
    fc.property(id, fc.constantFrom(...KNOWN_NETWORKS), kinds, (hex, network, [write, parse]) => {
      assert.equal(parse(network, write(network, hex)), hex);
    }),
  );
});

test('addresses of every destination on every network come back, unless the public key is no point', () => {
  fc.assert(
    fc.property(destination, fc.constantFrom(...KNOWN_NETWORKS), (hex, network) => {
      const address = destinationAddress(network, hex);
      try {
        assert.equal(parseDestination(network, address), hex);
      } catch (error) {
        assert.ok(hex.startsWith('02') && error instanceof AddressError && /no such public key/.test(error.message));
      }
    }),
  );
});

test('addresses are the same when there were too many to remember', () => {
  const hexes = Array.from({ length: 20_000 }, (_, i) => `01${i.toString(16).padStart(40, '0')}`);
  const first = hexes.map((hex) => destinationAddress(mainnet, hex));
  assert.equal(new Set(first).size, hexes.length);
  const addresses = hexes.map((hex) => destinationAddress(mainnet, hex));
  assert.deepEqual(addresses, first);
});

test('addresses of a public key are those of the destination that it unlocks', () => {
  const key = '00032f930bd0d812002a229b64a1cc3f571cc88afc49c2091b0195f72f696609c423';
  assert.equal(publicKeyAddress(regtest, key), 'rpmt1qgqqxtunp0gdsysq9g3fke9pesl4w8xg3t7ynssfrvqetae0d9nqn3prq3mdt7');
});

const address = 'tmt1q9dn5m4svn8sds3fcy09kpxrefnu75xekgr5wa3n';
const hex = '015b3a6eb064cf06c229c11e5b04c3ca67cf50d9b2';
const words = bech32m.toWords(Buffer.from(hex, 'hex'));

function refused(parse: Parse, network: Network, text: string, reason: AddressError['reason']): void {
  assert.throws(() => parse(network, text), { name: 'AddressError', reason }, text);
}

test('reading an address takes upper case for lower case, but no mixture', () => {
  assert.equal(parseDestination(testnet, address.toUpperCase()), hex);
  refused(parseDestination, testnet, address.replace('q', 'Q'), 'damaged');
  refused(parseDestination, testnet, address.replace('tmt', 'TMT'), 'damaged');
});

test('reading an address takes no letters that only look like ASCII in lower case', () => {
  const withK = 'mtc1q9aaqkulkth7qp7mqtyv0rpgdwdytdewdu6ykrsj'.toUpperCase().replace('K', '\u212a');
  refused(parseDestination, mainnet, withK, 'damaged');
});

test('reading an address finds any single wrong character', () => {
  fc.assert(
    fc.property(fc.nat(address.length - 1), fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l1b'), (at, letter) => {
      fc.pre(address[at] !== letter);
      const wrong = address.slice(0, at) + letter + address.slice(at + 1);
      assert.throws(() => parseDestination(testnet, wrong), AddressError);
    }),
  );
});

test('reading an address refuses whatever is not an address, and quickly', () => {
  for (const text of [
    '',
    '1',
    'tmt1',
    'tmt',
    ' ',
    `${address} `,
    '0x00',
    '\ud800',
    'q'.repeat(1_000_000),
    `${'a'.repeat(90)}1qqqqqq`,
  ]) {
    refused(parseDestination, testnet, text, 'damaged');
  }
  fc.assert(fc.property(text(), (damaged) => refused(parseDestination, testnet, damaged, 'damaged')));
});

test('reading an address tells another network and another kind apart', () => {
  refused(parseDestination, mainnet, address, 'wrong network');
  refused(parsePoolId, testnet, poolAddress(regtest, ZERO), 'wrong network');
  refused(parsePoolId, testnet, bech32m.encode('bc', words), 'wrong network');
  refused(parsePoolId, testnet, address, 'wrong kind');
  refused(parsePoolId, testnet, delegationAddress(testnet, ZERO), 'wrong kind');
  refused(parseDestination, testnet, poolAddress(testnet, ZERO), 'wrong kind');
});

test('reading an address refuses the older checksum', () =>
  refused(parseDestination, testnet, bech32.encode('tmt', words), 'damaged'));

test('reading an address refuses a payload that is not what the prefix says', () => {
  const under = (prefix: string, payload: string) =>
    bech32m.encode(prefix, bech32m.toWords(Buffer.from(payload, 'hex')), 1023);
  for (const payload of [ZERO, `${hex}00`, hex.slice(0, -2), '', `04${hex.slice(2)}`, `05${hex.slice(2)}`]) {
    refused(parseDestination, testnet, under('tmt', payload), 'damaged');
  }
  refused(parsePoolId, testnet, under('tpool', `${ZERO}00`), 'damaged');
  refused(parsePoolId, testnet, under('tpool', ZERO.slice(2)), 'damaged');
});

test('reading an address drops the bits that fill up the last character', () => {
  for (const filled of [
    [...words.slice(0, -1), words.at(-1)! | 1],
    [...words, 31],
  ]) {
    assert.equal(parseDestination(testnet, bech32m.encode('tmt', filled)), hex);
  }
});

test('reading an address again gives the same, also on a network with the same prefixes and on another one', () => {
  const once = destinationAddress(regtest, hex);
  for (const network of [regtest, regtest, regtestPos]) assert.equal(parseDestination(network, once), hex);
  for (const _ of [1, 2]) refused(parseDestination, testnet, once, 'wrong network');
});

test('reading an address refuses public keys that are no points of the curve', () => {
  refused(parseDestination, testnet, destinationAddress(testnet, `020002${'ff'.repeat(32)}`), 'damaged');
  refused(parseDestination, testnet, destinationAddress(testnet, `020002${'05'.padStart(64, '0')}`), 'damaged');
  refused(parseDestination, testnet, destinationAddress(testnet, `020004${'01'.padStart(64, '0')}`), 'damaged');
});
