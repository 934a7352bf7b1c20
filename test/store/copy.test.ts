/** COPY's text format. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type pg from 'pg';
import { closeConnection, openWritingConnection } from '../../src/store/connect.ts';
import { arrayOf, bytes, CopyLines, copyInto, NULL, numeric, text } from '../../src/store/copy.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { fileScope } from '../support/file-scope.ts';
import { testDatabase } from '../support/postgres.ts';

const scope = fileScope();
let client: pg.Client;

before(async () => {
  client = await openWritingConnection(await testDatabase(scope), 'test');
  scope.after(() => closeConnection(client));
  await client.query('create schema if not exists chain_indexer; create table lines (b bytea, t text, n numeric)');
});

function chunksOf(lines: readonly string[]): readonly Uint8Array[] {
  const copy = new CopyLines();
  for (const line of lines) copy.add(line);
  return copy.chunks();
}

describe('COPY', () => {
  it('takes bytes, texts with backslashes and quotes, numbers of any size, and nulls', async () => {
    const awkward = '{"a":"\\u0000\\n\\\\","b":"\\"ß🦀\u2028"} \\N \\. {NULL}';
    const lines = [
      [bytes('00ff5c'), text(awkward), numeric(2n ** 128n - 1n)],
      [bytes(''), text(''), numeric(-1)],
      [bytes(null), NULL, numeric(null)],
    ].map((fields) => fields.join('\t'));
    await copyInto(client, 'lines', ['b', 't', 'n'], chunksOf(lines));
    const { rows } = await client.query('select * from lines');
    assert.deepEqual(rows, [
      { b: '00ff5c', t: awkward, n: 2n ** 128n - 1n },
      { b: '', t: '', n: -1n },
      { b: null, t: null, n: null },
    ]);
    await client.query('truncate lines');
  });

  it('takes more than fits into one chunk', async () => {
    const body = 'ä'.repeat(1_000);
    await copyInto(client, 'lines', ['t'], chunksOf(Array(2_000).fill(body)));
    const { rows } = await client.query('select count(*), min(length(t)) as shortest from lines where t = $1', [body]);
    assert.deepEqual(rows[0], { count: 2_000, shortest: 1_000 });
    await client.query('truncate lines');
  });

  for (const [kind, at] of [
    ['the first line', 0],
    ['a line far inside', 150_000],
  ] as const) {
    it(`fails without hanging when ${kind} is wrong, and the connection goes on`, async () => {
      const lines = Array.from({ length: 200_000 }, (_, i) => (i === at ? 'no number' : `${i}`));
      const failed = inTransaction(client, () => copyInto(client, 'lines', ['n'], chunksOf(lines)));
      await assert.rejects(failed, /invalid input syntax for type numeric: "no number"/);
      const { rows } = await client.query('select count(*) from lines');
      assert.equal(rows[0].count, 0);
    });
  }

  it('fails without hanging when the connection ends under it', async () => {
    const postgres = await testDatabase(scope);
    const doomed = await openWritingConnection(postgres, 'test');
    scope.after(() => closeConnection(doomed));
    await doomed.query('create table public.slow (n int)');
    await doomed.query(`create function public.die() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'`);
    await doomed.query('create trigger die before insert on public.slow for each row execute function public.die()');
    await assert.rejects(
      copyInto(doomed, 'public.slow', ['n'], chunksOf(Array(500_000).fill('1'))),
      /terminat|ECONNRESET|EPIPE/,
    );
    await assert.rejects(inTransaction(doomed, () => copyInto(doomed, 'public.slow', ['n'], chunksOf(['1']))));
  });
});

describe('an array of fields', () => {
  it('keeps nulls, quotes, braces, commas and backslashes apart', async () => {
    const texts = ['', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', ' ', 'ß🦀'];
    const array = arrayOf([NULL, ...texts.map(text)]);
    const { rows } = await client.query('select $1::text[] as back', [array]);
    assert.deepEqual(rows[0].back, [null, ...texts]);
  });

  it('keeps bytes', async () => {
    const { rows } = await client.query('select $1::bytea[] as back', [
      arrayOf([bytes('00ff'), bytes(''), bytes(null)]),
    ]);
    assert.deepEqual(
      rows[0].back.map((value: Buffer | null) => value?.toString('hex') ?? null),
      ['00ff', '', null],
    );
  });
});
