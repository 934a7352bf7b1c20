/** Finds the page for the path of a request. */

import { badInput } from './page-error.ts';

interface FoundPage<Served> {
  readonly page: Served;
  /** Decodes the parameters of the path. Throws the error 400. */
  readonly params: () => Record<string, string>;
}

export class PageRouter<Served extends { readonly path: string }> {
  readonly #entries: readonly { readonly page: Served; readonly pattern: RegExp }[];

  constructor(pages: readonly Served[]) {
    // In this order literal segments come before parameters.
    const key = ({ path }: Served) => path.replaceAll(':', '\uffff');
    this.#entries = pages
      .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
      .map((page) => ({ page, pattern: new RegExp(`^${page.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`) }));
  }

  /** Returns the page for a path, or null. A slash at the end makes no difference. */
  find(path: string): FoundPage<Served> | null {
    for (const { page, pattern } of this.#entries) {
      const match = pattern.exec(path);
      if (match !== null) return { page, params: () => decodeParams(match.groups) };
    }
    return null;
  }
}

function decodeParams(params: Readonly<Record<string, string>> = {}): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw badInput('The address contains a percent-encoding that is not UTF-8.');
  }
}
