/** The system's Chromium, for tests that see pages as people do. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { before } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { fileScope, type Scope } from '../support/file-scope.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Its program: `$CHROMIUM`, or the first of the usual names in the path; undefined where there is none. */
function chromiumProgram(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named) return existsSync(named) ? named : undefined;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => existsSync(file));
}

/** Why no page can be opened on this machine; undefined where it can. */
export function browserObstacle(): string | undefined {
  if (chromiumProgram() !== undefined) return undefined;
  return process.env.CHROMIUM
    ? `there is no program ${process.env.CHROMIUM}`
    : 'Chromium is not installed (apt-get install chromium, or name its program in CHROMIUM)';
}

/**
 * Opens a browser for the tests of a file, and lets them prepare what they need; to be called at the top of the file. Both end
 * with the file. Returns why the tests are skipped, or false.
 */
export function beforeInBrowser(prepare: (browser: Browser, scope: Scope) => Promise<void>): string | false {
  const skip = browserObstacle() ?? false;
  // The browser ends first: it has connections to the servers.
  const [ofBrowser, scope] = [fileScope(), fileScope()];
  before(async () => {
    if (skip === false) await prepare(await startBrowser(ofBrowser), scope);
  });
  return skip;
}

/** Starts it; it ends with `t`. */
export async function startBrowser(t: Scope): Promise<Browser> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) throw new Error(browserObstacle());
  // Root cannot use the sandbox: the processes in it are to have other rights than root has.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args, handleSIGINT: false, handleSIGTERM: false });
  t.after(() => browser.close());
  return browser;
}
