/** The rows of a list that goes over several pages, and times in them. */
import assert from 'node:assert/strict';
import { getPage, type PageElement } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of the API
export type Json = any;

/** The rows of the table `id`, or of the only table, over all pages from a path on, by the links between them. */
export async function pagedRows(server: TestServer, path: string, id?: string): Promise<PageElement[][]> {
  const rows: PageElement[][] = [];
  let next: string | undefined = path;
  for (let pages = 0; next !== undefined; pages++) {
    assert.ok(pages < 500, `${path} ends`);
    const { main } = await getPage(server, next);
    const tables = id === undefined ? main.all('table') : main.all(`table#${id}`);
    assert.ok(tables.length <= 1, `${path} has one table`);
    rows.push(...(tables[0]?.rows() ?? []));
    next = main.nextPages()[0];
  }
  return rows;
}

/** All entries of a list of the API. */
export async function listed(server: TestServer, path: string): Promise<Json[]> {
  return (await server.pages(`${path}${path.includes('?') ? '&' : '?'}items=100`)).flat();
}

export const atoms = (amount: { readonly atoms: string }): bigint => BigInt(amount.atoms);
/** The id in the only link of a cell. */
export const linked = (cell: PageElement): string => decodeURIComponent(cell.links()[0]!.split('/').at(-1)!);
/** Seconds since the epoch. */
export const secondsOf = (cell: PageElement): number => Date.parse(cell.one('time').attribute('datetime')!) / 1_000;
/** Texts of the chains here are short and plain, or not text at all. */
export function assertText(element: PageElement, text: string | null): void {
  if (text === null || !/^[\x21-\x7e][\x20-\x7e]{0,90}$/.test(text)) return;
  assert.ok(element.text.includes(text.replace(/\s+/g, ' ').trim()), `"${text}" in ${element.text}`);
}
/** A fraction as a percentage with two decimals, half up, but none below one as all, and none above zero as nothing. */
export function percent(part: bigint, whole: bigint): string {
  if (whole === 0n) return '–';
  const thousandths = (part * 100_000n) / whole;
  const hundredths = thousandths / 10n + (thousandths % 10n >= 5n ? 1n : 0n);
  if (part > 0n && hundredths === 0n) return '<0.01%';
  if (part < whole && hundredths === 10_000n) return '>99.99%';
  const digits = String(hundredths).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}%`;
}
/** A decimal number of the API, in units of its `decimals`th decimal. */
export function scaled(decimal: string, decimals: number): bigint {
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(whole! + fraction.padEnd(decimals, '0'));
}
/** The parts of a page that open by their headings, with their counts. */
export function sectionCounts(main: PageElement): Map<string, string | undefined> {
  const counts = new Map<string, string | undefined>();
  for (const part of main.all('details.fold')) {
    const heading = part.one('summary').one('h2');
    assert.equal(part.attribute('aria-labelledby'), heading.attribute('id'));
    counts.set(heading.text, part.one('summary').all('.count')[0]?.text);
  }
  return counts;
}

/** Fails unless each cell shows its value: a bigint as an amount, others as text; undefined is not compared. */
export function assertCells(
  cells: readonly PageElement[],
  expected: readonly (string | number | bigint | null | undefined)[],
  message: string,
): void {
  for (const [i, value] of expected.entries()) {
    if (typeof value === 'bigint') assert.deepEqual(cells[i]!.atoms(), [value], `${message}: column ${i}`);
    else if (value !== undefined) assert.equal(cells[i]!.text, String(value), `${message}: column ${i}`);
  }
}

/** Asserts that a price of whole units, a decimal number or a fraction, is exactly this one of atoms: a power of ten times it. */
export function assertExactPrice(shown: string, ofAtoms: string): void {
  const [a, b] = fractionIn(shown);
  const [c, d] = fractionIn(ofAtoms);
  let [left, right] = [a * d, b * c];
  while (left < right) left *= 10n;
  while (right < left) right *= 10n;
  assert.equal(left, right, `${shown} is not the exact price of ${ofAtoms} atoms`);
}

function fractionIn(text: string): [numerator: bigint, denominator: bigint] {
  const [numerator, denominator] = text.split('/');
  if (denominator !== undefined) return [BigInt(numerator!), BigInt(denominator)];
  const [whole, decimals = ''] = text.split('.');
  return [BigInt(whole! + decimals), 10n ** BigInt(decimals.length)];
}
