/** Whatever a browser asks for, it gets whole HTML, nothing of the request in it as markup; and the program's own option. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { fileScope } from '../support/file-scope.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { parsePage } from '../support/html-page.ts';
import { type RawAnswer, RawClient } from '../support/raw-http.ts';
import { spawnWebServer } from '../support/running-web-server.ts';

const golden = goldenServers();
const scope = fileScope();

/** A `GET` whose path goes to the server as it is: `fetch` would tidy it. */
async function browse(port: number, path: string): Promise<RawAnswer> {
  const client = new RawClient(port);
  return client.send({ method: 'GET', path, headers: { accept: 'text/html' } }).finally(() => client.close());
}

const WORDS = [
  '',
  'tx',
  'block',
  'blocks',
  'txs',
  'search',
  'nope',
  '..',
  '.',
  '%2e%2e',
  '0',
  '1',
  '00',
  'ab'.repeat(32),
  '__proto__',
  'constructor',
];
const text = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 30, unit: 'grapheme' }).map((each) => encodeURIComponent(each)),
  fc.string({ maxLength: 12, unit: fc.constantFrom('%', '<', 'f', '0', "'", '"', '&', '+', ';', '=', '\\', '*') }),
);
const url = fc
  .tuple(
    fc.array(safe(text), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom('q', 'cursor', 'items', 'from', 'outputs', 'x', '__proto__'), safe(text)), {
      maxLength: 3,
    }),
  )
  .map(([path, query]) => {
    const search = query.map(([name, value]) => `${name}=${value}`).join('&');
    return `/${path.join('/')}${search === '' ? '' : `?${search}`}`;
  });

/** What Node's parser takes in a request line. */
function safe(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((each) => each.replace(/[^\x21-\x7e]|[#?/]/g, ''));
}

it('any request of a browser is answered with whole HTML, a redirection within the site, or what the API answers at its own paths', async () => {
  await fc.assert(
    fc.asyncProperty(url, async (path) => {
      const { status, headers, body } = await browse(golden.described.port, path);
      const type = String(headers['content-type']);
      if (status === 302) {
        assert.match(String(headers.location), /^\/(?:block|tx|address|pool|delegation|token|nft|order)\/[a-z0-9]+$/);
        return;
      }
      assert.ok([200, 400, 404].includes(status), `${status} for ${path}`);
      assert.equal(type, 'text/html; charset=utf-8', path);
      const page = parsePage(body.toString(), { status, headers: new Headers() });
      assert.equal(page.whole.all('script').length, 1);
      assert.equal(page.whole.all('style').length + page.whole.all('iframe').length + page.whole.all('img').length, 0);
      for (const link of page.whole.links()) assert.match(link, /^(?:\/(?!\/)|#)/);
    }),
    { numRuns: 200 },
  );
});

it('the program serves pages unless it is told not to', async () => {
  const { postgres } = golden.index;
  for (const [args, type] of [
    [['--network', golden.network.name], 'text/html; charset=utf-8'],
    [['--network', golden.network.name, '--explorer', 'off'], 'application/json'],
  ] as const) {
    const port = await spawnWebServer(scope, postgres, ...args);
    const { headers } = await browse(port, '/');
    assert.equal(headers['content-type'], type, args.join(' '));
  }
});
