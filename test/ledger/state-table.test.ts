import assert from 'node:assert/strict';
import { it } from 'node:test';
import { StateTable } from '../../src/ledger/state-table.ts';

interface Row {
  readonly value: number;
}

it('a table of the ledger’s state does not guess what nobody looked up', () => {
  assert.throws(() => new StateTable<Row>('rows').get('a'), /not collected/);
});

it('a table of the ledger’s state keeps what it knows when the store offers an older row', () => {
  const table = new StateTable<Row>('rows');
  table.set('a', { value: 2 });
  table.load('a', { value: 1 });
  assert.deepEqual(table.get('a'), { value: 2 });
});

it('a table of the ledger’s state gives the first old and the last new value of each change of a batch', () => {
  const table = new StateTable<Row>('rows');
  table.load('a', { value: 1 });
  table.set('a', { value: 2 });
  table.set('a', { value: 3 });
  table.set('b', { value: 1 });
  table.set('gone', { value: 1 });
  table.set('gone', null);
  assert.deepEqual(table.takeChanges(), [
    { key: 'a', before: { value: 1 }, after: { value: 3 } },
    { key: 'b', before: null, after: { value: 1 } },
  ]);
  assert.deepEqual(table.takeChanges(), []);
});

it('a table of the ledger’s state gives the old values of each block of a batch', () => {
  const table = new StateTable<Row>('rows');
  table.startBlock();
  table.set('a', { value: 1 });
  assert.deepEqual(table.finishBlock(), [{ key: 'a', before: null, after: { value: 1 } }]);
  table.startBlock();
  table.set('a', { value: 2 });
  table.set('a', { value: 3 });
  assert.deepEqual(table.finishBlock(), [{ key: 'a', before: { value: 1 }, after: { value: 3 } }]);
});

it('a row that a batch created and took away is no change, and may be created again', () => {
  const table = new StateTable<Row>('rows');
  table.startWhole();
  table.load('old', { value: 1 });
  for (const key of ['a', 'b', 'c', 'old']) table.set(key, { value: 2 });
  for (const key of ['a', 'b', 'c', 'old']) assert.deepEqual(table.take(key), { value: 2 });
  assert.equal(table.take('a'), null);
  assert.equal(table.size, 1);
  table.set('b', { value: 3 });
  assert.deepEqual(table.takeChanges(), [
    { key: 'old', before: { value: 1 }, after: null },
    { key: 'b', before: null, after: { value: 3 } },
  ]);
  assert.deepEqual(table.take('b'), { value: 3 });
  assert.deepEqual(table.takeChanges(), [{ key: 'b', before: { value: 3 }, after: null }]);
});

it('a row that is changed in place stays what it was before the block, before the batch, and in what was taken', () => {
  const table = new StateTable<Row>('rows');
  const stored = { value: 1 };
  table.load('a', stored);
  const change = (value: number): void => void Object.assign(table.writable('a')!, { value });
  change(2);
  change(3);
  table.startBlock();
  change(4);
  change(5);
  assert.deepEqual(table.finishBlock(), [{ key: 'a', before: { value: 3 }, after: { value: 5 } }]);
  const taken = table.takeChanges();
  change(6);
  assert.deepEqual(taken, [{ key: 'a', before: { value: 1 }, after: { value: 5 } }]);
  assert.deepEqual([stored, table.get('a')], [{ value: 1 }, { value: 6 }]);
  const row = table.writable('a');
  assert.equal(table.writable('a'), row);
  assert.equal(
    table.writable('a', ({ value }) => value === 5),
    null,
  );
  table.set('a', null);
  assert.equal(table.writable('a'), null);
  assert.throws(() => table.writable('unknown'), /not collected/);
});

it('a table of the ledger’s state forgets the oldest rows, but none that the store does not have yet', () => {
  const table = new StateTable<Row>('rows');
  const keys = ['committed', 'uncommitted', 'changed', 'old', 'new'];
  for (const key of keys) table.load(key, { value: 1 });
  for (const key of ['committed', 'uncommitted', 'changed']) {
    table.set(key, { value: 2 });
    if (key === 'changed') break;
    const changes = table.takeChanges();
    if (key === 'committed') table.committed(changes);
  }
  table.evict(0.4);
  const areKnown = keys.map((key) => table.isKnown(key));
  assert.deepEqual(areKnown, [false, true, true, false, true]);
});

it('a removed row leaves no entry after its commit, if every row is in memory', () => {
  const table = new StateTable<Row>('rows');
  table.startWhole();
  table.set('a', { value: 1 });
  table.committed(table.takeChanges());
  table.set('a', null);
  table.committed(table.takeChanges());
  assert.equal(table.size, 0);
  assert.equal(table.get('a'), null);
});

it('entries that nobody looks up again are forgotten with their commit', () => {
  for (const [forgets, rest] of [
    [undefined, ['kept', 'removed']],
    ['removed', ['kept']],
    ['all', []],
  ] as const) {
    const table = new StateTable<Row>('rows', forgets && { forgets });
    table.set('kept', { value: 1 });
    table.load('removed', { value: 1 });
    table.take('removed');
    table.committed(table.takeChanges());
    assert.deepEqual(
      ['kept', 'removed'].filter((key) => table.isKnown(key)),
      rest,
    );
  }
});
