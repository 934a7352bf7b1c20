import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defineQuery } from '../../../src/store/read/query.ts';

it('two queries cannot have the same name, by which connections prepare statements', () => {
  const definition = { name: 'one_name', parameters: {}, presenceColumn: 'n', select: 'select 1 as n' } as const;
  defineQuery<[], { n: number }>(definition);
  defineQuery<[], { n: number }>(definition);
  assert.throws(() => defineQuery<[], { n: number }>({ ...definition, select: 'select 2 as n' }), /the name one_name/);
});
