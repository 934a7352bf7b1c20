import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertNever } from '../../src/chain/input-and-output-kinds.ts';

it('a value of a kind that no case knows is named by its type, or by itself, whatever it is', () => {
  for (const [value, name] of [
    [{ type: 'Teleport' }, 'Teleport'],
    ['Teleport', 'Teleport'],
    [10n, '10'],
    [undefined, 'undefined'],
    [null, 'null'],
  ] as const) {
    assert.throws(() => assertNever(value as never), new TypeError(`a value of unknown kind: ${name}`));
  }
});
