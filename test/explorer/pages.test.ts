/** Pages beside the API: who gets them, their headers, their errors, their files. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openSearchXml } from '../../src/explorer/robots-and-opensearch.ts';
import { builtBefore, fileScope } from '../support/file-scope.ts';
import { filledIndex } from '../support/filled-servers.ts';
import { getPage } from '../support/html-page.ts';
import { until } from '../support/until.ts';

const scope = fileScope();
const index = filledIndex({ blocks: 40, transactionsPerBlock: 5, pools: 3 });
const server = builtBefore((scope) => index().serve(scope));

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it('a client that does not ask for HTML gets from every path what the API always gave', async () => {
  const without = await index().serve(scope, { pages: undefined });
  for (const path of ['/', '/blocks', '/tx/x', '/nope', '/api/v2/block/x', '/search?q=x', '/block/%ff']) {
    for (const accept of ['*/*', 'application/json', '']) {
      const [own, other] = await Promise.all([
        server().request(path, { headers: { accept } }),
        without.request(path, { headers: { accept } }),
      ]);
      assert.deepEqual([own.status, own.text], [other.status, other.text], `${path} ${accept}`);
      assert.equal(own.headers.get('vary'), other.headers.get('vary'), path);
    }
  }
});

it('a page that is cached is for browsers only, also at a path that the API has', async () => {
  for (const path of ['/blocks', '/statistics', '/']) {
    const json = await server().request(path);
    for (let i = 0; i < 4; i++) {
      assert.match(
        (await server().request(path, { headers: BROWSER })).headers.get('content-type')!,
        /^text\/html/,
        path,
      );
      const { status, text } = await server().request(path);
      assert.deepEqual([status, text], [json.status, json.text], path);
    }
  }
  const { text } = await server().request('/metrics');
  assert.match(text, /chain_indexer_responses_total\{route="cache",status="200"\} [1-9]/);
});

it('a path of the API is JSON for browsers, too', async () => {
  const { status, headers } = await server().request('/api/v2/chain/tip', { headers: BROWSER });
  assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
  assert.equal((await server().request('/api/v2/nope', { headers: BROWSER })).body.error, 'Bad request');
  assert.equal((await server().request('/health', { headers: BROWSER })).body.status, 'alive');
});

it('nothing but what this server gives may be loaded, and caches keep HTML and JSON apart', async () => {
  const { headers } = await getPage(server(), '/blocks');
  assert.match(headers.get('content-security-policy')!, /^default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'; base-uri 'none'$/);
  assert.match(headers.get('vary')!, /^accept, /);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

it('an ETag names a page until the tip moves, the form to decode as well, and the 304 varies like the page', async () => {
  const ask = (path: string, etag = '') => server().request(path, { headers: { ...BROWSER, 'if-none-match': etag } });
  const etags: string[] = [];
  for (const path of ['/decode', '/blocks']) {
    const { headers } = await ask(path);
    etags.push(headers.get('etag')!);
    const again = await ask(path, etags.at(-1));
    assert.deepEqual([again.status, again.text], [304, ''], path);
    if (path === '/blocks') assert.equal(again.headers.get('vary'), headers.get('vary'));
  }
  await index().query(`update chain_tip set revision = revision + 1, block_id = sha256('x'::bytea)`);
  let last: Awaited<ReturnType<typeof ask>> | undefined;
  await until(
    async () => {
      last = await ask('/blocks', etags[1]);
      return last.status === 200;
    },
    'the page has another ETag',
    { explain: () => `the last answer: ${last?.status} ${last?.text.slice(0, 2_000)}` },
  );
  await index().query(
    'update chain_tip t set revision = revision + 1, block_id = (select block_id from blocks where height = t.height)',
  );
});

it('an ETag is another one where the public URL or the form to send transactions is', async () => {
  const publicUrl = 'https://example.org';
  const others = [{ publicUrl }, { publicUrl, enablePostRoutes: true }];
  const servers = await Promise.all(others.map((options) => index().serve(scope, { ...options })));
  const etags = await Promise.all(
    [server(), ...servers].map(async (each) => {
      await until(() => each.isReady(), 'readiness');
      return (await each.request('/decode', { headers: BROWSER })).headers.get('etag');
    }),
  );
  assert.equal(new Set(etags).size, 3, etags.join());
});

it('the log of reorganisations has no ETag: an index that comes back to a tip has seen more', async () => {
  for (const [path, headers] of [
    ['/api/v2/chain/reorganisations', {}],
    ['/reorganisations', BROWSER],
  ] as const) {
    const response = await server().request(path, { headers });
    assert.deepEqual([response.status, response.headers.get('etag')], [200, null], path);
  }
});

it('HEAD has the headers of GET', async () => {
  const get = await server().request('/blocks', { headers: BROWSER });
  const head = await server().request('/blocks', { headers: BROWSER, method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', get.headers.get('etag')]);
});

it('an unknown path is the page 404, with a search', async () => {
  const page = await getPage(server(), '/nope/nope', 404);
  assert.match(page.title, /^Not found/);
  assert.equal(page.main.one('input').attribute('value'), 'nope');
  assert.equal(page.headers.get('cache-control'), 'no-store');
});

it('what is wrong with a request is said in words, with the text of the request escaped', async () => {
  const page = await getPage(server(), '/blocks?cursor=<script>', 400);
  assert.match(page.main.text, /Invalid cursor\./);
  const hostile = await getPage(server(), '/nope/%3Cscript%3Ealert(1)%3C%2Fscript%3E', 404);
  assert.equal(hostile.main.all('script').length, 0);
  assert.equal(hostile.main.one('input').attribute('value'), '<script>alert(1)</script>');
});

it('an entry of a form that is wrong leads back to the form, and an id that is wrong to a search for it', async () => {
  for (const path of ['/blocks?cursor=x', '/orders?pair=PE', '/statistics/fees?from=2026-02-01&to=2026-01-01']) {
    const { main } = await getPage(server(), path, 400);
    assert.ok(main.links().includes(path.split('?')[0]!), path);
    assert.equal(main.one('input').attribute('value') ?? '', '', path);
    assert.doesNotMatch(main.text, /copied completely/);
  }
  const { main } = await getPage(server(), '/address/abc/history', 400);
  assert.equal(main.one('input').attribute('value'), 'abc');
  assert.match(main.text, /copied completely/);
});

it('while the index is being built every page says how far it is, and when to come back', async () => {
  await index().query('update chain_tip set revision = revision + 1, is_ready = false');
  await until(async () => !(await server().isReady()), 'the server is not ready');
  const page = await getPage(server(), '/blocks?items=5', 503);
  assert.match(page.main.text, /The index is being built/);
  assert.equal(page.main.fact('Blocks indexed').text, '40');
  assert.equal(page.headers.get('retry-after'), '5');
  assert.ok(page.main.links().includes('/blocks?items=5'), 'it can be tried again with its query');
  await index().query('update chain_tip set revision = revision + 1, is_ready = true');
  await until(() => server().isReady(), 'the server is ready');
});

it('the scripts that a page loads by itself are below 15 kB compressed, on pages with charts and on the watch list below 45 kB, and each import leads to one', async () => {
  const { whole } = await getPage(server(), '/blocks');
  const ordinary = new Set(whole.all('script').map((script) => script.attribute('src')!));
  const ofCharts = new Set<string>();
  /** Reads the scripts of a set, and adds what they import. */
  const size = async (paths: Set<string>) => {
    let bytes = 0;
    for (const path of paths) {
      const { status, text } = await server().request(path);
      assert.equal(status, 200, path);
      bytes += gzipSync(text).length;
      for (const [, name] of text.matchAll(/(?:from |import\()'(\.\/[^']+)'/g)) {
        const imported = new URL(name!, new URL(path, server().url)).pathname;
        if (paths === ofCharts && ordinary.has(imported)) continue;
        // These are loaded when the search gets the focus, when the form is opened, and on the watch list.
        const isLater = ['./suggestions.js', './watch-form.js', './watch.js'].includes(name!);
        if (paths === ordinary && isLater) continue;
        (name === './charts.js' ? ofCharts : paths).add(imported);
      }
    }
    return bytes;
  };
  const { whole: watchList } = await getPage(server(), '/watch');
  const ofWatchList = new Set(watchList.all('script').map((script) => script.attribute('src')!));
  const bytes = await size(ordinary);
  assert.ok(ordinary.size >= 7, [...ordinary].join());
  assert.ok(bytes < 15_000, `${bytes} bytes`);
  assert.ok((await size(ofWatchList)) < 45_000);
  const more = await size(ofCharts);
  assert.deepEqual([...ofCharts].map((path) => path.split('/').at(-1)).sort(), ['charts.js', 'uplot.js']);
  assert.ok(bytes + more < 45_000, `${bytes} + ${more} bytes`);
});

it('style, script and icon are in a folder named by a hash of their content, and are kept for ever', async () => {
  const { whole } = await getPage(server(), '/blocks');
  const paths = [
    whole
      .all('link')
      .find((link) => link.attribute('rel') === 'stylesheet')!
      .attribute('href')!,
    whole.one('script').attribute('src')!,
    whole
      .all('link')
      .find((link) => link.attribute('rel') === 'icon')!
      .attribute('href')!,
  ];
  paths.push(...['uplot.js', 'uplot.css'].map((name) => paths[1]!.replace('explorer.js', name)));
  const [css, js] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'];
  const types = [css, js, 'image/svg+xml', js, css];
  for (const [i, path] of paths.entries()) {
    const { status, headers } = await server().request(path);
    assert.deepEqual([status, headers.get('content-type')], [200, types[i]]);
    assert.match(headers.get('cache-control')!, /immutable/);
  }
});

it('crawlers are told what to leave alone, and browsers how to search', async () => {
  assert.match((await server().request('/robots.txt')).text, /^User-agent: \*\n.*Disallow: \/api\/\n/s);
  assert.match((await server().request('/opensearch.xml')).text, /template="http:\/\/127\.0\.0\.1:3000\/search\?q=/);
});

it('the description of the search escapes the name of the network and the address of the site', () => {
  const xml = openSearchXml('A & B <"', 'https://example.org/?a="&b=<');
  assert.match(xml, /<ShortName>Mintlayer A &amp; B &lt;&quot;<\/ShortName>/);
  assert.match(xml, /tokens of Mintlayer A &amp; B &lt;&quot;<\/Description>/);
  assert.match(xml, /template="https:\/\/example\.org\/\?a=&quot;&amp;b=&lt;\/search\?q=/);
});

it('behind a proxy that adds a prefix all links begin with it, and the canonical link is whole', async () => {
  const publicUrl = 'https://example.org/indexer';
  const prefixed = await index().serve(scope, { publicUrl });
  const { whole, html } = await getPage(prefixed, '/blocks');
  for (const link of whole.links().filter((link) => !/^[#?]/.test(link))) assert.match(link, /^\/indexer\//);
  for (const form of whole.all('form')) assert.match(form.attribute('action')!, /^\/indexer\//);
  const files = [...whole.all('link'), ...whole.all('script')];
  for (const file of files) assert.match((file.attribute('href') ?? file.attribute('src'))!, /^\/indexer\//);
  assert.match(html, /<meta property="og:url" content="https:\/\/example\.org\/indexer\/blocks">/);
  for (const [path, picture] of [
    ['/blocks', 'preview-chain.png'],
    ['/block/1', 'preview-block.png'],
  ] as const) {
    const { html } = await getPage(prefixed, path);
    const url = /<meta property="og:image" content="https:\/\/example\.org\/indexer(\/.+?)">/.exec(html)![1]!;
    assert.ok(url.endsWith(`/${picture}`), url);
    const { headers } = await fetch(prefixed.url + url);
    assert.equal(headers.get('content-type'), 'image/png');
  }
  const response = await fetch(`${prefixed.url}/search?q=40`, {
    headers: { accept: 'text/html' },
    redirect: 'manual',
  });
  assert.match(response.headers.get('location')!, /^\/indexer\/block\//);
  assert.match(whole.one('pre').text, /^curl 'https:\/\/example\.org\/indexer\/api\/v2\/block'$/);
});
