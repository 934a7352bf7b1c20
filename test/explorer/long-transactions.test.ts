/** The page of a transaction with more inputs and outputs than a page shows, and with numbers that a double does not hold. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { summaryOf } from '../../src/answers/transaction-outline.ts';
import { destinationAddress } from '../../src/chain/address.ts';
import type { PageContent } from '../../src/explorer/define-page.ts';
import { transactionPage } from '../../src/explorer/pages/transaction.ts';
import { layout } from '../../src/explorer/parts/layout.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import { parseTransactionJson } from '../../src/render/stored-json.ts';
import { summarizeTransaction } from '../../src/render/transaction-summary.ts';
import { bytea } from '../../src/store/postgres/connect.ts';
import { builtBefore } from '../support/file-scope.ts';
import { filledIndex, network } from '../support/filled-servers.ts';
import { getPage, parsePage, type TestPage } from '../support/html-page.ts';
import { serveIndex } from '../support/web-server.ts';

const site = new Site(network, '', 'http://127.0.0.1:3000', new StaticFiles());
const ID = 'ab'.repeat(32);
const OUTPUTS = 250;
const destination = destinationAddress(network, `01${'cd'.repeat(20)}`);

/** Also what no chain has: the largest amounts, locks and nonces that its encoding allows. */
function text(id = ID, outputCount = OUTPUTS): string {
  const amount = { atoms: `${2n ** 128n - 1n}`, decimal: '3402823669209384634633746074.31768211455' };
  const locks = [
    '{"content":18446744073709551615,"type":"ForBlockCount"}',
    '{"content":18446744073709551615,"type":"ForSeconds"}',
    '{"content":18446744073709551615,"type":"UntilHeight"}',
    '{"content":{"timestamp":18446744073709551615},"type":"UntilTime"}',
    '{"content":5,"type":"ForBlockCount"}',
    '{"content":7200,"type":"ForSeconds"}',
  ];
  const value = `{"amount":${JSON.stringify(amount)},"type":"Coin"}`;
  const outputs = Array.from(
    { length: outputCount },
    (_, i) =>
      `{"destination":"${destination}","lock":${locks[i % locks.length]},"type":"LockThenTransfer","value":${value}}`,
  );
  const inputs = Array.from(
    { length: 120 },
    (_, i) =>
      `{"input":{"index":${i * 3},"input_type":"UTXO","source_id":"${'ef'.repeat(32)}","source_type":"Transaction"},"utxo":null}`,
  );
  return `{"flags":0,"id":"${id}","inputs":[${inputs}],"is_replaceable":false,"outputs":[${outputs}],"version_byte":1}`;
}

function page(query: Record<string, string>): TestPage {
  const transaction = parseTransactionJson(text());
  const { parse, render } = transactionPage({ site, answers: null as never, status: null as never });
  const tip = { height: 1_000, revision: 1, id: ID };
  const place = { height: 990, blockId: ID, timestamp: 1_700_000_000 };
  const summary = summarizeTransaction(network, transaction, 990);
  const data = {
    tip,
    transaction,
    summary,
    told: summaryOf(transaction, summary),
    place,
    size: 10,
    waiting: null,
    removal: undefined,
    labels: new Map(),
    orders: new Map(),
    pools: new Map(),
    delegations: new Map(),
    outspends: new Map(),
  };
  const content = render(data, parse({ params: { id: ID }, query })) as PageContent;
  return parsePage(layout(site, content, tip).text, { status: 200, headers: new Headers() });
}

const places = ({ main }: TestPage, name: string) =>
  main.all('li').flatMap((item) => {
    const [, kind, place] = /^(input|output)-(\d+)$/.exec(item.attribute('id') ?? '') ?? [];
    return kind === name ? [Number(place)] : [];
  });

it('a transaction with many inputs and outputs has them on pages that links lead through, each entry once', () => {
  const seen: number[] = [];
  let query: Record<string, string> = {};
  for (;;) {
    const shown = page(query);
    seen.push(...places(shown, 'output'));
    assert.deepEqual(places(shown, 'input').length, 100);
    const nav = shown.main.all('nav').find((each) => each.attribute('aria-label') === 'Pages: Outputs')!;
    const next = nav
      .all('a')
      .find(({ text: words }) => words === 'Next')
      ?.attribute('href');
    if (next === undefined) break;
    assert.match(next, /#outputs$/);
    query = Object.fromEntries(new URLSearchParams(next.slice(next.indexOf('?') + 1, next.indexOf('#'))));
  }
  const everyIndex = Array.from({ length: OUTPUTS }, (_, i) => i);
  assert.deepEqual(seen, everyIndex);
});

it('a transaction with many inputs and outputs takes any entry for its page, and too large a one for the last', () => {
  assert.equal(places(page({ outputs: '150' }), 'output')[0], 100);
  assert.equal(places(page({ outputs: '999999' }), 'output')[0], 200);
  assert.equal(places(page({ outputs: '-1', inputs: 'x' }), 'output')[0], 0);
});

it('a transaction with many inputs and outputs links an output that is not on the first page to its page', () => {
  const links = page({}).main.links();
  assert.ok(links.includes(`/tx/${'ef'.repeat(32)}?outputs=200#output-297`));
  assert.ok(links.includes(`/tx/${'ef'.repeat(32)}#output-99`));
});

it('a transaction with many inputs and outputs shows the largest amounts and locks digit by digit', () => {
  const { main } = page({});
  const [blocks, seconds, height, until, five, hours] = main.items('output');
  assert.equal(blocks!.atoms()[0], 2n ** 128n - 1n);
  assert.ok(blocks!.text.includes('3402823669209384634633746074.31768211455'));
  assert.match(blocks!.text, /for 18446744073709551615 blocks: until block 18446744073709552605 \(never reached\)/);
  assert.match(seconds!.text, /until Unix time 18446744075409551615 \(never reached\)/);
  assert.match(height!.text, /until block 18446744073709551615 \(never reached\)/);
  assert.match(until!.text, /until Unix time 18446744073709551615/);
  assert.match(five!.text, / Unlocked since block 995(?! unlocked)/);
  assert.match(hours!.text, /for 2 hours: until 2023-11-15 00:13:20 UTC/);
});

const index = filledIndex({ blocks: 10, transactionsPerBlock: 2 });
/** The first of them has many outputs, the second far more. */
const ids = builtBefore(async () => {
  const { rows } = await index().query<{ tx_id: string }>('select tx_id from transactions limit 2');
  for (const [i, { tx_id: id }] of rows.entries()) {
    const body = text(id, i === 0 ? OUTPUTS : 8_000);
    await index().query('update transactions set body = $1 where tx_id = $2', [body, bytea(id)]);
  }
  return rows.map(({ tx_id }) => tx_id);
});
const server = builtBefore(async (scope) => (await serveIndex(scope, network, { index: index() })).server);

/** Of the page as it is kept: equal for the same one. */
async function etag(path: string): Promise<string> {
  const { status, headers } = await server().request(path, { headers: { accept: 'text/html' } });
  assert.equal(status, 200, path);
  return headers.get('etag')!;
}

it('page numbers beyond the last page of a transaction lead to that page, which is made once', async () => {
  const path = `/tx/${ids()[0]}`;
  const last = await etag(`${path}?inputs=100&outputs=200`);
  for (const place of [300, 5_000, 999_900]) {
    assert.equal(await etag(`${path}?inputs=${place}&outputs=${place}`), last, `${place}`);
  }
  assert.notEqual(await etag(path), last);
});

it('page numbers beyond the last page of the genesis do so as well', async () => {
  const first = await etag('/block/0');
  for (const from of [100, 999_900]) assert.equal(await etag(`/block/${network.genesisId}?from=${from}`), first);
});

it('page numbers are none where a transaction is too long to be shown: there is one page, which links to the JSON', async () => {
  const path = `/tx/${ids()[1]}`;
  const { main } = await getPage(server(), path);
  assert.equal(main.fact('Outputs').text, '8000');
  assert.equal(main.fact('Inputs').text, '120');
  assert.equal(main.one('p.summary').text, 'Too long for a summary');
  assert.ok(main.links().includes(`/api/v2/transaction/${ids()[1]}`));
  assert.equal(places({ main } as TestPage, 'output').length, 0);
  const first = await etag(path);
  for (const place of [100, 7_900, 999_900]) assert.equal(await etag(`${path}?outputs=${place}`), first);
});
