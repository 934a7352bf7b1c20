// Charts that can be zoomed. uPlot draws them over the pictures of the server, from the values that the pictures have.
// Numbers are used for drawing only: what a visitor reads are the texts of the server.
// @ts-check
import { DECIMAL_MARK, word } from './settings.js';
import uPlot from './uplot.js';

/**
 * The values of a chart, in columns of the same length. `src/explorer/parts/chart.ts` writes them, the texts as lines.
 *
 * @typedef {object} ChartData
 * @property {'line' | 'bars' | 'candles' | 'depth'} kind
 * @property {number[]} x in ascending order; a point keeps its `x` when others come
 * @property {(number | null)[][]} [y] open, high, low and close; or bids and asks; otherwise the values begin with the numbers
 * @property {boolean} [isLog] is the vertical axis logarithmic?
 * @property {number[]} [volumes] of candles, as parts of the largest one
 * @property {string[]} names where each point is; empty if it is only the end of a line
 * @property {string[]} values exact
 */

const PICTURE = 'figure.chart svg[data-chart]';
/** The room around the shapes, in pixels, as the style gives it to the picture. */
const [TOP, RIGHT, BOTTOM, LEFT] = [8, 4, 24, 48];
/** The most lines above the lowest value. */
const MOST_LINES = 5;
/** The part of the height of a chart of prices that the bars of volumes may take. */
const VOLUME_PART = 0.25;
/** The room of a name at the horizontal axis, in pixels. */
const NAME_WIDTH = 110;
/** The most by which a chart is enlarged. */
const MAX_ZOOM = 1_000;
/** A shorter move of a pressed pointer, in pixels, is a click. */
const MIN_DRAG = 5;
/** The tolerance for places that were computed from pixels. */
const ROUNDING = 0.01;
const COMPACT_NUMBER = new Intl.NumberFormat(document.documentElement.lang, {
  notation: 'compact',
  maximumSignificantDigits: 3,
});
/** What a button does, its text, and its name. */
const BUTTONS = [
  ['out', '−', 'Zoom out'],
  ['in', '+', 'Zoom in'],
  ['whole', 'Whole range', 'Whole range'],
];
/** @type {Readonly<Record<string, string>>} */
const KEYS = { '+': 'in', '=': 'in', '-': 'out', 0: 'whole', Escape: 'whole' };
/** The events of a mouse that a finger has, too. */
const TOUCHES = { pointerdown: 'mousedown', pointermove: 'mousemove', pointerup: 'mouseup', pointercancel: 'mouseup' };

await new Promise((resolve, reject) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL('uplot.css', import.meta.url).href;
  link.onload = resolve;
  link.onerror = reject;
  document.head.append(link);
});

/** Makes room for charts and their buttons in a document, also in one that was read again. @param {Document} page */
export function makeRoomForPlots(page) {
  for (const picture of page.querySelectorAll(PICTURE)) {
    const figure = picture.closest('figure');
    if (!figure || figure.querySelector('.plot')) continue;
    // Keys lead through its values.
    picture.setAttribute('tabindex', '0');
    const plot = document.createElement('div');
    plot.className = 'plot';
    plot.setAttribute('aria-hidden', 'true');
    picture.after(plot);
    const zoom = document.createElement('span');
    zoom.className = 'zoom';
    zoom.setAttribute('role', 'group');
    zoom.setAttribute(
      'aria-label',
      word('Zoom of {title}', { title: picture.querySelector('title')?.textContent ?? '' }),
    );
    for (const [action = '', text = '', name = ''] of BUTTONS) {
      const button = document.createElement('button');
      button.type = 'button';
      button.dataset.zoom = action;
      button.textContent = word(text);
      button.setAttribute('aria-label', word(name));
      zoom.append(button);
    }
    plot.after(zoom);
  }
}

/** By figure. @type {Map<Element, Chart>} */
const charts = new Map();

/** Draws the charts of the page that are new, or whose values have changed. */
export function showCharts() {
  makeRoomForPlots(document);
  for (const [figure, chart] of charts) {
    if (figure.isConnected) continue;
    chart.close();
    charts.delete(figure);
  }
  for (const picture of document.querySelectorAll(PICTURE)) {
    const figure = /** @type {HTMLElement} */ (picture.closest('figure'));
    const chart = charts.get(figure) ?? new Chart(figure);
    charts.set(figure, chart);
    chart.update();
  }
}

/** Colours are read when a chart is drawn. */
function drawAgain() {
  for (const chart of charts.values()) chart.redraw();
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);
new MutationObserver(drawAgain).observe(document.documentElement, { attributeFilter: ['data-theme'] });

/**
 * Points stand at *places*: those of lines and of depths at their `x`, bars and candles beside each other at 0, 1, 2 …
 * What a visitor has chosen is kept as `x`, so it stays when points come or go.
 */
class Chart {
  #figure;
  #box;
  #output;
  #sizes;
  #json = '';
  /** @type {ChartData} */
  #data = { kind: 'line', x: [], names: [], values: [] };
  /** @type {number[]} */
  #places = [];
  /** The chosen ends of the shown range; null: the end of the values, wherever it moves. @type {(number | null)[]} */
  #ends = [null, null];
  /** The value that is shown. @type {number | null} */
  #index = null;
  /** @type {uPlot | null} */
  #plot = null;

  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.#figure = figure;
    this.#box = /** @type {HTMLElement} */ (figure.querySelector('.plot'));
    this.#output = /** @type {HTMLElement} */ (figure.querySelector('output'));
    figure.addEventListener('click', ({ target }) => {
      const action = target instanceof Element && target.closest('button[data-zoom]')?.getAttribute('data-zoom');
      if (action) this.#zoom(action);
    });
    figure.addEventListener('keydown', (event) => this.#onKey(event));
    figure.addEventListener('focusin', ({ target }) => {
      if (target === this.#picture && this.#index === null) this.#point(this.#seen[0] ?? null);
    });
    figure.addEventListener('focusout', ({ target }) => {
      if (target === this.#picture) this.#point(null);
    });
    this.#sizes = new ResizeObserver(() => this.#plot?.setSize(this.#size));
    this.#sizes.observe(this.#box);
  }

  close() {
    this.#sizes.disconnect();
    this.#plot?.destroy();
  }

  /** Takes the values that the picture has now. The shown range and value stay, if there is something in it. */
  update() {
    const json = this.#picture?.dataset.chart ?? '';
    if (json === this.#json) return;
    const before = this.#data;
    const shown = this.#index === null ? undefined : before.x[this.#index];
    this.#json = json;
    const { names, values, ...numbers } = JSON.parse(json);
    this.#data = { ...numbers, names: names.split('\n'), values: values.split('\n') };
    const { kind, x } = this.#data;
    this.#places = this.#isRow ? x.map((_, i) => i) : x;
    if (this.#seen.length === 0) this.#ends = [null, null];
    if (this.#plot && kind === before.kind && this.#data.isLog === before.isLog) {
      this.#keepPointing(shown === undefined ? -1 : x.indexOf(shown), (plot) => plot.setData(this.#columns));
      this.#showState();
      return;
    }
    this.#plot?.destroy();
    this.#ends = [null, null];
    this.#index = null;
    this.#plot = new uPlot(this.#options(), this.#columns, this.#box);
    for (const [touch, mouse] of Object.entries(TOUCHES)) {
      this.#plot.over.addEventListener(touch, (event) => {
        if (!(event instanceof PointerEvent) || event.pointerType !== 'touch') return;
        this.#plot?.over.dispatchEvent(new MouseEvent(mouse, event));
      });
    }
    // The keys work after a click, too.
    this.#plot.over.addEventListener('click', () => this.#picture?.focus({ preventScroll: true }));
    this.#showState();
  }

  redraw() {
    // The shapes as well: uPlot keeps the colour of bars with them.
    this.#plot?.redraw();
  }

  /** @returns {SVGSVGElement | null} */
  get #picture() {
    return this.#figure.querySelector('svg');
  }

  get #size() {
    return { width: this.#box.clientWidth, height: this.#box.clientHeight };
  }

  /** Do its points stand beside each other? */
  get #isRow() {
    return this.#data.kind === 'bars' || this.#data.kind === 'candles';
  }

  /** @returns {uPlot.AlignedData} */
  get #columns() {
    const { y, values } = this.#data;
    return [this.#places, ...(y ?? [values.map(Number.parseFloat)])];
  }

  /** All places. @returns {[number, number]} */
  get #whole() {
    const [first = 0] = this.#places;
    const last = this.#places.at(-1) ?? 0;
    return this.#isRow || first === last ? [first - 0.5, last + 0.5] : [first, last];
  }

  /** The shown places. @returns {[number, number]} */
  get #range() {
    const [first, last] = this.#whole;
    const [from = null, to = null] = this.#ends;
    const { x } = this.#data;
    if (!this.#isRow) return [Math.max(first, from ?? first), Math.min(last, to ?? last)];
    const isFrom = (/** @type {number} */ each) => each >= (from ?? each);
    const isTo = (/** @type {number} */ each) => each <= (to ?? each);
    return [x.findIndex(isFrom) - 0.5, x.findLastIndex(isTo) + 0.5];
  }

  /** The indices of the values in the shown range. */
  get #seen() {
    const [from, to] = this.#range;
    const isSeen = (/** @type {number} */ i) => this.#place(i) >= from && this.#place(i) <= to;
    return [...this.#data.names.keys()].filter((i) => this.#data.names[i] && isSeen(i));
  }

  get #isZoomed() {
    return this.#ends.some((end) => end !== null);
  }

  /** @param {number} index */
  #place(index) {
    return this.#places[index] ?? 0;
  }

  /** The value that is nearest to a place; an end of a line is none. @param {number} place */
  #nearest(place) {
    let best = -1;
    for (const [i, name] of this.#data.names.entries()) {
      if (name === '') continue;
      if (best < 0 || Math.abs(this.#place(i) - place) < Math.abs(this.#place(best) - place)) best = i;
    }
    return best;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (target !== this.#picture || ctrlKey || metaKey || altKey) return;
    const { names } = this.#data;
    if (key === 'ArrowRight') this.#goTo(names.findIndex((name, i) => name !== '' && i > (this.#index ?? -1)));
    else if (key === 'ArrowLeft') this.#goTo(names.findLastIndex((name, i) => name !== '' && i < (this.#index ?? 0)));
    else if (key === 'Home') this.#goTo(names.findIndex((name) => name !== ''));
    else if (key === 'End') this.#goTo(names.findLastIndex((name) => name !== ''));
    else if (KEYS[key] !== undefined) this.#zoom(KEYS[key]);
    else return;
    event.preventDefault();
  }

  /** Points at a value; what is shown follows. @param {number} index −1: there is none */
  #goTo(index) {
    if (index < 0) return;
    const place = this.#place(index);
    const [from, to] = this.#range;
    const margin = this.#isRow ? 0.5 : 0;
    const move = Math.min(0, place - margin - from) + Math.max(0, place + margin - to);
    if (move === 0) this.#point(index);
    else this.#show(from + move, to + move, index);
  }

  /** @param {string} action */
  #zoom(action) {
    const [from, to] = this.#range;
    const centre = this.#index === null ? (from + to) / 2 : this.#place(this.#index);
    const factor = action === 'in' ? 0.5 : 2;
    const [first, last] = this.#whole;
    if (action === 'whole') return this.#show(first, last);
    const [left, right] = [centre - (centre - from) * factor, centre + (to - centre) * factor];
    // What is beyond one end is shown at the other one.
    this.#show(left - Math.max(0, right - last), right + Math.max(0, first - left));
  }

  /** After a double click: what a listener of uPlot returns. */
  #wholeAgain() {
    this.#zoom('whole');
    return null;
  }

  /** Shows the values from one place to another. @param {number} from @param {number} to @param {number | null} index */
  #show(from, to, index = this.#index) {
    const [first, last] = this.#whole;
    const { x } = this.#data;
    if (this.#isRow) {
      const most = x.length - 1;
      const start = Math.min(Math.max(0, Math.ceil(from - ROUNDING)), Math.max(0, most - 1));
      const end = Math.min(most, Math.max(start + 1, Math.floor(to + ROUNDING)));
      this.#ends = [start <= 0 ? null : (x[start] ?? null), end >= most ? null : (x[end] ?? null)];
    } else {
      if (to - from < (last - first) / MAX_ZOOM) return;
      this.#ends = [from <= first ? null : from, to >= last ? null : to];
    }
    this.#keepPointing(index ?? -1, (plot) => plot.redraw());
    this.#showState();
  }

  /** Draws something else, and points at a value then, or at none. @param {number} index @param {(plot: uPlot) => void} draw */
  #keepPointing(index, draw) {
    if (!this.#plot) return;
    draw(this.#plot);
    // It is drawn by a microtask of uPlot's.
    queueMicrotask(() => this.#point(index < 0 ? null : index));
  }

  /** Puts the cursor at a value, or takes it away. @param {number | null} index */
  #point(index) {
    const plot = this.#plot;
    if (!plot) return;
    const left = index === null ? null : this.#positionOf(plot, index);
    // Of two values at one place, the cursor would find the first one.
    plot.setCursor(left === null ? { left: -10, top: -10 } : { left, top: 0 }, false);
    this.#index = left === null ? null : index;
    this.#showState();
  }

  /** Shows the value at the cursor, or the shown range, in words. */
  #showState() {
    const { names, values } = this.#data;
    const seen = this.#seen;
    const [from, to] = [names[seen[0] ?? -1] ?? '', names[seen.at(-1) ?? -1] ?? ''];
    const range = this.#isZoomed ? word('Shown: {from} to {to}', { from, to }) : '';
    const value = (values[this.#index ?? -1] ?? '').replace(/^(\d+)\.(?=\d)/, (_, whole) => whole + DECIMAL_MARK);
    const text = this.#index === null ? range : `${names[this.#index]}: ${value}`;
    if (this.#output.textContent !== text) {
      const shown = document.createElement('span');
      shown.textContent = text;
      this.#output.replaceChildren(text && shown);
    }
    for (const button of this.#figure.querySelectorAll('button[data-zoom]')) {
      const isUseless = button.getAttribute('data-zoom') !== 'in' && !this.#isZoomed;
      button.setAttribute('aria-disabled', String(isUseless));
    }
  }

  /** @returns {uPlot.Options} */
  #options() {
    const { kind } = this.#data;
    const { bars, stepped } = uPlot.paths;
    const isLine = kind === 'line' || kind === 'depth';
    const colours = kind === 'depth' ? ['var(--buy)', 'var(--sell)'] : ['var(--accent)'];
    /** @param {number} i @returns {uPlot.Series} */
    const series = (i) => {
      const colour = colours[i] ?? '';
      const depth = stepped?.({ align: i === 0 ? -1 : 1 });
      const paths = { line: undefined, bars: bars?.({ size: [0.8, 100] }), candles: () => null, depth }[kind];
      return {
        ...(paths && { paths }),
        width: isLine ? 1.5 : 0,
        stroke: () => this.#colour(colour),
        fill: () => this.#colour(`color-mix(in srgb, ${colour} ${isLine ? 12 : 75}%, transparent)`),
        spanGaps: true,
        points: { show: isLine && this.#places.length === 1 },
      };
    };
    return {
      ...this.#size,
      padding: [TOP, RIGHT, BOTTOM, LEFT],
      axes: [{ show: false }, { show: false }],
      legend: { show: false, live: false },
      scales: {
        x: { time: false, range: () => this.#range },
        y: { distr: this.#data.isLog ? 3 : 1, range: (_, lowest, highest) => this.#heights(lowest ?? 0, highest ?? 1) },
      },
      series: [{}, ...this.#columns.slice(1).map((_, i) => series(i))],
      cursor: {
        y: false,
        points: { show: isLine, size: 7, width: 0, fill: () => this.#colour('var(--accent)') },
        drag: { x: true, y: false, setScale: false, dist: MIN_DRAG },
        move: (plot, left, top) => [this.#atValue(plot, left), top],
        bind: { dblclick: () => () => this.#wholeAgain() },
      },
      hooks: {
        setCursor: [(plot) => this.#onCursor(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#onSelect(plot)],
        drawClear: [(plot) => this.#drawGrid(plot)],
        draw: [(plot) => this.#drawTexts(plot)],
        ...(kind === 'candles' && { drawAxes: [(/** @type {uPlot} */ plot) => this.#drawCandles(plot)] }),
      },
    };
  }

  /** The ends of the vertical axis. @param {number} lowest @param {number} highest @returns {[number, number]} */
  #heights(lowest, highest) {
    if (this.#data.kind !== 'candles') return [0, highest || 1];
    if (this.#data.isLog) return [lowest * 0.7, highest / 0.7];
    const margin = Math.max((highest - lowest) * 0.08, highest * 0.02);
    return [Math.max(0, lowest - margin), highest + margin];
  }

  /** The position of the nearest value that is seen. @param {uPlot} plot @param {number} left */
  #atValue(plot, left) {
    if (left < 0) return left;
    return this.#positionOf(plot, this.#nearest(plot.posToVal(left, 'x'))) ?? left;
  }

  /** The position of a value in pixels, or null if it is not seen. @param {uPlot} plot @param {number} index */
  #positionOf(plot, index) {
    const width = plot.bbox.width / uPlot.pxRatio;
    const left = plot.valToPos(this.#place(index), 'x');
    return left < -1 || left > width + 1 ? null : Math.min(width, Math.max(0, left));
  }

  /** @param {number | null} index */
  #onCursor(index) {
    this.#index = index === null ? null : this.#nearest(this.#place(index));
    this.#showState();
  }

  /** @param {uPlot} plot */
  #onSelect(plot) {
    const { left, width } = plot.select;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width > 0) this.#show(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'), null);
  }

  /** What a colour of the style is now. @param {string} text */
  #colour(text) {
    this.#box.style.color = text;
    const { color } = getComputedStyle(this.#box);
    this.#box.style.color = '';
    return color;
  }

  /** The values of the lines that lie behind the shapes: powers of ten, or multiples of 1, 2 or 5 times one. @param {uPlot} plot */
  #levels(plot) {
    const { min = 0, max = 1 } = plot.scales.y ?? {};
    if (this.#data.isLog) {
      const [first, last] = [Math.ceil(Math.log10(min)), Math.floor(Math.log10(max))];
      const step = Math.ceil((last - first) / MOST_LINES) || 1;
      return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
    }
    const least = (max - min) / MOST_LINES;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
    const first = Math.ceil(min / step);
    return Array.from({ length: Math.floor(max / step) - first + 1 }, (_, i) => (first + i) * step);
  }

  /** @param {uPlot} plot */
  #drawGrid(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = this.#colour('var(--line)');
    ctx.lineWidth = uPlot.pxRatio;
    ctx.beginPath();
    const heights = this.#levels(plot).map((level) => plot.valToPos(level, 'y', true));
    for (const height of [...heights, bbox.top + bbox.height]) {
      ctx.moveTo(bbox.left, Math.round(height) + 0.5);
      ctx.lineTo(bbox.left + bbox.width, Math.round(height) + 0.5);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** @param {uPlot} plot */
  #drawCandles(plot) {
    const [opens = [], highs = [], lows = [], closes = []] = this.#data.y ?? [];
    const { ctx, bbox } = plot;
    const [from, to] = this.#range;
    const width = Math.min(12 * uPlot.pxRatio, Math.max(3 * uPlot.pxRatio, (bbox.width / (to - from)) * 0.7));
    const [up, down] = [this.#colour('var(--buy)'), this.#colour('var(--sell)')];
    const y = (/** @type {number | null | undefined} */ price) => plot.valToPos(price ?? 0, 'y', true);
    const [bars, foot] = [this.#colour('color-mix(in srgb, var(--accent) 35%, transparent)'), bbox.top + bbox.height];
    ctx.save();
    ctx.strokeStyle = this.#colour('var(--accent)');
    ctx.lineWidth = uPlot.pxRatio;
    ctx.setLineDash([2 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
    ctx.beginPath();
    for (const [i, place] of this.#places.entries()) {
      if (place < from || place > to) continue;
      const x = plot.valToPos(place, 'x', true);
      if (i > 0 && place - 1 >= from) ctx.lineTo(x, y(closes[i - 1]));
      ctx[i > 0 && place - 1 >= from ? 'lineTo' : 'moveTo'](x, y(closes[i]));
    }
    ctx.stroke();
    ctx.setLineDash([]);
    for (const [i, place] of this.#places.entries()) {
      // Where nothing was traded, there is only the line.
      if (place < from || place > to || !this.#data.volumes?.[i]) continue;
      const volume = this.#data.volumes[i] * VOLUME_PART * bbox.height;
      ctx.fillStyle = bars;
      ctx.fillRect(Math.round(plot.valToPos(place, 'x', true)) - width / 2, foot - volume, width, volume);
      const [open, close] = [y(opens[i]), y(closes[i])];
      const centre = Math.round(plot.valToPos(place, 'x', true));
      ctx.fillStyle = close > open ? down : up;
      ctx.fillRect(centre - uPlot.pxRatio / 2, y(highs[i]), uPlot.pxRatio, y(lows[i]) - y(highs[i]));
      ctx.fillRect(centre - width / 2, Math.min(open, close), width, Math.max(uPlot.pxRatio, Math.abs(close - open)));
    }
    ctx.restore();
  }

  /** The texts at the axes. @param {uPlot} plot */
  #drawTexts(plot) {
    const { ctx, bbox } = plot;
    const { pxRatio } = uPlot;
    const { fontSize, fontFamily } = getComputedStyle(this.#picture?.querySelector('.axis') ?? this.#box);
    ctx.save();
    ctx.font = `${Number.parseFloat(fontSize) * pxRatio}px ${fontFamily}`;
    ctx.fillStyle = this.#colour('var(--muted)');
    ctx.textAlign = 'right';
    for (const level of this.#levels(plot)) {
      const height = plot.valToPos(level, 'y', true) + 4 * pxRatio;
      ctx.fillText(COMPACT_NUMBER.format(level), bbox.left - 6 * pxRatio, height);
    }
    const { names } = this.#data;
    const seen = this.#seen;
    const base = bbox.top + bbox.height + 16 * pxRatio;
    // Some at equal distances, of prices of a book the ends. The year stands once.
    const room = this.#data.kind === 'depth' ? 2 : Math.floor(bbox.width / pxRatio / NAME_WIDTH);
    const count = Math.min(seen.length, Math.max(2, Math.min(4, room)));
    for (let i = 0; i < count; i++) {
      const index = seen[Math.round((i * (seen.length - 1)) / (count - 1 || 1))] ?? 0;
      const isEnd = i > 0 && i === count - 1;
      const name = names[index] ?? '';
      ctx.textAlign = i === 0 ? 'left' : isEnd ? 'right' : 'center';
      const place = i === 0 ? bbox.left : isEnd ? bbox.left + bbox.width : plot.valToPos(this.#place(index), 'x', true);
      ctx.fillText(i === 0 ? name : name.replace(/^\d{4}-(?=\d\d-)/, ''), place, base);
    }
    ctx.restore();
  }
}
