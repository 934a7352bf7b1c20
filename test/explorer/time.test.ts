/** Times in UTC. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { timeHtml, utcText } from '../../src/explorer/parts/time.ts';

it('times of pages are those of the calendar, whatever day was shown before', () => {
  const days = [0, 86_399, 86_400, 951_782_400, 1_767_225_599, 1_767_225_600, 253_402_300_800, 8_640_000_000_000];
  for (const seconds of [...days, ...days.toReversed(), -1, ...days.map((each) => each - 3_661)]) {
    const iso = new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
    assert.equal(utcText(seconds), `${iso.slice(0, -1).replace('T', ' ')} UTC`);
    assert.ok(timeHtml(seconds).text.startsWith(`<time datetime="${iso}" title="${utcText(seconds)}"`), `${seconds}`);
  }
});

it('times of pages are numbers where no calendar reaches', () => {
  for (const seconds of [8_640_000_000_001, 2 ** 63]) {
    assert.equal(utcText(seconds), `${seconds} seconds since the epoch`);
    assert.equal(timeHtml(seconds).text, `<span>${seconds} seconds since the epoch</span>`);
  }
});
