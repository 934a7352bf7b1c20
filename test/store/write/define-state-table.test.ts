/** What the compiler says about the definition of a state table: `tsc` fails where an error that is expected is not one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defineStateTable } from '../../../src/store/write/state/define-state-table.ts';

interface Lamp {
  readonly lampId: string;
  readonly wattage: number;
  readonly room: string | null;
  readonly colours: readonly string[];
}

const COLUMNS = { fixed: { wattage: 'integer', colours: 'text' }, changing: { room: 'text | null' } } as const;
const COLOURS = {
  encoders: { colours: (row: Lamp) => row.colours.join(' ') },
  decoders: { colours: (record: { colours: string }) => record.colours.split(' ') },
};
const REST = { table: 'lamps', keyOf: (row: Lamp) => row.lampId };

const lamps = defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea' } });

it('the definition of a state table gives the fields of a row in the order of the columns, and the row that they came from', () => {
  const row: Lamp = { lampId: '00ff', wattage: 7, room: null, colours: ['red', 'blue'] };
  assert.deepEqual(lamps.keyFields(row), ['00ff']);
  assert.deepEqual(lamps.keyAndChangingFields(row), ['00ff', null]);
  assert.deepEqual(lamps.allFields(row), ['00ff', 7, 'red blue', null]);
  const record = { lamp_id: '00ff', wattage: 7, colours: 'red blue', room: null };
  assert.deepEqual(lamps.fromRecord(record as never), row);
});

it('the definition of a state table does not compile with a mistake', () => {
  // @ts-expect-error a column that is no field and has no encoder
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea', height: 'integer' } });
  // @ts-expect-error a field without a column and without a decoder
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea' }, changing: {} });
  // @ts-expect-error a column of another type than its field
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'integer' } });
  // @ts-expect-error a column that must not be null for a field that may be
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea' }, changing: { room: 'text' } });
  // @ts-expect-error a column that may be null for a field that must not be
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea | null' } });
  // @ts-expect-error a column that holds something else than its field, without an encoder
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea' }, encoders: {} });
  // @ts-expect-error a field that is no column, without a decoder
  defineStateTable<Lamp>()({ ...REST, ...COLOURS, ...COLUMNS, key: { lamp_id: 'bytea' }, decoders: {} });
});
