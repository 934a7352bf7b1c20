/** The files of `public` and of packages, which are read once at the start, and generated files. A request never opens a file. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CACHE_CONTROL_FOREVER } from '../serving/http/headers.ts';
import { PreparedResponse } from '../serving/http/prepared-response.ts';
import { styleSheet } from './style-sheet.ts';

const FOLDER = new URL('public/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};
/** Files of packages, by their names here, each with what is added: `export` makes a script one that can be imported. */
const OF_PACKAGES: readonly (readonly [name: string, file: string, addition: string])[] = [
  ['uplot.css', 'uplot/dist/uPlot.min.css', ''],
  ['uplot.js', 'uplot/dist/uPlot.iife.min.js', '\nexport default uPlot;\n'],
];

export class StaticFiles {
  /** A hash of the explorer's files, code included: part of the ETag of pages. */
  readonly version: string;
  readonly #paths = new Map<string, string>();
  readonly #responses = new Map<string, PreparedResponse>();

  constructor() {
    const names = readdirSync(FOLDER).filter((name) => typeOf(name) !== undefined);
    const read = (file: string | URL, addition = '') => Buffer.concat([readFileSync(file), Buffer.from(addition)]);
    const contents = new Map(names.sort().map((name) => [name, read(new URL(name, FOLDER))]));
    contents.set('style.css', styleSheet(contents.get('style.css')!));
    const { resolve } = createRequire(import.meta.url);
    for (const [name, file, addition] of OF_PACKAGES) {
      contents.set(name, read(resolve(file), addition));
    }
    // One folder for all: a script imports another one by its name. The URLs of all change when any file does.
    const folder = `/explorer/${contentHash(Buffer.concat([...contents.values()]))}/`;
    for (const [name, content] of contents) {
      this.#paths.set(name, folder + name);
      this.#responses.set(
        folder + name,
        new PreparedResponse(content, {
          contentType: typeOf(name)!,
          etag: `W/"${contentHash(content)}"`,
          cacheControl: CACHE_CONTROL_FOREVER,
          isStatic: true,
          headers: PLAIN,
        }),
      );
    }
    this.version = contentHash(folder + hashOfFiles(new URL('.', import.meta.url)));
  }

  /** Returns the path of a file, by its name. */
  pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined) throw new Error(`there is no ${name} in src/explorer/public`);
    return path;
  }

  /** Adds a generated text, such as `robots.txt`, under its own path. */
  add(path: string, content: string, contentType: string): void {
    const etag = `W/"${contentHash(content)}"`;
    this.#responses.set(path, new PreparedResponse(content, { contentType, etag, headers: PLAIN }));
  }

  /** Returns the response to a path, or undefined if the path is no file. */
  get(path: string): PreparedResponse | undefined {
    return this.#responses.get(path);
  }
}

function typeOf(name: string): string | undefined {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)];
}

/** Keeps an SVG that is opened as a document from running scripts. */
const PLAIN = ['content-security-policy', "default-src 'none'; style-src 'unsafe-inline'"];

/** Returns a short hash, for file names and versions. */
export function contentHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 10);
}

/** A short hash of all files below a folder. */
function hashOfFiles(folder: URL): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .sort()) {
    hash.update(readFileSync(entry));
  }
  return hash.digest('hex').slice(0, 10);
}
