/** The template tag, what it escapes and refuses; texts of the chain and times in pages. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Attributes, externalUrl, type Html, type HtmlValue, html, SafeUrl } from '../../src/explorer/html.ts';
import { bytesAsText, chainText, plainChainText } from '../../src/explorer/parts/chain-text.ts';
import { timeHtml, utcText } from '../../src/explorer/parts/time.ts';

const HOSTILE = `<script>alert("1")</script>&'`;
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';

it('a text is escaped in an element and in a quoted attribute', () => {
  assert.equal(html`<p>${HOSTILE}</p>`.text, `<p>${ESCAPED}</p>`);
  assert.equal(html`<p title="${HOSTILE}">x</p>`.text, `<p title="${ESCAPED}">x</p>`);
  assert.equal(html`<title>${HOSTILE}</title>`.text, `<title>${ESCAPED}</title>`);
});

it('a character that HTML does not allow is replaced', () => {
  assert.equal(
    html`<p title="${'a\0b'}">${'\u000f\u0085\uffff\u{1fffe}\ud800 \u{1f600}\t\n'}</p>`.text,
    '<p title="a\ufffdb">\ufffd\ufffd\ufffd\ufffd\ufffd \u{1f600}\t\n</p>',
  );
});

it('markup and lists of it pass; null, undefined and false are nothing; zero is a number', () => {
  const parts: HtmlValue[] = [html`<b>1</b>`, '<', 0, 10n ** 30n, null, undefined, false];
  assert.equal(html`<p>${parts}</p>`.text, `<p><b>1</b>&lt;0${10n ** 30n}</p>`);
});

it('texts of our own become ASCII, which needs no encoding; letters of the chain stay', () => {
  const { text } = html`<p title="${'a … b'}">12 · 5 – ’${'“x” −1 × 2 ÷ 3'} ↵ ${'é 中 \u{1f600}'}</p>`;
  assert.equal(
    text,
    '<p title="a &#8230; b">12 &#183; 5 &#8211; &#8217;&#8220;x&#8221; &#8722;1 &#215; 2 &#247; 3 &#8629; é 中 \u{1f600}</p>',
  );
});

it('a link takes a URL only, never a text', () => {
  assert.equal(html`<a href="${new SafeUrl('/a?b=1&c=2')}">x</a>`.text, '<a href="/a?b=1&amp;c=2">x</a>');
  for (const name of ['href', 'src', 'action', 'formaction'] as const) {
    const strings = Object.assign([`<a ${name}="`, '">'], { raw: [] }) as unknown as TemplateStringsArray;
    assert.throws(() => html(strings, 'javascript:alert(1)'), /cannot stand in HTML as url/, name);
  }
});

it('attributes are made by their names, and none of them is followed or run', () => {
  const attributes = Attributes.of({ title: HOSTILE, class: null, hidden: true, 'data-n': 5, lang: false });
  assert.equal(html`<p${attributes}>x</p>`.text, `<p title="${ESCAPED}" hidden data-n="5">x</p>`);
  for (const name of ['href', 'style', 'Title', 'a b', 'x>']) assert.throws(() => Attributes.of({ [name]: 'x' }), name);
});

it('a value is refused wherever it would not be safe', () => {
  const places: [before: string, after: string][] = [
    ['<a href=', '>'],
    ['<a title=', '>'],
    ["<a title='", "'>"],
    ['<', '>'],
    ['<p ', '>'],
    ['<script>', '</script>'],
    ['<style>', '</style>'],
    ['<p onclick="', '">'],
    ['<p style="', '">'],
  ];
  for (const [before, after] of places) {
    const strings = Object.assign([before, after], { raw: [] }) as unknown as TemplateStringsArray;
    assert.throws(() => html(strings, 'x'), `${before}…${after}`);
  }
});

it('a link to another host is of the web, and without a name and password', () => {
  assert.equal(externalUrl('https://example.org/a b')?.text, 'https://example.org/a%20b');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'ipfs://x', '/x', 'https://u:p@example.org', 'x']) {
    assert.equal(externalUrl(text), null, text);
  }
});

const shown = (markup: Html) => markup.text.replace(/<[^>]*>/g, '');

it('a text of the chain is escaped and isolated from the text around it', () => {
  assert.equal(chainText(HOSTILE).text, `<bdi class="chain-text">${ESCAPED}</bdi>`);
});

it('a text of the chain shows characters that cannot be seen by their code points', () => {
  assert.equal(shown(chainText('a\u202eb\u200bc\u0000d')), 'aU+202EbU+200BcU+0000d');
  assert.equal(shown(chainText('\ud800')), 'U+D800');
  assert.equal(shown(chainText('a\u034fb\u17b5c\u180bd\u2065e\u{e0080}f')), 'aU+034FbU+17B5cU+180BdU+2065eU+E0080f');
  assert.equal(shown(chainText('ok ❤\ufe0f é')), 'ok ❤\ufe0f é');
});

it('a text of the chain is folded where it is long, with all of it in the page, and bounded', () => {
  const long = 'x'.repeat(10_000);
  const { text } = chainText(long);
  assert.match(text, /^<details/);
  assert.ok(text.includes(long.slice(0, 120)) && text.includes(`</bdi>`) && text.includes('10000 characters'));
  assert.ok(chainText('\u202e'.repeat(1_000_000)).text.length < 3_000_000);
  assert.ok(chainText('y'.repeat(1_000_000)).text.length < 20_000);
});

it('a text of the chain keeps three marks of a letter at most, so that it covers no other line', () => {
  assert.equal(shown(chainText(`a${'\u0301'.repeat(50)}`)), `a${'\u0301'.repeat(3)}`);
});

it('a text of the chain is hex where the bytes are not UTF-8', () => {
  assert.equal(shown(bytesAsText('ff00')), 'ff00 (not UTF-8)');
  assert.equal(shown(bytesAsText('6869')), 'hi');
  assert.equal(shown(bytesAsText('')), '(empty)');
});

it('a text of the chain is one short line of visible characters in a title', () => {
  assert.equal(plainChainText('a\n\u202eb'), 'a\ufffd\ufffdb');
  assert.equal(plainChainText('x'.repeat(100), 5), 'xxxxx…');
});

it('times of pages are those of the calendar, whatever day was shown before', () => {
  const days = [0, 86_399, 86_400, 951_782_400, 1_767_225_599, 1_767_225_600, 253_402_300_800, 8_640_000_000_000];
  for (const seconds of [...days, ...days.toReversed(), -1, ...days.map((each) => each - 3_661)]) {
    const iso = new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
    assert.equal(utcText(seconds), `${iso.slice(0, -1).replace('T', ' ')} UTC`);
    assert.ok(timeHtml(seconds).text.startsWith(`<time datetime="${iso}" title="${utcText(seconds)}"`), `${seconds}`);
  }
});

it('times of pages are numbers where no calendar reaches', () => {
  for (const seconds of [8_640_000_000_001, 2 ** 63]) {
    assert.equal(utcText(seconds), `${seconds} seconds since the epoch`);
    assert.equal(timeHtml(seconds).text, `<span>${seconds} seconds since the epoch</span>`);
  }
});
