/**
 * Texts from the chain: tickers, names, URIs, data. Anybody can write them, also to deceive. They are set apart from
 * the page's own text, and their invisible characters are shown.
 */

import { isUtf8 } from 'node:buffer';
import type { Hex } from '../../chain/types.ts';
import { externalUrl, type Html, html, type SafeUrl } from '../html.ts';
import type { Site } from '../site.ts';
import { textOf } from '../words/catalogue.ts';

/** The characters that are shown at once; the rest is folded. */
const SHOWN_CHARACTERS = 120;
/** The most code points shown for a run of invisible characters. */
const MAX_CODES = 8;
/** The most elements and text parts that a text of the chain becomes. */
const MAX_PARTS = 200;
/** The most characters shown on a page; the rest is in the JSON. */
const MAX_CHARACTERS = 12_000;
/**
 * Controls, format characters such as bidi overrides and zero-width ones, lone surrogates, private use, line ends, and all
 * that fonts need not show; not the selector that makes a pictograph an emoji. `suggestions.js` has the same.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More than three combining marks on a letter, which would cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

interface ChainTextOptions {
  /** Cuts the text after this many characters, to fit into a line with other text or into a link. */
  readonly most?: number;
}

/**
 * Renders a whole text of the chain: long text is folded, invisible characters are named. Only cut text can stand in a
 * `p`.
 */
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
    isCut ? html`the rest` : html`${characters.length} characters`
  }</span></summary><bdi class="chain-text">${visible(head)}${visible(rest)}</bdi>${
    isCut && html` <span class="muted">… cut here; the JSON has all of it</span>`
  }</details>`;
}

/** Renders bytes as text, or as hex if they are not UTF-8, with the same options. */
export function bytesAsText(hex: Hex, options: ChainTextOptions = {}): Html {
  const bytes = Buffer.from(hex, 'hex');
  return isUtf8(bytes) && bytes.length > 0
    ? chainText(bytes.toString('utf8'), options)
    : bytes.length === 0
      ? chainText('')
      : html`${bytesHex(hex, options)} <span class="muted">(not UTF-8)</span>`;
}

/** Renders bytes as hex, folded if they are many. */
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

/** Renders a URI of the chain as text, with a link if it is a web address, or one of IPFS and the operator names a gateway. */
export function chainUri(site: IpfsSite, text: string): Html {
  const url = externalUrl(text) ?? ipfsUrl(site, text);
  const shown = chainText(text);
  if (url === null) return shown;
  return html`${shown} <a class="outside" href="${url}" title="External site" rel="noopener noreferrer nofollow ugc" target="_blank">open at ${new URL(url.text).host}<span class="sr"> external site, in a new tab</span></a>`;
}

type IpfsSite = Pick<Site, 'ipfsGateway'>;

/** `ipfs://`, the id of the content, and perhaps a path in it. */
const IPFS_URI = /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{46,128})((?:[/?#].*)?)$/s;

/** Returns the URL of an IPFS URI at the operator's gateway; null without one, and for any other text. */
function ipfsUrl({ ipfsGateway }: IpfsSite, text: string): SafeUrl | null {
  const [, id, rest] = IPFS_URI.exec(text) ?? [];
  if (id === undefined || ipfsGateway === '') return null;
  const content = `${ipfsGateway}/ipfs/${id}`;
  const url = externalUrl(content + rest);
  // A path with `..` could lead to anything else at the gateway.
  return url?.text.startsWith(content) ? url : null;
}

/** Renders the bytes of a URI, by the rules of {@link chainUri} and {@link bytesAsText}. */
export function chainUriBytes(site: IpfsSite, hex: Hex): Html {
  const bytes = Buffer.from(hex, 'hex');
  return isUtf8(bytes) && bytes.length > 0 ? chainUri(site, bytes.toString('utf8')) : bytesAsText(hex);
}

/** Returns a text of the chain for a title or description: one line, without invisible characters, cut. */
export function plainChainText(text: string, most = 60): string {
  const clean = text.replace(HIDDEN, '\u{fffd}').replace(STACKED_MARKS, '$1').replace(/\s+/gu, ' ').trim();
  const characters = [...clean];
  return characters.length <= most ? clean : `${characters.slice(0, most).join('')}…`;
}

/** Escapes a text, and shows its invisible characters as code points. */
function visible(text: string): Html {
  if (text.search(HIDDEN) < 0) return html`${text.replace(STACKED_MARKS, '$1')}`;
  const parts: Html[] = [];
  let from = 0;
  for (const { index, run } of hiddenRuns(text)) {
    // A text of only such characters would become thousands of elements.
    if (parts.length >= MAX_PARTS) break;
    if (index > from) parts.push(html`${text.slice(from, index).replace(STACKED_MARKS, '$1')}`);
    parts.push(hidden(run));
    from = index + run.length;
  }
  const rest = text.slice(from).replace(HIDDEN, '\u{fffd}').replace(STACKED_MARKS, '$1');
  return html`${parts}${rest}`;
}

/** Yields the runs of invisible characters; a line end is a run of its own. */
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
  const title = textOf(characters.length === 1 ? 'Invisible character' : 'Invisible characters');
  return html`<span class="control" title="${title}">${codes.join(' ')}${more > 0 && html` and ${more} more`}</span>`;
}
