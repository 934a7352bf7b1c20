/**
 * Every request of Mintlayer's own clients, as data, with what each client reads of the response: the explorer (its pages,
 * its routes and its workers), the wallet Mojito, the SDK, and the service for batches. `test/clients/requests.test.ts` sends them; with checkouts of the
 * clients it also proves that they send these and no others.
 */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { currencyInPair, destinationAddress } from '../../src/chain/address.ts';
import { payment } from './sdk-wallet.ts';
import type { TestServer } from './web-server.ts';
import type { WholeStack } from './whole-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: what it holds is checked against its schema
type Json = any;
/** The last one is the service that the wallets asked before; its code is not public. */
export type ClientName = 'explorer' | 'Mojito' | 'SDK' | 'batch service';

/** Things of the chain that the requests name. */
export type Examples = Awaited<ReturnType<typeof findExamples>>;

export interface ClientRequest {
  readonly clients: readonly ClientName[];
  /** The path below the API, for each thing; of a POST with its method. */
  readonly path: (of: Examples) => readonly string[];
  readonly init?: (of: Examples) => RequestInit;
  readonly status?: number;
  /** Fails unless the clients can use the response. */
  readonly reads: (body: Json, of: Examples, path: string) => void;
}

const all = async (server: TestServer, path: string): Promise<Json[]> => (await server.pages(path)).flat();

export async function findExamples({ network, servers, node }: WholeStack) {
  const server = servers['mintlayer-core'];
  const transactions = await all(server, '/transaction?items=100');
  const outputs: Json[] = transactions.flatMap((transaction) => transaction.outputs);
  const listed: Json[] = await all(servers.described, '/token?items=100&expand=true');
  const tokens: string[] = listed.filter(({ type }) => type === 'fungible').map(({ token_id: id }) => id);
  const nfts: string[] = listed.filter(({ type }) => type === 'nft').map(({ token_id: id }) => id);
  const pools: string[] = (await all(server, '/pool?items=100')).map(({ pool_id: id }) => id);
  const owners = [
    ...new Set<string>(outputs.flatMap(({ type, destination }) => (type === 'CreateDelegationId' ? destination : []))),
  ];
  const delegations: Json[] = (
    await Promise.all(owners.map((owner) => server.json(`/address/${owner}/delegations`)))
  ).flat();
  const details = await Promise.all(delegations.map(({ delegation_id: id }) => server.json(`/delegation/${id}`)));
  const heights = [...new Set(details.map(({ creation_block_height: at }) => at as number))];
  const orders: Json[] = await all(server, '/order?items=100');
  const pairs = orders.map(({ ask_currency: ask, give_currency: give }) =>
    [ask, give].map(({ token_id: id }) => id ?? currencyInPair(network, '')).join('_'),
  );
  const unused = destinationAddress(network, `01${'77'.repeat(20)}`);
  const spent = transactions
    .flatMap(({ inputs }) => inputs)
    .filter(({ input }: Json) => input.input_type === 'UTXO' && input.source_type === 'Transaction');
  const { block_height: height, block_id: tip } = await server.json('/chain/tip');
  const [accepted, conflicting] = [5n, 6n].map((coins) => payment(node, unused, [coins]).toString('hex')) as [
    string,
    string,
  ];
  await server.request('/api/v2/transaction', { method: 'POST', body: accepted });
  return {
    transactions: transactions.map(({ id }) => id as string),
    addresses: [
      ...new Set(outputs.filter(({ type }) => type === 'Transfer').map(({ destination }) => destination as string)),
    ].slice(0, 20),
    unused: destinationAddress(network, `01${'78'.repeat(20)}`),
    foreign: 'mtc1q83x75alqe0wptrfrz5jv3a6n3qayzlacy9mnjvj',
    owners,
    delegations: delegations.map(({ delegation_id: id }) => id as string),
    heights,
    blocks: (await Promise.all(heights.map((at) => server.json(`/chain/${at}`)))) as string[],
    tokens,
    nfts,
    pools,
    /** Decommissioned pools that delegations name. */
    ended: [...new Set<string>(delegations.map(({ pool_id: id }) => id))].filter((id) => !pools.includes(id)),
    orders: orders.map(({ order_id: id }) => id as string),
    pairs: [...new Set(pairs)].slice(0, 5),
    spent: spent.slice(0, 10).map(({ input }: Json) => [input.source_id, input.index] as const),
    height,
    tip,
    ticker: listed[0].ticker.toLowerCase().slice(0, 1) as string,
    pending: (await server.json('/mempool/transactions')).map(({ id }: Json) => id as string) as string[],
    accepted,
    conflicting,
  };
}

const hex64 = /^[0-9a-f]{64}$/;
const isAmount = ({ atoms, decimal }: Json): void => assert.match(`${atoms} ${decimal}`, /^\d+ \d+(\.\d+)?$/);
const isError = (message: string) => (body: Json) => assert.deepEqual(body, { error: message });
const isArray = (body: Json): void => assert.ok(Array.isArray(body));
const isList = (each: (entry: Json) => void) => (body: Json) => {
  isArray(body);
  body.forEach(each);
};

function isBlock({ height, header, body }: Json): void {
  assert.ok(header.timestamp.timestamp > 0 && Number.isInteger(height));
  assert.match(header.previous_block_id, hex64);
  assert.equal(typeof header.merkle_root, 'string');
  assert.ok(Number.parseInt(header.consensus_data.target, 16) > 0);
  assert.equal(typeof body.reward[0].pool_id, 'string');
  for (const { fee, inputs, outputs } of body.transactions) {
    isAmount(fee);
    isArray(inputs);
    outputs.forEach(isOutput);
  }
}

/** The amounts of outputs are where the explorer and the wallet look for them. */
function isOutput({ type, value, amount, data }: Json): void {
  if (type === 'Transfer' || type === 'LockThenTransfer') isAmount(value.amount);
  if (type === 'DelegateStaking') isAmount(amount);
  if (type === 'CreateStakePool') isAmount(data.amount);
}

function isTransaction({
  id,
  fee,
  inputs,
  outputs,
  timestamp,
  confirmations,
  version_byte: version,
  block_id,
}: Json): void {
  assert.match(id, hex64);
  isAmount(fee);
  outputs.forEach(isOutput);
  for (const { input, utxo } of inputs) assert.equal(utxo !== null, input.input_type === 'UTXO');
  // The explorer takes the number 0 for pending.
  assert.notEqual(confirmations, 0);
  assert.equal(version, 1);
  if (block_id !== null) assert.ok(Number(timestamp) > 0 && Number(confirmations) >= 0);
}

function isAddress({
  coin_balance: free,
  locked_coin_balance: locked,
  transaction_history: history,
  tokens,
}: Json): void {
  isAmount(free);
  isAmount(locked);
  for (const id of history) assert.match(id, hex64);
  for (const { token_id: id, amount } of tokens) {
    assert.equal(typeof id, 'string');
    isAmount(amount);
  }
}

function isDelegation({
  delegation_id: id,
  pool_id: pool,
  spend_destination: owner,
  balance,
  next_nonce: nonce,
}: Json): void {
  if (id !== undefined) assert.equal(typeof id, 'string');
  assert.deepEqual([typeof owner, typeof nonce], ['string', 'number']);
  if (pool !== undefined) assert.equal(typeof pool, 'string');
  isAmount(balance);
}

function isUtxo({ outpoint, utxo }: Json): void {
  assert.match(outpoint.source_id, hex64);
  assert.ok(Number.isInteger(outpoint.index) && ['Transaction', 'BlockReward'].includes(outpoint.source_type));
  isOutput(utxo);
}

function isToken(token: Json): void {
  assert.deepEqual([typeof token.frozen, typeof token.is_locked], ['boolean', 'boolean']);
  assert.ok(token.is_token_freezable === null || typeof token.is_token_freezable === 'boolean');
  assert.deepEqual([typeof token.token_ticker.string, typeof token.number_of_decimals], ['string', 'number']);
  assert.ok('string' in token.metadata_uri && Number.isInteger(token.next_nonce));
  assert.ok(typeof token.total_supply === 'string' || /^\d+$/.test(token.total_supply.Fixed.atoms));
  isAmount(token.circulating_supply);
}

function isNft(nft: Json): void {
  assert.deepEqual([typeof nft.ticker.string, typeof nft.name.string], ['string', 'string']);
  for (const uri of [nft.media_uri, nft.icon_uri, nft.additional_metadata_uri])
    assert.ok(uri === null || 'string' in uri);
}

function isPool(pool: Json): void {
  assert.match(pool.margin_ratio_per_thousand, /^[\d.]+%$/);
  isAmount(pool.cost_per_block);
  isAmount(pool.staker_balance);
  assert.deepEqual([typeof pool.vrf_public_key, typeof pool.decommission_destination], ['string', 'string']);
}

function isOrder(order: Json): void {
  for (const amount of ['ask_balance', 'give_balance', 'initially_asked', 'initially_given']) isAmount(order[amount]);
  for (const { type } of [order.ask_currency, order.give_currency]) assert.ok(type === 'Coin' || type === 'Token');
  assert.equal(typeof order.nonce, 'number');
}

/** Results of a batch as the clients take them: lists one level apart, and each object with the id that was sent. */
const areResults =
  (each: (result: Json) => void, count?: (of: Examples) => number) =>
  ({ results }: Json, of: Examples) => {
    results.flat().forEach(each);
    if (count === undefined) return;
    assert.equal(new Set(results.flat().map((result: Json) => JSON.stringify(result))).size, count(of));
  };

const UNKNOWN = 'ab'.repeat(32);
const MALFORMED = 'nonsense';
const EVERY: readonly ClientName[] = ['explorer', 'Mojito', 'SDK'];
const asJson = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
/** A batch: the ids, and what is read of each result. */
const batch = (
  clients: readonly ClientName[],
  type: string,
  ids: (of: Examples) => readonly (string | number)[],
  each: (result: Json) => void,
  count?: (of: Examples) => number,
): ClientRequest => ({
  clients,
  path: () => ['/batch'],
  init: (of) => asJson({ ids: ids(of), type, network: 1 }),
  reads: areResults(each, count),
});
const get = (
  clients: readonly ClientName[],
  path: ClientRequest['path'],
  reads: ClientRequest['reads'],
  status = 200,
): ClientRequest => ({ clients, path, reads, status });
/** A submission, of which the node takes one and refuses the other. */
const submissions = (client: ClientName, init: (hex: string) => RequestInit): ClientRequest[] => [
  {
    clients: [client],
    path: () => ['/transaction'],
    init: ({ accepted }) => ({ method: 'POST', ...init(accepted) }),
    reads: ({ tx_id: id }) => assert.match(id, hex64),
  },
  {
    clients: [client],
    path: () => ['/transaction'],
    init: ({ conflicting }) => ({ method: 'POST', ...init(conflicting) }),
    status: 500,
    // The wallet shows what is between the colon and the next parenthesis.
    reads: ({ error }) => assert.match(error, /Mempool error: [^(]/),
  },
];

const offsets = (of: Examples): number[] =>
  Array.from({ length: 16 }, (_, i) => 10 * i).filter((offset) => offset <= of.tokens.length + of.nfts.length);

export const REQUESTS: readonly ClientRequest[] = [
  get(
    EVERY,
    () => ['/chain/tip'],
    ({ block_height, block_id }) => {
      assert.ok(Number.isInteger(block_height));
      assert.match(block_id, hex64);
    },
  ),
  get(
    ['explorer', 'Mojito'],
    ({ heights }) => heights.map((height) => `/chain/${height}`),
    (id) => assert.match(id, hex64),
  ),
  get(['explorer'], ({ height }) => [`/chain/${height + 1_000}`], isError('No block found at supplied height'), 404),
  get(['explorer', 'Mojito'], ({ blocks }) => blocks.slice(0, 5).map((id) => `/block/${id}`), isBlock),
  get(['explorer'], () => [`/block/${UNKNOWN}`], isError('Block not found'), 404),
  get(
    ['explorer'],
    ({ tip }) => [`/block/${tip}/header`],
    ({ timestamp }) => assert.ok(timestamp.timestamp > 0),
  ),
  get(
    ['explorer'],
    () => ['/transaction'],
    ([{ tx_global_index: index }]) => assert.match(index, /^\d+$/),
  ),
  get(['explorer'], () => ['/transaction?offset=0', '/transaction?offset=10'], isList(isTransaction)),
  get(EVERY, ({ transactions }) => transactions.slice(0, 20).map((id) => `/transaction/${id}`), isTransaction),
  get(EVERY, ({ pending }) => pending.slice(0, 3).map((id) => `/transaction/${id}`), isTransaction),
  get(['explorer'], () => [`/transaction/${UNKNOWN}`], isError('Transaction not found'), 404),
  get(['explorer'], () => [`/transaction/${MALFORMED}`], isError('Invalid transaction Id'), 400),
  get(
    ['explorer'],
    ({ spent }) => spent.map(([id, index]) => `/transaction/${id}/output/${index}`),
    (output) => assert.ok(output.spent_at_block_height > 0),
  ),
  get(EVERY, ({ addresses }) => addresses.map((address) => `/address/${address}`), isAddress),
  get(EVERY, ({ unused }) => [`/address/${unused}`], isError('Address not found'), 404),
  get(['explorer'], ({ foreign }) => [`/address/${foreign}`], isError('Invalid address'), 400),
  get(
    EVERY,
    ({ owners, unused }) => [...owners, unused].map((address) => `/address/${address}/delegations`),
    isList(isDelegation),
  ),
  get(
    ['SDK'],
    ({ addresses, unused }) => [...addresses, unused].map((address) => `/address/${address}/token-authority`),
    isList((id) => assert.equal(typeof id, 'string')),
  ),
  get(
    ['explorer', 'Mojito'],
    ({ addresses, unused }) => [...addresses, unused].map((address) => `/address/${address}/all-utxos`),
    isList(isUtxo),
  ),
  get(
    ['Mojito'],
    ({ addresses, unused }) => [...addresses, unused].map((address) => `/address/${address}/spendable-utxos`),
    isList(isUtxo),
  ),
  get(EVERY, ({ tokens }) => tokens.map((id) => `/token/${id}`), isToken),
  get(['explorer', 'Mojito'], ({ nfts }) => [`/token/${nfts[0]}`], isError('Token not found'), 404),
  get(EVERY, ({ nfts }) => nfts.map((id) => `/nft/${id}`), isNft),
  get(['explorer', 'Mojito'], ({ tokens }) => [`/nft/${tokens[0]}`], isError('NFT not found'), 404),
  // The explorer goes on until a page has fewer than ten.
  get(
    ['explorer'],
    (of) => offsets(of).map((offset) => `/token?offset=${offset}`),
    (ids, of, path) => {
      const left = of.tokens.length + of.nfts.length - Number(path.split('=')[1]);
      assert.equal(ids.length, Math.min(10, left));
    },
  ),
  get(
    ['explorer'],
    ({ ticker }) => [`/token/ticker/${ticker}`],
    isList((id) => assert.equal(typeof id, 'string')),
  ),
  get(
    ['explorer'],
    ({ tokens, nfts }) =>
      [...tokens.slice(0, 5), ...nfts.slice(0, 5)].map((id) => `/token/${id}/transactions?offset=999999999`),
    (list) => {
      assert.ok(list.length > 0);
      for (const { tx_id: id, tx_global_index: index } of list) assert.match(`${id} ${index}`, /^[0-9a-f]{64} \d+$/);
    },
  ),
  get(
    ['explorer'],
    () => ['/statistics/coin'],
    ({ circulating_supply: supply, burned }) => [supply, burned].forEach(isAmount),
  ),
  get(
    ['explorer'],
    ({ tokens }) => [`/statistics/token/${tokens[0]}`],
    ({ circulating_supply: supply }) => isAmount(supply),
  ),
  get(['explorer'], () => ['/statistics/token/undefined'], isError('Invalid token Id'), 400),
  // The explorer goes on until a page is empty.
  get(
    ['explorer'],
    ({ pools }) => [0, 10, 10 * Math.ceil(pools.length / 10)].map((offset) => `/pool?offset=${offset}`),
    (list, { pools }, path) => {
      list.forEach(isPool);
      assert.equal(list.length, Math.max(0, Math.min(10, pools.length - Number(path.split('=')[1]))));
    },
  ),
  get(['explorer', 'Mojito'], ({ pools }) => pools.map((id) => `/pool/${id}`), isPool),
  get(['explorer'], () => [`/pool/${MALFORMED}`], isError('Invalid pool Id'), 400),
  get(['explorer', 'SDK'], ({ pools }) => pools.map((id) => `/pool/${id}/delegations`), isList(isDelegation)),
  get(
    ['explorer'],
    ({ pools }) => [`/pool/${pools[0]}/block-stats?from=0&to=4000000000`],
    ({ block_count: count }) => assert.ok(Number.isInteger(count)),
  ),
  get(
    EVERY,
    ({ delegations }) => delegations.map((id) => `/delegation/${id}`),
    (delegation) => {
      isDelegation(delegation);
      assert.ok(Number.isInteger(delegation.creation_block_height));
    },
  ),
  get(['explorer'], () => [`/delegation/${MALFORMED}`], isError('Invalid pool Id'), 400),
  get(['Mojito', 'SDK'], () => ['/order'], isList(isOrder)),
  get(['Mojito', 'SDK'], ({ orders }) => orders.slice(0, 10).map((id) => `/order/${id}`), isOrder),
  get(['Mojito'], ({ pairs }) => pairs.map((pair) => `/order/pair/${pair}`), isList(isOrder)),
  get(
    ['Mojito'],
    () => ['/feerate'],
    (rate) => assert.match(rate, /^\d+$/),
  ),
  ...submissions('Mojito', (body) => ({ body })),
  ...submissions('SDK', (body) => ({ headers: { 'content-type': 'text/plain' }, body })),
  ...submissions('SDK', (transaction) => asJson({ transaction, json: { inputs: [], outputs: [] } })),
  batch(
    ['explorer'],
    '/token?offset=:address',
    () => Array.from({ length: 16 }, (_, i) => 10 * i),
    (id) => assert.equal(typeof id, 'string'),
    ({ tokens, nfts }) => tokens.length + nfts.length,
  ),
  batch(
    ['Mojito', 'batch service'],
    '/address/:address',
    ({ addresses, unused }) => [...addresses, unused],
    (address) => {
      assert.equal(typeof address.id, 'string');
      if (address.error === undefined) isAddress(address);
      else assert.equal(address.error, 'Address not found');
    },
  ),
  batch(
    ['Mojito', 'batch service'],
    '/transaction/:txid',
    ({ transactions, pending }) => [...transactions.slice(0, 100), ...pending.slice(0, 3)],
    isTransaction,
  ),
  batch(['Mojito'], '/address/:address/all-utxos', ({ addresses, unused }) => [...addresses, unused], isUtxo),
  batch(
    ['Mojito', 'SDK', 'batch service'],
    '/address/:address/spendable-utxos',
    ({ addresses, unused }) => [...addresses, unused],
    isUtxo,
  ),
  batch(
    ['Mojito', 'batch service'],
    '/address/:address/delegations',
    ({ owners, unused }) => [...owners, unused],
    isDelegation,
    ({ delegations }) => delegations.length,
  ),
  batch(['Mojito'], '/delegation/:address', ({ delegations }) => delegations, isDelegation),
  batch(
    ['Mojito'],
    '/chain/:address',
    ({ heights }) => heights,
    (id) => assert.match(id, hex64),
  ),
  batch(
    ['Mojito'],
    '/block/:address',
    ({ blocks }) => blocks,
    isBlock,
    ({ heights }) => heights.length,
  ),
  batch(['Mojito'], '/pool/:address', ({ pools }) => pools, isPool),
  batch(['batch service'], '/token/:token', ({ tokens }) => tokens, isToken),
  batch(['batch service'], '/nft/:token', ({ nfts }) => nfts, isNft),
  batch(
    ['batch service'],
    '/token?offset=:offset',
    () => [0, 10],
    (id) => assert.equal(typeof id, 'string'),
  ),
  // By this the wallet knows pools that have ended.
  batch(
    ['Mojito'],
    '/pool/:address',
    ({ ended }) => ended,
    (pool) => assert.equal(pool.staker_balance.atoms, '0'),
  ),
];

const API = 'https://api-server-lovelace.mintlayer.org/api/v2';
/** Of the other network, where the explorer looks, too. */
const OTHER_API = 'https://api-server.mintlayer.org/api/v2';
const BATCHES = 'https://mojito-api.mintlayer.org/mintlayer/testnet/batch';
/** Where the SDK 1.0.30 asked for the outputs of several addresses. */
const UTXO_SERVICE = 'https://api.mintini.app/account';

/**
 * What a request is, without the things that it names: the method, the path and the names of the query in the OpenAPI
 * document, the content type, and of a body the type of the batch, or the names of the fields.
 */
export function shapeOf(server: TestServer, path: string, init: RequestInit = {}): string {
  const request = new Request(`${server.url}/api/v2${path}`, init);
  const { pathname, searchParams } = new URL(request.url);
  const template = server.operation(request.method, pathname)?.path.replace('/api/v2', '') ?? pathname;
  const query = [...searchParams.keys()].map((name) => `?${name}`).join('');
  const body = String(init.body).startsWith('{') ? JSON.parse(String(init.body)) : null;
  const content = body === null ? [] : body.type === undefined ? Object.keys(body) : [body.type, typeof body.ids[0]];
  return [request.method, template + query, request.headers.get('content-type') ?? '', ...content].join(' ').trim();
}

/** What the clients ask of Mintlayer's hosts goes to our server, and its shape to the set; all other hosts are away. */
export function redirectFetch(server: TestServer, asked: Set<string>) {
  const { fetch } = globalThis;
  return mock.method(globalThis, 'fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = String(input);
    if (url.startsWith('http://127.0.0.1:')) return fetch(input, init);
    if (url === UTXO_SERVICE) {
      const { addresses } = JSON.parse(String(init?.body)) as { addresses: string[] };
      const lists = await Promise.all(addresses.map((address) => server.json(`/address/${address}/spendable-utxos`)));
      return Response.json({ utxos: lists.flat() });
    }
    const host = [API, OTHER_API, BATCHES].find((each) => url.startsWith(each));
    if (host === undefined) throw new TypeError(`fetch failed: ${url}`);
    const path = host === BATCHES ? '/batch' : url.slice(host.length);
    if (host !== OTHER_API) asked.add(shapeOf(server, path, init));
    const { text, status, headers } = await server.request(`/api/v2${path}`, init);
    return new Response(text, { status, headers });
  });
}

/** What a client adds to each of its requests. */
const HEADERS: Readonly<Record<ClientName, Readonly<Record<string, string>>>> = {
  explorer: { 'content-type': 'application/json' },
  Mojito: {},
  SDK: {},
  'batch service': {},
};

/** The requests of a client, by their shapes. */
export function knownRequests(client: ClientName, server: TestServer, of: Examples): Set<string> {
  return new Set(requestsOf(client, of).map(({ path, init }) => shapeOf(server, path, init)));
}

/** The requests of a client for all things. */
export function requestsOf(client: ClientName, of: Examples) {
  return REQUESTS.filter(({ clients }) => clients.includes(client)).flatMap(({ path, init, status = 200, reads }) => {
    const { headers, ...rest } = init?.(of) ?? {};
    return path(of).map((each) => ({
      path: each,
      init: { ...rest, headers: { ...HEADERS[client], ...(headers as Record<string, string>) } },
      status,
      reads: (body: Json) => reads(body, of, each),
    }));
  });
}
