import assert from 'node:assert/strict';
import { it } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { lineChart } from '../../src/explorer/parts/chart.ts';

const chartOf = (values: readonly number[]) =>
  `${lineChart({
    title: 'Coins',
    description: 'Coins by day',
    points: values.map((y, x) => ({ x, y, text: `${y}` })),
    from: 'a',
    to: 'b',
    label: String,
    values: html`<p></p>`,
  })}`;

const lineIn = (chart: string) => /<path class="line" d="([^"]*)"/.exec(chart)![1]!;

it('a line goes through its values, from one side of the chart to the other', () => {
  assert.equal(lineIn(chartOf([0, 4, 2])), 'M4.0 160.0L320.0 14.0L636.0 87.0');
});

it('a single value is a line over the whole width', () => {
  assert.equal(lineIn(chartOf([5])), 'M4 14.0H636');
});
