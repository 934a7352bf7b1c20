/** Requests as no well-behaved client writes them, from a seed: the same seed gives the same bytes. */

/** What goes out over one connection. */
export interface HostileConnection {
  readonly bytes: Buffer;
  /** Requests that it holds, those that cannot be read among them. */
  readonly requests: number;
}

const ROUTES = [
  '/',
  '/health',
  '/ready',
  '/docs',
  '/docs/',
  '/docs/json',
  '/docs/static/ID',
  '/api/v2/openapi.json',
  '/api/v2/chain/genesis',
  '/api/v2/chain/tip',
  '/api/v2/chain/ID',
  '/api/v2/block/ID',
  '/api/v2/block/ID/header',
  '/api/v2/block/ID/reward',
  '/api/v2/block/ID/transaction-ids',
  '/api/v2/transaction',
  '/api/v2/transaction/ID',
  '/api/v2/transaction/ID/merkle-path',
  '/api/v2/transaction/ID/output/ID',
  '/api/v2/address/ID',
  '/api/v2/address/ID/transactions',
  '/api/v2/address/ID/all-utxos',
  '/api/v2/address/ID/spendable-utxos',
  '/api/v2/address/ID/delegations',
  '/api/v2/address/ID/token-authority',
  '/api/v2/pool',
  '/api/v2/pool/ID',
  '/api/v2/pool/ID/block-stats',
  '/api/v2/pool/ID/delegations',
  '/api/v2/delegation/ID',
  '/api/v2/token',
  '/api/v2/token/ID',
  '/api/v2/token/ID/transactions',
  '/api/v2/token/ticker/ID',
  '/api/v2/nft/ID',
  '/api/v2/order',
  '/api/v2/order/ID',
  '/api/v2/order/pair/ID',
  '/api/v2/statistics/coin',
  '/api/v2/statistics/token/ID',
  '/api/v2/ID',
  '/ID',
] as const;
const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'TRACE',
  'PROPFIND',
] as const;
const BROKEN_METHODS = ['get', 'G E T', '', 'PRI', 'CONNECT', '\x00', 'GET\t'] as const;
const VALUES = [
  '',
  '0',
  '-1',
  '+1',
  '007',
  '1e9',
  '100',
  '101',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(400),
  'null',
  'NaN',
  '%',
  '%00',
  '%ff',
  '%C3%28',
  '%zz',
  '..%2f..%2f',
  '../../etc/passwd',
  "' or 1=1--",
  '"',
  '<script>',
  '\u{1f4a5}',
  '\u00e9',
  '{}',
  '[]',
  '$1',
  '__proto__',
  'constructor',
  'toString',
  'ab'.repeat(32),
  `0x${'AB'.repeat(32)}`,
  'ab'.repeat(31),
  'a'.repeat(2_000),
  '*',
  '_',
  'ML_ML',
] as const;
const NAMES = [
  'offset',
  'items',
  'cursor',
  'sort',
  'offset_mode',
  'from',
  'to',
  'depth',
  'in_top_x_mb',
  'junk',
  '__proto__',
  '',
  'a[b]',
  '%00',
] as const;
const HEADERS = [
  'host: a',
  'host: a\r\nhost: b',
  'connection: close',
  'connection: keep-alive',
  'connection: upgrade\r\nupgrade: websocket',
  'if-none-match: *',
  'if-none-match: W/"x", "y"',
  `if-none-match: ${'"x",'.repeat(500)}`,
  'accept-encoding: br',
  'accept-encoding: gzip;q=0',
  `accept-encoding: ${'br;q=0,'.repeat(300)}`,
  'range: bytes=0-1',
  'expect: 100-continue',
  'expect: miracles',
  'content-type: ,,,',
  'x-forwarded-for: 1.2.3.4, ::1',
  'origin: null',
  'cookie: a=b',
  'transfer-encoding: identity',
  'te: trailers',
  `x: ${'y'.repeat(9_000)}`,
] as const;
const BROKEN = [
  'HELLO\r\n\r\n',
  '\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/9\r\n\r\n',
  'GET / HTTP/1.1\r\n: x\r\n\r\n',
  'GET / HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
  'GET / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  'POST / HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc',
  'POST /api/v2/transaction HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'POST /api/v2/transaction HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  `GET / HTTP/1.1\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
  `GET /${'y'.repeat(70_000)} HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(3_000)}\r\n`,
  'GET / HTTP/1.1\r\n folded: x\r\n\r\n',
  'GET /\r\n\r\n',
  'POST /api/v2/transaction HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a',
  'GET / HTTP/1.1\nhost: a\n\n',
] as const;
const MOST_REQUESTS = 24;
/** One connection of so many holds something that is no request. */
const BROKEN_PART = 1 / 5;

/** The next connection's bytes. `known` are ids and texts of the chain. */
export function hostileConnection(random: () => number, known: readonly string[]): HostileConnection {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const value = () => (random() < 0.4 && known.length > 0 ? pick(known) : pick(VALUES));
  const url = (): string => {
    const path = pick(ROUTES).replace(/ID/g, value);
    const query = Array.from({ length: Math.floor(random() ** 2 * 5) }, () => `${pick(NAMES)}=${value()}`).join(
      random() < 0.9 ? '&' : ';',
    );
    const host = random() < 0.03 ? 'http://evil.example' : '';
    // What ends a request line would only make it another kind of broken request.
    return `${host}${path}${query === '' ? '' : `?${query}`}`.replace(/[ \r\n]/g, '+');
  };
  const request = (): string => {
    const method = pick(METHODS);
    const headers = Array.from({ length: Math.floor(random() ** 2 * 4) }, () => pick(HEADERS));
    if (!['POST', 'PUT', 'PATCH'].includes(method))
      return [`${method} ${url()} HTTP/1.1`, ...headers, '', ''].join('\r\n');
    const body = pick([...VALUES, '{"transaction":"00"}', '{"transaction":', 'ab'.repeat(6_000)]);
    const path = random() < 0.6 ? '/api/v2/transaction' : url();
    const isChunked = random() < 0.3 && body !== '';
    const length = Buffer.byteLength(body);
    return isChunked
      ? [`${method} ${path} HTTP/1.1`, 'transfer-encoding: chunked', '', length.toString(16), body, '0', '', ''].join(
          '\r\n',
        )
      : [`${method} ${path} HTTP/1.1`, `content-length: ${length}`, '', body].join('\r\n');
  };
  const requests = Array.from({ length: 1 + Math.floor(random() * MOST_REQUESTS) }, request);
  if (random() < BROKEN_PART)
    requests.push(random() < 0.7 ? pick(BROKEN) : `${pick(BROKEN_METHODS)} / HTTP/1.1\r\n\r\n`);
  let bytes = Buffer.from(requests.join(''), 'utf8');
  // A byte gone, changed, or everything after it gone.
  const damage = random();
  const at = Math.floor(random() * bytes.length);
  if (damage < 0.04) bytes = bytes.subarray(0, at);
  else if (damage < 0.08) bytes[at] = Math.floor(random() * 256);
  return { bytes, requests: requests.length };
}
