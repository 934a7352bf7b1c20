/** The small parts that a simulation is made of. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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
import { randomVrfPublicKey, secretHashOf, UserKeys, vrfData } from '../../../src/devnet/sim/user-keys.ts';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

test('chance gives the same numbers for the same seed, others for another', () => {
  const draw = (seed: string | number) => {
    const random = new Random(seed);
    return [random.u32(), random.hex(7), random.below(1000), random.bigBelow(10n ** 30n)];
  };
  assert.deepEqual(draw('a'), draw('a'));
  assert.deepEqual(draw(1), draw('1'));
  assert.notDeepEqual(draw('a'), draw('b'));
});

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

test('chance stays within its limits', () => {
  const random = new Random('limits');
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 128n }), fc.integer({ min: 1, max: 5000 }), (limit, n) => {
      const drawn = random.bigBelow(limit);
      assert.ok(drawn >= 0n && drawn < limit);
      for (const number of [random.below(n), random.skewed(n)]) {
        assert.ok(number >= 0 && number < n && Number.isInteger(number));
      }
      assert.equal(random.hex(n % 70).length, 2 * (n % 70));
    }),
  );
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

test('the journal does not go back to what it forgot', () => {
  const { journal, object } = build();
  const mark = journal.mark();
  journal.set(object, 'value', 1);
  journal.forget(journal.mark());
  assert.throws(() => journal.undo(mark), /cannot go back that far/);
  assert.equal(object.value, 1);
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

test('the wallet finds its keys and secrets again in a chain that is read back', () => {
  const first = new UserKeys('again');
  const destinations = Array.from({ length: 100 }, () => first.newDestination());
  const secrets = Array.from({ length: 40 }, () => first.newSecret());
  const second = new UserKeys('again');
  for (const place of [0, 30, 31, 90]) assert.ok(second.recognise(destinations[place]!));
  assert.equal(second.destinations.length, 91);
  assert.deepEqual(second.newDestination(), destinations[91]);
  assert.ok(!second.recognise(new UserKeys('stranger').newDestination()));
  const destination = destinations[0]!;
  const contract = (secretHash: string) => ({
    type: 'Htlc' as const,
    value: { type: 'Coin' as const, amount: 1n },
    contract: {
      secretHash,
      spendKey: destination,
      refundKey: destination,
      refundTimelock: { type: 'UntilHeight' as const, value: 1n },
    },
  });
  second.recogniseAll([contract(secrets[20]!.secretHash), contract('00'.repeat(20))]);
  assert.equal(second.secretOf(secrets[20]!.secretHash), secrets[20]!.secret);
  assert.equal(second.secretOf('00'.repeat(20)), undefined);
});

test('the wallet hashes secrets as HTLCs do', () => {
  // A vector of the protocol's own tests.
  const secret = '00e5e9486e16402445bcee3382a8b9f1493078978c2d2e2732cf1232f31e735d';
  assert.equal(secretHashOf(secret), 'b5a48c7780e597de8012346fb30761965248e3f2');
  assert.equal(createHash('sha256').update(bytesOf(secret)).digest().length, 32);
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
