/**
 * Texts that come from the chain: tickers, names, URIs, data. Anybody may have written them, to look like something else:
 * they are kept apart from the page's own text, and what cannot be seen is shown.
 */
import { isUtf8 } from 'node:buffer';
import type { Hex } from '../../chain/types.ts';
import { externalUrl, type Html, html } from '../html.ts';

/** Characters that are shown at once; the rest is folded. */
const SHOWN_CHARACTERS = 120;
/** Code points of one run of characters that cannot be seen. */
const MAX_CODES = 8;
/** Elements and texts between them that one text of the chain becomes. */
const MAX_PARTS = 200;
/** Characters that a page holds; the rest is in the JSON. */
const MAX_CHARACTERS = 12_000;
/** Controls, format characters such as bidi overrides and zero-width ones, lone surrogates, private use, line ends. */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\p{Zl}|\p{Zp}|\u115f|\u1160|\u2800|\u3164|\uffa0|(?<!\p{Extended_Pictographic})\ufe0f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu;
/** More marks than this on one letter cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

interface ChainTextOptions {
  /** A label of so many characters at most, in one line with other text or in a link: the rest is cut. */
  readonly most?: number;
}

/** Text of the chain, whole: what is long is folded, what is invisible is named. It cannot stand in a `p` unless cut. */
export function chainText(text: string, { most }: ChainTextOptions = {}): Html {
  const shown = most ?? SHOWN_CHARACTERS;
  const characters = [...text.slice(0, 2 * MAX_CHARACTERS + 2)];
  if (characters.length === 0) return html`<span class="muted">(empty)</span>`;
  if (characters.length <= shown) return html`<bdi class="chain-text">${visible(characters.join(''))}</bdi>`;
  const head = characters.slice(0, shown).join('');
  if (most !== undefined) return html`<bdi class="chain-text">${visible(head)}</bdi>…`;
  const rest = characters.slice(shown, MAX_CHARACTERS).join('');
  const isCut = characters.length > MAX_CHARACTERS;
  return html`<details class="long-text"><summary><bdi class="chain-text">${visible(head)}</bdi>… <span class="muted">${
    isCut ? 'the rest' : `${characters.length} characters`
  }</span></summary><bdi class="chain-text">${visible(head)}${visible(rest)}</bdi>${
    isCut && html` <span class="muted">… cut here; the JSON has all of it</span>`
  }</details>`;
}

/** Bytes as text, or as hex where they are not UTF-8, under the same options. */
export function chainBytes(hex: Hex, options: ChainTextOptions = {}): Html {
  const bytes = Buffer.from(hex, 'hex');
  return isUtf8(bytes) && bytes.length > 0
    ? chainText(bytes.toString('utf8'), options)
    : bytes.length === 0
      ? chainText('')
      : html`${bytesHex(hex, options)} <span class="muted">(not UTF-8)</span>`;
}

/** Bytes as hex, folded where they are many. */
export function bytesHex(hex: Hex, { most }: ChainTextOptions = {}): Html {
  const shown = most ?? SHOWN_CHARACTERS;
  if (hex.length <= shown) return html`<code class="hex">${hex}</code>`;
  if (most !== undefined) return html`<code class="hex">${hex.slice(0, shown)}</code>…`;
  const cut = hex.length > MAX_CHARACTERS;
  return html`<details class="long-text"><summary><code class="hex">${hex.slice(0, shown)}</code>… <span class="muted">${
    hex.length / 2
  } bytes</span></summary><code class="hex">${hex.slice(0, MAX_CHARACTERS)}</code>${
    cut && html` <span class="muted">… cut here; the JSON has all of it</span>`
  }</details>`;
}

/** A URI of the chain: as text; one of the web can be opened by whoever wants to. */
export function chainUri(text: string): Html {
  const url = externalUrl(text);
  const shown = chainText(text);
  if (url === null) return shown;
  return html`${shown} <a class="outside" href="${url}" rel="noopener noreferrer nofollow ugc" target="_blank">open<span class="sr"> this link from the chain in a new tab</span></a>`;
}

/** The bytes of a URI, under the same rules as {@link chainBytes}. */
export function chainUriBytes(hex: Hex): Html {
  const bytes = Buffer.from(hex, 'hex');
  return isUtf8(bytes) && bytes.length > 0 ? chainUri(bytes.toString('utf8')) : chainBytes(hex);
}

/** A text of the chain for a title or a description: one line of what can be seen, cut. */
export function plainChainText(text: string, most = 60): string {
  const clean = text.replace(HIDDEN, '\u{fffd}').replace(STACKED_MARKS, '$1').replace(/\s+/gu, ' ').trim();
  const characters = [...clean];
  return characters.length <= most ? clean : `${characters.slice(0, most).join('')}…`;
}

/** The text escaped, characters that cannot be seen as their code points. */
function visible(text: string): Html {
  if (text.search(HIDDEN) < 0) return html`${text.replace(STACKED_MARKS, '$1')}`;
  const parts: Html[] = [];
  let from = 0;
  for (const { index, run } of hiddenRuns(text)) {
    // A text of nothing else would be thousands of elements.
    if (parts.length >= MAX_PARTS) break;
    if (index > from) parts.push(html`${text.slice(from, index).replace(STACKED_MARKS, '$1')}`);
    parts.push(hidden(run));
    from = index + run.length;
  }
  const rest = text.slice(from).replace(HIDDEN, '\u{fffd}').replace(STACKED_MARKS, '$1');
  return html`${parts}${rest}`;
}

/** What cannot be seen, neighbours together; a line end stands alone. */
function* hiddenRuns(text: string): Generator<{ readonly index: number; readonly run: string }> {
  let index = 0;
  let run = '';
  for (const match of text.matchAll(HIDDEN)) {
    if (run !== '' && (match.index !== index + run.length || match[0] === '\n' || run === '\n')) {
      yield { index, run };
      run = '';
    }
    if (run === '') index = match.index;
    run += match[0];
  }
  if (run !== '') yield { index, run };
}

function hidden(run: string): Html {
  if (run === '\n') return html`<span class="control" title="Line break">↵</span>`;
  const characters = [...run];
  const codes = characters
    .slice(0, MAX_CODES)
    .map((each) => `U+${each.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = characters.length - codes.length;
  const title = characters.length === 1 ? 'Invisible character' : 'Invisible characters';
  return html`<span class="control" title="${title}">${codes.join(' ')}${more > 0 && ` and ${more} more`}</span>`;
}
