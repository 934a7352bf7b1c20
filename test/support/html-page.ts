/** Pages as a browser without a script sees them: parsed by the rules of HTML, and asked for what they show. */
import assert from 'node:assert/strict';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import type { TestRequest, TestServer } from './web-server.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** An element of a page. */
export class PageElement {
  readonly #element: Element;
  #facts: ReadonlyMap<string, PageElement> | undefined;

  constructor(element: Element) {
    this.#element = element;
  }

  get name(): string {
    return this.#element.tagName;
  }

  attribute(name: string): string | undefined {
    return this.#element.attrs.find((attribute) => attribute.name === name)?.value;
  }

  get attributeNames(): string[] {
    return this.#element.attrs.map(({ name }) => name);
  }

  hasClass(name: string): boolean {
    return (this.attribute('class') ?? '').split(/\s+/).includes(name);
  }

  /** The visible text, with each white space as one space. */
  get text(): string {
    return textOf(this.#element).replace(/\s+/g, ' ').trim();
  }

  /** The elements inside that match `*`, `name`, `.class`, `#id`, `name.class`, `[attribute]` or `name[attribute]`. */
  all(selector: string): PageElement[] {
    const matches = matcher(selector);
    const found: PageElement[] = [];
    walk(this.#element, (element) => {
      const each = new PageElement(element);
      if (element !== this.#element && matches(each)) found.push(each);
    });
    return found;
  }

  /** The first of them; fails where there is none. */
  one(selector: string): PageElement {
    const [found] = this.all(selector);
    assert.ok(found, `there is no ${selector} in: ${this.text.slice(0, 300)}`);
    return found;
  }

  /** The facts of definition lists inside, by their names. */
  facts(): ReadonlyMap<string, PageElement> {
    if (this.#facts !== undefined) return this.#facts;
    const facts = new Map<string, PageElement>();
    for (const pair of this.all('dl').flatMap((list) => list.all('div'))) {
      const [name] = pair.all('dt');
      const [value] = pair.all('dd');
      if (name && value) facts.set(name.text, value);
    }
    this.#facts = facts;
    return facts;
  }

  /** A fact by its name; fails where there is none. */
  fact(name: string): PageElement {
    const facts = this.facts();
    const found = facts.get(name);
    assert.ok(found, `there is no fact "${name}" among ${[...facts.keys()].join(', ')}`);
    return found;
  }

  /** The rows of a table's body, each as its cells. */
  rows(): PageElement[][] {
    return this.all('tbody').flatMap((body) => body.all('tr').map((row) => row.all('th').concat(row.all('td'))));
  }

  /** The rows of the table, or of the part of a table, with this id; none where there is no such table. */
  table(id: string): PageElement[][] {
    const bodies = this.all(`table#${id}`).flatMap((table) => table.all('tbody'));
    const parts = [...bodies, ...this.all(`tbody#${id}`)];
    return parts.flatMap((body) => body.all('tr').map((row) => row.all('th').concat(row.all('td'))));
  }

  /** The items of lists whose ids are this name and a number. */
  items(name: string): PageElement[] {
    return this.all('li').filter((item) => item.attribute('id')?.startsWith(`${name}-`));
  }

  /** Returns the targets of the links to next pages. */
  nextPages(): string[] {
    return this.all('a').flatMap((link) => (link.attribute('rel') === 'next' ? link.attribute('href')! : []));
  }

  /** Amounts inside, in atoms. */
  atoms(): bigint[] {
    return this.all('[data-atoms]').map((element) => BigInt(element.attribute('data-atoms')!));
  }

  /** Returns the targets of the links in the page. */
  links(): string[] {
    return this.all('a').map((link) => link.attribute('href') ?? '');
  }
}

export interface TestPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly title: string;
  /** The page's own part, without header and footer. */
  readonly main: PageElement;
  readonly whole: PageElement;
}

/** `GET` of a page as a browser does it; redirections are not followed. Fails unless it has the status, and is whole HTML. */
export function getPage(server: Pick<TestServer, 'request'>, path: string, status = 200): Promise<TestPage> {
  return browse(server, path, status);
}

/** Sends a form as a browser does. What comes back is kept nowhere. */
export async function postForm(
  server: Pick<TestServer, 'request'>,
  path: string,
  fields: Record<string, string>,
  status = 200,
): Promise<TestPage> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const page = await browse(server, path, status, {
    method: 'POST',
    body: String(new URLSearchParams(fields)),
    headers,
  });
  assert.equal(page.headers.get('cache-control'), 'no-store');
  return page;
}

async function browse(
  server: Pick<TestServer, 'request'>,
  path: string,
  status: number,
  init: TestRequest = {},
): Promise<TestPage> {
  const {
    headers,
    text: html,
    ...answer
  } = await server.request(path, {
    ...init,
    headers: { ...init.headers, accept: 'text/html' },
  });
  assert.equal(answer.status, status, `${path}: ${html.slice(0, 2_000).replace(/<[^>]*>/g, ' ')}`);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', path);
  return parsePage(html, { status, headers });
}

/** Parses a page; fails where it is not well-formed. */
export function parsePage(html: string, { status, headers }: Pick<TestPage, 'status' | 'headers'>): TestPage {
  const errors: string[] = [];
  const document = parse(html, {
    onParseError: ({ code, startLine, startCol }) => errors.push(`${code} at ${startLine}:${startCol}`),
  });
  assert.deepEqual(errors, [], 'the page is well-formed');
  const root = document.childNodes.find((node) => defaultTreeAdapter.isElementNode(node)) as Element;
  const whole = new PageElement(root);
  // What cannot be in a paragraph ends it; its own end then makes an empty one.
  for (const paragraph of whole.all('p'))
    assert.notEqual(paragraph.all('*').length + paragraph.text.length, 0, 'an empty p');
  return { status, headers, html, title: whole.one('title').text, main: whole.one('main'), whole };
}

function textOf(node: Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value;
  if (!('childNodes' in node)) return '';
  if ('attrs' in node && node.attrs.some(({ name }) => name === 'hidden')) return '';
  // A browser shows what is in the detail of an amount when it is opened.
  if ('tagName' in node && node.tagName === 'details' && new PageElement(node).hasClass('amount')) {
    return textOf(node.childNodes[0]!);
  }
  if (isBlock(node)) return node.childNodes.map(textOf).join(' ');
  return node.childNodes.map((child) => (standsApart(child) ? ` ${textOf(child)} ` : textOf(child))).join('');
}

/** Does the element have both texts and blocks? */
function standsApart(node: Node): boolean {
  return isBlock(node) || ('tagName' in node && /^(?:div|dt|dd|p|li|h[1-6]|form|details)$/.test(node.tagName));
}

/** The parts of these stand apart. */
function isBlock(node: Node): boolean {
  return 'tagName' in node && /^(?:tr|thead|tbody|table|dl|section|ul|ol|main|body|nav)$/.test(node.tagName);
}

function walk(node: Node, visit: (element: Element) => void): void {
  if (defaultTreeAdapter.isElementNode(node)) visit(node);
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, visit);
}

function matcher(selector: string): (element: PageElement) => boolean {
  const match = /^(?:\*|([a-z0-9]+))?(?:\.([\w-]+))?(?:#([\w-]+))?(?:\[([\w-]+)\])?$/.exec(selector);
  assert.ok(match, `the selector ${selector}`);
  const [, name, className, id, attribute] = match;
  return (element) =>
    (name === undefined || element.name === name) &&
    (className === undefined || element.hasClass(className)) &&
    (id === undefined || element.attribute('id') === id) &&
    (attribute === undefined || element.attribute(attribute) !== undefined);
}
