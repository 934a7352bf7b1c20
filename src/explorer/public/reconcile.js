// Makes an element equal to another one, and touches only what differs: so focus, selection, scroll positions and open
// `<details>` stay.
// @ts-check

/** What the script or the visitor has changed: forms, and the switches. */
const KEPT = 'form, button.theme, button.live, button.times, .chart output, .chart .zoom, .chart .plot';
/** A row that came later than the page. */
const NEW_ROW = 'new';

/** @param {Element} old @param {Element} next */
export function reconcile(old, next) {
  if (old.matches(KEPT) || old.isEqualNode(next)) return;
  reconcileAttributes(old, next);
  reconcileChildren(old, next);
}

/** @param {Element} old @param {Element} next */
function reconcileAttributes(old, next) {
  for (const name of old.getAttributeNames()) {
    const isVisitors = name === 'open' && old.localName === 'details';
    if (!isVisitors && !next.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/** @param {Element} old @param {Element} next */
function reconcileChildren(old, next) {
  const wanted = new Set([...next.children].map(keyOf));
  /** @type {Map<string, Element>} */
  const known = new Map();
  for (const child of [...old.children]) {
    const key = keyOf(child);
    if (key === '') continue;
    if (wanted.has(key) && !known.has(key)) known.set(key, child);
    else child.remove();
  }
  /** @type {ChildNode | null} */
  let place = old.firstChild;
  for (const child of next.childNodes) {
    const key = child instanceof Element ? keyOf(child) : '';
    const match = key === '' ? unkeyedAt(place, child) : known.get(key);
    known.delete(key);
    if (match === undefined) {
      const added = document.importNode(child, true);
      if (added instanceof HTMLTableRowElement && old.childElementCount > 0) added.classList.add(NEW_ROW);
      old.insertBefore(added, place);
      continue;
    }
    // An element that is moved may lose its focus.
    if (match === place) place = place.nextSibling;
    else old.insertBefore(match, place);
    if (match instanceof Element) reconcile(match, /** @type {Element} */ (child));
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
  }
  while (place) {
    const { nextSibling } = place;
    place.remove();
    place = nextSibling;
  }
}

/** The node at a place if it can become like another one that has no key. @param {ChildNode | null} place @param {ChildNode} child */
function unkeyedAt(place, child) {
  if (place?.nodeName !== child.nodeName) return undefined;
  return place instanceof Element && keyOf(place) !== '' ? undefined : place;
}

/** What an element is among its siblings: its id or label, or the header of its row; empty if it is known by its place only. @param {Element} element */
function keyOf(element) {
  const name = element.id || element.getAttribute('aria-labelledby') || element.getAttribute('aria-label');
  if (name) return `${element.localName} ${name}`;
  const header = element.localName === 'tr' ? element.querySelector('th[scope="row"]') : null;
  // Several things may have one name.
  return header ? `row ${header.querySelector('a')?.getAttribute('href') ?? header.textContent}` : '';
}
