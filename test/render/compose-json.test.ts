/** JSON text that is typed by a schema: what it looks like, and what does not compile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import Type from 'typebox';
import { amountJson } from '../../src/render/common-values.ts';
import {
  arrayJson,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
  textJson,
} from '../../src/render/compose-json.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, nullable, schemaRef, strictObject } from '../../src/render/schemas/common.ts';
import type { JsonTextOf } from '../../src/render/schemas/value-of-schema.ts';

const SMALL = strictObject({ name: Type.String(), count: COUNT_SCHEMA });
const THING = strictObject({
  address: BECH32_SCHEMA,
  amount: schemaRef('Amount'),
  count: nullable(COUNT_SCHEMA),
  kind: Type.Enum(['A', 'B']),
  note: Type.Optional(Type.String()),
});

it('an object as JSON has its fields in the order in which they are written down', () => {
  const small: JsonTextOf<typeof SMALL> = objectJson({ count: numberJson(5n), name: textJson('a"\n') });
  assert.equal(small, '{"count":5,"name":"a\\"\\n"}');
  const other: JsonTextOf<typeof SMALL> = objectJson({ name: plainJson('b'), count: numberJson(6) });
  assert.equal(other, '{"name":"b","count":6}');
});

it('an object as JSON is left without an optional field that is undefined, also where that is the first', () => {
  const note: JsonTextOf<typeof THING> = objectJson({
    note: undefined,
    address: plainJson('mtc1q'),
    amount: amountJson(15n, 1),
    count: NULL_JSON,
    kind: plainJson('B'),
  });
  assert.equal(note, '{"address":"mtc1q","amount":{"atoms":"15","decimal":"1.5"},"count":null,"kind":"B"}');
});

it('an object as JSON may have no fields', () => {
  assert.equal(objectJson<object>({}), '{}');
});

it('other values as JSON are arrays, and null for what is not there', () => {
  assert.equal(arrayJson([numberJson(1), numberJson(2)]), '[1,2]');
  assert.equal(arrayJson([]), '[]');
  assert.equal(nullableJson(null, numberJson), 'null');
  assert.equal(nullableJson(0, numberJson), '0');
});

it('the compiler refuses an object with a field too few, too many or of another type', () => {
  const name = plainJson('b');
  const count = numberJson(6);
  const texts: JsonTextOf<typeof SMALL>[] = [
    objectJson({ name, count }),
    // @ts-expect-error
    objectJson({ name }),
    // @ts-expect-error
    objectJson({ name, count, size: count }),
    // @ts-expect-error
    objectJson({ name, count: name }),
    // @ts-expect-error
    objectJson({ name, count: NULL_JSON }),
    // @ts-expect-error
    objectJson({ name: 'not JSON', count }),
    // @ts-expect-error
    '{"name":"b","count":6}',
  ];
  assert.equal(texts.length, 7);
});

it('the compiler refuses a value that is none of a list, and an amount that is only a text', () => {
  const fields = {
    address: plainJson('mtc1q'),
    amount: amountJson(1n, 0),
    count: numberJson(1),
    kind: plainJson('A'),
  };
  const texts: JsonTextOf<typeof THING>[] = [
    objectJson(fields),
    // @ts-expect-error
    objectJson({ ...fields, kind: plainJson('C') }),
    // @ts-expect-error
    objectJson({ ...fields, amount: plainJson('1') }),
  ];
  assert.equal(texts.length, 3);
});
