import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import { isContractOutput, isSpendable } from '../../src/chain/input-and-output-kinds.ts';
import { ownerOfOutput, refundOwnerOfOutput } from '../../src/chain/output-owner-and-value.ts';
import { BALANCE_LAYOUT, UTXO_LAYOUT } from '../../src/ledger/output-and-balance-bytes.ts';
import { type RowLayout, RowSlab } from '../../src/ledger/row-slab.ts';
import { balanceKey, outpointKey, type Utxo } from '../../src/ledger/rows.ts';
import { amount, destination, id, output } from '../chain/arbitrary.ts';

/** Numbers under short keys, so that one slot is used again and again. */
const NUMBERS: RowLayout<number> = {
  keyBytes: 4,
  rowBytes: 4,
  writeKey: (key, bytes) => bytes.write(key, 'hex'),
  write(row, bytes, at) {
    if (row < 0) return false;
    bytes.writeUInt32LE(row, at);
    return true;
  },
  read: (_key, bytes, at) => bytes.readUInt32LE(at),
};

const key = fc.integer({ min: 0, max: 300 }).map((n) => n.toString(16).padStart(n < 256 ? 2 : 4, '0'));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ add: key, row: fc.integer({ min: -10, max: 2 ** 31 }) }) },
  { weight: 3, arbitrary: fc.record({ take: key }) },
  { weight: 1, arbitrary: fc.record({ evict: fc.integer({ min: 0, max: 40 }) }) },
);

it('a slab keeps what a map keeps, whatever is added, taken and evicted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const slab = new RowSlab(NUMBERS);
      const map = new Map<string, number>();
      for (const each of steps) {
        if ('add' in each) {
          if (map.has(each.add)) continue;
          // No two of these keys have the same hash.
          assert.equal(slab.add(each.add, each.row), each.row >= 0);
          if (each.row >= 0) map.set(each.add, each.row);
        } else if ('take' in each) {
          assert.equal(slab.has(each.take), map.has(each.take));
          assert.equal(slab.take(each.take), map.get(each.take));
          map.delete(each.take);
        } else {
          slab.evict(each.evict);
          for (const oldest of [...map.keys()].slice(0, Math.max(0, map.size - each.evict))) map.delete(oldest);
        }
        assert.equal(slab.size, map.size);
      }
      for (const [each, row] of map) assert.equal(slab.take(each), row);
      assert.equal(slab.size, 0);
    }),
  );
});

it('a slab grows, and refuses a row whose key has the hash of another one', () => {
  const slab = new RowSlab({ ...NUMBERS, keyBytes: 8 });
  const keys = Array.from({ length: 200_000 }, (_, n) => hash('sha256', `${n}`).slice(0, 16));
  const isKept = keys.map((each, n) => slab.add(each, n));
  const refused = isKept.filter((kept) => !kept).length;
  assert.ok(refused > 0 && refused < 20, `${refused} of 200,000 are refused, 5 are expected`);
  assert.equal(slab.size, keys.length - refused);
  for (const [n, each] of keys.entries()) assert.equal(slab.take(each), isKept[n] ? n : undefined);
});

const place = fc.record({
  sourceId: id,
  index: fc.nat(2 ** 32 - 1),
  height: fc.nat(2 ** 31),
  position: fc.nat(70_000),
});

it('an output of any kind is read from a slab as it was added, or has no place there', () => {
  let kept = 0;
  fc.assert(
    fc.property(
      output.filter(isSpendable),
      place,
      fc.boolean(),
      (each, { sourceId, index, height, position }, isReward) => {
        const slab = new RowSlab(UTXO_LAYOUT);
        const row: Utxo = {
          outpoint: outpointKey(sourceId, index),
          height,
          position,
          outputIndex: index,
          output: each,
          owner: ownerOfOutput(each),
          refundOwner: refundOwnerOfOutput(each),
          unlockHeight: null,
          unlockTime: null,
          refundHeight: isContractOutput(each) ? height + 1 : null,
          refundTime: null,
          isReward,
        };
        assert.equal(slab.add(row.outpoint, { ...row, unlockHeight: 5 }), false);
        assert.equal(slab.add(row.outpoint, { ...row, unlockTime: 5 }), false);
        if (slab.add(row.outpoint, row)) {
          kept++;
          assert.deepEqual(slab.take(row.outpoint), row);
        } else assert.notEqual(each.type, 'ProduceBlockFromStake');
        assert.equal(slab.size, 0);
      },
    ),
  );
  assert.ok(kept > 20, `${kept} are kept`);
});

it('a balance of any owner in any currency is read from a slab as it was added, unless it is beyond 128 bits', () => {
  fc.assert(
    fc.property(destination, fc.oneof(id, fc.constant('')), amount, amount, (owner, currency, free, locked) => {
      const slab = new RowSlab(BALANCE_LAYOUT);
      const row = { owner, currency, amount: free, locked };
      const tooMuch = 1n << 128n;
      assert.equal(slab.add(balanceKey(owner, currency), { ...row, amount: tooMuch }), false);
      assert.equal(slab.add(balanceKey(owner, currency), { ...row, locked: tooMuch }), false);
      assert.ok(slab.add(balanceKey(owner, currency), row));
      assert.equal(slab.has(balanceKey(owner, currency === '' ? '00'.repeat(32) : '')), false);
      assert.deepEqual(slab.take(balanceKey(owner, currency)), row);
    }),
  );
});
