import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hash } from '../../src/chain/hash.ts';
import { merklePath, merkleRoot, merkleTree } from '../../src/chain/merkle.ts';
import { merkleVerify } from '../support/merkle-path.ts';
import { id } from './arbitrary.ts';

/** By the number of leaves, which are the hashes of "0", "1", "2", … */
const ROOTS = [
  'e9f11462495399c0b8d0d8ec7128df9c0d7269cda23531a352b174bd29c3b631',
  'c352e4e7c11eb3373613a765cdce063c3c2d5aff8266587a734fef72af51404e',
  '2eddd1622a9e6a2c8252ab396849ffaa6eafd0125b82eb6ffea89732b344383e',
  '15c188fe5e6e63223be4d3db5aebf54402ffb71409dee9b1be29f7968853cfca',
  'd9ccbaadec9754eda8ef304b67a2c00afff706d000c69f18a51869cb5f17e53e',
  '777168561926e5b167e2b8c96bca35f4117df0b75f97387b1ad3c2492ffd2657',
  '2cc9c4d6685e528d910afb35cc8dce6c11a80ce6b295e7e5e4b836d8779cdf99',
  '8a3a5d6bd7fe9552e0a86139160e3a53e6e564ae7a78f4a26be8cf93e70a3b9f',
  '77b496939a6f66411367872ce20b905c38b27d5eba002060a102582b69561817',
  'cf694e272bcdc0b0632d4908c4f3feb5b3963044501b382974a681d45c4bd508',
];

const leaves = (count: number) => Array.from({ length: count }, (_, i) => hash(Buffer.from(`${i}`)));

ROOTS.forEach((root, i) => {
  test(`the merkle root of ${i + 1} leaves is that of the vector`, () => assert.equal(merkleRoot(leaves(i + 1)), root));
});

test('the merkle root of no leaves does not exist', () => assert.throws(() => merkleRoot([])));

const manyLeaves = fc.array(id, { minLength: 1, maxLength: 40 });

test('a merkle path leads from each leaf to the root', () => {
  fc.assert(
    fc.property(manyLeaves, (some) => {
      const root = merkleRoot(some);
      some.forEach((leaf, i) => {
        const path = merklePath(merkleTree(some), i);
        assert.equal(path.length, Math.ceil(Math.log2(some.length)));
        assert.ok(merkleVerify(leaf, i, path, root));
      });
    }),
  );
});

test('a merkle path does not verify for another leaf, place, length or root', () => {
  const some = leaves(6);
  const root = merkleRoot(some);
  const path = merklePath(merkleTree(some), 3);
  assert.equal(merkleVerify(some[2]!, 3, path, root), false);
  assert.equal(merkleVerify(some[3]!, 2, path, root), false);
  assert.equal(merkleVerify(some[3]!, 3 + 8, path, root), false);
  assert.equal(merkleVerify(some[3]!, 3, path.slice(1), root), false);
  assert.equal(merkleVerify(some[3]!, 3, path, some[0]!), false);
});

test('a merkle path of a leaf that is not there is refused', () => {
  for (const index of [-1, 4, 0.5, Number.NaN])
    assert.throws(() => merklePath(merkleTree(leaves(3)), index), RangeError);
});
