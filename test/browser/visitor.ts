/** Somebody who opens pages in a window of a certain width, with or without scripts, and notes all that is wrong. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, CDPSession, Page, Response } from 'playwright-core';

export interface View {
  /** In CSS pixels. */
  readonly width: number;
  readonly hasScript: boolean;
}

/** What is done on a page that has a form. */
export interface Form {
  /** What is written into its field, or into several, by selectors. */
  readonly text: () => string | Readonly<Record<string, string>>;
  /** The buttons that are then pressed, each on the page that came of the one before. */
  readonly buttons: readonly string[];
}

export interface Opening {
  /** That the page must come with; 200 unless given. */
  readonly status?: number | undefined;
  /** It is the page that comes of this which is looked at. */
  readonly form?: Form | undefined;
}

/** A moment in the life of an open page. */
export interface Moment {
  /** The name of its pictures. */
  readonly name?: string;
  /** Do the pictures show the whole page? Otherwise, what of it is seen in the window. */
  readonly isWhole?: boolean;
  /** Were things opened or moved? */
  readonly isTouched?: boolean;
  /** Faults that belong to this moment. */
  readonly allowed?: RegExp;
}

export type ColourScheme = 'light' | 'dark';

/** A phone, a tablet or a half of a screen, a desktop. */
export const WIDTHS = [360, 800, 1_440] as const;
export const WIDE: View = { width: WIDTHS[2], hasScript: true };
export const NARROW: View = { width: WIDTHS[0], hasScript: true };
export const COLOUR_SCHEMES: readonly ColourScheme[] = ['light', 'dark'];
export const VIEWS: readonly View[] = WIDTHS.flatMap((width) => [
  { width, hasScript: true },
  { width, hasScript: false },
]);

const HEIGHT = 900;
/** Where pictures of moments are kept; without it there are none. */
const MOMENTS = process.env.BROWSER_MOMENTS;
/** The widths of these pictures. */
const MOMENT_WIDTHS = [1_280, 360];
/** The rules of axe-core whose findings depend on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const INSPECTION = readFileSync(new URL('in-page/inspect.js', import.meta.url), 'utf8');
/** What the style is allowed to hang on, so that a picture shows the page as it stands. */
export const SETTLED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

export class Visitor {
  readonly view: View;
  readonly page: Page;
  readonly #devtools: CDPSession;
  readonly #noted: string[] = [];
  #expectedStatus = 200;

  private constructor(view: View, page: Page, devtools: CDPSession) {
    this.view = view;
    this.page = page;
    this.#devtools = devtools;
    const note = (text: string) => this.#noted.push(text);
    page.on('console', (message) => {
      const isOwnStatus = message.location().url === page.url() && message.text().includes(` ${this.#expectedStatus} `);
      if (!isOwnStatus) note(`the console has: ${message.type()} ${message.text()}`);
    });
    page.on('pageerror', (error) => note(`a script fails: ${error.message}`));
    page.on('dialog', (dialog) => {
      note(`a dialog opens: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', () => note('a window opens'));
    page.on('download', () => note('a download begins'));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // What is still on its way when a page is left is let go.
      if (reason !== 'net::ERR_ABORTED') note(`not loaded: ${request.url()} ${reason}`);
    });
  }

  /** Opens a window that ends with the browser. Only requests to `origin` leave it; others are noted. */
  static async open(browser: Browser, view: View, origin: string): Promise<Visitor> {
    const isPhone = view.width < WIDTHS[1];
    const viewport = { width: view.width, height: HEIGHT };
    const context = await browser.newContext({ viewport, isMobile: isPhone, hasTouch: isPhone });
    const page = await context.newPage();
    const visitor = new Visitor(view, page, await context.newCDPSession(page));
    await context.route(
      (url) => url.origin !== origin,
      (route) => {
        visitor.#noted.push(`a request leaves for ${route.request().url()}`);
        return route.abort();
      },
    );
    return visitor;
  }

  /** Opens a page, or posts its form; what happens on the way is in {@link faults}. */
  async open(url: string, { status = 200, form }: Opening = {}): Promise<void> {
    this.#expectedStatus = status;
    this.#noted.length = 0;
    // Not the context's `javaScriptEnabled`: the checks are scripts, too, and run once the page stands.
    await this.#devtools.send('Emulation.setScriptExecutionDisabled', { value: !this.view.hasScript });
    await this.page.emulateMedia({ colorScheme: 'light' });
    const opened = await this.page.goto(url, { waitUntil: 'load' });
    const response = form === undefined ? opened : await this.#post(form);
    if (response?.status() !== status) this.#noted.push(`the status is ${response?.status()}, not ${status}`);
    await this.#devtools.send('Emulation.setScriptExecutionDisabled', { value: false });
    await this.page.evaluate('globalThis.isSame = true');
    await this.page.evaluate(SETTLED);
  }

  /** Fails unless the page is still the one that was opened, and nothing is wrong with it at this moment. */
  async isSound({ name, isWhole = true, isTouched = true, allowed = /^$/ }: Moment = {}): Promise<void> {
    assert.equal(await this.page.evaluate('globalThis.isSame'), true, 'the page was not reloaded');
    const faults = [
      ...(await this.faults({ isTouched })),
      ...(await this.foreignElements()),
      ...(await this.accessibilityFaults('light')),
      ...(await this.accessibilityFaults('dark')),
    ];
    assert.deepEqual(
      faults.filter((fault) => !allowed.test(fault)),
      [],
    );
    if (MOMENTS !== undefined && name !== undefined) await this.#keepMoment(join(MOMENTS, name), isWhole);
  }

  /** What was noted since the page was opened, and what is wrong with its layout. `isTouched`: things were opened or moved in it. */
  async faults({ isTouched = false }: { readonly isTouched?: boolean } = {}): Promise<string[]> {
    await this.page.evaluate(INSPECTION);
    const layout = await this.page.evaluate<string[]>(`inspection.layoutFaults(${isTouched})`);
    return [...this.#noted, ...layout];
  }

  /** Elements and attributes that no page of ours has. */
  async foreignElements(): Promise<string[]> {
    await this.page.evaluate(INSPECTION);
    return this.page.evaluate('inspection.foreignElements()');
  }

  /**
   * What axe-core finds in the page with these colours, a sentence for each finding. In the light everything is asked of it,
   * in the dark what depends on colours.
   */
  async accessibilityFaults(colours: ColourScheme): Promise<string[]> {
    await this.#useColours(colours);
    if (colours === 'light') await this.page.evaluate(AXE);
    const rules = colours === 'light' ? { rules: { 'target-size': { enabled: true } } } : { runOnly: COLOUR_RULES };
    const options = JSON.stringify({ resultTypes: ['violations'], preload: false, selectors: false, ...rules });
    return this.page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => {
        const places = nodes.slice(0, 3).map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? ''));
        return '${colours}: ' + id + ': ' + help + ' (' + nodes.length + '): ' + places.join(' | ');
      }))`);
  }

  /** Keeps a picture of the page in these colours, of all of it unless told otherwise. */
  async picture(colours: ColourScheme, file: string, isWhole = true): Promise<void> {
    await this.#useColours(colours);
    // Without a caret, fields would have an attribute more from then on.
    await this.page.screenshot({ path: file, fullPage: isWhole, animations: 'disabled', caret: 'initial' });
  }

  async #keepMoment(file: string, isWhole: boolean): Promise<void> {
    const before = this.page.viewportSize()!;
    const isPhone = before.width < WIDTHS[1];
    for (const width of isPhone ? [before.width] : MOMENT_WIDTHS) {
      await this.page.setViewportSize({ width, height: HEIGHT });
      for (const colours of COLOUR_SCHEMES) await this.picture(colours, `${file}-${width}-${colours}.png`, isWhole);
    }
    await this.page.setViewportSize(before);
  }

  async #post({ text, buttons }: Form): Promise<Response | null> {
    const written = text();
    const fields = typeof written === 'string' ? { 'main textarea': written } : written;
    for (const [selector, value] of Object.entries(fields)) await this.page.fill(selector, value);
    let response: Response | null = null;
    for (const name of buttons) {
      const loaded = this.page.waitForNavigation({ waitUntil: 'load' });
      await this.page.getByRole('main').getByRole('button', { name }).click();
      response = await loaded;
    }
    return response;
  }

  async #useColours(colorScheme: ColourScheme): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    await this.page.evaluate(SETTLED);
  }
}
