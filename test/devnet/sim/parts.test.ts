/** The small parts that a simulation is made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRistrettoPoint } from '../../../src/chain/curve-points.ts';
import { hash } from '../../../src/chain/hash.ts';
import { drawReorganisation } from '../../../src/devnet/sim/build-chain.ts';
import { Random } from '../../../src/devnet/sim/random.ts';
import { UndoJournal } from '../../../src/devnet/sim/undo-journal.ts';
import {
  type BagItem,
  UndoableBag,
  UndoableListsByNumber,
  UndoableMap,
} from '../../../src/devnet/sim/undoable-collections.ts';
import { randomVrfPublicKey, UserKeys, vrfData } from '../../../src/devnet/sim/user-keys.ts';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

test('chance is spread evenly, by weight, and around its mean', () => {
  const random = new Random('spread');
  const counts = [0, 0, 0];
  let events = 0;
  for (let draw = 0; draw < 30_000; draw++) {
    counts[random.weighted([1, 3, 10])]!++;
    events += random.count(3);
  }
  for (const [index, weight] of [1, 2, 7].entries()) {
    assert.ok(Math.abs(counts[index]! / 30_000 - weight / 10) < 0.02, `${counts}`);
  }
  assert.ok(Math.abs(events / 30_000 - 3) < 0.1);
});

test('chance draws reorganisations of which nearly all are shallow and some shorter than what they replace', () => {
  const random = new Random('shapes');
  const shapes = Array.from({ length: 2_000 }, () => drawReorganisation(random, 1_000)!);
  assert.ok(shapes.filter(({ depth }) => depth <= 3).length > 1_500);
  assert.ok(shapes.some(({ depth }) => depth > 120));
  assert.ok(shapes.some(({ depth, length }) => length < depth));
  for (const { depth, length } of shapes) assert.ok(depth >= 1 && depth <= 1_000 && length >= 1);
  assert.equal(drawReorganisation(random, 0), null);
});

/** What is in the collections, in order where they have one. */
const build = () => {
  const journal = new UndoJournal();
  const bag = new UndoableBag<BagItem & { name: number }>(journal);
  const register = new UndoableMap<number>(journal);
  const buckets = new UndoableListsByNumber<number>(journal);
  const object = { value: 0 };
  const view = () =>
    JSON.stringify([
      bag.items,
      [...register.values()].sort(),
      register.get('1'),
      [0, 1, 2].map((at) => buckets.at(at)),
      object,
    ]);
  return { journal, bag, register, buckets, object, view };
};

test('the journal takes any changes back, to any mark, exactly', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat(20));
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 12 }), fc.nat(12), (blocks, keep) => {
      const { journal, bag, register, buckets, object, view } = build();
      const marks: [number, string][] = [];
      for (const steps of blocks) {
        marks.push([journal.mark(), view()]);
        for (const [kind, number] of steps) {
          const { items } = bag;
          if (kind === 0) bag.add({ name: number, index: -1, ownerIndex: -1 });
          else if (kind === 1 && items.length > 0) bag.remove(items[number % items.length]!);
          else if (kind === 2) register.set(`${number % 4}`, number);
          else if (kind === 3) register.delete(`${number % 4}`);
          else if (kind === 4) buckets.add(number % 3, number);
          else journal.set(object, 'value', number);
        }
        for (const [index, item] of bag.items.entries()) assert.equal(item.index, index);
      }
      for (const [mark, before] of marks.slice(Math.min(keep, marks.length)).reverse()) {
        journal.undo(mark);
        assert.equal(view(), before);
      }
    }),
  );
});

test('the wallet has destinations of several kinds that are the hashes of what signs for them', () => {
  const wallet = new UserKeys('kinds');
  const kinds = new Map<string, number>();
  for (let count = 0; count < 400; count++) {
    const destination = wallet.newDestination();
    const raw = wallet.signature(destination);
    const kind = destination.slice(0, 2);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kind === '01') {
      assert.equal(raw.length, 2 * (34 + 65));
      assert.equal(destination.slice(2), hash(bytesOf(raw.slice(0, 68))).slice(0, 40));
    } else if (kind === '02') assert.equal(raw.length, 2 * 65);
    else {
      const challenge = [2, 3].map((keys) => raw.slice(-2 * (2 + 34 * keys)));
      assert.ok(challenge.some((text) => hash(bytesOf(text)).slice(0, 40) === destination.slice(2)));
    }
  }
  assert.deepEqual([...kinds.keys()].sort(), ['01', '02', '04']);
  assert.ok(kinds.get('01')! > kinds.get('02')! && kinds.get('02')! > kinds.get('04')!);
});

test('VRF keys are points', () => {
  const random = new Random('vrf');
  for (let count = 0; count < 10; count++) {
    const key = randomVrfPublicKey(random);
    assert.ok(key.startsWith('00') && isRistrettoPoint(key.slice(2)));
  }
});

test('VRF keys come with proofs whose scalars are below the group order', () => {
  const random = new Random('proofs');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  for (let count = 0; count < 200; count++) {
    const bytes = bytesOf(vrfData(random));
    assert.equal(bytes.length, 97);
    for (const start of [33, 65]) {
      const scalar = BigInt(
        `0x${Buffer.from(bytes.subarray(start, start + 32))
          .reverse()
          .toString('hex')}`,
      );
      assert.ok(scalar < order);
    }
  }
});
