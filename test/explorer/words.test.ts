/** The words of the pages: the catalogue has all of them, and each language only these. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { inLanguage, say, textOf } from '../../src/explorer/words/catalogue.ts';
import { LANGUAGES } from '../../src/explorer/words/language.ts';
import { translateTemplate } from '../../src/explorer/words/template-words.ts';
import { templateMessages } from './template-messages.ts';

const EXPLORER = new URL('../../src/explorer/', import.meta.url);
const messagesOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`words/${language}.json`, EXPLORER), 'utf8'));
const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
const english = messagesOf('en');

it('each text in a template of the pages is in the catalogue', () => {
  const missing = [...templateMessages(EXPLORER)].filter(([message]) => !(message in english));
  assert.deepEqual(missing, []);
});

it('no template with words is made once for all languages, when the program starts', () => {
  const files = readdirSync(EXPLORER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const fixed = files.flatMap((file) => {
    const source = readFileSync(new URL(file, EXPLORER), 'utf8');
    return [...source.matchAll(/^(?:export )?const \w+(?:: [\w<>[\], ]+)? =\s*(?:\w+\(\s*)?html`([^`]*)`/gm)]
      .filter(([, markup = '']) => /\p{L}/u.test(markup.replace(/<[^>]*>/g, '')))
      .map(([text]) => `${file}: ${text.slice(0, 60)}`);
  });
  assert.deepEqual(fixed, []);
});

it('each message of the catalogue is used', () => {
  const inTemplates = templateMessages(EXPLORER);
  const src = new URL('../../src/', import.meta.url);
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, src), 'utf8'))
    .join('\n');
  const isUsed = (message: string) =>
    inTemplates.has(message) ||
    sources.includes(`'${message.replaceAll("'", "\\'")}'`) ||
    sources.includes(`"${message}"`) ||
    sources.includes(`'${message.replaceAll(' ', '_')}'`) ||
    sources.includes(`'${message.replace(/\.$/, '')}'`);
  assert.deepEqual(
    Object.keys(english).filter((message) => !isUsed(message)),
    [],
  );
});

for (const language of Object.keys(LANGUAGES).filter((each) => each !== 'en')) {
  it(`each translation in ${language}.json is of a message, and has its places`, () => {
    for (const [message, text] of Object.entries(messagesOf(language))) {
      assert.ok(message in english, message);
      assert.deepEqual(placesOf(text), placesOf(message), message);
    }
  });
}

it('a template is translated as a whole sentence, whose values may stand in another order', () => {
  const translate = (message: string) =>
    ({ 'Block {0} of {1}': '{1}s Block {0}', Sections: 'Teile' })[message] ?? message;
  const { parts, order } = translateTemplate(['<p>Block ', ' of ', '</p><i aria-label="Sections">', '</i>'], {
    translate,
  });
  assert.deepEqual(parts, ['<p>', 's Block ', '</p><i aria-label="Teile">', '</i>']);
  assert.deepEqual(order, [1, 0, 2]);
});

it('a message without a translation is English, and values are escaped in every language', () => {
  const page = () =>
    html`<b title="${say('Fee, {unit}', { unit: '<' })}">${say('Fee, {unit}', { unit: '&' })}</b>`.text;
  assert.equal(page(), '<b title="Fee, &lt;">Fee, &amp;</b>');
  const index = Object.keys(LANGUAGES).length;
  const shouting = { language: 'en', index, translate: (message: string) => `${message}!` } as const;
  assert.equal(inLanguage(shouting, page), '<b title="Fee, &lt;!">Fee, &amp;!</b>');
  assert.equal(textOf(say('Fee, {unit}', { unit: 'ML' })), 'Fee, ML');
});
