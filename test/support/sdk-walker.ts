/**
 * A client that walks lists by the rules of mintlayer-core's Go SDK: it always sends a cursor, empty for the first page,
 * and an offset with it; takes a bare array for a last page; and ends at a null or empty `next_cursor`, or an empty page.
 */
import assert from 'node:assert/strict';
import type { TestServer } from './web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: entries of any list
type Entry = any;

export class SdkWalker {
  readonly entries: Entry[] = [];
  isAtEnd = false;
  readonly #path: string;
  readonly #items: number;
  #cursor = '';

  constructor(path: string, items: number) {
    this.#path = path;
    this.#items = items;
  }

  /** Takes the next page. */
  async step(server: TestServer): Promise<void> {
    const mark = this.#path.includes('?') ? '&' : '?';
    const query = `offset=0&items=${this.#items}&cursor=${this.#cursor}`;
    const { status, body, text } = await server.get(`${this.#path}${mark}${query}`);
    assert.equal(status, 200, `${this.#path}: ${text}`);
    const [items, next]: [Entry[], string] = Array.isArray(body) ? [body, ''] : [body.items, body.next_cursor ?? ''];
    this.entries.push(...items);
    this.#cursor = next;
    this.isAtEnd = next === '' || items.length === 0;
  }

  async toTheEnd(server: TestServer): Promise<Entry[]> {
    while (!this.isAtEnd) await this.step(server);
    return this.entries;
  }
}
