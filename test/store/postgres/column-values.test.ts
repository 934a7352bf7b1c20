/** A field as text, and as an element of an array parameter. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type pg from 'pg';
import {
  arrayText,
  type ColumnType,
  type ColumnValue,
  columnValueFromText,
  columnValueText,
} from '../../../src/store/postgres/column-values.ts';
import { closePostgresConnection } from '../../../src/store/postgres/connect.ts';
import { openLongStatementConnection } from '../../../src/store/postgres/long-statement-connection.ts';
import { fileScope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';

const scope = fileScope();
let client: pg.Client;

before(async () => {
  client = await openLongStatementConnection(await testDatabase(scope), 'test');
  scope.after(() => closePostgresConnection(client));
});

const FIELDS: Record<ColumnType, ColumnValue[]> = {
  bytea: ['00ff', '', null],
  text: ['NULL', 'null', '"', '\\', '\\"', '{a,b}', ' ', 'ß🦀', null],
  smallint: [0, -1, 32_767, null],
  integer: [0, 2_147_483_647, null],
  bigint: [0, Number.MAX_SAFE_INTEGER, null],
  numeric: [0n, 2n ** 128n - 1n, null],
  boolean: [true, false, null],
};

for (const [type, fields] of Object.entries(FIELDS) as [ColumnType, ColumnValue[]][]) {
  it(`a field of type ${type} is the same after it was a text`, () => {
    const decoded = fields.map((field) => columnValueFromText(type, columnValueText(type, field)));
    assert.deepEqual(decoded, fields);
  });

  it(`a field of type ${type} keeps apart from its neighbours in an array, and from null`, async () => {
    const { rows } = await client.query({
      text: `select * from unnest($1::${type}[])`,
      values: [arrayText(type, fields)],
      rowMode: 'array',
    });
    assert.deepEqual(rows.flat(), fields);
  });
}

it('an empty text stays an empty text in an array', async () => {
  const { rows } = await client.query('select $1::text[] as back', [arrayText('text', ['', null])]);
  assert.deepEqual(rows[0].back, ['', null]);
});
