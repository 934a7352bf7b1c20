/** The system's Chromium, for tests that see pages as people do. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Scope } from '../support/file-scope.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Its program: `$CHROMIUM`, or the first of the usual names in the path; undefined where there is none. */
export function chromiumProgram(): string | undefined {
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
