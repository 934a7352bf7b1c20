// Values on charts: the one under the pointer, or the one that the arrow keys lead to.
// @ts-check

const SVG = 'http://www.w3.org/2000/svg';

/** @typedef {readonly [x: number, y: number, text: string]} ChartValue */

/** Adds values to all charts of the page, also to those that are replaced later. */
export function addChartValues() {
  document.addEventListener('pointermove', ({ target, clientX }) => {
    const chart = chartOf(target);
    if (!chart) return;
    const { left, width } = chart.getBoundingClientRect();
    show(chart, nearest(valuesOf(chart), ((clientX - left) * chart.viewBox.baseVal.width) / width));
  });
  document.addEventListener('pointerout', ({ target, relatedTarget }) => {
    const chart = chartOf(target);
    if (chart && chart !== document.activeElement && chartOf(relatedTarget) !== chart) hide(chart);
  });
  document.addEventListener('focusin', ({ target }) => move(target, 0));
  document.addEventListener('focusout', ({ target }) => {
    const chart = chartOf(target);
    if (chart) hide(chart);
  });
  document.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0 && move(event.target, step)) event.preventDefault();
  });
}

/** @param {EventTarget | null} target @returns {SVGSVGElement | null} */
function chartOf(target) {
  return target instanceof Element ? target.closest('svg[data-values]') : null;
}

/** @param {SVGSVGElement} chart @returns {readonly ChartValue[]} in ascending order of x */
function valuesOf(chart) {
  return JSON.parse(chart.dataset.values ?? '[]');
}

/** The index of the value that is nearest to a position. @param {readonly ChartValue[]} values @param {number} x */
function nearest(values, x) {
  let best = 0;
  for (const [i, [each]] of values.entries()) if (Math.abs(each - x) < Math.abs((values[best]?.[0] ?? 0) - x)) best = i;
  return best;
}

/** Shows the next value of the chart that has the focus. @param {EventTarget | null} target @param {number} step */
function move(target, step) {
  const chart = chartOf(target);
  if (!chart) return false;
  const last = valuesOf(chart).length - 1;
  show(chart, Math.min(last, Math.max(0, Number(chart.dataset.shown ?? 0) + step)));
  return true;
}

/** @param {SVGSVGElement} chart @param {number} index */
function show(chart, index) {
  const value = valuesOf(chart)[index];
  if (!value || chart.dataset.shown === String(index)) return;
  hide(chart);
  chart.dataset.shown = String(index);
  const [x, y, text] = value;
  const mark = document.createElementNS(SVG, 'g');
  mark.setAttribute('class', 'mark');
  mark.append(
    shape('line', { x1: x, x2: x, y1: 0, y2: chart.viewBox.baseVal.height }),
    shape('circle', { cx: x, cy: y, r: 3 }),
  );
  chart.append(mark);
  const output = chart.closest('figure')?.querySelector('output');
  if (output) output.textContent = text;
}

/** @param {SVGSVGElement} chart */
function hide(chart) {
  delete chart.dataset.shown;
  chart.querySelector('.mark')?.remove();
  const output = chart.closest('figure')?.querySelector('output');
  if (output) output.textContent = '';
}

/** @param {string} name @param {Readonly<Record<string, number>>} attributes */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const attribute in attributes) element.setAttribute(attribute, String(attributes[attribute]));
  return element;
}
