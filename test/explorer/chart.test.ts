import assert from 'node:assert/strict';
import { it } from 'node:test';
import { html } from '../../src/explorer/html.ts';
import { barChart, candleChart, depthChart, lineChart } from '../../src/explorer/parts/chart.ts';
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
  assert.equal(lineIn(chartOf([0, 4, 2])), 'M0.0 200.0L320.0 0.0L640.0 100.0');
});

it('a single value is a line over the whole width', () => {
  assert.equal(lineIn(chartOf([5])), 'M0 0.0H640');
});

it('bars stand beside each other, each as high as its value', () => {
  const [, width, path] = /<path class="bars" stroke-width="([^"]*)" d="([^"]*)"/.exec(
    chartOf([0, 4, 2, 1], barChart),
  )!;
  assert.equal(width, '48.0', 'a few bars are no wider');
  assert.equal(path, 'M80.0 200V200.0M240.0 200V0.0M400.0 200V100.0M560.0 200V150.0');
});

it('the numbers at the vertical axis are multiples of 1, 2 or 5 times a power of ten, beside the values', () => {
  const levelsOf = (highest: number) => [
    ...chartOf([0, highest]).matchAll(/<text class="axis end" x="-6" y="([^"]*)" dy="4">([^<]*)</g),
  ];
  assert.deepEqual(
    levelsOf(217).map(([, y, text]) => `${text} at ${y}`),
    ['0 at 100.00%', '50 at 76.96%', '100 at 53.92%', '150 at 30.88%', '200 at 7.83%'],
  );
  assert.deepEqual(
    levelsOf(1_166_258).map(([, , text]) => text!.toUpperCase()),
    ['0', '500K', '1M'],
  );
  assert.deepEqual(
    levelsOf(0.00175).map(([, , text]) => text),
    ['0', '0.0005', '0.001', '0.0015'],
  );
});

it('up to four dates stand below a chart at equal distances, the year only with the first', () => {
  const points = Array.from({ length: 10 }, (_, x) => ({ x, name: `2026-11-0${x}`, value: `${x}` }));
  const chart = `${barChart({ title: verbatim('Coins'), description: verbatim('Coins'), points, values: html`<p></p>` })}`;
  const dates = [...chart.matchAll(/<text class="axis[^"]*" x="([^"]*%)"[^>]*>([^<]*)</g)];
  assert.deepEqual(
    dates.map(([, place, date]) => `${date} at ${place}`),
    ['2026-11-00 at 0.0%', '11-03 at 33.3%', '11-06 at 66.7%', '11-09 at 100.0%'],
  );
});

const pricesOf = (...prices: readonly number[]) =>
  `${candleChart({
    title: verbatim('Price'),
    description: verbatim('Price by day'),
    candles: prices.map((price, x) => {
      const [name, last] = [`day ${x}`, `${price}`];
      return { x, name, value: last, open: price, high: price, low: price, close: price, volume: 1, last };
    }),
    values: html`<p></p>`,
  })}`;

it('one price far above the others makes the scale logarithmic, so that these are no line at 0', () => {
  const levels = (chart: string) =>
    [...chart.matchAll(/<text class="axis end" x="-6"[^>]*>([^<]*)</g)].map(([, text]) => text!.toUpperCase());
  const far = pricesOf(0.02, 0.03, 4_563, 0.02);
  assert.match(far, /Price, logarithmic scale</);
  assert.deepEqual(levels(far), ['0.1', '1', '10', '100', '1K']);
  const near = pricesOf(1, 1.5, 19, 1);
  assert.doesNotMatch(near, /logarithmic/);
  assert.deepEqual(levels(near), ['0', '5', '10', '15', '20']);
});

it('prices that hardly differ do not seem to differ much', () => {
  const levels = [...pricesOf(514.5, 514.49).matchAll(/<text class="axis end" x="-6"[^>]*>([^<]*)</g)];
  assert.deepEqual(
    levels.map(([, text]) => text),
    ['505', '510', '515', '520'],
  );
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
    title: verbatim('Depth'),
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
