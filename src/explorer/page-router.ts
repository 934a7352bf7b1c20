/** Finds the page for the path of a request. */
import { badRequest } from '../api/errors/api-error.ts';

interface FoundPage<Served> {
  readonly page: Served;
  /** Decodes the parameters of the path. Throws the error 400. */
  readonly params: () => Record<string, string>;
}

interface Entry<Served> {
  readonly page: Served;
  readonly segments: readonly string[];
}

export class PageRouter<Served extends { readonly path: string }> {
  /** Entries by their number of segments; literal segments before parameters. */
  readonly #entries: Entry<Served>[][] = [];

  constructor(pages: readonly Served[]) {
    for (const page of pages) {
      const segments = segmentsOf(page.path);
      this.#entries[segments.length] ??= [];
      this.#entries[segments.length]!.push({ page, segments });
    }
    for (const list of this.#entries) list?.sort((a, b) => wordsFirst(a.segments, b.segments));
  }

  /** Returns the page for a path, or null. A slash at the end makes no difference. */
  find(path: string): FoundPage<Served> | null {
    const segments = segmentsOf(path);
    if (segments.includes('')) return null;
    const found = this.#entries[segments.length]?.find((entry) => matches(entry.segments, segments));
    if (found === undefined) return null;
    return { page: found.page, params: () => paramsOf(found.segments, segments) };
  }
}

function segmentsOf(path: string): string[] {
  const bare = path.slice(1).replace(/\/$/, '');
  return bare === '' ? [] : bare.split('/');
}

const isParameter = (segment: string) => segment.startsWith(':');

function wordsFirst(a: readonly string[], b: readonly string[]): number {
  const first = a.findIndex((segment, i) => isParameter(segment) !== isParameter(b[i]!));
  return first < 0 ? 0 : Number(isParameter(a[first]!)) - Number(isParameter(b[first]!));
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, i) => isParameter(part) || part === segments[i]);
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  pattern.forEach((part, i) => {
    if (!isParameter(part)) return;
    try {
      params[part.slice(1)] = decodeURIComponent(segments[i]!);
    } catch {
      throw badRequest('The address contains a percent-encoding that is not UTF-8.');
    }
  });
  return params;
}
