import assert from 'node:assert/strict';
import { it } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { barChart, depthChart, lineChart } from '../../src/explorer/parts/chart.ts';
import { chartedPoints } from '../../src/explorer/parts/series.ts';
import { verbatim } from '../../src/explorer/words/catalogue.ts';

const chartOf = (values: readonly number[], draw = lineChart) =>
  `${draw({
    title: verbatim('Coins'),
    description: verbatim('Coins by day'),
    points: values.map((y, x) => ({ x, name: `day ${x}`, value: `${y}.000 ML` })),
    values: html`<p></p>`,
  })}`;

const lineIn = (chart: string) => /<path class="line" d="([^"]*)"/.exec(chart)![1]!;

it('a line goes through its values, from one side of the chart to the other', () => {
  assert.equal(lineIn(chartOf([0, 4, 2])), 'M60.0 160.0L348.0 14.0L636.0 87.0');
});

it('a single value is a line over the whole width', () => {
  assert.equal(lineIn(chartOf([5])), 'M60 14.0H636');
});

it('bars stand beside each other, each as high as its value', () => {
  const [, width, path] = /<path class="bars" stroke-width="([^"]*)" d="([^"]*)"/.exec(
    chartOf([0, 4, 2, 1], barChart),
  )!;
  assert.equal(width, '116.0');
  assert.equal(path, 'M132.5 160.0V160.0M277.5 160.0V14.0M422.5 160.0V87.0M567.5 160.0V123.5');
});

it('the numbers at the vertical axis stand beside the values, not over them', () => {
  const chart = chartOf([0, 4, 2]);
  const levels = [...chart.matchAll(/<text class="axis" x="2" y="[^"]*">([^<]*)</g)].map(([, text]) => text);
  assert.deepEqual(levels, ['1', '2', '3', '4']);
  const leftmost = Math.min(...[...lineIn(chart).matchAll(/[ML]([\d.]+)/g)].map(([, x]) => Number(x)));
  assert.ok(leftmost >= 60);
});

it('the names of the first and of the last value are at the ends of the axis', () => {
  const chart = chartOf([0, 4, 2]);
  assert.match(chart, /<text class="axis" [^>]*>day 0<\/text><text class="axis end" [^>]*>day 2<\/text>/);
});

it('a chart has its values for the script: places, names, and exact texts with the numbers to draw', () => {
  const [, json] = /data-chart="([^"]*)"/.exec(chartOf([0, 4]))!;
  assert.deepEqual(JSON.parse(json!.replaceAll('&quot;', '"')), {
    kind: 'line',
    x: [0, 1],
    names: 'day 0\nday 1',
    values: '0.000 ML\n4.000 ML',
  });
});

it('the lines of an order book reach the edges, and their ends are no values', () => {
  const level = (x: number, y: number) => ({ x, name: `price ${x}`, value: `${y} AAA in all` });
  const chart = `${depthChart({
    title: 'Depth',
    description: verbatim('Bids and asks'),
    bids: [level(1, 30), level(2, 10)],
    asks: [level(3, 5)],
    values: html`<p></p>`,
  })}`;
  const [, json] = /data-chart="([^"]*)"/.exec(chart)!;
  const { x, y, names } = JSON.parse(json!.replaceAll('&quot;', '"'));
  assert.deepEqual(x, [0.94, 1, 2, 3, 3.06]);
  assert.deepEqual(y, [
    [30, 30, 10, null, null],
    [null, null, null, 5, 5],
  ]);
  assert.deepEqual(names.split('\n'), ['', 'price 1', 'price 2', 'price 3', '']);
  assert.match(chart, /<text class="axis" [^>]*>price 1<\/text><text class="axis end" [^>]*>price 3<\/text>/);
});

it('the chart of mean times begins after the time from the genesis to the first block, whatever day that is', () => {
  const point = (hour: number, value: string) => ({ time: hour * 3_600, value, isComplete: true, height: 1 });
  const points = [point(240, '51000000'), point(264, '120'), point(288, '121')];
  const row = { first_hour: 1, first_timestamp: 3_600, newest_hour: 300, are_days_counted: true };
  const charted = (stored: string) =>
    chartedPoints('block_time', { ...row, stored }, points as never).map(({ value }) => value);
  assert.deepEqual(charted('1 0 3600,240 5 51000000,264 6 1,288 7 1'), ['120', '121']);
  assert.deepEqual(charted('240 5 51000000,264 6 1,288 7 1'), ['120', '121']);
  assert.deepEqual(charted('216 4 900,240 5 51000000,264 6 1,288 7 1'), ['51000000', '120', '121']);
  assert.equal(chartedPoints('blocks', { ...row, stored: '1 0 1' }, points as never).length, 3);
});
