/** What the tests of pages would find: each fault is found where it is, and nothing where there is none. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startHttpServer } from '../support/http-server.ts';
import { beforeInBrowser } from './chromium.ts';
import { VIEWS, Visitor } from './visitor.ts';

let body = '';
let origin = '';
let visitors: Visitor[] = [];
const skip = beforeInBrowser(async (browser, scope) => {
  const { port } = await startHttpServer(scope, (request, response) => {
    if (request.url !== '/') return void response.writeHead(204).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>';
    response.end(
      `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`,
    );
  });
  origin = `http://127.0.0.1:${port}`;
  const views = VIEWS.filter(({ width }) => width === 360);
  visitors = await Promise.all(views.map((view) => Visitor.open(browser, view, origin)));
});

/** With scripts and without. */
async function faultsOf(markup: string): Promise<string[]> {
  body = markup;
  const found = [];
  for (const visitor of visitors) {
    await visitor.open(`${origin}/`);
    const all = [
      ...(await visitor.accessibilityFaults('light')),
      ...(await visitor.accessibilityFaults('dark')),
      ...(await visitor.foreignElements()),
      ...(await visitor.faults()),
    ];
    found.push(all.join('\n'));
  }
  return found;
}

it('a page without faults has none', { skip }, async () => {
  assert.deepEqual(await faultsOf('<p>All is well.</p>'), ['', '']);
});

const FAULTS: readonly (readonly [what: string, markup: string, found: RegExp])[] = [
  ['a picture without a text', '<svg role="img" width="9" height="9"></svg>', /^light: svg-img-alt: /m],
  ['grey on white', '<p style="color: #bbb">faint</p>', /^light: color-contrast: /m],
  [
    'grey on black in the dark only',
    '<style>main { background: light-dark(white, black) } :root { color-scheme: light dark } p { color: light-dark(black, #333) }</style><p>faint</p>',
    /^dark: color-contrast: /m,
  ],
  ['something wider than the page', '<div style="width: 500px">wide</div>', /^the page scrolls to the side: 5\d\d px/m],
  [
    'a text that is cut',
    '<p style="width: 50px; overflow: hidden; white-space: nowrap">much too long</p>',
    /is cut off/,
  ],
  [
    'a text that reaches out of its place',
    '<p style="width: 50px; white-space: nowrap">much too long</p>',
    /^what is in p "much too long" reaches \d+ px out of it$/m,
  ],
  [
    'facts that overlap',
    '<dl class="facts"><div style="display: flex"><dt>name</dt><dd style="margin-left: -20px">value</dd></div></dl>',
    /overlap/,
  ],
  [
    'a column that is not aligned at the point',
    `<table>${['1', '222'].map((tail) => `<tr><td class="num sum" style="text-align: right"><span class="amount">5<span>.${tail}</span></span></td></tr>`).join('')}</table>`,
    /px beside span\.amount "5\.1"/,
  ],
  [
    'a picture of another host',
    '<img alt="" src="http://127.0.0.2:9/x.png">',
    /^a request leaves for http:\/\/127\.0\.0\.2:9\//m,
  ],
  ['an element of the chain', '<marquee>hostile</marquee>', /^marquee "hostile"$/m],
];

for (const [what, markup, found] of FAULTS) {
  it(`${what} is found, with scripts and without`, { skip }, async () => {
    for (const faults of await faultsOf(markup)) assert.match(faults, found);
  });
}

const SCRIPTED: readonly (readonly [what: string, markup: string, found: RegExp])[] = [
  ['a message in the console', '<script>console.log("hello")</script>', /^the console has: log hello$/m],
  ['a script that fails', '<script>null.x</script>', /^a script fails: /m],
  ['a dialog', '<script>alert("hello")</script>', /^a dialog opens: hello$/m],
  [
    'a layout that shifts',
    '<div></div><p style="height: 400px">text</p><script>setTimeout(() => { document.querySelector("div").style.height = "300px" }, 50)</script>',
    /^the layout shifts by 0\.\d+$/m,
  ],
];

for (const [what, markup, found] of SCRIPTED) {
  it(`${what} is found with scripts, and there is none without`, { skip }, async () => {
    const [withScripts, without] = await faultsOf(markup);
    assert.match(withScripts!, found);
    assert.doesNotMatch(without!, found);
  });
}
