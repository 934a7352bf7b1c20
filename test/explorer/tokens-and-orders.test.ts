/** The pages of tokens, NFTs, orders, markets and HTLCs against the API's answers, on a recorded chain. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import { Scrape } from '../support/prometheus.ts';
import {
  COIN,
  checkHtlcPage,
  checkMarketPage,
  checkNftPage,
  checkOrderPage,
  checkTokenPage,
  htlcHashes,
  orderIds,
  pairOf,
  tokensOfType,
} from './check-token-and-order-pages.ts';
import { assertCells, atoms, type Json, linked, pagedRows, secondsOf } from './page-values.ts';

const golden = goldenServers();
const server = () => golden.described;

it('the page of each token shows what the API answers', async () => {
  const tokens = await tokensOfType(server(), 'fungible');
  assert.ok(tokens.length > 3);
  for (const token of tokens) await checkTokenPage(server(), token);
});

it('the holders of a token, and of the coin, can be downloaded from their pages, all of them', async () => {
  const [token = {}] = await tokensOfType(server(), 'fungible');
  const { block_height: height } = await server().json('/chain/tip');
  const lists = { [`/token/${token.token_id}`]: `token/${token.token_id}`, '/richlist': 'coin' };
  for (const [page, subject] of Object.entries(lists)) {
    const [csv] = (await getPage(server(), page)).main.all('a.button').map((link) => link.attribute('href')!);
    assert.equal(csv, `/api/v2/statistics/${subject}/holders?height=${height}&format=csv`);
    const [, ...lines] = (await (await fetch(server().url + csv)).text()).trim().split('\r\n');
    const holders = (await server().pages(`/statistics/${subject}/holders?sort=total&items=100`)).flat() as Json[];
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      holders.map(({ address }) => address),
    );
  }
});

/** The day of the market with the coin, as that has it. A thin market has a mark instead of the change. */
async function checkDay(token: Json, change: PageElement, volume: PageElement): Promise<void> {
  const { day } = await server().json(`/market/${token.token_id}_${COIN}`);
  assert.deepEqual([volume.atoms(), token.day_volume], [[atoms(day.quote_volume)], day.quote_volume]);
  if (day.change === null) return assert.match(change.text, /^(–|thin market)$/);
  const shown = change.text.replace('−', '-').replace('+', '');
  assert.ok(
    /^(–|thin market)$/.test(shown) || Math.abs(Number.parseFloat(shown) - Number(day.change) * 100) <= 0.005,
    shown,
  );
}

it('the list of tokens has those with most holders first, or the youngest, with the day of their market, state and block, over pages', async () => {
  for (const sort of ['by_holders', 'by_height']) {
    const expected: Json[] = (await server().pages(`/token?sort=${sort}&expand=true&items=100`)).flat();
    const rows = await pagedRows(server(), `/tokens?items=4&sort=${sort}`);
    assert.deepEqual(
      rows.map(([token]) => linked(token!)),
      expected.map(({ token_id }) => token_id),
      sort,
    );
    for (const [i, [, price, change, volume, holders, state, supply, issued]] of rows.entries()) {
      const token = expected[i]!;
      const whole = await server().json(`/token/${token.token_id}`);
      assert.deepEqual([token.is_frozen, token.is_locked], [whole.frozen, whole.is_locked]);
      assertCells([holders!, supply!], [token.holders, atoms(token.circulating_supply)], token.token_id);
      if (token.last_price === null) assert.deepEqual([change!.text, volume!.text], ['–', '–']);
      else await checkDay(token, change!, volume!);
      assert.deepEqual([linked(issued!), secondsOf(issued!)], [`${token.created.height}`, token.created.timestamp]);
      const { items: trades } = await server().json(`/order/pair/${token.token_id}_${COIN}/trades?items=1`);
      assert.deepEqual(token.last_price, trades[0]?.price ?? null);
      const exact = price!.all('details')[0]?.all('span').at(-1)?.text ?? price!.text.split(' ')[0];
      assert.equal(exact, token.last_price?.decimal ?? '–');
      const { is_frozen: isFrozen, is_unfreezable: isUnfreezable, is_mintable: isMintable } = token;
      const words = [
        isFrozen && isUnfreezable && (isMintable ? 'can be unfrozen and then minted' : 'can be unfrozen'),
        isFrozen && isMintable && !isUnfreezable && 'no more can be minted',
      ].filter((each) => each);
      const badges = [
        isFrozen && (isUnfreezable ? 'frozen' : 'permanently frozen'),
        token.is_locked ? 'supply locked' : !isMintable ? 'fully minted' : !isFrozen && 'can mint more',
        !isFrozen && (whole.is_token_freezable ? 'can freeze' : 'not freezable'),
      ];
      const marks = state!.all('.badge').map(({ text }) => text);
      assert.deepEqual(
        marks,
        badges.filter((each) => each),
      );
      const { main } = await getPage(server(), `/token/${token.token_id}`);
      const ofPage = [main.one('h1'), main.one('.facts')].flatMap((part) => part.all('.badge').map(({ text }) => text));
      assert.deepEqual(
        ofPage.filter((each) => each !== 'thin market'),
        marks,
        'its page marks the same',
      );
      assert.equal(state!.text, [...badges, words.join(', ')].filter((each) => each).join(' '));
      const limit = whole.total_supply_type === 'Fixed' ? whole.total_supply : null;
      assert.deepEqual(token.max_supply, limit);
      const detail = supply!.all('details')[0]?.all('span').at(-1)?.text ?? '';
      assert.equal(/at most ([\d.]+)$/.exec(detail)?.[1], limit?.decimal);
    }
  }
  const links = (await getPage(server(), '/tokens')).main.one('thead').links();
  assert.deepEqual(links, ['/tokens?sort=by_volume', '/tokens', '/tokens?sort=by_height']);
  await getPage(server(), '/tokens?sort=by_magic', 400);
  for (const state of ['frozen', 'locked']) {
    const ids = (await server().pages(`/token?state=${state}&items=100`)).flat();
    const rows = await pagedRows(server(), `/tokens?items=2&state=${state}`);
    assert.deepEqual(
      rows.map(([token]) => linked(token!)),
      ids,
    );
    assert.ok((await getPage(server(), '/tokens')).main.links().includes(`/tokens?state=${state}`));
  }
});

it('a search finds tokens and NFTs by a part of their ticker in any case, and NFTs by their name', async () => {
  const all = [...(await tokensOfType(server(), 'fungible')), ...(await tokensOfType(server(), 'nft'))];
  const fragments = new Set(all.flatMap(({ ticker, name }) => [ticker, ticker.slice(1, 3), name?.slice(0, 4)]));
  let isFoundByName = false;
  for (const fragment of fragments) {
    if (!/^[\x21-\x7e]+$/.test(fragment ?? '')) continue;
    const text = encodeURIComponent(fragment.toUpperCase());
    const byTicker = (await server().pages(`/token/ticker/${text}?items=100`)).flat();
    const { main } = await getPage(server(), `/tokens?items=100&q=${text}`);
    const idsOf = (id: string) =>
      main
        .all('table')
        .filter((table) => table.one('caption').text.includes(id))
        .flatMap((table) => [...new Set(table.links())])
        .filter((link) => /^\/(?:token|nft)\//.test(link))
        .map((link) => link.split('/').at(-1));
    assert.deepEqual(idsOf('ticker'), byTicker, fragment);
    const { items } = await server().json(`/search?q=${text}`);
    const named = items.filter(({ type, id, label }: Json) => {
      return type === 'nft' && !byTicker.includes(id) && label !== null;
    });
    const lower = fragment.toLowerCase();
    const expected = named
      .map(({ id }: Json) => id)
      .filter((id: string) => all.some(({ token_id, name }) => token_id === id && name.toLowerCase().includes(lower)));
    assert.deepEqual(idsOf('name'), expected, fragment);
    isFoundByName ||= expected.length > 0;
    assert.equal(main.one('form.filter').one('input').attribute('value'), fragment.toUpperCase());
  }
  assert.ok(isFoundByName, 'one is found by its name');
  assert.match(
    (await getPage(server(), '/tokens?q=nothing-has-this')).main.text,
    /No token or NFT has a matching ticker/,
  );
  assert.match((await getPage(server(), '/tokens?q=%00', 400)).main.text, /zero character/);
});

it('the page of each NFT shows what the API answers', async () => {
  const nfts = await tokensOfType(server(), 'nft');
  assert.ok(nfts.length > 3);
  for (const nft of nfts) await checkNftPage(server(), nft);
});

it('the list of NFTs has every NFT with its owner, newest first', async () => {
  const nfts = (await server().pages('/nft?items=100')).flat();
  const rows = await pagedRows(server(), '/nfts?items=3');
  assert.deepEqual(
    rows.map(([name, , id, owner, issued]) => [
      ...[name!.links()[0], id!.text, owner!.all('a')[0]?.text ?? null, linked(issued!)],
    ]),
    nfts.map(({ token_id, owner, created }) => [`/nft/${token_id}`, token_id, owner, String(created.height)]),
  );
});

it('NFTs are listed with the oldest first, too', async () => {
  const youngestFirst: Json[] = (await server().pages('/nft?items=3')).flat();
  const rows = await pagedRows(server(), '/nfts?items=2&sort=by_age');
  assert.deepEqual(
    rows.map(([, , nft]) => linked(nft!)),
    youngestFirst.toReversed().map(({ token_id }) => token_id),
  );
  const { main } = await getPage(server(), '/nfts?sort=by_age');
  assert.equal(main.one('th[aria-sort]').attribute('aria-sort'), 'ascending');
  assert.deepEqual(main.one('thead').links(), ['/nfts']);
  for (const path of ['/nfts', '/orders']) await getPage(server(), `${path}?sort=by_magic`, 400);
});

it('the page of each order shows what the API answers, and the book of its pair from both sides', async () => {
  const ids = await orderIds(server());
  assert.ok(ids.length > 3);
  const pairs = new Set<string>();
  for (const id of ids) {
    await checkOrderPage(server(), id);
    pairs.add(pairOf(await server().json(`/order/${id}`)));
  }
  for (const pair of pairs) {
    await checkMarketPage(server(), pair);
    await checkMarketPage(server(), pair.split('_').reverse().join('_'));
    const { main } = await getPage(server(), `/orders?pair=${pair}`);
    assert.match(main.one('.empty').text, /^There are no open orders\.$/);
  }
});

it('the page of each hash of a secret shows what the API answers', async () => {
  const hashes = await htlcHashes(server());
  assert.ok(hashes.length > 0);
  for (const hash of hashes) await checkHtlcPage(server(), hash);
});

it('the pages of a token and of a market, which have several lists, are cached', async () => {
  const cached = async () => {
    const scrape = await Scrape.fresh(server().port);
    return scrape.value('chain_indexer_responses_total{route="cache",status="200"}') ?? 0;
  };
  const [token = {}] = await tokensOfType(server(), 'fungible');
  const [order] = await orderIds(server());
  const pair = pairOf(await server().json(`/order/${order}`));
  const paths = [`/token/${token!.token_id}`, `/market/${pair}`, `/market/${pair}?items=4`];
  const before = await cached();
  // The first two are made. A path that is not cached leaves two fewer.
  for (const path of paths) for (let i = 0; i < 4; i++) await getPage(server(), path);
  const hits = (await cached()) - before;
  assert.ok(hits > 2 * (paths.length - 1), `${hits} of ${2 * paths.length}`);
});

it('the links to the API name different things, with whole ids that only the style shortens', async () => {
  const pair = `${await golden.token()}_${golden.network.coinTicker}`;
  const { whole } = await getPage(golden.described, `/market/${pair}`);
  const links = whole.one('.same-facts').one('p').all('a');
  const texts = links.map(({ text }) => text);
  assert.equal(new Set(texts).size, texts.length, texts.join(' '));
  assert.ok(texts.includes(`/order/pair/${pair}/book?side=ask`), texts.join(' '));
  assert.equal(whole.one('.same-facts').one('p').all('.short').length, links.length - 1);
});
