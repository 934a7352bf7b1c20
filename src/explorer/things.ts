/** The things that have a page of their own. */
import type { SearchResult } from '../answers/search.ts';
import type { Message } from './words/catalogue.ts';

interface Thing {
  /** The first part of the path of its page. */
  readonly path: string;
  readonly name: Message;
}

/** By the types of search results; a search finds the HTLCs of a hash on their page. */
export const THINGS = {
  block: { path: 'block', name: 'Block' },
  transaction: { path: 'tx', name: 'Transaction' },
  address: { path: 'address', name: 'Address' },
  pool: { path: 'pool', name: 'Pool' },
  delegation: { path: 'delegation', name: 'Delegation' },
  token: { path: 'token', name: 'Token' },
  nft: { path: 'nft', name: 'NFT' },
  order: { path: 'order', name: 'Order' },
  market: { path: 'market', name: 'Market' },
} as const satisfies Partial<Record<SearchResult['type'], Thing>>;

/** The first part of the path of a thing's page. */
export type ThingKind = (typeof THINGS)[keyof typeof THINGS]['path'] | 'htlc';

/** The thing of a search result; undefined if it has no page. */
export const thingOfType = (type: SearchResult['type']): (typeof THINGS)[keyof typeof THINGS] | undefined =>
  type in THINGS ? THINGS[type as keyof typeof THINGS] : undefined;

/** The names on the pictures that other sites show beside a link to a page, by the paths of things; of other pages `chain`. */
export const PREVIEWS: Readonly<Record<string, string>> = {
  chain: 'Explorer',
  ...Object.fromEntries(Object.values(THINGS).map(({ path, name }) => [path, name])),
};

/** The picture of a page, by its own path: a file of `public`, drawn by `npm run previews`. */
export function previewOf(pagePath: string): string {
  const [, kind = ''] = pagePath.split('/');
  return `preview-${kind in PREVIEWS ? kind : 'chain'}.png`;
}

/** The paths of pages of one thing. */
export const PAGE_OF_THING = new RegExp(
  `^/(?:${[...Object.values(THINGS).map(({ path }) => path), 'htlc'].join('|')})/:`,
);

/** For the scripts of the pages. */
export const THINGS_JSON = JSON.stringify(THINGS);
