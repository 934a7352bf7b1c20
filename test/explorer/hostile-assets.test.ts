/** Tickers, names and links that somebody made to do harm, on the pages of tokens, NFTs, orders and markets. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { metadataToHex } from '../../src/chain/codec/nft.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage } from '../support/html-page.ts';
import { COIN, orderIds, pairOf } from './asset-pages.ts';

const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000'`;
const LINK = 'javascript:alert(1)//https://example.org';
const LONG = `https://example.org/${'x'.repeat(1_500)}"onclick="alert(1)`;

const hex = (text: string) => Buffer.from(text).toString('hex');
const nft = metadataToHex({
  creator: null,
  name: hex(MARKUP),
  description: hex('y'.repeat(10_000)),
  ticker: 'fffe00',
  iconUri: hex(LINK),
  additionalMetadataUri: hex(MARKUP),
  mediaUri: hex(LONG),
  mediaHash: 'ff'.repeat(5_000),
});

const golden = goldenServers(`
  update tokens set ticker = decode('${hex(MARKUP)}', 'hex'), metadata_uri = decode('${hex(LINK)}', 'hex');
  update nfts set metadata = decode('${nft}', 'hex')`);

it('hostile texts of the chain are text on every page that shows them: no element, no link that runs, nothing that is loaded', async () => {
  const { described: server } = golden;
  const tokens = (await server.pages('/token?expand=true&items=100')).flat();
  const fungible = tokens.find(({ type }) => type === 'fungible').token_id;
  const [order] = await orderIds(server);
  const pair = pairOf(await server.json(`/order/${order}`));
  const paths = [
    '/tokens',
    '/nfts',
    `/tokens?q=${encodeURIComponent('"><script>')}`,
    `/token/${fungible}`,
    `/nft/${tokens.find(({ type }) => type === 'nft').token_id}`,
    `/order/${order}`,
    `/orders?pair=${pair}`,
    `/market/${pair}`,
    `/market/${fungible}_${COIN}`,
    `/orders?first=${encodeURIComponent(MARKUP)}`,
  ];
  for (const path of paths) {
    const { main, whole } = await getPage(server, path, path.includes('first=') ? 400 : 200);
    assert.equal(main.all('script').length + main.all('img').length, 0, path);
    assert.equal(whole.all('[onerror]').length + whole.all('[onclick]').length + whole.all('[style]').length, 0, path);
    for (const link of main.links()) assert.match(link, /^(?:\/|#|https:\/\/example\.org\/)/, path);
    assert.doesNotMatch(whole.one('title').text, /[\u202e\0]/, path);
  }
});

it('a link of the web can be opened, and one that would run is text', async () => {
  const { described: server } = golden;
  const tokens = (await server.pages('/token?expand=true&items=100')).flat();
  const token = await getPage(server, `/token/${tokens.find(({ type }) => type === 'fungible').token_id}`);
  assert.equal(token.main.fact('Metadata').text, LINK);
  assert.equal(token.main.fact('Metadata').all('a').length, 0);
  const { main } = await getPage(server, `/nft/${tokens.find(({ type }) => type === 'nft').token_id}`);
  assert.equal(main.fact('Media').all('a')[0]!.attribute('rel')!.includes('noopener'), true);
  assert.match(main.fact('Ticker').text, /fffe00 \(not UTF-8\)/);
});
