/** Writers of objects: as JSON.stringify writes them, and what does not compile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { objectWriter } from '../../../src/api/present/object-writer.ts';
import { amountJson } from '../../../src/render/common-values.ts';
import { type Json, NULL_JSON, plainJson, textJson } from '../../../src/render/compose-json.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../../src/render/schemas/common.ts';

const THING = strictObject({
  id: { ...BECH32_SCHEMA, description: 'Of the thing' },
  name: Type.String(),
  size: COUNT_SCHEMA,
  isNew: Type.Boolean(),
  amount: schemaRef('Amount'),
  owner: nullable(BECH32_SCHEMA),
  text: ATOMS_TEXT_SCHEMA,
});
const SMALL = strictObject({ id: BECH32_SCHEMA, size: COUNT_SCHEMA });

it('a writer of objects writes what JSON.stringify does, whatever the values are', () => {
  const write = objectWriter(THING);
  const atoms = fc.bigInt({ min: 0n, max: 1n << 130n });
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9]*$/),
      fc.string(),
      fc.nat(),
      fc.boolean(),
      atoms,
      (id, name, size, isNew, n) => {
        const amount = amountJson(n, 3);
        const owner = size % 2 === 0 ? NULL_JSON : plainJson(id);
        const text = write({ id, name: textJson(name), size, isNew, amount, owner, text: `${n}` });
        const value = { id, name, size, isNew, amount: JSON.parse(amount), owner: JSON.parse(owner), text: `${n}` };
        assert.equal(text, JSON.stringify(value));
      },
    ),
  );
});

it('a writer of objects has the order of each literal, also when literals of different orders take turns', () => {
  const write = objectWriter(SMALL);
  for (let i = 0; i < 3; i++) {
    assert.equal(write({ id: 'a', size: i }), `{"id":"a","size":${i}}`);
    assert.equal(write({ size: 5n, id: 'b' }), '{"size":5,"id":"b"}');
  }
});

it('a writer of objects does not mix up two schemas with fields of the same name', () => {
  const other = objectWriter(strictObject({ id: COUNT_SCHEMA, size: ATOMS_TEXT_SCHEMA }));
  assert.equal(objectWriter(SMALL)({ id: '1', size: 2 }), '{"id":"1","size":2}');
  assert.equal(other({ id: 1, size: '2' }), '{"id":1,"size":"2"}');
});

it('a writer of objects does not compile with a field too few, too many or of another type', () => {
  const write = objectWriter(SMALL);
  const text: Json<{ id: string; size: number }> = write({ id: 'a', size: 1 });
  assert.equal(text, '{"id":"a","size":1}');
  // Is compiled and not run.
  const refused = () => [
    // @ts-expect-error
    write({ id: 'a', size: 1, weight: 2 }),
    // @ts-expect-error
    write({ id: 'a', size: '1' }),
    // @ts-expect-error
    write({ id: 1n, size: 1 }),
    // @ts-expect-error
    write({ id: 'a' }),
    // @ts-expect-error: a string without a pattern may have to be escaped
    objectWriter(strictObject({ name: Type.String() }))({ name: 'a' }),
    // @ts-expect-error: an optional property
    objectWriter(strictObject({ size: Type.Optional(COUNT_SCHEMA) }))({ size: 1 }),
  ];
  assert.equal(typeof refused, 'function');
});
