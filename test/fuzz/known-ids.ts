/** Ids and cursors of the chain that a server serves, found by walking its lists. */
import type { TestServer } from '../support/web-server.ts';

/** By the format of the parameter that takes them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

// biome-ignore lint/suspicious/noExplicitAny: answers are walked whatever they hold
type Json = any;

export async function knownIds(server: TestServer, coinTicker: string): Promise<KnownIds> {
  const found = new Map<string, Set<string>>();
  const add = (format: string, value: unknown) => {
    if (typeof value !== 'string' || value === '') return;
    const values = found.get(format) ?? new Set();
    found.set(format, values.add(value));
  };
  const walk = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries<Json>(value)) {
        const format = FORMATS[key];
        if (format !== undefined) add(format, inner);
        if (key === 'secret_hash') add('secret-hash', inner.hex);
        walk(inner);
      }
    }
  };

  for (const page of await server.pages('/transaction?items=100')) {
    walk(page);
    for (const { id } of page) add('transaction-id', id);
  }
  for (const list of ['/pool', '/order']) {
    for (const page of await server.pages(`${list}?items=100`)) walk(page);
  }
  const tickers: string[] = [];
  for (const id of (await server.pages('/token?items=100')).flat()) {
    const token = await server.get(`/token/${id}`);
    add(token.status === 200 ? 'token-id' : 'nft-id', id);
    const ticker = token.body.token_ticker?.string ?? token.body.token_ticker;
    if (typeof ticker === 'string') tickers.push(ticker);
  }
  for (const ticker of tickers) add('ticker', ticker);
  const currencies = [coinTicker, ...[...(found.get('token-id') ?? [])].slice(0, 5)];
  for (const first of currencies) for (const second of currencies) add('pair', `${first}_${second}`);
  for (const list of LISTS) {
    const mark = list.includes('?') ? '&' : '?';
    add('cursor', (await server.get(`${list}${mark}items=2`)).headers.get('x-next-cursor'));
  }
  return Object.fromEntries([...found].map(([format, values]) => [format, [...values]]));
}

/** Lists of every kind of sort key. */
const LISTS = [
  '/transaction',
  '/pool',
  '/pool?sort=by_apy',
  '/pool?sort=by_apr_expected',
  '/token',
  '/order',
  '/statistics/coin/holders',
  '/block',
  '/nft',
];

const FORMATS: Readonly<Record<string, string>> = {
  block_id: 'block-id',
  destination: 'address',
  delegation_id: 'delegation-id',
  pool_id: 'pool-id',
  order_id: 'order-id',
};
