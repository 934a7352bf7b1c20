/** The client package, as programs use it: against the web servers of both contracts, and against one that fails. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  atomsOf,
  Client,
  type ClientOptions,
  ConnectionError,
  formatAtoms,
  type MintlayerCore,
  parseAtoms,
  type StreamEvent,
} from '../../packages/client/src/index.ts';
import { startHttpServer } from '../support/http-server.ts';
import type { Json } from '../support/simulated-chain-servers.ts';
import { eventually, until } from '../support/until.ts';
import { sharedStack } from '../support/whole-stack.ts';

const stack = sharedStack();
const server = () => stack().servers.described;
const client = (options?: ClientOptions) => new Client(server().url, options);
const coreClient = () => new Client<MintlayerCore>(stack().servers['mintlayer-core'].url);

/** A server that answers as the test says; gives its URL. */
async function failing(t: TestContext, listener: RequestListener): Promise<string> {
  const { port } = await startHttpServer(t, listener);
  return `http://127.0.0.1:${port}`;
}

/** Collects until the signal of the test is aborted. */
function collect(events: AsyncIterable<StreamEvent>): StreamEvent[] {
  const collected: StreamEvent[] = [];
  void (async () => {
    for await (const event of events) collected.push(event);
  })();
  return collected;
}

it('the client gets objects with the fields of its contract', async () => {
  const tip = await client().get('/chain/tip');
  const block = await client().get('/block/{id}', { id: tip.block_id });
  assert.equal(block.height, tip.block_height);
  const [listed] = await Array.fromAsync(first(client().list('/transaction'), 1));
  const transaction = await client().get('/transaction/{id}', { id: listed!.id });
  const same = await coreClient().get('/transaction/{id}', { id: listed!.id });
  assert.equal(typeof transaction.timestamp, 'number');
  assert.equal(same.timestamp, String(transaction.timestamp));
});

it('the README of the client shows fields that entries of lists have', async () => {
  const readme = await readFile(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^'(\/\S+)': \{ (.*) \}$/gm)];
  assert.ok(rows.length >= 8);
  const { paths, components } = await server().json('/openapi.json');
  const resolved = ({ $ref, ...schema }: Json): Json => ($ref ? components.schemas[$ref.split('/').at(-1)] : schema);
  for (const [, path, fields] of rows) {
    const { schema } = paths[`/api/v2${path}`].get.responses[200].content['application/json'];
    const lists = [schema, ...(schema.anyOf ?? schema.oneOf ?? [])].map(resolved);
    const { items } = lists.map((list) => list.properties?.items ?? list).find((list) => list.items)!;
    // Without what stands in brackets, only the names of the entry's own fields are left.
    const flat = fields!.replace(/\{[^{}]*\}|\[[^[\]]*\]|'[^']*'/g, '').replace(/\{[^{}]*\}/g, '');
    const entry = resolved(items);
    const known = [entry, ...(entry.anyOf ?? entry.oneOf ?? []).map(resolved)].flatMap((each) =>
      Object.keys(each.properties ?? {}),
    );
    for (const [, name] of flat.matchAll(/(\w+):/g)) assert.ok(known.includes(name!), `${path}: ${name}`);
  }
});

it('the client tells the status of a server, also of one below a path, which need not have the newest tip', async (t) => {
  const { program, contract, index } = await client().status();
  assert.deepEqual([program, contract], ['web-server', 'described']);
  assert.equal(index!.height, (await client().get('/chain/tip')).block_height);
  assert.equal((await coreClient().status()).contract, 'mintlayer-core');

  const asked: string[] = [];
  const url = await failing(t, ({ url: path, headers }, response) => {
    asked.push(`${path} ${headers['x-min-tip']}`);
    response.setHeader('x-chain-tip', '7-aa').end('{}');
  });
  const below = new Client(`${url}/indexer`);
  await below.get('/chain/tip');
  await below.status();
  assert.deepEqual(asked, ['/indexer/api/v2/chain/tip undefined', '/indexer/status undefined']);
});

it('the client walks lists to their end, whatever the size of the pages', async () => {
  const expected = (await server().pages('/transaction?items=100')).flat();
  assert.deepEqual(await Array.fromAsync(client().list('/transaction')), expected);
  const pools = await Array.fromAsync(client().list('/pool', { sort: 'by_pledge' }, { pageSize: 2 }));
  assert.deepEqual(pools, (await server().pages('/pool?sort=by_pledge&items=100')).flat());
  const address = await addressOf();
  const outputs = await Array.fromAsync(coreClient().list('/address/{address}/all-utxos', { address }));
  assert.deepEqual(outputs, await stack().servers['mintlayer-core'].json(`/address/${address}/all-utxos`));
  const found = await Array.fromAsync(client().list('/search', { q: '1' }));
  assert.ok(found.length > 0);
});

it('the client posts batches', async () => {
  const { results } = await client().post('/batch', { type: '/chain/:address', ids: [1, 2] });
  assert.deepEqual(results, [await server().json('/chain/1'), await server().json('/chain/2')]);
});

it('the client throws typed errors: what the server says, and what it cannot be asked', async () => {
  const unknown = client().get('/transaction/{id}', { id: 'ab'.repeat(32) });
  await assert.rejects(unknown, (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.message], [404, 'Transaction not found']);
    return true;
  });
  await assert.rejects(client().get('/transaction/{id}', { id: 'x' }), {
    status: 400,
    message: 'Invalid transaction Id',
  });
  // @ts-expect-error: the parameter is missing
  assert.throws(() => client().get('/transaction/{id}'), TypeError);
  const away = new Client('http://127.0.0.1:1', { retries: 0 });
  await assert.rejects(
    away.get('/chain/tip'),
    (error) => error instanceof ConnectionError && error.cause !== undefined,
  );
});

it('the client asks again after 503, 429 and a lost connection, as late as the server wants', async (t) => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(503, { 'retry-after': '1' }).end('{"error":"The server is stopping."}'),
    (_, response) => response.writeHead(429, { 'retry-after': '0' }).end('{"error":"enough"}'),
    ({ socket }) => socket.destroy(),
    (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('{"blo', () => response.destroy()),
    (_, response) => response.end('{"block_height":7,"block_id":"aa"}'),
  ];
  const times: number[] = [];
  const url = await failing(t, (request, response) => {
    times.push(performance.now());
    answers.shift()!(request, response);
  });
  assert.deepEqual(await new Client(url).get('/chain/tip'), { block_height: 7, block_id: 'aa' });
  assert.equal(times.length, 5);
  assert.ok(times[1]! - times[0]! >= 990, `${times}`);
});

it('the client gives up when it has tried often enough, or would have to wait too long, or nobody waits', async (t) => {
  let asked = 0;
  const url = await failing(t, (request, response) => {
    asked++;
    const retryAfter = request.url === '/api/v2/mempool' ? '3600' : '0';
    response.writeHead(503, { 'retry-after': retryAfter }).end('<html>bad gateway</html>');
  });
  const few = new Client(url, { retries: 2 });
  await assert.rejects(few.get('/chain/tip'), { status: 503, message: 'status 503', retryAfter: 0, body: undefined });
  assert.equal(asked, 3);
  await assert.rejects(few.get('/mempool'), { retryAfter: 3_600 });
  assert.equal(asked, 4);
  const stopped = AbortSignal.abort(new Error('not wanted any more'));
  await assert.rejects(few.get('/chain/tip', {}, { signal: stopped }), /not wanted any more/);
});

it('the client waits exactly as long as it may, and takes a page for a broken connection', async (t) => {
  const url = await failing(t, ({ url }, response) => {
    if (url === '/api/v2/mempool') response.end('<html>');
    else response.writeHead(503, { 'retry-after': '1' }).end('{"error":"away"}');
  });
  const begun = performance.now();
  const patient = new Client(url, { retries: 1, maxPauseMs: 1_000 });
  await assert.rejects(patient.get('/chain/tip'), { status: 503 });
  assert.ok(performance.now() - begun >= 990);
  await assert.rejects(new Client(url, { retries: 0 }).get('/mempool'), ConnectionError);
});

it('the client keeps responses if it is told to, and asks whether they are still right', async () => {
  const statuses: number[] = [];
  const keeping = client({
    cachedResponses: 1,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  });
  const before = await keeping.get('/statistics/coin');
  assert.deepEqual(await keeping.get('/statistics/coin'), before);
  await stack().grow();
  assert.notDeepEqual(await keeping.get('/statistics/coin'), before);
  await keeping.get('/chain/tip');
  await keeping.get('/statistics/coin');
  assert.deepEqual(statuses, [200, 304, 200, 200, 200]);
});

it('the client names the newest tip that it was shown, and one that replaced it, so that no server shows an older one', async (t) => {
  const [shown, named]: [(string | undefined)[], unknown[]] = [['5-aa', '6-bb', undefined, '4-cc', '3-dd'], []];
  const url = await failing(t, ({ headers }, response) => {
    named.push(headers['x-min-tip']);
    const tip = shown[named.length - 1];
    response.writeHead(200, tip === undefined ? {} : { 'x-chain-tip': tip }).end('{}');
  });
  const one = new Client(url);
  for (const _ of shown) await one.get('/chain/tip');
  assert.deepEqual(named, [undefined, '5-aa', '6-bb', '6-bb', '4-cc']);
  const [older, newer] = [one.get('/chain/tip'), one.get('/chain/tip')];
  shown.push('7-ee', '6-ff');
  await Promise.all([older, newer]);
  await one.get('/chain/tip');
  assert.equal(named.at(-1), '7-ee');
});

it('the client gets the events of both contracts in one form, and goes on where it was cut off', async (t) => {
  for (const [each, other] of [
    [client(), coreClient()],
    [coreClient(), client()],
  ] as const) {
    const stop = new AbortController();
    t.after(() => stop.abort());
    const before = await each.get('/chain/tip');
    const events = collect(each.events({ types: ['block', 'reorg'], signal: stop.signal }));
    await until(() => events.length > 0, 'the stream is open');
    await stack().grow();
    await stack().reorganise(1, 2);
    const tip = await each.get('/chain/tip');
    const last = await eventually('the last block', () =>
      events.find((event) => event.type === 'block' && event.content.block_id === tip.block_id),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['open', 'block', 'reorg', 'block', 'block'],
    );
    const [, block, reorganisation] = events;
    assert.ok(block?.type === 'block' && reorganisation?.type === 'reorg');
    assert.equal(typeof block.content.timestamp, 'number');
    assert.equal(block.content.height, before.block_height + 1);
    assert.deepEqual(reorganisation.content.removed_block_ids, [block.content.block_id]);
    // From the block that was left, at the other server.
    const again = collect(other.events({ types: ['block', 'reorg'], after: block.id, signal: stop.signal }));
    await until(() => again.some(({ id }) => id === last.id), 'the last block again');
    assert.deepEqual(again.slice(1), events.slice(2));
    stop.abort();
  }
});

it('the client gives the events of a block all together, once, however the connection breaks', async (t) => {
  const [parent, block] = ['0'.repeat(64), '1'.repeat(64)];
  const activity = (tx: string, id: string) =>
    `event: activity\r\nid: ${id}\r\ndata: {"type":"activity","content":{"tx_id":"${tx}","block_id":"${block}",\r\ndata: "subjects":["ü"]}}\r\n\r\n`;
  const text = `retry: 30\r\n\r\n: keepalive\r\n\r\nid: 5-${parent}\r\n\r\n${activity('a', `5-${parent}`)}${activity('b', `6-${block}`)}`;
  const bytes = Buffer.from(text);
  const asked: string[] = [];
  const url = await failing(t, (request, response) => {
    asked.push(request.url!);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The first time it ends between the two, after that it goes on byte by byte.
    if (asked.length === 1) return void response.write(bytes.subarray(0, bytes.length - 5), () => response.destroy());
    if (asked.length > 2) return;
    let sent = 0;
    const send = (): void => {
      if (sent < bytes.length) response.write(bytes.subarray(sent, ++sent), () => setImmediate(send));
    };
    send();
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const events = collect(new Client(url).events({ address: ['x', 'y'], signal: stop.signal, maxSilenceMs: 3_000 }));
  await until(() => asked.length > 2, 'a third connection, after silence');
  const position = `5-${parent}`;
  assert.deepEqual(asked.slice(0, 3), [
    '/api/v2/stream?address=x&address=y',
    `/api/v2/stream?address=x&address=y&last_event_id=${position}`,
    `/api/v2/stream?address=x&address=y&last_event_id=6-${block}`,
  ]);
  const content = (tx_id: string) => ({ tx_id, block_id: block, subjects: ['ü'] });
  assert.deepEqual(events.slice(0, 4), [
    { type: 'open', content: { after: null } },
    { type: 'open', content: { after: position } },
    { type: 'activity', content: content('a'), id: position },
    { type: 'activity', content: content('b'), id: `6-${block}` },
  ]);
});

it('the client names itself to the stream by the headers of its options', async (t) => {
  const url = await failing(t, ({ headers }, response) => {
    if (headers.authorization !== 'Bearer key') return void response.writeHead(401).end('{"error":"no key"}');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const events = new Client(url, { headers: { authorization: 'Bearer key' } }).events();
  assert.deepEqual((await events.next()).value, { type: 'open', content: { after: null } });
  // Its connection ends with the server.
  void events.return();
});

it('the client leaves a server that cuts its streams the pause that it asks for, and ever longer ones', async (t) => {
  for (const [frames, least] of [
    ['retry: 400\n\n', 400],
    ['id: 5-aa\n\nretry: 400\n\n', 400],
    [': welcome\n\n', 200],
  ] as const) {
    const times: number[] = [];
    const url = await failing(t, (_, response) => {
      times.push(performance.now());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames);
    });
    const stop = new AbortController();
    t.after(() => stop.abort());
    collect(new Client(url).events({ signal: stop.signal }));
    await until(() => times.length > 4, 'some connections');
    stop.abort();
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    assert.ok(
      pauses.every((pause) => pause >= least - 10),
      `${pauses}`,
    );
    if (!frames.startsWith('id')) assert.ok(pauses[3]! >= 1_500, `${pauses}`);
  }
});

it('the client comes back as soon after each connection that lasted, also if it was quiet', async (t) => {
  const pauses: number[] = [];
  let ended: number | undefined;
  const url = await failing(t, async (_, response) => {
    if (ended !== undefined) pauses.push(performance.now() - ended);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of ['retry: 100\n\n', ': keepalive\n\n']) {
      response.write(frame);
      await sleep(50);
    }
    ended = performance.now();
    response.end();
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  collect(new Client(url).events({ signal: stop.signal }));
  await until(() => pauses.length > 4, 'some connections');
  assert.ok(pauses[4]! < 1_600, `${pauses}`);
});

it('the client waits if the server wants years', async (t) => {
  let asked = 0;
  const url = await failing(t, (_, response) => {
    asked++;
    response.writeHead(503, { 'retry-after': '99999999' }).end('{}');
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  collect(new Client(url).events({ signal: stop.signal }));
  await until(() => asked > 0, 'the first');
  await sleep(300);
  assert.equal(asked, 1);
});

it('the client stops listening when the server refuses it for good', async () => {
  await assert.rejects(Array.fromAsync(client().events({ address: ['nonsense'] })), { status: 400 });
});

it('a wallet keeps itself in step with the chain, and tells what has changed', async (t) => {
  const address = await addressOf();
  const stop = new AbortController();
  t.after(() => stop.abort());
  const wallet = client().wallet([address]);
  const updates = [];
  const following = (async () => {
    for await (const update of wallet.follow({ signal: stop.signal })) updates.push(update);
  })();
  await until(() => wallet.position !== null, 'the wallet knows something');
  for (const change of [() => stack().grow(), () => stack().reorganise(2, 3), () => stack().grow()]) {
    await change();
    const { block_id } = await server().json('/chain/tip');
    await until(() => wallet.position?.block_id === block_id, 'the wallet is at the tip');
    const { coin_balance, locked_coin_balance } = await server().json(`/address/${address}`);
    assert.deepEqual(wallet.balance(), { amount: atomsOf(coin_balance), locked: atomsOf(locked_coin_balance) });
    const outputs = await stack().servers['mintlayer-core'].json(`/address/${address}/all-utxos`);
    assert.equal(wallet.outputs.length, outputs.length);
  }
  assert.ok(updates.length > 0);
  const stopped = performance.now();
  stop.abort();
  await following;
  assert.ok(performance.now() - stopped < 10_000, 'it stops at once');
  // What it knows is plain JSON, with which another one goes on.
  const another = client().wallet([address], JSON.parse(JSON.stringify(wallet.state)));
  assert.equal((await another.sync()).hasBegunAnew, false);
  assert.deepEqual(another.state, wallet.state);
});

it('a wallet whose server has never seen its block begins anew', async () => {
  const wallet = client().wallet([await addressOf()]);
  await wallet.sync();
  const lost = { ...wallet.state!, cursor: { height: 5, block_id: 'ab'.repeat(32) } };
  const other = client().wallet(wallet.addresses, lost);
  const update = await other.sync();
  assert.equal(update.hasBegunAnew, true);
  assert.deepEqual(other.outputs, wallet.outputs);
});

it('a wallet that begins anew takes for dropped only what the server knows to be dropped', async (t) => {
  const answers = [
    changes({ pending: [pendingOne('a'), pendingOne('b'), pendingOne('c')] }),
    undefined,
    // Meanwhile a block took the first.
    changes({ pending: [pendingOne('c')], dropped: ['b', 'x'] }),
    undefined,
    changes({ pending: null }),
    changes({ from: { height: 1, block_id: 'aa' }, pending: [] }),
  ];
  const wallet = new Client(await walletServer(t, answers)).wallet(['x']);
  await wallet.sync();
  const { hasBegunAnew, dropped } = await wallet.sync();
  assert.deepEqual([hasBegunAnew, dropped, wallet.pending.map(({ id }) => id)], [true, ['b'], ['c']]);
  // It may be confirmed by the time that pending transactions are known again.
  assert.deepEqual((await wallet.sync()).dropped, []);
  assert.deepEqual((await wallet.sync()).dropped, []);
});

it('a wallet keeps what it knew as pending while the server does not know all, until it is confirmed or dropped', async (t) => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(pendingOne);
  const more = (fields: object) => changes({ from: { height: 1, block_id: 'aa' }, ...fields });
  const answers = [
    changes({ pending: [a, b, c] }),
    more({ pending: [d], pending_complete: false, dropped: ['b'], transactions: [{ id: 'c', height: 1 }] }),
    more({ pending: [d], pending_complete: true }),
  ];
  const wallet = new Client(await walletServer(t, answers)).wallet(['x']);
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
  await wallet.sync();
  assert.equal(wallet.pendingComplete, true);
  assert.deepEqual((await wallet.sync()).dropped, ['b']);
  assert.deepEqual([ids(wallet.pending), ids(wallet.transactions), wallet.pendingComplete], [['a', 'd'], ['c'], false]);
  assert.deepEqual((await wallet.sync()).dropped, ['a']);
  assert.deepEqual(ids(wallet.pending), ['d']);
});

it('a wallet that is followed tells when all pending transactions are known, even if there are none', async (t) => {
  const known = { from: { height: 1, block_id: 'aa' }, balances: null };
  const answers = [changes({ ...known, pending: null }), changes({ ...known, pending: null }), changes(known)];
  const posted: RequestListener = (_, response) => void response.end(JSON.stringify(answers.shift() ?? changes(known)));
  const url = await failing(t, (request, response) => {
    if (request.method === 'POST') return posted(request, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('event: lag\ndata: {"skipped":1}\n\n'), 50);
    response.on('close', () => clearInterval(timer));
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  const wallet = new Client(url).wallet(['x']);
  const { value: update } = await wallet.follow({ signal: stop.signal }).next();
  assert.equal(update?.hasChanges, true);
  assert.equal(wallet.pendingComplete, true);
  assert.equal(answers.length, 0);
});

it('amounts are exact, whatever their size', () => {
  assert.equal(atomsOf({ atoms: '123456789012345678901', decimal: '1' }), 123456789012345678901n);
  for (const [atoms, decimals, text] of [
    [0n, 11, '0'],
    [1n, 11, '0.00000000001'],
    [150_000_000_000n, 11, '1.5'],
    [-150_000_000_000n, 11, '-1.5'],
    [7n, 0, '7'],
    [123_456_789_012_345_678_901n, 18, '123.456789012345678901'],
  ] as const) {
    assert.equal(formatAtoms(atoms, decimals), text);
    assert.equal(parseAtoms(text, decimals), atoms);
  }
  for (const text of ['', '1,5', '1e3', '0.000000000001', ' 1', '.5', '1.'])
    assert.throws(() => parseAtoms(text), RangeError);
});

/** What the fields of a response to `/wallet/sync` say; of the others, that there is nothing. */
function changes(fields: { readonly pending?: unknown; readonly [field: string]: unknown }) {
  const to = { height: 1, block_id: 'aa' };
  const lists = {
    transactions: [],
    created: [],
    spent: [],
    unconfirmed_again: [],
    pending: [],
    dropped: [],
    balances: [],
  };
  const areComplete = { complete: true, pending_complete: fields.pending !== null };
  return { from: null, to, rolled_back_to: null, ...lists, ...areComplete, ...fields };
}

const pendingOne = (id: string) => ({ id, inputs: [] });

/** Answers these, one after the other; undefined: the cursor is unknown. */
async function walletServer(t: TestContext, answers: readonly (object | undefined)[]): Promise<string> {
  let asked = 0;
  return await failing(t, (_, response) => {
    const answer = answers[asked++];
    if (answer === undefined) response.writeHead(404).end('{"error":"Cursor not found"}');
    else response.end(JSON.stringify(answer));
  });
}

/** An address with many transactions. */
async function addressOf(): Promise<string> {
  const counts = new Map<string, number>();
  for await (const { outputs } of client().list('/transaction')) {
    for (const output of outputs) {
      if (output.type === 'Transfer') counts.set(output.destination, (counts.get(output.destination) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0];
}

async function* first<Value>(values: AsyncIterable<Value>, count: number): AsyncGenerator<Value> {
  let given = 0;
  for await (const value of values) {
    yield value;
    if (++given === count) return;
  }
}
