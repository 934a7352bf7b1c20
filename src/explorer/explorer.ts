/** The explorer: finds the page for a request and responds with it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswersContext, BrowserPages, CreateBrowserPages, StatusEvents } from '../answers/answers-context.ts';
import { whileMempoolIs } from '../answers/pending/pending-transactions-interface.ts';
import { MAX_SEARCH_TEXT_LENGTH, parseSearchQuery } from '../answers/search-query.ts';
import { ApiError } from '../serving/errors/api-error.ts';
import { acceptsHtml } from '../serving/http/headers.ts';
import { PathTree, UndecodableParameter } from '../serving/http/path-tree.ts';
import { PreparedResponse } from '../serving/http/prepared-response.ts';
import { queryOf, type RouteGroup } from '../serving/http/routes.ts';
import type { Caller } from '../serving/resources/caller.ts';
import { toApiError } from '../serving/route/error-response.ts';
import { Responder, sendWithoutReading } from '../serving/route/get-route.ts';
import { addPostRoute } from '../serving/route/post-route.ts';
import { withChainTip } from '../serving/route/readiness.ts';
import type { QueryRunner, SnapshotTip } from '../store/read/query.ts';
import { ChainStatus } from './chain-status.ts';
import {
  type AnyPage,
  type ExplorerContext,
  type PageContent,
  type PageData,
  REQUEST_UNITS_OF_PAGE,
  type Redirect,
} from './define-page.ts';
import { badInput, pageNotFound, wordsOfError } from './page-error.ts';
import { errorPage, type FailedRequest } from './pages/error.ts';
import { PAGES, POST_PAGES } from './pages/page-list.ts';
import { findPageOfId } from './pages/search.ts';
import { layout } from './parts/layout.ts';
import { measureChain } from './read/measure-chain.ts';
import { openSearchXml, robotsText } from './robots-and-opensearch.ts';
import { Site } from './site.ts';
import { contentHash, StaticFiles } from './static-files.ts';
import { PAGE_OF_THING } from './things.ts';
import { inLanguage, type Words } from './words/catalogue.ts';
import { isLanguage, LANGUAGE_PARAMETER, LANGUAGES, type Language, languageOf } from './words/language.ts';

interface ExplorerOptions {
  /** The URL of the server for examples with `curl` if there is no public URL: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** The URL of a gateway to IPFS; empty, the default: there is none. */
  readonly ipfsGateway?: string | undefined;
}

/** A page, with the function that responds to its requests. */
interface ServedPage {
  readonly path: string;
  readonly page: AnyPage;
  readonly name: string;
  readonly responder: Responder<ParsedPage, RenderedPage, PageSource>;
}

/** An id as it was written. It is not part of cache keys: pages of equal parameters are equal. */
class WrittenId {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

interface ParsedPage {
  readonly params: unknown;
  readonly language: Language;
  /** The first parameter of the path of a thing's page, which may be the id of a thing of another kind; else null. */
  readonly id: WrittenId | null;
  /** Why the path is wrong for this page; null if it is not. */
  readonly refusal: Words | null;
}

/** What an error page needs of a request. */
interface PageSource {
  readonly url: string;
  readonly language: Language;
}

interface RenderedPage extends PageData {
  /** Throws the ApiError of the page. */
  readonly content: () => PageContent | Redirect;
}

const HTML_TYPE = 'text/html; charset=utf-8';
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'";
const HEADERS = [
  'content-security-policy',
  CONTENT_SECURITY_POLICY,
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
];
const VARY = 'accept, accept-language, cookie';

/** Returns the function with which `buildApp` adds the explorer. */
export function createExplorer(options: ExplorerOptions): CreateBrowserPages {
  return (routes, answers, statusEvents) => new ExplorerPages(routes, answers, statusEvents, options);
}

class ExplorerPages implements BrowserPages {
  readonly #explorer: ExplorerContext;
  readonly #assets: StaticFiles;
  readonly #version: string;
  readonly #paths = new PathTree<ServedPage>();
  readonly #status: ChainStatus;
  #statusChanges = 0;

  constructor(routes: RouteGroup, answers: AnswersContext, statusEvents: StatusEvents, options: ExplorerOptions) {
    const { origin, ipfsGateway } = options;
    this.#assets = new StaticFiles();
    const site = new Site(answers.network, answers.publicUrl, origin, this.#assets, {
      ipfsGateway,
      marks: answers.marks,
    });
    this.#assets.add('/robots.txt', robotsText(site.basePath), 'text/plain; charset=utf-8');
    const searchBase = site.publicUrl === '' ? origin : site.publicUrl;
    const openSearch = openSearchXml(answers.network.name, searchBase);
    this.#assets.add('/opensearch.xml', openSearch, 'application/opensearchdescription+xml');
    this.#status = new ChainStatus(answers, () => this.#statusChanges++, statusEvents);
    this.#explorer = { site, answers, status: this.#status };
    this.#version = contentHash(
      JSON.stringify([this.#assets.version, options, answers.publicUrl, answers.enablePostRoutes]),
    );
    const pages = PAGES.map((create) => create(this.#explorer));
    site.setPages(pages.map(({ path }) => path));
    for (const page of pages) this.#paths.add(page.path, this.#served(page));
    for (const create of POST_PAGES) {
      const page = create(this.#explorer);
      if (page === null) continue;
      const of = { url: page.path, pagePath: page.path, isPosted: !page.isRepeated };
      const fail = (error: unknown, request: IncomingMessage) =>
        this.#failed(error, { ...of, language: languageOf(request) });
      addPostRoute(routes, answers, {
        path: page.path,
        bodyLimit: page.bodyLimit,
        respond: async (body, caller, request) => {
          const { content, tip } = await page.respond(body, caller);
          return this.#prepared(content, tip, languageOf(request), undefined);
        },
        fail,
      });
    }
  }

  close(): void {
    this.#status.close();
  }

  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method } = request;
    const url = request.url!;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const file = this.#assets.get(path);
    if (file !== undefined) {
      sendWithoutReading(this.#explorer.answers, ASSETS, request, response, file);
      return true;
    }
    if (!acceptsHtml(request)) return false;
    const chosen = mark < 0 ? null : this.#inChosenLanguage(path, url.slice(mark + 1));
    if (chosen !== null) {
      sendWithoutReading(this.#explorer.answers, 'page', request, response, chosen);
      return true;
    }
    this.#answer(request, response, path, mark < 0 ? '' : url.slice(mark + 1));
    return true;
  }

  /** Keeps the language that a link chooses in a cookie, and leads to the same page; null for other requests. */
  #inChosenLanguage(path: string, queryText: string): PreparedResponse | null {
    if (!queryText.includes(`${LANGUAGE_PARAMETER}=`)) return null;
    const { [LANGUAGE_PARAMETER]: language, ...query } = queryOf(queryText);
    if (typeof language !== 'string' || !isLanguage(language)) return null;
    const { site } = this.#explorer;
    const cookie = `${LANGUAGE_PARAMETER}=${language}; Path=${site.basePath || '/'}; Max-Age=31536000; SameSite=Lax`;
    // A path that begins with two slashes, or what browsers read so, would name another host.
    const location = site.href(path.replace(/^[/\\]+/, '/'), query as Record<string, string>).text;
    const headers = [...HEADERS, 'location', location, 'set-cookie', cookie];
    return new PreparedResponse('', { status: 303, contentType: null, vary: VARY, headers });
  }

  #answer(request: IncomingMessage, response: ServerResponse, path: string, query: string): void {
    const { answers } = this.#explorer;
    // A slash at the end makes no difference.
    const found = this.#paths.find(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    const url = request.url!;
    const language = languageOf(request);
    let id: string | null = null;
    const respond = (params: unknown, units: number, refusal: Words | null): void => {
      const parsed = { params, language, id: id === null ? null : new WrittenId(id), refusal };
      void found!.value.responder.respond({
        raw: request,
        reply: response,
        params: parsed,
        units,
        source: { url, language },
      });
    };
    let params: unknown;
    try {
      if (found === null) throw pageNotFound('There is no such page.');
      const { path: pagePath, page } = found.value;
      const inPath = paramsOf(found);
      id = PAGE_OF_THING.test(pagePath) ? Object.values(inPath)[0]!.trim() : null;
      params = page.parse({ params: inPath, query: queryOf(query) });
    } catch (error) {
      const isOfQuery = query !== '' && found !== null && isSound(found);
      if (id !== null && !isOfQuery && error instanceof ApiError && mayBeAnotherThing(answers, id))
        return respond(id, 1, wordsOfError(error));
      const failed = { url, pagePath: found?.value.path ?? null, isOfQuery, language };
      return sendWithoutReading(answers, found?.value.name ?? 'page', request, response, this.#failed(error, failed));
    }
    respond(params, REQUEST_UNITS_OF_PAGE, null);
  }

  #served(page: AnyPage): ServedPage {
    const { answers } = this.#explorer;
    const name = `page ${page.path}`;
    const responder = new Responder<ParsedPage, RenderedPage, PageSource>(answers, {
      name,
      isAlwaysReady: page.isAlwaysReady ?? false,
      mayDependOnMempool: page.mayDependOnMempool ?? false,
      version: () => `${this.#version}${answers.marks.current.version}${this.#explorer.site.deepestReorganisation}`,
      slots: answers.resources.requests,
      vary: VARY,
      read: (store, parsed, caller) => this.#read(page, store, parsed, caller),
      present: (data, { params: { language } }, etag) => this.#prepared(data.content, data.tip, language, etag),
      fail: (error, { url, language }) => this.#failed(error, { url, pagePath: page.path, language }),
    });
    return { path: page.path, page, name, responder };
  }

  /** Reads and renders a page. An id that is unknown there, or of another form, leads to the page of what it is. */
  async #read(
    page: AnyPage,
    store: QueryRunner,
    { params, language, id, refusal }: ParsedPage,
    caller: Caller,
  ): Promise<RenderedPage> {
    let data: PageData = { tip: null };
    let content: RenderedPage['content'];
    let isUnknown = false;
    try {
      if (refusal !== null) throw badInput(refusal);
      data = await page.read(store, params, caller);
      if (data.tip !== null) await measureChain(this.#explorer.site, store, data.tip);
      const rendered = inLanguage(language, () => page.render(data, params));
      isUnknown = 'status' in rendered && rendered.status === 404;
      content = () => rendered;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && refusal === null)) throw error;
      isUnknown = true;
      content = () => {
        throw error;
      };
    }
    if (isUnknown && id !== null && mayBeAnotherThing(this.#explorer.answers, id.text)) {
      const { location, tip, dependsOnMempool } = await findPageOfId(this.#explorer.answers, store, id.text, caller);
      const isOther = location !== null && location.split('/')[1] !== page.path.split('/')[1];
      if (isOther) return { tip, dependsOnMempool, content: () => ({ location }) };
    }
    return { ...data, content, isCurrent: this.#whileStateIs(data) };
  }

  /** Says whether a page about the mempool or fee rates still shows the states of the mempool and of the node. */
  #whileStateIs({ pool, maxAgeMs }: PageData): RenderedPage['isCurrent'] {
    if (pool === undefined && maxAgeMs === undefined) return undefined;
    const isOfMempool = pool === undefined ? () => true : whileMempoolIs(pool, this.#explorer.answers);
    const statusChanges = this.#statusChanges;
    const until = performance.now() + (maxAgeMs ?? Number.POSITIVE_INFINITY);
    return () => this.#statusChanges === statusChanges && performance.now() < until && isOfMempool();
  }

  #prepared(
    make: () => PageContent | Redirect,
    tip: SnapshotTip | null,
    language: Language,
    etag: string | undefined,
  ): PreparedResponse {
    const content = inLanguage(language, make);
    if ('location' in content) {
      const headers = [...HEADERS, 'location', this.#explorer.site.href(content.location).text];
      return new PreparedResponse('', { status: 303, contentType: null, vary: VARY, headers });
    }
    const { text } = inLanguage(language, () => layout(this.#explorer.site, content, tip));
    const { status = 200 } = content;
    const common = { status, contentType: HTML_TYPE, vary: VARY, headers: HEADERS, isFor: pagesIn[language] };
    return new PreparedResponse(text, status === 200 ? { ...common, etag } : common);
  }

  #failed(error: unknown, failed: FailedRequest): PreparedResponse {
    const { site, answers } = this.#explorer;
    const apiError = toApiError(answers, error);
    const { status, retryAfter, tip } = apiError;
    const { text } = inLanguage(failed.language, () =>
      layout(site, errorPage(this.#explorer, apiError, failed), answers.tipWatch.tip),
    );
    const response = new PreparedResponse(text, {
      status,
      contentType: HTML_TYPE,
      vary: VARY,
      headers: retryAfter === undefined ? HEADERS : [...HEADERS, 'retry-after', String(retryAfter)],
    });
    return tip === null ? response : withChainTip(answers, tip, response);
  }
}

/** Which requests a cached page of a language may answer. */
const pagesIn = Object.fromEntries(
  Object.keys(LANGUAGES).map((language) => [
    language,
    (request: IncomingMessage) => acceptsHtml(request) && languageOf(request) === language,
  ]),
) as Readonly<Record<Language, (request: IncomingMessage) => boolean>>;

/** Is a text a whole id, address, hash or height? */
function mayBeAnotherThing({ network }: AnswersContext, text: string): boolean {
  const { terms, address, hexId, secretHash, problem } = parseSearchQuery(
    network,
    text.slice(0, MAX_SEARCH_TEXT_LENGTH),
    0,
  );
  if (problem !== null) return false;
  return (terms.ids ?? terms.height ?? address ?? hexId ?? secretHash) !== null;
}

type FoundPage = NonNullable<ReturnType<PathTree<ServedPage>['find']>>;

/** Returns the parameters of the path. Throws the error 400. */
function paramsOf({ params }: FoundPage): Record<string, string> {
  try {
    return params();
  } catch (error) {
    if (!(error instanceof UndecodableParameter)) throw error;
    throw badInput('The address contains a percent-encoding that is not UTF-8.');
  }
}

/** Is the path of a request sound, whatever its query? */
function isSound(found: FoundPage): boolean {
  try {
    found.value.page.parse({ params: paramsOf(found), query: {} });
    return true;
  } catch {
    return false;
  }
}

/** The label of styles, scripts and other files in the metrics. */
const ASSETS = 'page files';
