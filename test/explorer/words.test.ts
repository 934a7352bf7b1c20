/** The words of the pages: each language has all of them, and no others. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { inLanguage, messageFor, say, textOf } from '../../src/explorer/words/catalogue.ts';
import { LANGUAGES } from '../../src/explorer/words/language.ts';
import { translateTemplate } from '../../src/explorer/words/template-words.ts';
import { templateMessages } from './template-messages.ts';

const EXPLORER = new URL('../../src/explorer/', import.meta.url);
const messagesOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`words/${language}.json`, EXPLORER), 'utf8'));
const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
const TRANSLATED = Object.keys(LANGUAGES).filter((each) => each !== 'en');
const messages = Object.keys(messagesOf(TRANSLATED[0]!));

it('each text in a template of the pages is in the catalogue', () => {
  const missing = [...templateMessages(EXPLORER)].filter(([message]) => !messages.includes(message));
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
    messages.filter((message) => !isUsed(message)),
    [],
  );
});

it('each language has each message, with its places', () => {
  for (const language of TRANSLATED) {
    const translations = messagesOf(language);
    assert.deepEqual(Object.keys(translations).sort(), messages.toSorted(), language);
    for (const [message, text] of Object.entries(translations)) {
      assert.deepEqual(placesOf(text), placesOf(message), `${language}: ${message}`);
    }
  }
});

it('a template is translated as a whole sentence, whose values may stand in another order', () => {
  const translate = (message: string) =>
    ({ 'Block {0} of {1}': '{1}s Block {0}', Sections: 'Teile' })[message] ?? message;
  const { parts, order } = translateTemplate(['<p>Block ', ' of ', '</p><i aria-label="Sections">', '</i>'], {
    translate,
  });
  assert.deepEqual(parts, ['<p>', 's Block ', '</p><i aria-label="Teile">', '</i>']);
  assert.deepEqual(order, [1, 0, 2]);
});

it('a text of the API is messageFor with its values, and another text stays as it is', () => {
  const messages = ['In block {height}', '{trades} trades, {orders} open orders'] as const;
  const translated = (text: string) => inLanguage('es', () => textOf(messageFor(text, messages)));
  assert.equal(translated('In block 12'), 'En el bloque 12');
  assert.equal(translated('3 trades, 4 open orders'), '3 operaciones, 4 órdenes abiertas');
  assert.equal(translated('In block'), 'In block');
});

it('a message that is set apart for its inflection is one text in English, and another in Spanish', () => {
  assert.deepEqual([textOf('frozen|order'), textOf('frozen')], ['frozen', 'frozen']);
  const spanish = inLanguage('es', () => [textOf('frozen|order'), textOf('frozen')]);
  assert.deepEqual(spanish, ['congelada', 'congelado']);
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
