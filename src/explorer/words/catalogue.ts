/**
 * The words of the pages. A message is its English text, with named places for values: `Fee, {unit}`. `de.json` and
 * the others have all messages, each with its translation.
 *
 * A page is rendered without waiting, in the language that {@link inLanguage} sets. The texts of `html` templates are
 * messages as they stand, with `{0}`, `{1}` … for their values (see `src/explorer/html.ts`). Other texts are given to
 * {@link say}, or to a function that takes {@link Words}.
 *
 * Where other languages need several forms for a text, as for words of several genders, `|` and a name after it set one apart:
 * `open|order` is "open" in English.
 */
import { readFileSync } from 'node:fs';

type Translations = typeof import('./de.json');

import { LANGUAGES, type Language } from './language.ts';

export type Message = Exclude<keyof Translations, 'default'>;

/** The names of the places in a message. */
type PlacesOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesOf<Rest>
  : never;
/** The values for the places of a message, as the rest of a function's parameters: none if it has no place. */
export type ValuesFor<Text extends string, Value> = [PlacesOf<Text>] extends [never]
  ? []
  : [values: Readonly<Record<PlacesOf<Text>, Value>>];

/** What a place of a message may have: also a message within it. */
// biome-ignore lint/suspicious/noExplicitAny: a type cannot be its own default
type PlainValue = string | number | bigint | Phrase<any>;

/** A message with the values for its places. It is translated where it is shown. */
export class Phrase<Value = PlainValue> {
  readonly message: Message;
  readonly values: Readonly<Record<string, Value>>;

  constructor(message: Message, values: Readonly<Record<string, Value>>) {
    this.message = message;
    this.values = values;
  }
}

/** A text of ours. */
export type Words = Message | Phrase;

/** Returns a message with its values. */
export function say<Text extends Message, Value = PlainValue>(
  message: Text,
  ...[values]: ValuesFor<Text, Value>
): Phrase<Value> {
  return new Phrase<Value>(message, values ?? {});
}

/** The captions of lists that are sorted by their age. */
export const newestFirst = (title: Words): Words => say('{title}, newest first', { title: phraseOf(title) });
export const oldestFirst = (title: Words): Words => say('{title}, oldest first', { title: phraseOf(title) });
const phraseOf = (words: Words): Phrase => (typeof words === 'string' ? new Phrase(words, {}) : words);

/** Words for a text that stays as it is in every language, such as a ticker. */
export const verbatim = (text: string): Words => new Phrase('{text}' as Message, { text });

/** Words for a text from elsewhere in this program, such as an error message, which may be a message of the catalogue. */
export const wordsFor = (text: string): Words => text as Message;

/** Returns which of some messages a text from elsewhere in this program is, with its values; another text stays as it is. */
export function messageFor(text: string, messages: readonly Message[]): Words {
  for (const message of messages) {
    const [first = '', ...rest] = message.split(PLACE);
    const names = rest.filter((_, i) => i % 2 === 0);
    const literals = rest.filter((_, i) => i % 2 === 1);
    const pattern = [first, ...literals].map((each) => each.replace(/[^\p{L}\d]/gu, '\\$&')).join('(.+)');
    const match = new RegExp(`^${pattern}$`, 's').exec(text);
    if (match !== null) return new Phrase(message, Object.fromEntries(names.map((name, i) => [name, match[i + 1]!])));
  }
  return verbatim(text);
}

/** The translations of a language. */
export interface Catalogue {
  readonly language: Language;
  /** The position in the lists of what was made for each catalogue. */
  readonly index: number;
  /** Returns the translation of a message; the message itself if there is none. */
  readonly translate: (message: string) => string;
}

/** Reads the catalogue of a language. */
function readCatalogue(language: Language, index: number): Catalogue {
  if (language === 'en') return { language, index, translate: withoutName };
  const texts: Record<string, string> = JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8'));
  const known = new Map(Object.entries(texts));
  return { language, index, translate: (message) => known.get(message) ?? withoutName(message) };
}

/** Returns `open` for `open|order`. */
function withoutName(message: string): string {
  const end = message.indexOf('|');
  return end < 0 ? message : message.slice(0, end);
}

const PLACE = /\{(\w+)\}/g;

const catalogues = new Map(
  (Object.keys(LANGUAGES) as Language[]).map((language, i) => [language, readCatalogue(language, i)]),
);

let current: Catalogue = catalogues.get('en')!;

/** The catalogue of the page that is being rendered. */
export const currentCatalogue = (): Catalogue => current;

/** Renders in a language. What it calls must not wait. */
export function inLanguage<Result>(language: Language | Catalogue, render: () => Result): Result {
  const before = current;
  current = typeof language === 'string' ? catalogues.get(language)! : language;
  try {
    return render();
  } finally {
    current = before;
  }
}

/** Returns the English text of words, for ids in the page. */
export const englishOf = (words: Words): string =>
  typeof words === 'string' ? withoutName(words) : filled(withoutName(words.message), words.values, englishOf);

/** Returns words in the current language. */
export function textOf(words: Words): string {
  return typeof words === 'string'
    ? current.translate(words)
    : filled(current.translate(words.message), words.values, textOf);
}

function filled(text: string, values: Phrase['values'], wordsOf: (words: Words) => string): string {
  return text.replace(PLACE, (place, name: string) => {
    const value = name in values ? values[name] : place;
    return value instanceof Phrase ? wordsOf(value) : String(value);
  });
}

/** Splits a translated message: texts, and the values between them. */
export function wordsAndValues<Value>({ message, values }: Phrase<Value>): (string | { readonly value: Value })[] {
  return current
    .translate(message)
    .split(PLACE)
    .map((part, i) => (i % 2 === 0 ? part : { value: values[part]! }));
}
