/** The operator's marks on pages and in the API, with their source, and while their file changes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { MarksFile } from '../../src/answers/marks-file.ts';
import { poolAddress } from '../../src/chain/address.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const golden = goldenServers();
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

async function marked(t: TestContext) {
  const folder = await temporaryDirectory(t);
  const path = join(folder, 'marks.json');
  const token = await golden.token();
  const pool = poolAddress(golden.network, await golden.value('select pool_id from pools limit 1'));
  const write = (name: string) =>
    writeFileSync(
      path,
      JSON.stringify({
        source: 'Some <b>body</b>',
        source_url: 'https://example.org/list',
        marks: [
          {
            id: token,
            name,
            icon: 'token.svg',
            status: 'verified',
            text: 'Known for long',
            url: 'https://lux.example/',
          },
          { id: pool, name: 'Stake & Co', status: 'warning', text: 'Does not answer' },
        ],
      }),
    );
  writeFileSync(join(folder, 'token.svg'), SVG);
  write('Lux');
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const server = await golden.index.serve(t, {
    marks: new MarksFile(path, golden.network, 10),
    logger: { info: log, warn: log, error: log },
    pages: createExplorer({ origin: 'http://127.0.0.1:3000' }),
  });
  return { server, path, write, token, pool, logged };
}

it('pages show what the operator says of a token or pool, beside its name and with the source; the API says the same', async (t) => {
  const { server, token, pool } = await marked(t);
  const { main } = await getPage(server, `/token/${token}`);
  const notice = main.all('.banner').find(({ text }) => text.includes('Lux'))!;
  assert.match(notice.text, /^Lux verified Known for long lux\.example.* Marked by Some <b>body<\/b> \(example\.org/);
  assert.deepEqual(notice.links(), ['https://lux.example/', 'https://example.org/list']);
  const icon = notice.one('img').attribute('src')!;
  const warned = (await getPage(server, `/pool/${pool}`)).main.one('.banner');
  const compared = (await getPage(server, `/pools/compare?pool=${pool}`)).main;
  assert.ok(compared.all('.banner').some(({ text }) => text === warned.text));
  assert.ok(warned.hasClass('warning'));
  assert.match(warned.text, /^Stake & Co warning Does not answer/);
  const beside = (await getPage(server, '/tokens')).main.one('.mark-beside');
  assert.match(beside.text, /^Lux verified$/);
  assert.equal(beside.attribute('title'), 'verified by Some <b>body</b>: Known for long');
  const { source, marks } = await server.json('/marks');
  assert.equal(source, 'Some <b>body</b>');
  assert.deepEqual(
    marks.map(({ id, type, status }: { id: string; type: string; status: string }) => [id, type, status]),
    [
      [token, 'token', 'verified'],
      [pool, 'pool', 'warning'],
    ],
  );
  assert.equal(`/api/v2${marks[0].icon}`, icon);
  const file = await fetch(server.url + icon, { headers: { accept: 'text/html' } });
  assert.equal(await file.text(), SVG);
  assert.equal(file.headers.get('content-type'), 'image/svg+xml');
  assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
  assert.match(file.headers.get('content-security-policy')!, /^default-src 'none'.*; sandbox$/);
  assert.equal((await fetch(`${server.url}/api/v2/marks/icon/other.svg`)).status, 404);
});

it('a changed file of marks is in use at once, also on pages that were cached; a broken one is logged and not used', async (t) => {
  const { server, path, write, token, logged } = await marked(t);
  const names = async () => (await getPage(server, `/token/${token}`)).main.all('strong').map(({ text }) => text);
  const tag = async () => (await getPage(server, `/token/${token}`)).headers.get('etag');
  const before = await tag();
  assert.deepEqual(await names(), ['Lux']);
  write('Lumen');
  await until(async () => (await names())[0] === 'Lumen', 'the new name');
  assert.notEqual(await tag(), before);
  assert.equal((await server.json('/marks')).marks[0].name, 'Lumen');
  writeFileSync(path, '{"source": "S", "marks": [{"id": 7}]}');
  await until(() => logged.some((line) => /at 0: "id" must be a text.* stay in use\.$/.test(line)), 'the error');
  assert.deepEqual(await names(), ['Lumen']);
  write('Lux again');
  await until(async () => (await names())[0] === 'Lux again', 'the repaired file');
});

it('a search finds the tokens and pools by the names that the operator gives them, and shows the marks', async (t) => {
  const { server, write, token, pool } = await marked(t);
  write('Stakes');
  await until(async () => (await server.json('/marks')).marks[0].name === 'Stakes', 'the new name');
  const { items } = await server.json('/search?q=stake');
  assert.deepEqual(items.slice(0, 2), [
    { type: 'token', id: token, label: 'Stakes', detail: 'Marked verified by Some <b>body</b>' },
    { type: 'pool', id: pool, label: 'Stake & Co', detail: 'Marked warning by Some <b>body</b>' },
  ]);
  assert.equal((await server.json(`/search?q=${encodeURIComponent('stake & CO')}`)).items[0].id, pool);
  const { main } = await getPage(server, '/search?q=stak');
  assert.match(main.text, /Stakes verified/);
  write('Lux');
  await until(async () => (await server.json('/search?q=lux')).items[0]?.id === token, 'the name after that');
  assert.ok(!(await server.json('/search?q=stakes')).items.some(({ id }: { id: string }) => id === token));
});

it('without a file of marks there are none', async () => {
  assert.deepEqual(await golden.described.json('/marks'), { source: null, source_url: null, marks: [] });
});
