/** Ids and addresses: whole in the page, shortened in the middle by style, each a link to its page. */
import { delegationAddress, destinationAddress, orderAddress, poolAddress, tokenAddress } from '../../chain/address.ts';
import type { Destination, Hex, Id } from '../../chain/types.ts';
import { escapeHtml, Html, html } from '../html.ts';
import { pathOf, type Site } from '../site.ts';
import { ENTRIES_PER_PAGE } from './input-output-list.ts';

/** What has a page by its id, as the first part of the page's path. */
export type ThingKind = 'block' | 'tx' | 'address' | 'pool' | 'delegation' | 'token' | 'nft' | 'order' | 'htlc';

type LinkOptions = Pick<IdLinkOptions, 'isShort'>;

interface IdLinkOptions {
  /** Shows the beginning and the end only, as in lists. */
  readonly isShort?: boolean;
  /** With a button to copy it. */
  readonly canCopy?: boolean;
}

/** Characters at the end of a shortened id. */
const TAIL = 6;

/** The path of a thing's page; ids as the API takes them. */
export function thingPath(kind: ThingKind, id: string): string {
  return pathOf(kind, id);
}

/** An id or address for a title: its beginning and its end. */
export function shortName(id: string): string {
  return `${id.slice(0, 10)}…${id.slice(-6)}`;
}

/** An id without a link. */
export function idText(text: string, { isShort = false, canCopy = false }: IdLinkOptions = {}): Html {
  const shown = isShort
    ? new Html(shortMarkup(escapeHtml(text.slice(0, -TAIL)), escapeHtml(text.slice(-TAIL))))
    : html`<span class="id">${text}</span>`;
  return canCopy ? html`${shown}<button type="button" class="copy" hidden data-copy="${text}">Copy</button>` : shown;
}

function shortMarkup(head: string, tail: string): string {
  return `<span class="id short"><span class="head">${head}</span><span class="tail">${tail}</span></span>`;
}

/** A link to a thing's page, its id as the text. Ids in lists are short unless said otherwise. */
export function thingLink(site: Site, kind: ThingKind, id: string, { isShort = true }: LinkOptions = {}): Html {
  if (isShort && PLAIN_ID.test(id)) return ownLink(site, kind, id);
  return html`<a class="thing" href="${site.href(thingPath(kind, id))}">${idText(id, { isShort })}</a>`;
}

/** What nothing has to be escaped in: nearly all ids, which lists have dozens of. */
const PLAIN_ID = /^[a-z0-9]+$/;

/** The same link of an id in hex, or of an address that we have encoded, put together at once. */
function ownLink(site: Site, kind: ThingKind, id: string, options?: LinkOptions): Html {
  if (options !== undefined) return thingLink(site, kind, id, options);
  const text = shortMarkup(id.slice(0, -TAIL), id.slice(-TAIL));
  return new Html(`<a class="thing" href="${site.escapedBasePath}/${kind}/${id}">${text}</a>`);
}

export function blockLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'block', id, options);
}

/** A link to a block by its height. */
export function heightLink(site: Site, height: number): Html {
  return new Html(`<a href="${site.escapedBasePath}/block/${height}">${height}</a>`);
}

export function transactionLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'tx', id, options);
}

/** An output by its position: a link to it in the page of its transaction, or block. */
export function outpointLink(site: Site, sourceType: 'Transaction' | 'BlockReward', sourceId: Id, index: number): Html {
  const [kind, list, anchor] =
    sourceType === 'Transaction' ? (['tx', 'outputs', 'output'] as const) : (['block', 'from', 'reward'] as const);
  // Long lists have pages.
  const page = index < ENTRIES_PER_PAGE ? null : index - (index % ENTRIES_PER_PAGE);
  const url = site.href(thingPath(kind, sourceId), { [list]: page }, `#${anchor}-${index}`);
  return html`<a class="thing" href="${url}">${idText(sourceId, { isShort: true })}<span class="index">:${index}</span></a>`;
}

/** `address` is text, as in the API's answers. */
export function addressLink(site: Site, address: string, options?: LinkOptions): Html {
  return thingLink(site, 'address', address, options);
}

export function destinationLink(site: Site, destination: Destination, options?: LinkOptions): Html {
  return ownLink(site, 'address', destinationAddress(site.network, destination), options);
}

export function poolLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'pool', poolAddress(site.network, id), options);
}

export function delegationLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'delegation', delegationAddress(site.network, id), options);
}

export function tokenLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'token', tokenAddress(site.network, id), options);
}

export function nftLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'nft', tokenAddress(site.network, id), options);
}

export function orderLink(site: Site, id: Id, options?: LinkOptions): Html {
  return ownLink(site, 'order', orderAddress(site.network, id), options);
}

/** By the hash of its secret. */
export function htlcLink(site: Site, secretHash: Hex, options?: LinkOptions): Html {
  return thingLink(site, 'htlc', secretHash, options);
}
