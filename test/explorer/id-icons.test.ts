/** The pictures of ids. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { idIcon } from '../../src/explorer/parts/id-links.ts';

/** As many addresses as somebody has who looks for one with the beginning and the end of another. */
const imitations = Array.from(
  { length: 500 },
  (_, i) => `rmt1qxedxa2${i.toString(32).padStart(4, 'q')}ym0dx76erv56a402`,
);

it('an id has one picture wherever it is shown', () => {
  const [id] = imitations;
  assert.equal(idIcon(id!), idIcon(id!));
});

it('of 500 addresses with the same beginning and end, hardly two have the same picture', () => {
  assert.ok(new Set(imitations.map(idIcon)).size >= 495);
});
