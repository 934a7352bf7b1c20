/** The table of shared resources in docs/operation.md against the resources. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createResources, resourceTotals } from '../../../src/serving/resources/create-resources.ts';
import { HOLDING_RESOURCES, SLOT_LIMITS, SLOT_RESOURCES } from '../../../src/serving/resources/shared-resources.ts';

const MIB = 1024 * 1024;
const text = readFileSync(new URL('../../../docs/operation.md', import.meta.url), 'utf8');
const section = text.split('\n## Shared resources\n')[1]!.split('\n## ')[0]!;
const rows = new Map(
  [...section.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, name, rest]) => [
    name!,
    rest!.split('|').map((cell) => cell.trim()),
  ]),
);

test('docs/operation.md has a row for each shared resource, and no other', () => {
  assert.deepEqual([...rows.keys()], [...SLOT_RESOURCES, ...HOLDING_RESOURCES]);
});

test('docs/operation.md says how much of each resource there is, what one client may have, and how long one waits', () => {
  const resources = createResources(resourceTotals(1024 * MIB, { connections: 10, streams: 7 }));
  for (const name of SLOT_RESOURCES) {
    const [, total, perClient, wait] = rows.get(name)!;
    assert.equal(Number(total), resources[name].total, name);
    assert.equal(Number(perClient), resources[name].perClient, name);
    assert.ok(resources[name].perClient < resources[name].total, `${name}: a place for another client`);
    assert.equal(wait, `${SLOT_LIMITS[name].maxWaitMs / 1_000} s`, name);
  }
});

test('docs/operation.md says which parts of the memory the totals are', () => {
  const free = 1024 * MIB - 256 * MIB;
  const totals = resourceTotals(1024 * MIB, { connections: 1e6, streams: 7 });
  const part = (name: string) => (free * Number(/(\d+)\/16/.exec(rows.get(name)![1]!)![1])) / 16;
  assert.equal(totals.unsent_bytes, Math.floor(part('unsent_bytes')));
  assert.equal(totals.body_bytes, Math.floor(part('body_bytes') / 4));
  assert.equal(totals.snapshot_bytes, Math.floor(part('snapshot_bytes')));
  assert.equal(totals.connections, Math.floor(part('connections') / 32_768));
  assert.equal(totals.streams, 7);
});
