/** What `npm run bench -- pages` asks for, and what it wants of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredPages, pageName } from '../../bench/explorer-page-paths.ts';
import { marksOfPages, type PageResult } from '../../bench/explorer-pages.ts';
import { isMet } from '../../bench/report-targets.ts';
import type { SampleIds } from '../../bench/sample-ids.ts';
import type { AnswersContext } from '../../src/answers/answers-context.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { ExplorerContext } from '../../src/explorer/define-page.ts';
import { PAGES } from '../../src/explorer/pages/page-list.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';

const ids = ['id1', 'id2'];
const samples = new Proxy({} as SampleIds, {
  get: (_, name: string) => (/^(busiest|usual|largest)/.test(name) ? 'id' : ids),
});

test('every page of the explorer is measured, but those that need what a visitor types', () => {
  const answers = { network: networkByName('regtest') } as AnswersContext;
  const explorer = { site: new Site(answers.network, '', '', new StaticFiles()), answers } as ExplorerContext;
  const registered = PAGES.map((create) => create(explorer).path);
  const measured = new Set(measuredPages(samples).map(({ page }) => page));
  const unmeasured = registered.filter((path) => !measured.has(path));
  assert.deepEqual(unmeasured.sort(), ['/:id']);
  const unregistered = [...measured].filter((path) => !registered.includes(path));
  assert.deepEqual(unregistered, []);
});

test('every measured page has paths, and a name of its own', () => {
  const all = measuredPages(samples);
  assert.equal(new Set(all.map(pageName)).size, all.length);
  for (const page of all) {
    for (const path of [page.hot, ...page.cold]) assert.match(path, /^\/(?!.*(?:undefined|:))/, pageName(page));
  }
});

const load = (perSecond: number, p50Ms = 1): PageResult['hot'] => ({
  answers: 1,
  perSecond,
  p50Ms,
  p99Ms: 2,
  bytesPerAnswer: 9,
  wrong: null,
  loadCpu: Number.NaN,
  serverMicroseconds: Number.NaN,
  postgresMicroseconds: Number.NaN,
});
const GOOD: PageResult = {
  name: '/tx/:id',
  leastCold: 3_000,
  bare: load(1_000),
  hot: load(900),
  cold: load(3_000),
  alone: load(500, 10),
  gzipBytes: 30_000,
};

const missed = (page: Partial<PageResult>, files = { styleBytes: 10_000, scriptBytes: 15_000 }) =>
  marksOfPages({ pages: [GOOD, { ...GOOD, name: 'other', ...page }], ...files })
    .filter((mark) => !isMet(mark))
    .map(({ what }) => what);

test('marks of pages are met at their limits', () => {
  assert.deepEqual(missed({}), []);
});

test('each mark of pages is missed by the page that is worst', () => {
  assert.deepEqual(missed({ hot: load(899) }), ['hot, of a bare server, least: other']);
  assert.deepEqual(missed({ cold: load(2_999) }), ['cold: other']);
  assert.deepEqual(missed({ cold: load(10), leastCold: null }), []);
  assert.deepEqual(missed({ alone: load(1, 10.1) }), ['median with one client, longest: other']);
  assert.deepEqual(missed({ alone: load(0, Number.NaN) }), ['median with one client, longest: other']);
  assert.deepEqual(missed({ gzipBytes: 30_001 }), ['HTML and style as gzip, largest: other']);
  assert.deepEqual(missed({}, { styleBytes: 10_000, scriptBytes: 15_001 }), ['script as gzip']);
});

test('without any page no mark is met', () => {
  const marks = marksOfPages({ pages: [], styleBytes: 1, scriptBytes: 1 });
  const met = marks.filter(isMet).map(({ what }) => what);
  assert.deepEqual(met, ['script as gzip']);
});
