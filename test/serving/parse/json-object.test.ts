import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseJsonObject } from '../../../src/serving/parse/json-object.ts';

it('a body that is a JSON object gives its fields, any other is refused under its name', () => {
  assert.deepEqual(parseJsonObject('batch', Buffer.from('{"ids":[1]}')), { ids: [1] });
  for (const text of ['', '{', '[]', 'null', '1', '"{}"']) {
    const message = 'Invalid batch: the body is no JSON object';
    assert.throws(() => parseJsonObject('batch', Buffer.from(text)), { status: 400, message }, text);
  }
});
