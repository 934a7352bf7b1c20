/** The frame of every page: head, header with search and navigation, footer with links to the same data in JSON. */

import { chainPositionText } from '../../serving/http/headers.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { MAIN_SECTIONS, NAVIGATION_SECTIONS, type NavigationSection, type PageContent } from '../define-page.ts';
import { Attributes, Html, html, SafeUrl } from '../html.ts';
import type { Site } from '../site.ts';
import { previewOf, THINGS_JSON } from '../things.ts';
import { currentCatalogue, say, textOf } from '../words/catalogue.ts';
import { LANGUAGE_PARAMETER, LANGUAGES } from '../words/language.ts';
import { scriptWords } from '../words/script-words.ts';
import { heightLink, idHtml } from './id-links.ts';

/** Renders a whole page. `tip`: the tip that the page shows; null if it is not about the chain. */
export function layout(site: Site, page: PageContent, tip: Pick<SnapshotTip, 'height' | 'id'> | null): Html {
  const name = siteName(site);
  const title = page.title === null ? textOf(say('{name} explorer', { name })) : `${textOf(page.title)} · ${name}`;
  const description = page.description === undefined ? title : textOf(page.description);
  const url = page.canonical === undefined ? null : site.absolute(page.canonical);
  const { links, brand, search } = fixedParts(site);
  return html`<!doctype html>
<html lang="${currentCatalogue().language}"${liveAttributes(page, tip)}><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${description}">${
    page.isUnlisted && html`<meta name="robots" content="noindex">`
  }${url !== null && html`<link rel="canonical" href="${site.href(page.canonical!)}"><meta property="og:url" content="${url}">`}<meta property="og:site_name" content="${name}"><meta property="og:type" content="website"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}">${site.publicUrl !== '' && html`<meta property="og:image" content="${site.absolute(site.assets.pathOf(previewOf(page.canonical ?? '')))}">`}<meta name="twitter:card" content="summary"><meta name="color-scheme" content="light dark">${links}${page.scripts?.map((file) => html`<script type="module" blocking="render" src="${site.asset(file)}"></script>`)}</head>
<body><a class="skip" href="#content">Skip to content</a><header class="site"><div class="bar">${brand}${page.hasOwnSearch ? html`<span class="room"></span>` : search}${switches()}</div><nav class="sections" aria-label="Sections"><details><summary>Menu</summary></details><ul>${sections(site, page.section)}</ul></nav></header>
<main id="content" tabindex="-1">${page.body}${page.api.length > 0 && sameFacts(site, page.api)}</main>
<footer class="site"><p>${
    tip === null ? html`Mintlayer explorer` : html`As of block ${heightLink(site, tip.height)}`
  }<span class="utc"> · <span>times in UTC</span></span> · <a href="${site.href('/docs')}">API documentation</a></p>${languageLinks()}</footer></body></html>
`;
}

/** The mark of the site, as in `public/favicon.svg`. */
const MARK = new Html(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"/><path fill="none" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round" d="M7 23V10l9 8 9-8v13"/></svg>',
);

/** What a visitor can choose on each page; the script shows them. */
const switches = () =>
  html`<div class="switches"><button type="button" class="live" hidden>Live</button><button type="button" class="times" hidden>Times</button><button type="button" class="theme" hidden>Theme</button></div>`;

/** What the script needs to know for reading the page again (`public/live.js`). */
function liveAttributes(
  { live, refreshSeconds, status = 200 }: PageContent,
  tip: Pick<SnapshotTip, 'height' | 'id'> | null,
): Attributes {
  return Attributes.of({
    'data-tip': tip !== null && chainPositionText(tip),
    'data-live': live === undefined ? tip !== null && status === 200 && 'blocks' : live,
    'data-refresh': refreshSeconds,
    'data-words': scriptWords(),
    'data-things': THINGS_JSON,
  });
}

/** Links that choose a language for this and all other pages. The script adds the query of the page. */
function languageLinks(): Html {
  const { language: current } = currentCatalogue();
  const links = Object.entries(LANGUAGES).map(([language, name]) => {
    const attributes = Attributes.of({
      lang: language,
      hreflang: language,
      'aria-current': language === current && 'true',
    });
    const url = new SafeUrl(`?${LANGUAGE_PARAMETER}=${language}`);
    return html`<li><a href="${url}" rel="nofollow"${attributes}>${name}</a></li>`;
  });
  return html`<nav class="languages" aria-label="Language"><ul>${links}</ul></nav>`;
}

function siteName({ network }: Site): string {
  return `Mintlayer ${network.name}`;
}

/** Renders the search form. `text`: the last search. */
export function searchForm(
  site: Site,
  { text = '', isLarge = false }: { text?: string; isLarge?: boolean } = {},
): Html {
  const label = textOf('Address, transaction, block, token, date');
  return html`<form class="${isLarge ? 'search large' : 'search'}" role="search"${Attributes.of({
    'aria-label': textOf(isLarge ? 'Search this chain' : 'Search'),
  })} action="${site.href('/search')}" method="get"><input type="search" name="q" value="${text}" maxlength="1000" required autocomplete="off" autocapitalize="off" spellcheck="false" aria-label="${label}" placeholder="${label}"><button type="submit">Search</button></form>`;
}

/** The parts that all pages of a site share, made once for each language. */
interface FixedParts {
  /** The links in the head. */
  readonly links: Html;
  readonly brand: Html;
  readonly search: Html;
  /** The navigation for each section, which is marked as current. */
  readonly navigations: Map<NavigationSection | undefined, Html>;
}

/** By the index of the catalogue. */
const madeParts = new WeakMap<Site, FixedParts[]>();

function fixedParts(site: Site): FixedParts {
  const { index } = currentCatalogue();
  const inLanguages = madeParts.get(site) ?? [];
  let made = inLanguages[index];
  if (made === undefined) {
    const { network } = site;
    const name = siteName(site);
    made = {
      links: html`<link rel="stylesheet" href="${site.asset('style.css')}"><link rel="icon" type="image/svg+xml" href="${site.asset('favicon.svg')}"><link rel="search" type="application/opensearchdescription+xml" title="${name}" href="${site.href('/opensearch.xml')}"><script type="module" blocking="render" src="${site.asset('explorer.js')}"></script>${
        // It imports these: so they are loaded together with it. Without scripts, a preload would be an error.
        ['settings.js', 'times.js', 'watch-list.js'].map(
          (name) => html`<script type="module" src="${site.asset(name)}"></script>`,
        )
      }`,
      brand: html`<a class="brand" href="${site.href('/')}">${MARK}Mintlayer <span class="network">${network.name}</span></a>`,
      search: searchForm(site),
      navigations: new Map(),
    };
    inLanguages[index] = made;
    madeParts.set(site, inLanguages);
  }
  return made;
}

function sections(site: Site, current: NavigationSection | undefined): Html {
  const { navigations } = fixedParts(site);
  let shown = navigations.get(current);
  if (shown === undefined) {
    const known = NAVIGATION_SECTIONS.filter(([, path]) => site.hasPage(path));
    const entries = known.map(
      ([section, path, label]) =>
        html`<li><a href="${site.href(path)}"${Attributes.of({ 'aria-current': section === current && 'page' })}>${textOf(label)}</a></li>`,
    );
    const more = known.slice(MAIN_SECTIONS).find(([section]) => section === current);
    // The button names the page that is shown.
    const name = more === undefined ? textOf('More') : textOf(say('More: {page}', { page: textOf(more[2]) }));
    shown = html`${entries.slice(0, MAIN_SECTIONS)}<li><details class="${more ? 'more-sections current' : 'more-sections'}"><summary>${name}</summary><ul>${entries.slice(MAIN_SECTIONS)}</ul></details></li>`;
    navigations.set(current, shown);
  }
  return shown;
}

/** Renders the links to the same data in the API. */
function sameFacts(site: Site, paths: readonly string[]): Html {
  const [main, ...more] = paths;
  const texts = more.map((path) => shortPath(main!, path));
  const others = more.map((path, i) => {
    const text = withoutQuery(texts[i]!);
    const isAlone = texts.filter((each) => withoutQuery(each) === text).length === 1;
    return html` <a href="${site.api(path)}" rel="nofollow"><code>${withShortIds(isAlone ? text : texts[i]!)}</code></a>`;
  });
  const command = `curl '${site.apiUrl(main!)}'`;
  return html`<details class="same-facts"><summary>This page in the API</summary><p><a class="json" href="${site.api(main!)}" rel="nofollow">JSON</a>${others}</p><pre class="curl" tabindex="0" aria-label="curl command"><code>${command}</code></pre><button type="button" class="copy" hidden data-copy="${command}">Copy</button></details>`;
}

/** Returns the part of a path that differs from the main one. */
function shortPath(main: string, path: string): string {
  const base = withoutQuery(main);
  return path.startsWith(`${base}/`) ? `…${path.slice(base.length)}` : path;
}

const withoutQuery = (path: string): string => path.replace(/\?.*$/, '');

/** The style shortens the ids in a path. */
const withShortIds = (path: string): readonly (string | Html)[] =>
  path.split(/([a-z0-9]{30,})/).map((part, i) => (i % 2 === 0 ? part : idHtml(part, { isShort: true })));
