// What a browser has made of a page. Runs in the page; see ../visit.ts.
// @ts-check

/** Elements whose content is cut on purpose, with the whole of it in the page. */
const CUT_ON_PURPOSE = '.sr, .skip, .id.short .head, td > .summary, td > .summary *, svg, svg *, option, select';

/** @param {Element} element */
function nameOf(element) {
  const classes = [...element.classList].map((name) => `.${name}`).join('');
  const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60);
  return `${element.localName}${classes} "${text}"`;
}

/** The nearest element around it that scrolls, or null. @param {Element} element */
function scroller(element) {
  for (let each = element.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowX)) return each;
  }
  return null;
}

/** The sum of all shifts since the page was opened: what "cumulative layout shift" is of a page that nobody touches. */
function layoutShift() {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: 'layout-shift', buffered: true });
  const entries = /** @type {(PerformanceEntry & { value: number })[]} */ (observer.takeRecords());
  observer.disconnect();
  return entries.reduce((sum, { value }) => sum + value, 0);
}

/** Elements that are cut off, or that reach out of the window where nothing scrolls. */
function cutOff() {
  const width = document.documentElement.clientWidth;
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest(CUT_ON_PURPOSE)) continue;
    const style = getComputedStyle(element);
    const hides = style.overflowX === 'hidden' || style.overflowX === 'clip';
    if (hides && style.display !== 'inline' && element.scrollWidth > element.clientWidth + 1) {
      found.push(`${nameOf(element)} is cut off: ${element.scrollWidth} of ${element.clientWidth} px are seen`);
    }
    const spills = style.display !== 'inline' && style.overflowX === 'visible' && !scroller(element);
    if (spills && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) {
      found.push(`what is in ${nameOf(element)} reaches ${element.scrollWidth - element.clientWidth} px out of it`);
    }
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > width + 1 && !scroller(element)) {
      found.push(`${nameOf(element)} reaches ${Math.round(box.right - width)} px out of the page`);
    }
  }
  return found.slice(0, 5);
}

/** Texts of one line that are printed over each other: neighbours in a line of a table, a list of facts, a list. */
function overlapping() {
  const found = [];
  for (const list of document.body.querySelectorAll('tr, .facts > div, .flow > li, .bar, .paging, .tiles')) {
    const boxes = [...list.children].map((child) => ({ child, box: child.getBoundingClientRect() }));
    for (const [i, { child, box }] of boxes.entries()) {
      const next = boxes[i + 1];
      if (!next || box.width === 0 || next.box.width === 0) continue;
      const across = Math.min(box.right, next.box.right) - Math.max(box.left, next.box.left);
      const down = Math.min(box.bottom, next.box.bottom) - Math.max(box.top, next.box.top);
      if (across > 1 && down > 1) found.push(`${nameOf(child)} and ${nameOf(next.child)} overlap`);
    }
  }
  return found.slice(0, 5);
}

/** Columns of amounts of which two are not aligned at the point: where the digits before it end, in pixels. */
function misaligned() {
  const found = [];
  for (const table of document.body.querySelectorAll('table')) {
    /** @type {Map<number, { right: number; element: Element }>} */
    const points = new Map();
    // On a phone, cells stand below each other.
    if (getComputedStyle(table).display !== 'table') continue;
    for (const row of table.tBodies[0]?.rows ?? []) {
      for (const [column, cell] of [...row.cells].entries()) {
        const amount = cell.querySelector('.amount');
        const head = amount?.querySelector('[class^="w"]');
        // Of columns of numbers alone the decimals, which are equally many.
        const decimals = `${amount?.localName === 'details' ? 'summary' : ':scope'} > span:not([class])`;
        const tail = cell.matches('.sum') ? amount?.querySelector(decimals) : null;
        if (!amount || !(head || tail) || cell.querySelectorAll('.amount').length > 1) continue;
        const right = head ? head.getBoundingClientRect().right : (tail?.getBoundingClientRect().left ?? 0);
        const first = points.get(column);
        if (!first) points.set(column, { right, element: amount });
        else if (Math.abs(first.right - right) > 1) {
          found.push(`${nameOf(amount)} is ${(right - first.right).toFixed(1)} px beside ${nameOf(first.element)}`);
        }
      }
    }
  }
  return found.slice(0, 5);
}

/** Shapes of pictures that the style takes away. */
function undrawn() {
  const shapes = [...document.body.querySelectorAll('svg :is(rect, path, line, circle, text)')];
  return shapes
    .filter((shape) => ['none', 'contents'].includes(getComputedStyle(shape).display))
    .slice(0, 5)
    .map((shape) => `${nameOf(shape)} is not drawn`);
}

/** Everything of the page's form that can be wrong, in sentences. @param {boolean} isTouched */
function layoutFaults(isTouched) {
  const root = document.documentElement;
  const faults = [...cutOff(), ...overlapping(), ...misaligned(), ...undrawn()];
  const wide = Math.max(root.scrollWidth, document.body.scrollWidth);
  if (wide > root.clientWidth) faults.push(`the page scrolls to the side: ${wide} px in ${root.clientWidth}`);
  const shift = layoutShift();
  if (shift > 0.02 && !isTouched) faults.push(`the layout shifts by ${shift.toFixed(3)}`);
  if (document.querySelectorAll('h1').length !== 1) faults.push('the page does not have one h1');
  return faults;
}

/** Elements that no page of ours has: something of the chain became one. */
function foreignElements() {
  const ours = new Set(
    `html head body title meta link script header main footer nav section div span p a ul ol li dl dt dd h1 h2 h3 form input
    button select option textarea label fieldset legend table caption thead tbody tfoot tr th td code pre bdi time details
    summary figure figcaption svg path rect line text desc g circle polyline strong em small b abbr output progress br canvas`.split(
      /\s+/,
    ),
  );
  const scripts = [...document.scripts].filter(({ src }) => !src.startsWith(`${location.origin}/explorer/`));
  const handlers = [...document.querySelectorAll('*')].filter((element) =>
    element
      .getAttributeNames()
      .some((name) => name.startsWith('on') || (name === 'style' && !element.closest('.plot')) || name === 'srcdoc'),
  );
  const foreign = [...document.querySelectorAll('*')].filter(({ localName }) => !ours.has(localName));
  return [...scripts, ...handlers, ...foreign].slice(0, 5).map(nameOf);
}

Object.assign(globalThis, { inspection: { layoutFaults, foreignElements } });
