/**
 * HTML as values. The tag `html` escapes each value by its position: texts and numbers in elements and in quoted
 * attributes; only a `SafeUrl` in attributes that browsers follow; only `Attributes` between attributes. Other positions
 * throw.
 */
import { type Catalogue, currentCatalogue, Phrase, textOf, type Words, wordsAndValues } from './words/catalogue.ts';
import { type TranslatedTemplate, translateTemplate } from './words/template-words.ts';

/** Markup that is complete and safe. */
export class Html {
  readonly text: string;

  /** Takes trusted markup only. Use {@link html} for anything else. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A URL that a link, form or image may have. */
export class SafeUrl {
  readonly text: string;

  /** Takes known paths of this site only. Use `Site.href` or {@link externalUrl} for anything else. */
  constructor(text: string) {
    this.text = text;
  }
}

/** The attributes of an element, each with a space before it. */
export class Attributes {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** A value of `true` gives the name alone; false, null and undefined leave the attribute out. */
  static of(values: Readonly<Record<string, string | number | boolean | null | undefined>>): Attributes {
    let text = '';
    for (const name in values) {
      const value = values[name];
      if (value === false || value === null || value === undefined) continue;
      if (!knownAttributes.has(name)) checkAttribute(name);
      text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
    }
    return new Attributes(text);
  }
}

/** Attribute names that were checked. They come from our own templates, so they are few. */
const knownAttributes = new Set<string>();

function checkAttribute(name: string): void {
  if (!ATTRIBUTE_NAME.test(name) || URL_ATTRIBUTES.has(name)) throw new Error(`the attribute ${name}`);
  knownAttributes.add(name);
}

/** A value that may stand in a template. Null, undefined and false add nothing. */
export type HtmlValue =
  | Html
  // biome-ignore lint/suspicious/noExplicitAny: its values are values themselves, or texts
  | Phrase<any>
  | SafeUrl
  | Attributes
  | string
  | number
  | bigint
  | null
  | undefined
  | false
  | readonly HtmlValue[];

type HoleKind = 'text' | 'attribute' | 'url' | 'attributes';

const ATTRIBUTE_NAME = /^[a-z][a-z0-9-]*$/;
/** Attributes that a browser follows or loads, or that hold code. */
const URL_ATTRIBUTES = new Set(['href', 'src', 'action', 'formaction', 'srcset', 'poster', 'data', 'style']);
/** Elements whose content is code, or not HTML. */
const RAW_ELEMENTS = new Set(['script', 'style', 'iframe', 'noscript', 'plaintext', 'xmp']);

/** A parsed template. */
interface Template {
  readonly kinds: readonly HoleKind[];
  /** By the index of the catalogue; its parts are in ASCII. */
  readonly inLanguages: (TranslatedTemplate | undefined)[];
}

const templates = new WeakMap<TemplateStringsArray, Template>();

/**
 * Returns markup with the values put into the template, whose own texts are translated (`words/template-words.ts`). Throws for
 * an unsafe template or value.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let template = templates.get(strings);
  if (template === undefined) {
    template = { kinds: holesOf(strings), inLanguages: [] };
    templates.set(strings, template);
  }
  const { kinds, inLanguages } = template;
  const catalogue = currentCatalogue();
  inLanguages[catalogue.index] ??= inCatalogue(strings, catalogue);
  const { parts, order } = inLanguages[catalogue.index]!;
  let text = parts[0]!;
  for (let i = 0; i < values.length; i++) {
    const at = order[i]!;
    text += valueText(kinds[at]!, values[at]) + parts[i + 1]!;
  }
  return new Html(text);
}

function inCatalogue(strings: TemplateStringsArray, catalogue: Catalogue): TranslatedTemplate {
  const { parts, order } = translateTemplate(strings, {
    translate: (message) => {
      const text = catalogue.translate(message);
      return text === message ? text : escapeHtml(text);
    },
  });
  return { parts: parts.map(inAscii), order };
}

/**
 * Replaces non-ASCII characters of the markup by character references. JavaScript keeps an ASCII page in half the
 * memory, and it needs no encoding: one dash would cost a tenth of the time that a page takes.
 */
function inAscii(markup: string): string {
  return markup.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Returns the markup for a value in an element, for code that builds markup without a template. */
export function markupOf(value: HtmlValue): string {
  return value instanceof Html ? value.text : valueText('text', value);
}

/** Returns words, or markup as it is, to stand in a template: a message is translated, other texts are not. */
export function wordsHtml(words: Words | Html): Html | string {
  return words instanceof Html ? words : textOf(words);
}

/** Returns a link to another host: http and https only, null for any other text. */
export function externalUrl(text: string): SafeUrl | null {
  const url = text.length <= 2_000 ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return new SafeUrl(url.href);
}

/** Matches texts that may need escaping. Most texts do not match, and skip the slower {@link SPECIAL}. */
const MAYBE_SPECIAL = /[^ !#-%(-;=?-~]/;
/** The non-ASCII characters of our own texts: see {@link inAscii}. Texts from the chain keep their letters. */
const TYPOGRAPHY = '·×÷–’“”…−';
/** The characters to replace: also markup, and controls, surrogates and noncharacters, which HTML forbids. */
const SPECIAL = new RegExp(`[&<>"'${TYPOGRAPHY}\\p{Cc}\\p{Cs}\\p{Noncharacter_Code_Point}]`, 'gu');

/** Escapes a text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return MAYBE_SPECIAL.test(text) ? text.replace(SPECIAL, escaped) : text;
}

function escaped(character: string): string {
  return ENTITIES[character] ?? '\ufffd';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '\t': '\t',
  '\n': '\n',
  '\r': ' ',
  ...Object.fromEntries([...TYPOGRAPHY].map((character) => [character, inAscii(character)])),
};

function valueText(kind: HoleKind, value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) {
    if (kind === 'text') return value.text;
  } else if (value instanceof Phrase) {
    if (kind === 'attribute') return escapeHtml(textOf(value));
    if (kind === 'text') return phraseMarkup(value);
  } else if (value instanceof SafeUrl) {
    if (kind === 'url' || kind === 'attribute' || kind === 'text') return escapeHtml(value.text);
  } else if (value instanceof Attributes) {
    if (kind === 'attributes') return value.text;
  } else if (kind === 'text' || kind === 'attribute') {
    if (typeof value === 'string') return escapeHtml(value);
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (kind === 'text') {
      let text = '';
      for (const each of value as readonly HtmlValue[]) text += valueText(kind, each);
      return text;
    }
  }
  throw new Error(`a ${typeof value} cannot stand in HTML as ${kind}`);
}

function phraseMarkup(phrase: Phrase<HtmlValue>): string {
  return wordsAndValues(phrase)
    .map((part) => (typeof part === 'string' ? escapeHtml(part) : valueText('text', part.value)))
    .join('');
}

/** Returns the kind of each hole of a template. Throws if a hole is anywhere else. */
function holesOf(strings: TemplateStringsArray): HoleKind[] {
  const scanner = new TemplateScanner();
  return strings.slice(0, -1).map((part) => {
    scanner.read(part);
    return scanner.hole();
  });
}

/** Follows the state of a template while it is read. It knows only as much HTML as our own templates use. */
class TemplateScanner {
  #state: 'text' | 'tag' | 'value' | 'raw' = 'text';
  #tag = '';
  #attribute = '';
  #seen = '';

  read(part: string): void {
    for (const character of part) {
      this.#seen += character;
      switch (this.#state) {
        case 'text':
          if (character !== '<') break;
          this.#state = 'tag';
          this.#tag = '';
          break;
        case 'raw':
          if (this.#seen.endsWith(`</${this.#tag}>`)) this.#state = 'text';
          break;
        case 'value':
          if (character === '"') this.#state = 'tag';
          break;
        case 'tag':
          this.#readTag(character);
      }
    }
  }

  hole(): HoleKind {
    switch (this.#state) {
      case 'text':
        return 'text';
      case 'value':
        if (this.#attribute.startsWith('on') || this.#attribute === 'style') throw this.#refusal();
        return URL_ATTRIBUTES.has(this.#attribute) ? 'url' : 'attribute';
      case 'tag':
        if (!/^[a-z][a-z0-9-]*$/.test(this.#tag) || !/[a-z0-9"-]$/.test(this.#seen)) throw this.#refusal();
        this.#seen += ' ';
        return 'attributes';
      case 'raw':
        throw this.#refusal();
    }
  }

  #readTag(character: string): void {
    if (character === '>') {
      const isEnd = /<\/[^<]*$/.test(this.#seen);
      this.#state = !isEnd && RAW_ELEMENTS.has(this.#tag) ? 'raw' : 'text';
    } else if (character === '"') {
      this.#attribute = /([a-z][a-z0-9:-]*)="$/i.exec(this.#seen)?.[1]?.toLowerCase() ?? '';
      if (this.#attribute === '') throw this.#refusal();
      this.#state = 'value';
    } else if (character === '<' || character === "'") throw this.#refusal();
    else if (/[a-z0-9-]/i.test(character) && /<\/?[a-z0-9-]*$/i.test(this.#seen)) this.#tag += character.toLowerCase();
  }

  #refusal(): Error {
    return new Error(`a value cannot stand here in HTML: ${this.#seen.slice(-60)}`);
  }
}
