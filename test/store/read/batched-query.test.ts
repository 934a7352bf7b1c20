import assert from 'node:assert/strict';
import { it } from 'node:test';
import { batchedQuery } from '../../../src/store/read/batched-query.ts';

it('two queries cannot have the same name, by which connections prepare statements', () => {
  const definition = { name: 'one_name', parameters: {}, presenceColumn: 'n', select: 'select 1 as n' } as const;
  batchedQuery<[], { n: number }>(definition);
  batchedQuery<[], { n: number }>(definition);
  assert.throws(() => batchedQuery<[], { n: number }>({ ...definition, select: 'select 2 as n' }), /the name one_name/);
});
