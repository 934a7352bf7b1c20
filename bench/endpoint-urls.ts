/**
 * The requested URLs: each endpoint hot (one URL) and cold (another one each time), and the figures of mintlayer-core.
 */
import type { SampleIds } from './sample-ids.ts';

export interface Endpoint {
  readonly name: string;
  readonly hot: string;
  readonly cold: readonly string[];
  /**
   * Answers a second of mintlayer-core, the better of what it gave on a small chain and on `bulk-2k` for an answer of
   * about this size, on a machine of two cores with the load on it; none where nobody measured.
   */
  readonly mintlayerCore?: number | undefined;
  /** A list: which page this is. */
  readonly page?: { readonly list: string; readonly place: 'first' | 'deep' };
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/**
 * The position of deep pages: far down, but not among the first entries of a chain, which are unlike the later ones.
 */
const DEEP = 0.7;
/** Deep pages are spread over this many entries. */
const SPREAD = 200;

/** An endpoint with one URL. */
function single(name: string, path = name, extra: Partial<Endpoint> = {}): Endpoint {
  return { name, hot: path, cold: [path], ...extra };
}

/** A URL for each id. */
function each<T extends string | number>(
  name: string,
  ids: readonly T[],
  path: (id: T) => string,
  { hotId = ids[0]!, ...extra }: Partial<Endpoint> & { readonly hotId?: T } = {},
): Endpoint {
  return { name, hot: path(hotId), cold: ids.map(path), ...extra };
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string | number }[];
}

/** The endpoints, and the lists of a server that are not among them: of those the documented example. */
export async function endpointsAndLists(samples: SampleIds, port: number): Promise<Endpoint[]> {
  const known = endpoints(samples);
  const response = await fetch(`http://127.0.0.1:${port}/api/v2/openapi.json`);
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  };
  const others = Object.entries(paths).flatMap(([whole, { get: { parameters = [] } = {} }]) => {
    const path = whole.replace('/api/v2', '');
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}(\\?|$)`);
    // The mempool of a bench is empty.
    const isOther = !path.startsWith('/mempool') && !known.some(({ hot }) => pattern.test(hot));
    if (!isOther || !parameters.some(({ name }) => name === 'cursor')) return [];
    const example = (name: string) => parameters.find((each) => each.name === name)?.example;
    // A chain without such a thing has no example.
    if (parameters.some((each) => each.in === 'path' && each.example === undefined)) return [];
    return [
      single(
        path,
        path.replace(/\{(\w+)\}/g, (_, name: string) => `${example(name)}`),
      ),
    ];
  });
  return [...known, ...others];
}

export function endpoints(s: SampleIds): Endpoint[] {
  const busiestAddress = s.busiestAddress;
  const usual = { hotId: s.usualAddress };
  return [
    single('/chain/genesis'),
    single('/chain/reorganisations/deepest'),
    single('/chain/tip', undefined, { mintlayerCore: 7_600 }),
    each('/chain/{height}', numbers(s.height), (height) => `/chain/${height}`),
    each('/block/{id}', s.blocks, (id) => `/block/${id}`, { mintlayerCore: 6_300 }),
    single('/block/{id}, most transactions', `/block/${s.largestBlock}`),
    each('/block/{id}/header', s.blocks, (id) => `/block/${id}/header`, { mintlayerCore: 9_800 }),
    each('/block/{id}/reward', s.blocks, (id) => `/block/${id}/reward`),
    each('/block/{id}/transaction-ids', s.blocks, (id) => `/block/${id}/transaction-ids`),
    each('/transaction/{id}', s.txs, (id) => `/transaction/${id}`, { mintlayerCore: 3_400 }),
    each('/transaction/{id}/merkle-path', s.txs, (id) => `/transaction/${id}/merkle-path`),
    each('/transaction/{id}/output/{index}', s.unspent, (place) => `/transaction/${place}`),
    ...list('/transaction', '/transaction?items=10', s.transactions, { first: 300, deep: 150 }),
    ...list('/transaction, absolute', '/transaction?offset_mode=absolute&items=10', s.transactions, {}, 'from the end'),
    each('/transaction, 100 entries', hundreds(s.transactions), hundredTransactions),
    each(
      '/transaction, 100 entries expanded',
      hundreds(s.transactions),
      (below) => `${hundredTransactions(below)}&expand=true`,
    ),
    each('/address/{a}', s.addresses, (a) => `/address/${a}`, { ...usual, mintlayerCore: 5_300 }),
    single('/address/{a}, busiest', `/address/${busiestAddress}`, { mintlayerCore: 590 }),
    each('/address/{a}/spendable-utxos', s.addresses, (a) => `/address/${a}/spendable-utxos`, {
      ...usual,
      mintlayerCore: 7_800,
    }),
    single('/address/{a}/spendable-utxos, busiest', `/address/${busiestAddress}/spendable-utxos`, {
      mintlayerCore: 240,
    }),
    each('/address/{a}/all-utxos', s.addresses, (a) => `/address/${a}/all-utxos`, usual),
    each('/address/{a}/transactions', s.addresses, (a) => `/address/${a}/transactions`, usual),
    each('/address/{a}/delegations', s.delegators, (a) => `/address/${a}/delegations`),
    each('/address/{a}/token-authority', s.authorities, (a) => `/address/${a}/token-authority`),
    ...list('/pool', '/pool?items=10', s.livingPools, { first: 480 }),
    ...list('/pool, by_pledge', '/pool?sort=by_pledge&items=10', s.livingPools, { first: 620 }),
    each('/pool/{id}', s.pools, (id) => `/pool/${id}`, { mintlayerCore: 9_400 }),
    each('/pool/{id}/block-stats', s.pools, (id) => `/pool/${id}/block-stats?from=0&to=4000000000`),
    ...list('/pool/{id}/delegations', `/pool/${s.busiestPool}/delegations?items=10`, s.busiestPoolDelegations),
    each('/delegation/{id}', s.delegations, (id) => `/delegation/${id}`),
    ...list('/token', '/token?items=10', s.allTokens, { first: 5_600 }),
    each('/token/{id}', s.tokens, (id) => `/token/${id}`, { mintlayerCore: 9_000 }),
    each('/token/ticker/A', s.tickers, (ticker) => `/token/ticker/${ticker}`, { hotId: 'a', mintlayerCore: 3_000 }),
    ...list('/token/{id}/transactions', `/token/${s.busiestToken}/transactions?items=10`, s.busiestTokenTransactions),
    each('/nft/{id}', s.nfts, (id) => `/nft/${id}`),
    ...list('/order', '/order?items=10', s.openOrders, { first: 800 }),
    each('/order/{id}', s.orders, (id) => `/order/${id}`),
    ...list('/order/pair/{pair}', `/order/pair/${s.pairs[0]}?items=10`, s.busiestPairOrders),
    each('/order/pair/{pair}/book', s.pairs, (pair) => `/order/pair/${pair}/book?side=ask`),
    single('/statistics/coin', undefined, { mintlayerCore: 1_600 }),
    each('/statistics/token/{id}', s.tokens, (id) => `/statistics/token/${id}`),
    single('/statistics/coin/holders'),
    single('/statistics/token/{id}/holders', `/statistics/token/${s.busiestToken}/holders`),
    single('/feerate'),
    ...beyond(s),
    single('/address/{a}, busiest, as gzip', `/address/${busiestAddress}`, { headers: { 'accept-encoding': 'gzip' } }),
  ];
}

/** Endpoints that mintlayer-core does not have. Those without data in the chain are left out. */
function beyond(s: SampleIds): Endpoint[] {
  const any = <T extends string | number>(name: string, ids: readonly T[], path: (id: T) => string): Endpoint[] =>
    ids.length === 0 ? [] : [each(name, ids, path)];
  const sorts = ['by_pledge', 'by_stake', 'by_blocks', 'by_margin', 'by_apy', 'by_apr_expected'];
  return [
    ...any('/chain/at', s.times, (time) => `/chain/at?time=${time}`),
    ...list('/pool, expanded', '/pool?expand=true&items=10', s.livingPools),
    ...sorts.flatMap((sort) =>
      list(`/pool, ${sort}, expanded`, `/pool?sort=${sort}&expand=true&items=10`, s.livingPools),
    ),
    ...any('/pool/{id}, expanded', s.pools, (id) => `/pool/${id}?expand=true`),
    ...any('/pool/{id}/blocks', s.pools, (id) => `/pool/${id}/blocks`),
    ...list('/token, expanded', '/token?expand=true&items=10', s.allTokens),
    ...any('/token/ticker/A, expanded', s.tickers, (ticker) => `/token/ticker/${ticker}?expand=true`),
    ...any('/nft/{id}/owners', s.wanderingNfts, (id) => `/nft/${id}/owners`),
    ...any('/address/{a}/orders', s.concluders, (a) => `/address/${a}/orders`),
    ...any('/address/{a}/pools', s.decommissioners, (a) => `/address/${a}/pools`),
    ...any('/address/{a}/nfts', s.collectors, (a) => `/address/${a}/nfts`),
    ...any('/address/{a}/htlcs', s.htlcParties, (a) => `/address/${a}/htlcs`),
    ...any('/address/{a}/unlocks', s.lockedOwners, (a) => `/address/${a}/unlocks`),
    ...any('/address/{a}/history', s.lockedOwners, (a) => `/address/${a}/history`),
    ...any('/address/{a}?height=', s.lockedOwners, (a) => `/address/${a}?height=${s.height}`),
    single('/marks'),
    ...any('/market/{pair}/estimate', s.pairs, (pair) => `/market/${pair}/estimate?side=buy&amount=100`),
    ...any('/market/{pair}', s.pairs, (pair) => `/market/${pair}`),
    ...any('/order/pair/{pair}/trades', s.pairs, (pair) => `/order/pair/${pair}/trades`),
    ...any('/order/pair/{pair}/candles', s.pairs, (pair) => `/order/pair/${pair}/candles?items=500`),
    ...any('/order/{id}/fills', s.orders, (id) => `/order/${id}/fills`),
    ...any('/pool/{id}/history', s.pools, (id) => `/pool/${id}/history`),
    ...any('/delegation/{id}/transactions', s.delegations, (id) => `/delegation/${id}/transactions`),
    ...any('/delegation/{id}/history', s.delegations, (id) => `/delegation/${id}/history`),
    ...any('/address/{a}/staking', s.delegators, (a) => `/address/${a}/staking`),
    ...any('/statement', s.delegators, (a) => `/statement?addresses=${a}`),
    // Each with another end, so that none is cached: 500 points, or as many as there are.
    ...any(
      '/statistics/series/{id}, by hour',
      s.times,
      (time) => `/statistics/series/transactions?interval=hour&to=${time}`,
    ),
    ...any('/token/{id}/events', s.tokens, (id) => `/token/${id}/events`),
    ...any('/transaction/{id}/outspends', s.txs, (id) => `/transaction/${id}/outspends`),
    ...any('/htlc/{secret_hash}', s.secretHashes, (hash) => `/htlc/${hash}`),
    ...any('/search', s.searches, (text) => `/search?q=${encodeURIComponent(text)}`),
  ];
}

/** The first page of a list, and pages deep in it by offset; the name says how deep. */
export function list(
  name: string,
  path: string,
  entries: number,
  mintlayerCore: { first?: number; deep?: number } = {},
  order: 'from the start' | 'from the end' = 'from the start',
): Endpoint[] {
  const separator = path.includes('?') ? '&' : '?';
  const at = (offset: number) => `${path}${separator}offset=${offset}`;
  const deepest = Math.floor(entries * DEEP);
  const spread = Math.min(SPREAD, Math.floor(entries / 10));
  const place = (offset: number) => at(order === 'from the start' ? offset : entries - offset);
  const deep = Array.from({ length: spread + 1 }, (_, i) => place(deepest - i));
  const firstPage = order === 'from the start' ? path : at(entries);
  const first = { page: { list: name, place: 'first' }, mintlayerCore: mintlayerCore.first } as const;
  if (entries <= 20) return [single(name, firstPage, first)];
  const extra = { page: { list: name, place: 'deep' }, mintlayerCore: mintlayerCore.deep } as const;
  return [single(name, firstPage, first), { name: `${name}, entry ${deepest}`, hot: deep[0]!, cold: deep, ...extra }];
}

/** Positions a hundred entries from each other, so that pages have no entry in common. */
function hundreds(most: number): number[] {
  return Array.from({ length: Math.max(1, Math.floor(most / 100)) }, (_, i) => most - 100 * i);
}

const hundredTransactions = (below: number): string => `/transaction?offset_mode=absolute&items=100&offset=${below}`;

function numbers(most: number): string[] {
  // By leaps, so that neighbours in the index are not neighbours in time.
  return Array.from({ length: Math.min(most, 20_000) }, (_, i) => `${1 + ((i * 7_919) % most)}`);
}
