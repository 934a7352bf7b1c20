/** Whatever a browser asks for, it gets whole HTML, nothing of the request in it as markup; and the program's own option. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { fileScope } from '../support/file-scope.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage, parsePage } from '../support/html-page.ts';
import { type RawAnswer, RawClient } from '../support/raw-http.ts';
import { spawnWebServer } from '../support/running-web-server.ts';

const golden = goldenServers();
const scope = fileScope();

/** A `GET` whose path goes to the server as it is: `fetch` would tidy it. */
async function browse(port: number, path: string): Promise<RawAnswer> {
  const client = new RawClient(port);
  return client.send({ method: 'GET', path, headers: { accept: 'text/html' } }).finally(() => client.close());
}

const WORDS = [
  '',
  'tx',
  'block',
  'blocks',
  'txs',
  'search',
  'nope',
  '..',
  '.',
  '%2e%2e',
  '0',
  '1',
  '00',
  'ab'.repeat(32),
  '__proto__',
  'constructor',
];
const text = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 30, unit: 'grapheme' }).map((each) => encodeURIComponent(each)),
  fc.string({ maxLength: 12, unit: fc.constantFrom('%', '<', 'f', '0', "'", '"', '&', '+', ';', '=', '\\', '*') }),
);
const url = fc
  .tuple(
    fc.array(safe(text), { maxLength: 4 }),
    fc.array(fc.tuple(fc.constantFrom('q', 'cursor', 'items', 'from', 'outputs', 'x', '__proto__'), safe(text)), {
      maxLength: 3,
    }),
  )
  .map(([path, query]) => {
    const search = query.map(([name, value]) => `${name}=${value}`).join('&');
    return `/${path.join('/')}${search === '' ? '' : `?${search}`}`;
  });

/** What Node's parser takes in a request line. */
function safe(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((each) => each.replace(/[^\x21-\x7e]|[#?/]/g, ''));
}

it('any request of a browser is answered with whole HTML, a redirection within the site, or what the API answers at its own paths', async () => {
  await fc.assert(
    fc.asyncProperty(url, async (path) => {
      const { status, headers, body } = await browse(golden.described.port, path);
      const type = String(headers['content-type']);
      if (status === 303) {
        assert.match(
          String(headers.location),
          /^\/(?:(?:block|tx|address|pool|delegation|token|nft|order|htlc)\/[a-z0-9]+|[a-z]+|decode\?hex=[0-9a-f]+)$/,
        );
        return;
      }
      assert.ok([200, 400, 404].includes(status), `${status} for ${path}`);
      assert.equal(type, 'text/html; charset=utf-8', path);
      const page = parsePage(body.toString(), { status, headers: new Headers() });
      const scripts = page.whole.all('script');
      assert.equal(scripts.length, 4);
      for (const script of scripts) assert.match(script.attribute('src')!, /^\/explorer\/[0-9a-f]+\/[a-z-]+\.js$/);
      assert.equal(page.whole.all('style').length + page.whole.all('iframe').length + page.whole.all('img').length, 0);
      for (const link of page.whole.links()) assert.match(link, /^(?:\/(?!\/)|#|\?language=)/);
    }),
    { numRuns: 100 },
  );
});

it('the program serves no pages when it is told not to', async () => {
  const port = await spawnWebServer(
    scope,
    golden.index.postgres,
    '--network',
    golden.network.name,
    '--explorer',
    'off',
  );
  const { headers } = await browse(port, '/');
  assert.equal(headers['content-type'], 'application/json');
});

/** Something of each kind on the chain, by the path of its page. */
async function existingPaths() {
  const { network } = golden;
  const pool = await golden.value('select pool_id from pools where staker_balance > 0 limit 1');
  const delegation = await golden.value('select delegation_id from delegations limit 1');
  const order = await golden.value('select order_id from orders limit 1');
  return {
    transaction: `/tx/${await golden.value('select tx_id from transactions limit 1')}`,
    address: `/address/${await golden.address('address_transactions')}`,
    pool: `/pool/${poolAddress(network, pool)}`,
    delegation: `/delegation/${delegationAddress(network, delegation)}`,
    token: `/token/${await golden.token()}`,
    nft: `/nft/${await golden.nft()}`,
    order: `/order/${orderAddress(network, order)}`,
  };
}

/** With a mistake in the last character. */
const mistyped = (path: string) => path.slice(0, -1) + (path.endsWith('q') ? 'p' : 'q');

it('a page says what is wrong with the address or id in its path, or that nothing has it', async () => {
  const { network } = golden;
  const { address, pool, token } = await existingPaths();
  const [unused, elsewhere] = [network, networkByName('mainnet')].map((of) =>
    destinationAddress(of, `01${'ab'.repeat(20)}`),
  );
  const [poolId, delegationId, orderId] = [poolAddress, delegationAddress, orderAddress].map((write) =>
    write(network, '00'.repeat(32)),
  );
  const [firstToken, lastToken] = ['00', 'ff'].map((byte) => tokenAddress(network, byte.repeat(32)));
  const cases: readonly (readonly [status: number, words: RegExp, ...paths: string[]])[] = [
    [400, /the height of a block or its id/, '/block/xyz'],
    [400, /not UTF-8/, '/block/%ff'],
    [404, /no block 999999 yet: the newest one is/, '/block/999999'],
    [404, /no block/, '/block/9999999999'],
    [404, /no such block/, `/block/${'00'.repeat(32)}`],
    [400, /64 characters \(0–9, a–f\); this text has 3/, '/tx/xyz'],
    [404, /There is no transaction with this id in the chain/, `/tx/${'00'.repeat(32)}`],
    [
      400,
      /This is not a wallet address: it is incomplete or mistyped\./,
      mistyped(address),
      `${mistyped(address)}/utxos`,
      `${address}q`,
      '/address/%3Cscript%3E',
    ],
    [
      400,
      /not an address of regtest-pos, but of another network/,
      `/address/${elsewhere}`,
      `/address/${elsewhere}/utxos`,
    ],
    [400, /not a wallet address: it names something else on regtest-pos/, `/address/${poolId}`],
    [404, /This is a valid address of regtest-pos, but it does not appear in the chain yet/, `/address/${unused}`],
    [400, /not the id of a pool: it is incomplete/, mistyped(pool), '/pool/nonsense'],
    [400, /This is not the id of a pool: it names something else/, `/pool/${delegationId}`],
    [
      400,
      /not an address of regtest-pos, but of another network/,
      `/pool/${poolAddress(networkByName('mainnet'), 'ab'.repeat(32))}`,
    ],
    [404, /There is no pool with this id/, ...['', '/delegations', '/blocks'].map((list) => `/pool/${poolId}${list}`)],
    [400, /not the id of a delegation/, '/delegation/x'],
    [404, /There is no delegation with this id/, `/delegation/${delegationId}`],
    [400, /not the id of a token: it is incomplete/, '/token/xyz'],
    [400, /not the id of an NFT: it is incomplete/, '/nft/xyz'],
    [400, /not the id of an order: it is incomplete/, '/order/xyz'],
    [400, /it names something else/, `/token/${poolId}`, `/nft/${poolId}`, `/order/${firstToken}`],
    [404, /There is no token with the id/, `/token/${firstToken}`, `/token/${lastToken}`],
    [404, /There is no NFT with the id/, `/nft/${firstToken}`],
    [404, /There is no order with the id/, `/order/${orderId}`],
    [400, /two currencies joined by _/, '/market/abc'],
    [400, /of two different currencies/, '/market/RML_RML', '/orders?pair=RML_RML'],
    [400, /A currency is RML or a token id\. "ABC" looks like a ticker/, '/market/ABC_RML'],
    [404, /one of its currencies is a token that was never issued/, `/market/${firstToken}_RML`],
    [400, /No token has the ticker ABC/, '/orders?first=ABC'],
    [400, /has 40 characters.*this text has 3/, '/htlc/abc'],
    [404, /No hashed time-lock contract on this chain has the hash/, `/htlc/${'ee'.repeat(20)}`],
    [400, /Of mainnet .*This id or address belongs to mainnet; this site shows regtest/, `/search?q=${elsewhere}`],
    [
      400,
      /Mistyped .*its checksum is wrong/,
      mistyped(address).replace('/address/', '/'),
      `/search?q=${mistyped(address).split('/')[2]}`,
    ],
    [400, /Pools are sorted by_height, by_pledge/, '/pools?sort=nope'],
    [
      400,
      /Enter an amount of RML such as 1000 or 0\.5/,
      ...['abc', '-1', '1234567890123456789012345678901234567890'].map((coins) => `/pools?coins=${coins}`),
    ],
    [400, /at most 11 decimals/, '/pools?coins=1.123456789012'],
    [400, /Invalid number of items/, '/txs?items=101', '/pools?items=0'],
    [
      400,
      /Invalid cursor/,
      '/pools?cursor=x',
      `${address}/utxos?cursor=x`,
      '/tokens?cursor=x',
      `${token}?holders=x`,
      `${token}?cursor=x`,
    ],
  ];
  for (const [status, words, ...paths] of cases) {
    for (const path of paths) assert.match((await getPage(golden.described, path, status)).main.text, words, path);
  }
});

it('a page takes an id in capitals, and names it in small letters', async () => {
  const { address, transaction } = await existingPaths();
  for (const [kind, id] of [address.split('/').slice(1), transaction.split('/').slice(1)] as [string, string][]) {
    const { main } = await getPage(golden.described, `/${kind}/${kind === 'tx' ? '0x' : ''}${id.toUpperCase()}`);
    assert.ok(main.text.includes(id));
  }
});

it('a page is the same with the response profile of mintlayer-core', async () => {
  const { pool, ...paths } = await existingPaths();
  const lists = [`${pool}/delegations`, '/pools', '/richlist', '/statistics', '/tokens', '/nfts', '/orders'];
  for (const path of [pool, ...Object.values(paths), `/market/${await golden.token()}_RML`, ...lists]) {
    const [own, core] = await Promise.all([getPage(golden.described, path), getPage(golden.core, path)]);
    assert.equal(core.main.text, own.main.text, path);
  }
});

it('the list of a page has cursors that the API takes, and takes those of the API', async () => {
  const { address } = await existingPaths();
  for (const [path, api, field, link] of [
    [`${address}/transactions?`, `${address}/transactions?`, 'tx_id', '/tx/'],
    ['/txs?', '/transaction?', 'id', '/tx/'],
    ['/pools?sort=by_pledge&', '/pool?sort=by_pledge&', 'pool_id', '/pool/'],
    ['/tokens?', '/token?sort=by_holders&expand=true&', 'token_id', '/token/'],
  ] as const) {
    const { next_cursor: cursor } = await golden.described.json(`${api}items=2&cursor=`);
    const { items } = await golden.described.json(`${api}items=3&cursor=${cursor}`);
    const { main } = await getPage(golden.described, `${path}items=3&cursor=${cursor}`);
    const shown = main
      .rows()
      .flatMap((cells) => cells.flatMap((cell) => cell.links()).filter((each) => each.startsWith(link)));
    const expected = items.map((item: Record<string, string>) => link + item[field]);
    // A row may have two links to the same thing.
    assert.deepEqual([...new Set(shown)], expected, path);
  }
});
