/** Exports: the same entries as the pages, of one snapshot, to clients of any pace. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { destinationAddress } from '../../../src/chain/address.ts';
import type { Destination } from '../../../src/chain/types.ts';
import { fileScope, type Scope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { Scrape } from '../../support/prometheus.ts';
import { exchange } from '../../support/raw-http.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import { askWithoutReading } from '../../support/slow-clients.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { network } = chain;
const scope = fileScope();

/** The owner with most changes. */
function busyOwner(): Destination {
  const counts = new Map<Destination, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}

const historyPath = () => `/address/${destinationAddress(network, busyOwner())}/history`;
const described = () => chain.servers[0] as TestServer;

/** The fields of the lines of CSV without quotation marks within fields. */
function parseCsv(text: string, delimiter: string): string[][] {
  assert.ok(text.endsWith('\r\n'));
  const field = new RegExp(`("([^"]*)"|[^${delimiter}"]*)(${delimiter}|$)`, 'y');
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) => {
      const fields: string[] = [];
      field.lastIndex = 0;
      for (;;) {
        const match = field.exec(line)!;
        fields.push(match[2] ?? match[1]!);
        if (match[3] === '') return fields;
      }
    });
}

it('an export has the rows of all pages, as lines of JSON with the cursor after each', async () => {
  const rows = (await described().pages(`${historyPath()}?items=100`)).flat();
  assert.ok(rows.length > 100);
  const byFormat = await described().get(`${historyPath()}?format=ndjson`);
  assert.equal(byFormat.headers.get('content-type'), 'application/x-ndjson');
  assert.match(byFormat.headers.get('content-disposition')!, /^attachment; filename="history-\w+\.ndjson"$/);
  const lines = byFormat.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ cursor: _, ...row }: Json) => row),
    rows,
  );
  assert.equal((await described().get(historyPath(), { accept: 'application/x-ndjson' })).text, byFormat.text);
  const { cursor } = lines[40];
  const rest = (await described().get(`${historyPath()}?cursor=${cursor}&items=100`)).body;
  assert.deepEqual(rest.items, rows.slice(41, 141));
  const exported = await described().get(`${historyPath()}?format=ndjson&cursor=${cursor}`);
  assert.deepEqual(exported.text, byFormat.text.split('\n').slice(41).join('\n'));
});

it('an export of an URL whose JSON is cached is an export', async () => {
  for (let i = 0; i < 3; i++) await described().json(historyPath());
  const csv = await described().get(historyPath(), { accept: 'text/csv' });
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(csv.headers.get('vary')!, /accept/);
  const json = await described().get(historyPath());
  assert.match(json.headers.get('vary')!, /^accept,/);
  assert.equal(json.headers.get('content-type'), 'application/json');
});

it('two lines of Accept count like one, also when the JSON is cached', async () => {
  const path = `/api/v2${historyPath()}?items=3`;
  const headers = 'host: x\r\naccept: text/plain\r\naccept: text/csv\r\nconnection: close';
  const contentType = async () => {
    const { text } = await exchange(described().port, [`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`]);
    return /content-type: (.*)\r/i.exec(text)?.[1];
  };
  assert.equal(await contentType(), 'text/csv; charset=utf-8');
  for (let i = 0; i < 3; i++) await described().json(`${historyPath()}?items=3`);
  assert.equal(await contentType(), 'text/csv; charset=utf-8');
});

it('a client gets the export that its header names, unless it prefers JSON, also where the JSON is cached', async () => {
  const path = `${historyPath()}?items=3`;
  for (let i = 0; i < 3; i++) await described().json(path);
  for (const [accept, type] of [
    ['text/csv', 'text/csv; charset=utf-8'],
    ['Text/CSV', 'text/csv; charset=utf-8'],
    ['application/json, text/csv', 'text/csv; charset=utf-8'],
    ['text/csv, */*;q=0.8', 'text/csv; charset=utf-8'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['text/csv;q=0.1, application/json', 'application/json'],
    ['text/csv; q=0.5, application/*', 'application/json'],
    ['application/json;q=0, text/csv;q=0.1', 'text/csv; charset=utf-8'],
    ['text/csv;q=0', 'application/json'],
    ['text/csv;q=much', 'application/json'],
    ['text/csv-schema', 'application/json'],
    ['text/*', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ] as const) {
    assert.equal((await described().get(path, { accept })).headers.get('content-type'), type, accept);
  }
});

it('a client whose header names an export gets JSON where there is none, and an error only if it asks by a parameter', async () => {
  const path = '/statistics/coin/holders';
  const now = await described().json(path);
  assert.deepEqual((await described().get(path, { accept: 'text/csv, application/json;q=0.9' })).body, now);
  assert.deepEqual((await described().get(path, { accept: 'text/csv' })).body, now);
  const past = await described().get(`${path}?height=5`, { accept: 'text/csv' });
  assert.equal(past.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(
    (await described().get(`${path}?format=csv`)).body.error,
    /^Invalid format: an export of holders needs /,
  );
});

it('an export as CSV has a header line, amounts with the decimal mark of the reader, and UTC times', async () => {
  const rows = (await described().pages(`${historyPath()}?items=100`)).flat();
  for (const [query, delimiter, decimal] of [
    ['format=csv', ',', '.'],
    ['format=csv&decimal=%2C', ';', ','],
    ['format=csv&delimiter=%3B', ';', '.'],
    ['format=csv&decimal=%2C&delimiter=%2C', ',', ','],
  ] as const) {
    const { text } = await described().get(`${historyPath()}?${query}`);
    const [names, ...lines] = parseCsv(text, delimiter) as [string[], ...string[][]];
    assert.equal(lines.length, rows.length);
    const column = (name: string) => lines.map((fields) => fields[names.indexOf(name)]);
    for (const amount of ['change', 'balance', 'locked', 'fee']) {
      assert.deepEqual(
        column(amount),
        rows.map((row) => row[amount].decimal.replace('.', decimal)),
      );
    }
    assert.deepEqual(
      column('time_utc').map((time) => Date.parse(`${time}Z`) / 1_000),
      rows.map(({ timestamp }) => timestamp),
    );
    assert.deepEqual(
      column('tx_id'),
      rows.map(({ tx_id }) => tx_id ?? ''),
    );
    assert.deepEqual(
      column('ticker'),
      rows.map(({ ticker }) => ticker),
    );
  }
});

it('an export refuses what it does not know, and answers HEAD with its head', async () => {
  await described().refuses(
    `${historyPath()}?format=xml`,
    400,
    'Invalid format: `json`, `csv` or `ndjson` is expected',
  );
  await described().refuses(`${historyPath()}?format=csv&decimal=x`, 400, 'Invalid decimal: `.` or `,` is expected');
  await described().refuses(`${historyPath()}?format=csv&cursor=x`, 400, 'Invalid cursor');
  const head = await described().request(`/api/v2${historyPath()}?format=csv`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

/** An index in which an address has so many changes that no socket takes them at once. */
async function longHistory(rows = 60_000): Promise<{ index: TestIndex; path: string; rows: number }> {
  const index = await TestIndex.create(scope, network);
  const owner = `01${'77'.repeat(20)}`;
  await index.query(
    `insert into balance_changes
     select 0, 100 + i, 1, decode($1, 'hex'), '', 1, i, 0, 0 from generate_series(1, ${rows}) i`,
    [owner],
  );
  return { index, path: `/address/${destinationAddress(network, owner)}/history`, rows };
}
const long = longHistory();

it('a client that takes its export too slowly is cut, and others get their turn', async () => {
  const { index, path } = await long;
  const server = await index.serve(scope, { exportPatienceMs: 300 });
  const socket = await askWithoutReading(scope, server.port, `/api/v2${path}?format=csv`);
  // Counted when its rows begin: they may be over before anybody looks at the database.
  const begun = 'chain_indexer_responses_total{route="/api/v2/address/:address/history",status="200"}';
  await until(async () => (await Scrape.of(server.port)).value(begun) === 1, 'the export');
  await until(async () => {
    const { rows } = await index.query(
      `select from pg_stat_activity where application_name = 'chain-indexer export' and datname = current_database()`,
    );
    return rows.length === 0;
  }, 'the end of the export');
  const chunks: Uint8Array[] = [];
  socket.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'close');
  assert.ok(!Buffer.concat(chunks).toString('latin1').endsWith('0\r\n\r\n'), 'it has no last chunk');
  const whole = await server.get(`${path}?format=ndjson`);
  assert.equal(whole.text.split('\n').length - 1, (await long).rows);
});

it('an export that loses its database breaks the connection, and its rows say where to go on', async () => {
  const { index, path, rows } = await long;
  const server = await index.serve(scope);
  const response = await fetch(`${server.url}/api/v2${path}?format=ndjson`);
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  let text = Buffer.from((await reader.read()).value!).toString();
  await index.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'chain-indexer export' and datname = current_database()`,
  );
  await assert.rejects(async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += Buffer.from(value).toString();
    }
  });
  const got = text.split('\n').slice(0, -1);
  assert.ok(got.length < rows);
  const { cursor, balance } = JSON.parse(got.at(-1)!);
  const rest = await server.get(`${path}?format=ndjson&cursor=${cursor}`);
  const [first] = rest.text.split('\n');
  assert.equal(BigInt(JSON.parse(first!).balance.atoms), BigInt(balance.atoms) - 1n);
  assert.equal(got.length + rest.text.trimEnd().split('\n').length, rows);
});

it('an export that a replica cancels before its first row is begun anew, and ends as a whole', async () => {
  const { index, path, rows } = await longHistory(1_000);
  const server = await index.serve(scope);
  // What a replica says of a statement that stands in the way of its recovery.
  await index.query(`create function is_read() returns boolean language plpgsql as $$ begin
      raise 'canceling statement due to conflict with recovery' using errcode = '40001';
    end $$;
    alter table balance_changes rename to kept_changes;
    create view balance_changes as select * from kept_changes where is_read()`);
  const asked = server.get(`${path}?format=ndjson`);
  assert.equal(await Promise.race([asked, sleep(1_000, 'waiting')]), 'waiting');
  await index.query('create or replace function is_read() returns boolean language sql as $$ select true $$');
  const { status, text } = await asked;
  assert.equal(status, 200);
  assert.equal(text.trimEnd().split('\n').length, rows);
});

it('an export waits for its turn, and a client that waits too long gets 429', async () => {
  const { index, path } = await long;
  const server = await index.serve(scope);
  await askWithoutReading(scope, server.port, `/api/v2${path}?format=csv`);
  await until(async () => {
    const { rows } = await index.query(
      `select from pg_stat_activity where application_name = 'chain-indexer export' and datname = current_database()`,
    );
    return rows.length === 1;
  }, 'the export');
  const { status, headers, body } = await server.get(`${path}?format=csv`);
  assert.equal(status, 429);
  assert.deepEqual(body, { error: 'Too many exports at a time. Try again when others have ended.' });
  assert.equal(headers.get('retry-after'), '10');
});

/** An export whose database has fallen silent: its client has read all that came before, and waits. */
async function silentExport(t: Scope, giveUpMs: number) {
  const { index, path } = await long;
  const proxy = await TcpProxy.start(t, index.postgres);
  // Before the database is dropped: PostgreSQL first waits for connections that have not sent their password.
  t.after(() => proxy.close());
  const postgres = { ...index.postgres, ...proxy.address, timeouts: { giveUpMs } };
  const server = await index.serve(t, { postgres });
  const client = new AbortController();
  const response = await fetch(`${server.url}/api/v2${path}?format=ndjson`, { signal: client.signal });
  let readAt = 0;
  const read = (async () => {
    for await (const _ of response.body!) {
      if (readAt === 0) proxy.freeze();
      readAt = performance.now();
    }
  })();
  read.catch(() => {});
  await until(() => readAt > 0, 'the first rows');
  const running = async () => (await Scrape.of(server.port)).value('chain_indexer_resource_used{resource="exports"}');
  return { client, read, running, isWaiting: () => performance.now() - readAt > 300 };
}

it('an export whose client has gone gives its place to others while the database is silent', async (t) => {
  const { client, running, isWaiting } = await silentExport(t, 600_000);
  await until(isWaiting, 'the end of the rows');
  assert.equal(await running(), 1);
  client.abort();
  await until(async () => (await running()) === 0, 'the free place');
});

it('an export whose database stays silent breaks the connection and gives its place to others', async (t) => {
  const { read, running } = await silentExport(t, 2_000);
  await assert.rejects(read);
  await until(async () => (await running()) === 0, 'the free place');
});
