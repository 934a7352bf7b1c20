/** Which language a page is in: the browser's, or the one that the visitor has chosen. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { percentOf } from '../../src/explorer/parts/number.ts';
import { marginText } from '../../src/explorer/parts/pool.ts';
import { inLanguage } from '../../src/explorer/words/catalogue.ts';
import { builtBefore } from '../support/file-scope.ts';
import { filledIndex } from '../support/filled-servers.ts';
import { RawClient } from '../support/raw-http.ts';

const index = filledIndex({ blocks: 20, transactionsPerBlock: 3, pools: 2 });
const server = builtBefore((scope) => index().serve(scope));

const browse = (path: string, headers: Record<string, string> = {}) =>
  server().request(path, { headers: { accept: 'text/html', ...headers } });
const languageOf = ({ text }: { text: string }) => /<html lang="(\w+)"/.exec(text)?.[1];

for (const [accepted, language] of [
  ['de', 'de'],
  ['de-CH, en;q=0.5', 'de'],
  ['fr, es;q=0.4, zh;q=0.8', 'zh'],
  ['fr-FR, fr;q=0.9', 'en'],
  ['de;q=0, en', 'en'],
  ['deu', 'en'],
  [',;q=,,de;q=x', 'en'],
] as const) {
  it(`a browser that accepts "${accepted}" gets pages in ${language}`, async () => {
    assert.equal(languageOf(await browse('/blocks', { 'accept-language': accepted })), language);
  });
}

it('the language that a link chooses is kept in a cookie, for all pages, whatever the browser prefers', async () => {
  const chosen = await browse('/search?q=1&language=es', { 'accept-language': 'de' });
  assert.equal(chosen.status, 303);
  assert.equal(chosen.headers.get('location'), '/search?q=1');
  const [cookie = ''] = chosen.headers.get('set-cookie')!.split(';');
  assert.equal(languageOf(await browse('/pools', { cookie: `a=b; ${cookie}`, 'accept-language': 'de' })), 'es');
});

it('an unknown language, and a path of another host, are not followed', async () => {
  assert.equal((await browse('/blocks?language=xx')).status, 200);
  for (const path of ['//example.org/', '/\\example.org/', '/\\/example.org/']) {
    const client = new RawClient(server().port);
    const { headers } = await client
      .send({ method: 'GET', path: `${path}?language=de`, headers: { accept: 'text/html' } })
      .finally(() => client.close());
    assert.equal(headers.location, '/example.org/', path);
  }
});

it('a cached page of one language is not given to a visitor of another, and says what it varies with', async () => {
  for (let i = 0; i < 4; i++) {
    for (const language of ['en', 'de', 'zh']) {
      const page = await browse('/blocks', { 'accept-language': language });
      assert.equal(languageOf(page), language);
      assert.match(page.headers.get('vary')!, /^accept, accept-language, cookie\b/);
    }
  }
  const german = await browse('/blocks', { 'accept-language': 'de' });
  const etag = german.headers.get('etag')!;
  assert.equal((await browse('/blocks', { 'accept-language': 'de', 'if-none-match': etag })).status, 304);
  assert.equal((await browse('/blocks', { 'accept-language': 'en', 'if-none-match': etag })).status, 200);
});

it('a German page has German words and numbers, and English where a translation is missing', async () => {
  const { text } = await browse('/', { 'accept-language': 'de' });
  assert.match(text, /<nav class="sections" aria-label="Abschnitte">/);
  assert.match(text, /Blöcke|Bl&#246;cke/);
  assert.match(text, /<span[^>]*>,\d+<\/span>/);
  assert.match(text, /data-words="\{&quot;Copy&quot;:&quot;Kopieren&quot;/);
});

it('a percentage has the mark of the language, and the space before its sign that some have', () => {
  const shown = (language: 'en' | 'de' | 'es' | 'zh') =>
    inLanguage(language, () => [percentOf(-28n), marginText(125), marginText(50)].join(' '));
  assert.equal(shown('en'), '−0.28% 12.5% 5%');
  assert.equal(shown('zh'), '−0.28% 12.5% 5%');
  for (const language of ['de', 'es'] as const) assert.equal(shown(language), '−0,28\u00a0% 12,5\u00a0% 5\u00a0%');
});
