/**
 * Every request of Mintlayer's explorer, wallet and SDK to a server with the response profile `mintlayer-core`. With
 * `CLIENT_CHECKOUTS` their own code runs, too: it sends these requests and no others, and can use the responses.
 */
import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { importFromCheckout, sdk, WITHOUT_CHECKOUTS } from '../support/client-checkouts.ts';
import {
  type ClientName,
  type Examples,
  findExamples,
  knownRequests,
  redirectFetch,
  requestsOf,
} from '../support/client-requests.ts';
import { builtBefore } from '../support/file-scope.ts';
import { testDatabase } from '../support/postgres.ts';
import { startSdkStack } from '../support/sdk-wallet.ts';
import type { TestServer } from '../support/web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of others
type Json = any;

let server: TestServer;
let of: Examples;

builtBefore(async (scope) => {
  const stack = await startSdkStack(scope);
  server = stack.servers['mintlayer-core'];
  of = await findExamples(stack);
});

for (const client of ['explorer', 'Mojito', 'SDK', 'batch service'] as const) {
  it(`${client} can use the response to each of its requests`, async () => {
    for (const { path, init, status, reads } of requestsOf(client, of)) {
      const answer = await server.request(`/api/v2${path}`, init);
      assert.equal(answer.status, status, `${path}: ${answer.text}`);
      try {
        reads(answer.body);
      } catch (error) {
        throw new Error(`${client} cannot use ${path}: ${answer.text.slice(0, 1_000)}`, { cause: error });
      }
    }
  });
}

/** Runs the code of a client, and fails unless it asks for what is known, and for all of it. */
async function runsAsKnown(client: ClientName, run: () => Promise<void>): Promise<void> {
  const asked = new Set<string>();
  const restored = [
    redirectFetch(server, asked),
    ...(['log', 'warn', 'error'] as const).map((level) => mock.method(console, level, () => {})),
  ];
  try {
    await run();
  } finally {
    for (const each of restored) each.mock.restore();
  }
  assert.deepEqual([...asked].sort(), [...knownRequests(client, server, of)].sort());
}

it("Mojito's own code sends these requests and can use the responses", { skip: WITHOUT_CHECKOUTS }, () =>
  runsAsKnown('Mojito', async () => {
    const mojito = await importFromCheckout('mojito-browser-extension/src/services/API/Mintlayer/Mintlayer.js');
    const { addresses, unused, owners, delegations, heights, transactions, tokens, nfts, pools, orders, pairs } = of;
    const { totalBalance } = await mojito.getWalletBalance([...addresses, unused]);
    assert.ok(totalBalance.balanceInAtoms > 0);
    assert.equal(JSON.parse(await mojito.getAddressData(unused)).unused, true);
    assert.ok((await mojito.getWalletTransactions(addresses.slice(0, 2))).length > 0);
    assert.equal((await mojito.getTransactionData(transactions[0])).txid, transactions[0]);
    for (const list of await mojito.getWalletUtxos([...addresses, unused])) assert.ok(Array.isArray(JSON.parse(list)));
    for (const list of await mojito.getWalletSpendableUtxos(addresses)) assert.ok(Array.isArray(JSON.parse(list)));
    assert.equal((await mojito.getWalletDelegations([...owners, unused])).length, delegations.length);
    assert.equal((await mojito.getDelegationDetails(delegations)).length, delegations.length);
    assert.deepEqual(
      (await mojito.getBlocksData(heights)).map(({ height }: Json) => height),
      heights,
    );
    assert.equal((await mojito.getPoolsData(pools)).length, pools.length);
    assert.ok(Object.values<Json>(await mojito.getTokensData(tokens)).every((token) => token.token_ticker.string));
    const { tokensData, excludedTokenIds } = await mojito.getNftsData([...nfts, tokens[0]]);
    assert.ok(nfts.every((id) => tokensData[id].ticker.string));
    assert.deepEqual(excludedTokenIds, { [tokens[0]!]: 1 });
    assert.equal(JSON.parse(await mojito.getChainTip()).block_id, of.tip);
    assert.match(await mojito.getFeesEstimates(), /^"\d+"$/);
    assert.equal(JSON.parse(await mojito.getOrderById(orders[0])).order_id, orders[0]);
    assert.ok(JSON.parse(await mojito.getOrdersList()).length > 0);
    for (const pair of pairs) assert.ok((await mojito.getOrdersListByPair(pair)).length > 0);
    assert.match(JSON.parse(await mojito.broadcastTransaction(of.accepted)).tx_id, /^[0-9a-f]{64}$/);
    await assert.rejects(
      mojito.broadcastTransaction(of.conflicting),
      ({ message }) => message !== 'Request not successful',
    );
    for (const [type, ids] of [
      ['/address/:address', [...addresses, unused]],
      ['/transaction/:txid', transactions.slice(0, 150)],
      ['/address/:address/all-utxos', addresses],
      ['/address/:address/spendable-utxos', addresses],
      ['/address/:address/delegations', owners],
      ['/delegation/:address', delegations],
      ['/chain/:address', heights],
      ['/block/:address', of.blocks],
      ['/pool/:address', pools],
    ] as const) {
      assert.ok((await mojito.batchRequestMintlayer({ ids, type })).length > 0, type);
    }
  }),
);

it("the SDK's own code sends these requests and can use the responses", { skip: WITHOUT_CHECKOUTS }, () =>
  runsAsKnown('SDK', async () => {
    const { MintlayerApiProvider } = sdk as Json;
    const api = new MintlayerApiProvider(
      'https://api-server-lovelace.mintlayer.org/api/v2',
      'https://mojito-api.mintlayer.org/mintlayer/testnet/batch',
    );
    assert.equal((await api.getChainTip()).block_id, of.tip);
    for (const [method, ids] of [
      ['getAddress', of.addresses],
      ['getAddressDelegations', of.owners],
      ['getAddressTokenAuthority', of.addresses],
      ['getToken', of.tokens],
      ['getNft', of.nfts],
      ['getOrder', of.orders],
      ['getPoolDelegations', of.pools],
      ['getDelegation', of.delegations],
      ['getTransaction', of.transactions.slice(0, 5)],
    ] as const) {
      for (const id of ids) assert.equal(typeof (await api[method](id)), 'object');
    }
    await assert.rejects(api.getAddress(of.unused), /API error 404/);
    assert.ok((await api.getOrders()).length > 0);
    assert.ok((await api.getAccountUtxos([...of.addresses, of.unused], 1)).every(({ utxo }: Json) => utxo.type));
    for (const send of [(hex: string) => hex, (hex: string) => ({ hex, json: {} })]) {
      assert.match((await api.broadcastTransaction(send(of.accepted))).tx_id, /^[0-9a-f]{64}$/);
      await assert.rejects(api.broadcastTransaction(send(of.conflicting)), /Broadcast error 500/);
    }
  }),
);

it("the explorer's own code sends these requests and can use the responses", { skip: WITHOUT_CHECKOUTS }, async (t) => {
  const { host, port, user, password, database } = await testDatabase(t);
  Object.assign(process.env, {
    NETWORK: 'testnet',
    DATABASE_URL: `postgres://${user}:${password}@${host}:${port}/${database}`,
  });
  t.after(() => {
    delete process.env.NETWORK;
    delete process.env.DATABASE_URL;
  });
  await runsAsKnown('explorer', async () => {
    const source = await importFromCheckout('explorer/src/lib/explorer-source.ts');
    assert.equal((await source.fetchRecentBlocksFromApi(null)).length, 10);
    assert.equal((await source.fetchRecentBlocksFromApi(of.height - 5))[0].block, of.height - 5);
    assert.equal((await source.fetchRecentTransactionsFromApi(10)).length, 10);
    assert.deepEqual((await source.fetchTokensFromApi()).map(({ id }: Json) => id).sort(), of.tokens.toSorted());
    assert.deepEqual((await source.fetchNftsFromApi()).map(({ id }: Json) => id).sort(), of.nfts.toSorted());
    assert.deepEqual((await source.fetchAllPoolsFromApi()).map(({ pool }: Json) => pool).sort(), of.pools.toSorted());

    const routes: readonly (readonly [route: string, params: Readonly<Record<string, string>>, query?: string])[] = [
      ['block/tip', {}],
      ['block/last', {}],
      ...of.blocks.slice(0, 3).map((block) => ['block/[block]', { block }] as const),
      ['block/[block]', { block: `${of.height}` }],
      ['block/[block]', { block: `${of.height + 1_000}` }],
      ['block/[block]', { block: 'ab'.repeat(32) }],
      ['transaction/last', {}],
      ['transaction/total', {}],
      ...[...of.transactions.slice(0, 40), ...of.pending.slice(0, 3)].map(
        (transaction) => ['transaction/[transaction]', { transaction }] as const,
      ),
      ['transaction/[transaction]', { transaction: 'ab'.repeat(32) }],
      ['transaction/[transaction]', { transaction: 'nonsense' }],
      ...[...of.addresses, ...of.owners, of.unused, of.foreign].map(
        (address) => ['address/[address]', { address }] as const,
      ),
      ...of.delegations.map((delegation) => ['delegation/[delegation]', { delegation }] as const),
      ['delegation/[delegation]', { delegation: 'nonsense' }],
      ...[...of.pools, ...of.ended, 'nonsense'].map((pool) => ['pool/[pool]', { pool }] as const),
      ['pool/[pool]/delegations', { pool: of.pools[0]! }],
      ['pool/[pool]/stat', { pool: of.pools[0]! }],
      ['pool/list', {}],
      ['token/coin', {}],
      ['token/ticker/[ticker]', { ticker: of.ticker }],
      ...[...of.tokens, ...of.nfts].flatMap((token) => [
        ['token/[token]', { token }] as const,
        ['token/[token]/transactions', { token }] as const,
      ]),
      ...of.nfts.map((nft) => ['nft/[nft]', { nft }] as const),
    ];
    for (const [route, params] of routes) {
      const { GET } = await importFromCheckout(`explorer/src/app/api/${route}/route.ts`);
      const response: Response = await GET(new Request('http://explorer/'), { params: Promise.resolve(params) });
      const name = `${route} ${JSON.stringify(params)}`;
      const body: Json = await response.json();
      // It asks for the statistics of the token `undefined`, because it takes a list of ids for a token.
      const isMistaken = route === 'token/ticker/[ticker]';
      const isMissing =
        isMistaken || Object.values(params).some((id) => /nonsense|abab/.test(id) || id === `${of.height + 1_000}`);
      assert.equal(response.ok && !body?.error, !isMissing, `${name}: ${JSON.stringify(body)}`);
    }
    const { POST } = await importFromCheckout('explorer/src/app/api/transaction/decode/route.ts');
    const decoded: Response = await POST(
      new Request('http://explorer/', { method: 'POST', body: JSON.stringify({ hex: of.accepted }) }),
    );
    const { inputs }: Json = await decoded.json();
    assert.ok(inputs[0].utxo, 'the explorer finds what a pasted transaction spends');

    const worker = await importFromCheckout('explorer/workers/lib/explorer-cache.js');
    try {
      await worker.syncRecentChainData();
      await worker.syncCatalogData();
    } finally {
      await worker.closePg();
    }
  });
});
