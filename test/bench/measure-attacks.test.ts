/** What `npm run bench -- attacks` composes of a seed, sends, and wants of the server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../bench/attack-composition.ts';
import { type Attack, requestText } from '../../bench/attack-definition.ts';
import {
  type AttackMeasures,
  LIMITS,
  limitsBeside,
  MARKS,
  missedMarks,
  normalAfter,
} from '../../bench/attack-effect-limits.ts';
import { attackKinds, manyOutputs } from '../../bench/attack-kinds.ts';
import type { AttackTargets } from '../../bench/prepare-attack-targets.ts';
import type { SampleIds } from '../../bench/sample-ids.ts';
import type { Sample } from '../../bench/well-behaved-clients.ts';
import { largeReads, smallReads } from '../../bench/well-behaved-requests.ts';
import { decodeSignedTransaction } from '../../src/chain/codec/transaction.ts';

const ids = Array.from({ length: 3_000 }, (_, n) => `id${n}`);
const samples = new Proxy({} as SampleIds, {
  get: (_, name: string) =>
    /^(busiest|usual|largest)/.test(name) ? 'id' : /^(height|transactions|all|living)/.test(name) ? 5_000 : ids,
});
const targets: AttackTargets = {
  ...{ samples, largeTransactions: ids, hugeTransaction: 'huge', richAddress: 'rich', longAddresses: ids },
  ...{ veryLongAddresses: ids, oldEvents: ids, anyEndpoints: ['/any'], anyPages: ['/page'] },
};
const kinds = attackKinds(targets);
const allKinds = new Map([...kinds.harmful, ...kinds.usual]);
const SEEDS = Array.from({ length: 200 }, (_, n) => n + 1);

test('a seed gives the same composition each time, and another seed another one', () => {
  const sameKinds = attackKinds(targets);
  const texts = (of: typeof kinds) => SEEDS.map((seed) => JSON.stringify(compose(seed, of)));
  assert.deepEqual(texts(kinds), texts(sameKinds));
  assert.equal(new Set(texts(kinds)).size, SEEDS.length);
});

test('200 seeds have each kind, both sizes of memory, and one to four attackers with addresses of their own', () => {
  const all = SEEDS.map((seed) => compose(seed, kinds));
  const used = all.flatMap(({ attackers }) => attackers.map(({ kind }) => kind));
  assert.deepEqual([...new Set(used)].sort(), [...allKinds.keys()].sort());
  assert.deepEqual([...new Set(all.map(({ memoryBytes }) => memoryBytes / 2 ** 20))].sort(), [1_024, 512]);
  assert.deepEqual([...new Set(all.map(({ attackers }) => attackers.length))].sort(), [1, 2, 3, 4]);
  for (const { attackers } of all) {
    assert.ok(kinds.harmful.has(attackers[0]!.kind), 'the first is harmful');
    const addresses = new Set(attackers.map(({ localAddress }) => localAddress));
    assert.equal(addresses.size, attackers.length);
    for (const address of addresses) assert.match(address, /^127\.(1[6-9])\.\d+\.\d+$/);
  }
});

test('the attackers of a seed have a bounded number of connections, and each has one', () => {
  for (const seed of SEEDS) {
    const counts = compose(seed, kinds).attackers.map(({ attack }) => attack.connections);
    assert.ok(Math.min(...counts) >= 1 && counts.reduce((a, b) => a + b) <= 1_500, `${seed}: ${counts}`);
  }
});

test('each kind varies: connections, headers, pace, the first request, when clients leave and when they return', () => {
  const varied = new Map<string, Attack[]>();
  for (let seed = 1; seed <= 2_000; seed++) {
    for (const { kind, attack } of compose(seed, kinds).attackers)
      varied.set(kind, [...(varied.get(kind) ?? []), attack]);
  }
  for (const [kind, attacks] of varied) {
    const different = (part: (attack: Attack) => unknown) =>
      new Set(attacks.map((each) => JSON.stringify(part(each)))).size;
    assert.ok(different(({ headers }) => headers) > 1, `headers of ${kind}`);
    assert.ok(different(({ again }) => again) > 1, `pace of ${kind}`);
    assert.ok(different(({ leaves }) => leaves) > 1, `leaving of ${kind}`);
    if (allKinds.get(kind)!.connections > 1) assert.ok(different(({ connections }) => connections) > 1, kind);
    if (allKinds.get(kind)!.requests.length > 1) assert.ok(different(({ requests }) => requests[0]) > 1, kind);
  }
});

test('a request has its number in the path, its headers, and the length of its body', () => {
  assert.equal(
    requestText({ path: '/a?n={n}' }, { accept: 'b' }, 7),
    'GET /a?n=7 HTTP/1.1\r\nhost: a\r\naccept: b\r\n\r\n',
  );
  assert.equal(
    requestText({ path: '/a', body: { text: 'x', repeated: 'yz', times: 2, end: '!' } }, {}, 0),
    'POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\n\r\nxyzyz!',
  );
});

test('a transaction of many outputs is one that can be decoded', () => {
  const { text, repeated = '', times = 0, end = '' } = manyOutputs(1_000, 'hex=');
  const hex = (text + repeated.repeat(times) + end).slice('hex='.length);
  const { transaction } = decodeSignedTransaction(Buffer.from(hex, 'hex'));
  assert.equal(transaction.outputs.length, 1_000);
});

test('every path of an attack and of others is complete', () => {
  const paths = [...allKinds.values()].flatMap(({ requests }) => requests.map(({ path }) => path));
  const others = [...smallReads(samples), ...largeReads(targets)].map(({ path }) => path);
  for (const path of [...paths, ...others]) assert.match(path, /^\/(?!.*(?:undefined|NaN|object))/);
});

const GOOD: AttackMeasures = {
  smallMs: Array<number>(100).fill(LIMITS.p99Ms),
  bareMs: [1],
  longestStreamMs: 0,
  longestLargeMs: LIMITS.largeMs,
  statuses: { 200: 100 },
  memoryBytes: 512,
  maxMemoryBytes: 512,
  openFiles: 1,
  normalAfterMs: LIMITS.normalAfterMs,
  uncompressed: 0,
  hasDied: false,
};
const missed = (measures: Partial<AttackMeasures>, limits = LIMITS) => missedMarks({ ...GOOD, ...measures }, limits);

test('marks are met at their limits', () => {
  assert.deepEqual(missed({}), []);
});

test('each mark is missed by what is worse than its limit', () => {
  assert.deepEqual(missed({ smallMs: [LIMITS.p99Ms + 0.1] }), ['p99']);
  assert.deepEqual(missed({ smallMs: [] }), ['p99']);
  assert.deepEqual(missed({ longestLargeMs: LIMITS.largeMs + 1 }), ['large reads']);
  assert.deepEqual(missed({ longestLargeMs: Number.NaN }), ['large reads']);
  assert.deepEqual(missed({ statuses: { 200: 9, 429: 1 } }), ['429']);
  assert.deepEqual(missed({ statuses: { 200: 9, 503: 1 } }), ['503']);
  assert.deepEqual(missed({ statuses: { 0: 1, 200: 9 } }), ['statuses']);
  assert.deepEqual(missed({ uncompressed: 1 }), ['uncompressed']);
  assert.deepEqual(missed({ memoryBytes: 513 }), ['memory']);
  assert.deepEqual(missed({ normalAfterMs: LIMITS.normalAfterMs + 1 }), ['recovery']);
  assert.deepEqual(missed({ normalAfterMs: null }), ['recovery']);
  const expected = MARKS.filter((mark) => ['died', '429', '503', 'statuses'].includes(mark));
  assert.deepEqual(missed({ hasDied: true, statuses: { 429: 1, 500: 1, 503: 1 } }), expected);
});

test('limits grow with the bare server of a shared machine, but those of statuses and memory do not', () => {
  assert.ok(limitsBeside(1).p99Ms > LIMITS.p99Ms);
  assert.equal(limitsBeside(1).p99Ms, limitsBeside(2).p99Ms);
  assert.ok(limitsBeside(30).largeMs > 5 * LIMITS.largeMs);
  assert.deepEqual(missed({ statuses: { 429: 1 }, memoryBytes: 513 }, limitsBeside(1_000)), ['429', 'memory']);
});

const every10Ms = (until: number, ms: (at: number) => number): Sample[] =>
  Array.from({ length: until / 10 }, (_, n) => ({ at: 1_000 + n * 10, ms: ms(n * 10), status: 200 }));
/** Small reads from 1,000 on, slow at first; the bare server is always fast. */
const seen = (slowMs: number, until: number, ...more: Sample[]) => ({
  small: [...every10Ms(until, (at) => (at < slowMs ? 200 : 2)), ...more],
  bare: every10Ms(until, () => 1),
});

test('all is normal at once when nothing was slow', () => {
  assert.equal(normalAfter(seen(0, 1_000), 1_000, 2_000), 0);
});

test('all is normal from the first quarter of a second on after which nothing is slow or refused', () => {
  assert.equal(normalAfter(seen(300, 1_000), 1_000, 2_000), 500);
  assert.equal(normalAfter(seen(0, 1_000, { at: 1_400, ms: 1, status: 503 }), 1_000, 2_000), 500);
});

test('nothing is normal when the last quarter is slow, or nobody was served in it', () => {
  assert.equal(normalAfter(seen(1_000, 1_000), 1_000, 2_000), null);
  assert.equal(normalAfter(seen(0, 700), 1_000, 2_000), null);
  assert.equal(normalAfter(seen(0, 750, { at: 1_800, ms: 180, status: null }), 1_000, 2_000), null);
});

test('one hiccup of the machine is normal, and so is a request under way', () => {
  assert.equal(normalAfter(seen(0, 1_000, { at: 1_900, ms: 80, status: 200 }), 1_000, 2_000), 0);
  assert.equal(normalAfter(seen(0, 1_000, { at: 1_995, ms: 1, status: null }), 1_000, 2_000), 0);
});

test('it is normal to be slow on a machine on which the bare server is slow', () => {
  const { small } = seen(1_000, 1_000);
  assert.equal(normalAfter({ small, bare: every10Ms(1_000, () => 40) }, 1_000, 2_000), 0);
});
