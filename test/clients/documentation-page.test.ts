/** The documentation page: complete, of this server alone, and alive in a browser where there is one. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { sharedStack } from '../support/whole-stack.ts';

const run = promisify(execFile);
const stack = sharedStack();
const server = () => stack().servers.described;

/** What the page loads, as it is written there. */
function resourcesOf(html: string): string[] {
  return [...html.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
}

it('the documentation page loads everything from this server, from below its own address, with or without a slash at the end', async () => {
  for (const path of ['/docs', '/docs/']) {
    const { status, text, headers } = await server().request(path);
    assert.equal(status, 200);
    assert.match(headers.get('content-type')!, /^text\/html/);
    const resources = resourcesOf(text);
    assert.equal(resources.length, 4);
    assert.ok(
      resources.some((resource) => resource.endsWith('/favicon.ico')),
      'the page names no icon',
    );
    for (const resource of resources) {
      const url = new URL(resource, server().url + path);
      assert.equal(url.origin, server().url);
      const answer = await fetch(url);
      assert.equal(answer.status, 200, url.href);
      await answer.body?.cancel();
    }
  }
});

it('the documentation page allows nothing of other hosts, and works over plain HTTP', async () => {
  const { headers } = await server().request('/docs/');
  const policy = headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'self'/);
  assert.match(policy, /script-src 'self';/);
  assert.doesNotMatch(policy, /https:|http:|upgrade-insecure-requests|\*/);
});

it('the documentation page has the theme of the explorer, and a link back to it', async () => {
  const { text } = await server().request('/docs');
  const file = resourcesOf(text).find((url) => url.endsWith('page.js'))!;
  const script = await (await fetch(new URL(file, server().url))).text();
  for (const [theme, isSystemDark, isDark] of [
    ['dark', false, true],
    ['light', true, false],
    ['system', true, true],
    ['system', false, false],
  ] as const) {
    const classes = new Map<string, boolean>();
    const shown: Record<string, string>[] = [];
    runInNewContext(script, {
      matchMedia: () => ({ matches: isSystemDark, addEventListener() {} }),
      localStorage: { getItem: () => theme },
      addEventListener() {},
      fetch: async () => ({ ok: true }),
      location: { pathname: '/indexer/docs/' },
      document: {
        documentElement: { classList: { toggle: (name: string, on: boolean) => classes.set(name, on) } },
        createElement: () => ({}),
        querySelector: () => ({ append: (each: Record<string, string>) => shown.push(each) }),
      },
    });
    assert.equal(classes.get('dark-mode'), isDark);
    await nextTurn();
    assert.equal(shown[0]?.href, '/indexer/');
  }
});

it('the documentation page shows the document that this server gives, with its examples', async () => {
  const [shown, given] = [await server().request('/docs/json'), await server().request('/api/v2/openapi.json')];
  assert.deepEqual(shown.body, given.body);
  assert.match(shown.text, /"example":/);
});

it('the documentation page comes to life in a browser: an operation that is linked to is open and filled in', async (t) => {
  const browser = process.env.CHROMIUM ?? 'chromium';
  if (
    !(await run(browser, ['--version']).then(
      () => true,
      () => false,
    ))
  )
    return t.skip(`there is no ${browser}`);
  const { stdout: page } = await run(
    browser,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--virtual-time-budget=10000',
      '--dump-dom',
      `${server().url}/docs#/Blocks/getBlockById`,
    ],
    { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 },
  );
  const { block_id: id } = await server().json('/chain/tip');
  assert.equal(page.match(/class="opblock opblock-(get|post)/g)?.length, server().operations.length);
  assert.match(page, /class="opblock opblock-get is-open" id="operations-Blocks-getBlockById"/);
  assert.match(page, new RegExp(`<input[^>]*value="${id}"`));
  assert.match(page, /class="btn execute opblock-control__btn"/);
});
