/** Texts that somebody wrote into the chain to harm a page: they stand in it as text, whatever they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { bytesAsText, chainText, chainUri, plainChainText } from '../../src/explorer/parts/chain-text.ts';
import { hostileChain } from '../support/hostile-chain.ts';
import { HOSTILE_KINDS, hostileTexts } from '../support/hostile-texts.ts';
import { getPage, type PageElement, parsePage, type TestPage } from '../support/html-page.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { seeds, testOverSeeds } from '../support/seeds.ts';

/** Everything that a page of ours is made of. */
const OUR_ELEMENTS = new Set(
  `html head title meta link script body header footer main nav section div span p a ul ol li dl dt dd h1 h2 h3 form input button
  select option textarea label fieldset legend table caption thead tbody tr th td code pre bdi time details summary
  svg figure figcaption output path rect line text desc g circle polyline strong em br`.split(/\s+/),
);
/** Of what cannot be seen, nothing may be in a page as it is: it would change how the text around it is read. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e01ff}]/u;
const MANY = 3_000;
const MAX_PAGE_LENGTH = 1_500_000;

testOverSeeds('every page on which hostile texts stand has them as text', async (seed, { after }) => {
  const { chain, texts, paths } = hostileChain(seed, seeds().length > 1 ? MANY / 50 : HOSTILE_KINDS);
  assert.ok(texts.length > 0);
  const index = await TestIndex.create({ after }, chain.network);
  await index.follow(chain.blocks, 50);
  const server = await index.serve({ after });
  for (const path of paths) {
    const page = await getPage(server, path);
    checkHarmless(page, `seed ${seed}, ${path}`);
  }
  const asked = encodeURIComponent('"><script>alert(1)</script>');
  for (const [path, status] of [
    [`/tokens?q=${asked}`, 200],
    [`/orders?first=${asked}`, 400],
  ] as const) {
    checkHarmless(await getPage(server, path, status), path);
  }
});

testOverSeeds(
  'every answer in which hostile texts stand has them as text, in both contracts',
  async (seed, { after }) => {
    const { chain, texts, paths } = hostileChain(seed, seeds().length > 1 ? MANY / 50 : HOSTILE_KINDS);
    const index = await TestIndex.create({ after }, chain.network);
    await index.follow(chain.blocks, 50);
    const { described, core } = await index.serveBoth({ after });
    const asked = paths
      .filter((path) => /^\/(?:tx|token|nft|order|htlc|address|market)\//.test(path))
      .map((path) => path.replace('/tx/', '/transaction/').replace('/balances', ''));
    const lists = ['token', 'nft', 'order', 'transaction', 'market'].map((list) => `/${list}?expand=true&items=100`);
    const searches = texts.map(
      (hex) => `/search?q=${encodeURIComponent(Buffer.from(hex, 'hex').toString().slice(0, 100))}`,
    );
    const blocks = chain.blocks.map(({ id }) => `/block/${id}`);
    const addresses = [...new Set(asked.flatMap((path) => /^\/address\/([^/]+)$/.exec(path)?.[1] ?? []))];
    for (const server of [described, core]) {
      for (const path of [
        ...asked,
        ...asked.map((path) => `${path}?expand=true`),
        ...lists,
        ...searches,
        ...blocks,
        '/chain/genesis',
      ]) {
        await checkAnswer(await fetch(`${server.url}/api/v2${path}`), `seed ${seed}, ${path}`);
      }
      const body = JSON.stringify({ addresses, expand: true });
      const headers = { 'content-type': 'application/json' };
      const balances = await fetch(`${server.url}/api/v2/balances`, { method: 'POST', headers, body });
      assert.equal(balances.status, 200);
      await checkAnswer(balances, 'POST /balances');
      for (const address of addresses)
        assert.equal((await fetch(`${server.url}/api/v2/address/${address}?expand=true`)).status, 200);
    }
  },
);

/** JSON without a character that it must not have, and no failure of the server. */
async function checkAnswer(answer: Response, name: string): Promise<void> {
  const text = await answer.text();
  assert.ok(answer.status < 500, `${name}: ${answer.status} ${text.slice(0, 200)}`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, name);
  assert.doesNotThrow(() => JSON.parse(text), name);
}

testOverSeeds('every hostile text can stand wherever a text of the chain stands', (seed) => {
  for (const hex of hostileTexts(seed, MANY)) {
    const text = Buffer.from(hex, 'hex').toString('utf8');
    const title = plainChainText(text);
    assert.ok([...title].length <= 61);
    const markup = html`<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${title}"></head><body><main><h1>${title}</h1><div>${chainText(text)}</div><div title="${title}">${bytesAsText(hex)}</div><ul><li>${chainUri({ ipfsGateway: 'https://gateway.example' }, text)}</li></ul></main></body></html>`;
    const page = parsePage(markup.text, { status: 200, headers: new Headers() });
    const name = `seed ${seed}, ${hex.slice(0, 200)}`;
    checkHarmless(page, name);
  }
});

test('a page that a text became a part of is told from one that has it as text', () => {
  const around = (content: string) =>
    parsePage(
      `<!doctype html><html lang="en"><head><title>x</title></head><body><main>${content}</main></body></html>`,
      {
        status: 200,
        headers: new Headers(),
      },
    );
  for (const [content, what] of [
    ['<iframe></iframe>', /the element iframe/],
    ['<p onclick="x">x</p>', /the attribute onclick/],
    ['<p style="x">x</p>', /the attribute style/],
    ['<script>x</script>', /a script of its own/],
    ['<a href="javascript:x">x</a>', /javascript:x/],
    ['<p>\u202e</p>', /U\+202E/],
  ] as const) {
    assert.throws(() => checkHarmless(around(content), 'x'), what);
  }
  checkHarmless(around('<p>fine</p>'), 'x');
});

/** Nothing in the page is there but what we put there. */
function checkHarmless({ whole, html: markup, title }: TestPage, name: string): void {
  assert.ok(markup.length < MAX_PAGE_LENGTH, `${name}: ${markup.length} characters`);
  for (const element of whole.all('*')) {
    assert.ok(OUR_ELEMENTS.has(element.name.toLowerCase()), `${name}: the element ${element.name}`);
    checkAttributes(element, name);
  }
  const visible = markup.replaceAll('\n', '');
  const unseen = UNSEEN.exec(visible);
  assert.equal(unseen && `U+${unseen[0].codePointAt(0)!.toString(16).toUpperCase()}`, null, name);
  assert.ok(title.length < 300, name);
}

function checkAttributes(element: PageElement, name: string): void {
  for (const attribute of element.attributeNames) {
    assert.doesNotMatch(attribute, /^on|^style$|^srcdoc$/, `${name}: the attribute ${attribute}`);
    const value = element.attribute(attribute)!;
    if (/^(?:href|src|action|formaction)$/.test(attribute)) {
      const isOutside = element.hasClass('outside');
      assert.match(value, isOutside ? /^https?:\/\/[^@/]*\// : /^(?:\/(?!\/)|#|\?|$)/, `${name}: ${value}`);
      if (isOutside) assert.match(element.attribute('rel') ?? '', /noopener.*nofollow/, name);
    }
  }
  if (element.name === 'script') {
    assert.match(element.attribute('src') ?? '', /^\/explorer\//, `${name}: a script of its own`);
    assert.equal(element.text, '', name);
  }
}

test('only addresses of the web and of IPFS become links, these at the operator’s gateway, and none leads elsewhere', () => {
  const id = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
  const linkOf = (text: string, ipfsGateway = 'https://gateway.example/x') =>
    /href="([^"]*)"/.exec(chainUri({ ipfsGateway }, text).text)?.[1] ?? null;
  const at = `https://gateway.example/x/ipfs/${id}`;
  assert.equal(linkOf(`ipfs://${id}`), at);
  assert.equal(linkOf(`ipfs://${id}/a b/1.png`), `${at}/a%20b/1.png`);
  assert.equal(linkOf(`ipfs://ipfs/${id}/1.json`), `${at}/1.json`);
  assert.equal(linkOf(`ipfs://${id}`, ''), null);
  assert.equal(linkOf('https://example.org/a'), 'https://example.org/a');
  for (const text of [
    `ipfs://${id}/../../../evil`,
    `ipfs://${id}/%2e%2e/%2E%2e/evil`,
    'ipfs://short/a',
    `ipfs://user@${id}/a`,
    `ipns://${id}`,
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a:b@example.org/',
  ]) {
    assert.equal(linkOf(text), null, text);
  }
});
