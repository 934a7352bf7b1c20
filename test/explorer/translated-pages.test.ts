/** Every kind of page, in a language of marks in place of translations: what is not marked is not translated. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { TAX_PROGRAMS } from '../../src/answers/tax-events.ts';
import { currentCatalogue, inLanguage } from '../../src/explorer/words/catalogue.ts';
import { LANGUAGES } from '../../src/explorer/words/language.ts';
import { ERROR_PATHS, PAGE_PATHS, type PagePath } from '../browser/page-paths.ts';
import { builtBefore } from '../support/file-scope.ts';
import { PendingWorld } from '../support/pending-world.ts';

const MESSAGES: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../src/explorer/words/de.json', import.meta.url), 'utf8'),
);
/** The beginning and the end of the texts of a message; its values are outside. */
const [BEGIN, END] = ['\ue010', '\ue011'];
/** What only a message of the catalogue becomes. */
const marked = (message: string) =>
  message in MESSAGES ? BEGIN + message.replace(/\{\w+\}/g, `${END}$&${BEGIN}`) + END : message;

/** Elements whose content is not ours, or the same in each language. */
const FOREIGN_ELEMENTS = new Set(['script', 'style', 'textarea', 'time', 'code', 'pre']);
const FOREIGN_CLASSES = ['chain-text', 'id', 'unit', 'network', 'hex', 'outside', 'languages'];
const READ_ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt', 'data-label', 'content'];
/** Of meta elements. */
const SETTINGS = ['width=device-width, initial-scale=1', 'website', 'summary', 'light dark', 'noindex'];
/** NFTs by name and id, ids and addresses, whole or shortened, tickers, the coin and its network, times, formats, and what is searched for. */
const NAMES = [
  /\b\w+ \(rmltk1[0-9a-z]+…[0-9a-z]+\)/g,
  /\b[0-9a-f]{10,}\b(?:…[0-9a-f]+)?/g,
  /\br(?:mltk|pool|delg|ordr|pmt|mtc|mt|vrfpk|htlc|[a-z]{2,5})1[0-9a-z]+(?:…[0-9a-z]+)?/g,
  /Mintlayer regtest-pos|regtest-pos|mainnet|RML|\bby_\w+|\bxyz|mtc1qxyz|\bUTC\b|\bCSV\b|NDJSON|no-such-thing(?:-anywhere)?|\bo\b/g,
  /\b[A-Z]{2,}\d*\b/g,
  new RegExp(Object.values(TAX_PROGRAMS).join('|').replace(/[().]/g, '\\$&'), 'g'),
];
/** What German numbers and lists have beside messages (`words/formats.ts`), and what the decoder says. */
const OTHERS =
  /\b(?:Mio|Oktober|November|Minuten?|Sekunden?|Stunden?|Tage?|und|oder|expected the version of a \w+: 1 at byte 0, found)\b/g;

/** What visitors type and follow that is wrong, or that the search answers in sentences. */
const WRONG_INPUTS = [
  ...['/pool/xyz', '/token/xyz', '/nft/xyz', '/order/xyz', '/address/xyz', '/delegation/xyz', '/tx/xyz', '/block/xyz'],
  ...['/htlc/xyz', '/market/xyz', '/market/ABC_RML', '/market/RML_xyz', '/block/999999', `/tx/${'0'.repeat(64)}`],
  ...[
    '/orders?first=ABC',
    '/orders?first=1x',
    '/orders?sort=x',
    '/statement?addresses=x',
    '/statement?addresses=x&from=x',
  ],
  ...['/tokens?sort=x', '/pools?sort=x', '/markets?sort=x', '/richlist?sort=x', '/pools?coins=x', '/statistics/x'],
  ...['/search?q=2021-12-20', '/search?q=2021', '/search?q=11/10/2021', '/search?q=1640000000', '/search?q=2021-12'],
  ...[`/search?q=${'9'.repeat(40)}`, '/search?q=mtc1qxyz', '/search?q=yesterday', '/search?q=', '/%ff'],
].map((path): PagePath => ({ name: path, path }));

const world = builtBefore(async (scope) => {
  const built = await PendingWorld.start(scope, { seed: 'chromium', blocks: 160, isQuiet: false });
  built.node.reorganise(2, 3);
  await built.indexIsSeen();
  return built;
});

it('each text of each kind of page is a message of the catalogue', { timeout: 300_000 }, async (t) => {
  const catalogue = inLanguage('de', currentCatalogue) as { index: number; translate: (message: string) => string };
  const own = { ...catalogue };
  t.after(() => Object.assign(catalogue, own));
  // Templates remember their translation by the index.
  Object.assign(catalogue, { index: Object.keys(LANGUAGES).length + 1, translate: marked });
  const found = new Set<string>();
  for (const find of [...Object.values(PAGE_PATHS), () => [...ERROR_PATHS, ...WRONG_INPUTS]]) {
    for (const page of [await find(world())].flat()) {
      for (const text of unmarkedTexts(await markupOf(page))) found.add(`${page.name}: ${text}`);
    }
  }
  assert.deepEqual([...found], []);
});

async function markupOf({ path, form }: PagePath): Promise<string> {
  const text = form?.text();
  const fields = typeof text === 'string' ? { '#hex': text } : text;
  const sent = form?.buttons.includes('Broadcast transaction') ? `${path}/send` : path;
  const response = await fetch(world().server.url + sent, {
    redirect: 'manual',
    headers: { accept: 'text/html', 'accept-language': 'de' },
    ...(fields && {
      method: 'POST',
      body: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name.slice(1), value])),
    }),
  });
  return response.text();
}

/** Returns the names that tokens and NFTs have on a page. */
function namesOfChain(markup: string): string[] {
  return [...markup.matchAll(/<bdi class="chain-text">([^<]{2,})</g)].map(([, name]) => name!);
}

/** Returns the texts, and those of attributes that people read, with words outside of marks. */
function unmarkedTexts(markup: string): string[] {
  const found: string[] = [];
  const ofChain = namesOfChain(markup);
  const note = (text: string, depth: number): number => {
    let own = '';
    for (const character of text) {
      if (character === BEGIN) depth++;
      else if (character === END) {
        depth--;
        own += ' | ';
      } else if (depth === 0) own += character;
    }
    const rest = [...ofChain, ...NAMES, OTHERS].reduce<string>((left, names) => left.replaceAll(names, ''), own);
    if (/\p{L}/u.test(rest)) found.push(own.replace(/\s+/g, ' ').trim());
    return depth;
  };
  // A message may hold elements, and so end behind them.
  let depth = 0;
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (defaultTreeAdapter.isTextNode(node)) depth = note(node.value, depth);
    if (defaultTreeAdapter.isElementNode(node)) {
      const classes = node.attrs.find(({ name }) => name === 'class')?.value.split(' ') ?? [];
      for (const { name, value } of node.attrs) {
        if (READ_ATTRIBUTES.includes(name) && !SETTINGS.includes(value) && node.tagName !== 'time') note(value, 0);
      }
      if (FOREIGN_ELEMENTS.has(node.tagName)) return;
      if (node.tagName !== 'a' && classes.some((each) => FOREIGN_CLASSES.includes(each))) return;
      if (classes.includes('outside')) return;
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(markup));
  assert.equal(depth, 0, 'each mark has its end');
  return found;
}
