/** Renders ids and addresses as links. The page has them in full; the style shortens their middle. */
import { delegationAddress, destinationAddress, orderAddress, poolAddress, tokenAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Hex, Id } from '../../chain/types.ts';
import { escapeHtml, Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import type { ThingKind } from '../things.ts';
import { ENTRIES_PER_PAGE } from './input-output-list.ts';
import { markBeside } from './operator-mark.ts';

interface IdOptions {
  /** Shows only the beginning and the end, as in lists. */
  readonly isShort?: boolean;
  /** Adds a button that copies the id. */
  readonly canCopy?: boolean;
  /** Adds the picture of the id, as links have it. */
  readonly hasIcon?: boolean;
}

/** The characters shown at the end of a shortened id. */
const TAIL = 6;

/** Returns the path of a thing's page; ids have the form of the API, and may be any text. */
export function thingPath(kind: ThingKind, id: string): string {
  return `/${kind}/${PLAIN_ID.test(id) ? id : encodeURIComponent(id)}`;
}

/** Returns the beginning and the end of an id or address, for titles. */
export function shortId(id: string): string {
  return `${id.slice(0, 10)}…${id.slice(-6)}`;
}

/** Renders an id without a link. */
export function idHtml(text: string, { isShort = false, canCopy = false, hasIcon = false }: IdOptions = {}): Html {
  const icon = hasIcon && new Html(idIcon(text));
  const shown = isShort
    ? new Html(shortMarkup(escapeHtml(text.slice(0, -TAIL)), escapeHtml(text.slice(-TAIL))))
    : html`${icon}<span class="id">${text}</span>`;
  return canCopy ? html`${shown}${copyButton(text)}` : shown;
}

/** The button that copies a text, which the script shows. Beside short ids it shows one itself, for the id that has pointer or focus. */
const copyButton = (text: string): Html =>
  html`<button type="button" class="copy" hidden data-copy="${text}">Copy</button>`;

function shortMarkup(head: string, tail: string): string {
  return `<span class="id short"><span class="head">${head}</span><span class="tail">${tail}</span></span>`;
}

/** Renders a link to a thing's page, with its shortened id as the text. The id may be any text. */
export function thingLink(site: Site, kind: ThingKind, id: string): Html {
  return PLAIN_ID.test(id) ? ownLink(site, kind, id) : linkWith(site, kind, id, idHtml(id, { isShort: true }));
}

/** Renders the same link with the whole id, and a button that copies it. */
export function wholeIdLink(site: Site, kind: ThingKind, id: string): Html {
  return html`${linkWith(site, kind, id, idHtml(id))}${copyButton(id)}`;
}

function linkWith(site: Site, kind: ThingKind, id: string, text: Html): Html {
  return html`<a class="thing" href="${site.href(thingPath(kind, id))}">${text}</a>${markBeside(site, id)}`;
}

/** Texts that need no escaping or encoding: nearly all ids, and lists have dozens of them. */
const PLAIN_ID = /^[a-z0-9]+$/;

/** Renders the link of {@link thingLink} faster, for an id in hex or an address that we have encoded. */
function ownLink(site: Site, kind: ThingKind, id: string): Html {
  const text = `${ICON_KINDS.has(kind) ? idIcon(id) : ''}${shortMarkup(id.slice(0, -TAIL), id.slice(-TAIL))}`;
  const mark = markBeside(site, id)?.text ?? '';
  return new Html(`<a class="thing" href="${site.escapedBasePath}/${kind}/${id}">${text}</a>${mark}`);
}

/** The things of which lists have many: a picture tells one from another sooner than its id. */
const ICON_KINDS: ReadonlySet<ThingKind> = new Set(['address', 'pool', 'token', 'nft']);
const ICON_SHAPES = ['M0 0h2v2z', 'M0 2h2L1 0z', 'M0 1h2v1H0z', 'M0 0h1v1H0zM1 1h1v1H1z', 'M0 0a2 2 0 012 2H0z'];

/**
 * Draws a picture of an id, by all of its characters: two ids with the same beginning and end, as those who imitate an address
 * look for, have different pictures.
 */
export function idIcon(id: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  const [hue, turn, shape] = [hash % 360, 60 + ((hash >>> 9) % 240), ICON_SHAPES[(hash >>> 17) % ICON_SHAPES.length]];
  return `<svg class="id-icon" viewBox="0 0 2 2" aria-hidden="true" color="hsl(${hue} 55% 45%)" fill="hsl(${(hue + turn) % 360} 60% 65%)"><path d="${shape}"/></svg>`;
}

export const blockLink = (site: Site, id: Id): Html => ownLink(site, 'block', id);

/** Renders a link to a block by its height. */
export function heightLink(site: Site, height: number): Html {
  return new Html(`<a href="${site.escapedBasePath}/block/${height}">${height}</a>`);
}

export const transactionLink = (site: Site, id: Id): Html => ownLink(site, 'tx', id);

/** Renders an output's position as a link to the output in the page of its transaction or block. */
export function outpointLink(site: Site, sourceType: 'Transaction' | 'BlockReward', sourceId: Id, index: number): Html {
  const [kind, list, anchor] =
    sourceType === 'Transaction' ? (['tx', 'outputs', 'output'] as const) : (['block', 'from', 'reward'] as const);
  // Long lists of outputs have several pages.
  const page = index < ENTRIES_PER_PAGE ? null : index - (index % ENTRIES_PER_PAGE);
  const url = site.href(thingPath(kind, sourceId), { [list]: page }, `#${anchor}-${index}`);
  return html`<a class="thing" href="${url}">${idHtml(sourceId, { isShort: true })}<span class="index">:${index}</span></a>`;
}

/** `address`: as text, in the form of the API. */
export function addressLink(site: Site, address: string): Html {
  return thingLink(site, 'address', address);
}

/** Renders the links of at most `most` addresses, or the number of more; null for none. */
export function addressesOrCount(site: Site, addresses: readonly string[], most = 1): Html | null {
  if (addresses.length === 0) return null;
  if (addresses.length > most) return html`${addresses.length} addresses`;
  return html`${addresses.map((address, i) => [i > 0 && ', ', addressLink(site, address)])}`;
}

/** Makes the function that renders the {@link ownLink} of a thing by its id. */
const linkOf =
  (kind: ThingKind, addressOf: (network: Network, id: Id) => string) =>
  (site: Site, id: Id): Html =>
    ownLink(site, kind, addressOf(site.network, id));

export const destinationLink: (site: Site, destination: Destination) => Html = linkOf('address', destinationAddress);
export const poolLink = linkOf('pool', poolAddress);
export const delegationLink = linkOf('delegation', delegationAddress);
export const tokenLink = linkOf('token', tokenAddress);
export const nftLink = linkOf('nft', tokenAddress);
export const orderLink = linkOf('order', orderAddress);

/** Links to an HTLC by the hash of its secret. */
export function htlcLink(site: Site, secretHash: Hex): Html {
  return thingLink(site, 'htlc', secretHash);
}
