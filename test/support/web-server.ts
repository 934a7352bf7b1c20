/** A web server over a test's index; every answer is checked against the OpenAPI document of a server of its kind. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ResponseProfileName } from '../../src/api/response-profile/profile.ts';
import { startWebServer } from '../../src/api/start-web-server.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { createExplorer } from '../../src/explorer/explorer.ts';
import type { ApiLogger } from '../../src/serving/logging/throttled-log.ts';
import { TestIndex } from './indexed-database.ts';
import { RawClient } from './raw-http.ts';
import { until } from './until.ts';

type WebServerOptions = Parameters<typeof startWebServer>[0];
export type TestServerOptions = Pick<WebServerOptions, 'network' | 'postgres'> & Partial<WebServerOptions>;

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when there is none. */
  readonly body: Json;
}

export type TestRequest = Pick<RequestInit, 'method' | 'headers' | 'body'>;

export interface Operation {
  readonly pattern: RegExp;
  readonly path: string;
  readonly method: string;
  readonly responses: Readonly<Record<string, object>>;
  readonly parameters: readonly DocumentedParameter[];
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: {
    readonly type: string;
    readonly format?: string;
    readonly enum?: readonly string[];
    readonly multipleOf?: number;
    readonly maximum?: number;
  };
}

const BASE = '/api/v2';
/** To compress and to unpack responses took a tenth of the time of tests that ask for many; test/serving/http has tests of it. */
const UNCOMPRESSED = { 'accept-encoding': 'identity' };

/** The operations of a server, and what validates their responses, by its OpenAPI document. */
class DescribedApi {
  static readonly #known = new Map<string, Promise<DescribedApi>>();
  readonly operations: readonly Operation[];
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    formats: { int32: true, int64: true, double: true },
  });
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(document: Json) {
    this.#ajv.addSchema(document, 'document');
    this.operations = Object.entries(document.paths as Record<string, Record<string, Json>>)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { responses, parameters = [] }]) => ({
          path,
          method,
          responses,
          parameters,
          pattern: patternOf(path),
        })),
      )
      .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
  }

  /** Asks the server of that port, unless one of the same kind was asked before: only the examples differ between those. */
  static of(port: number, ...options: readonly [ResponseProfileName, boolean, boolean]): Promise<DescribedApi> {
    const kind = options.join(' ');
    const known = DescribedApi.#known.get(kind) ?? fetchDocument(port).then((document) => new DescribedApi(document));
    DescribedApi.#known.set(kind, known);
    return known;
  }

  validator({ path, method }: Operation, code: string): ValidateFunction {
    const steps = ['paths', path, method, 'responses', code, 'content', 'application/json', 'schema'];
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `document#/${pointer}` });
    this.#validators.set(pointer, validate);
    return validate;
  }
}

async function fetchDocument(port: number): Promise<Json> {
  return (await fetch(`http://127.0.0.1:${port}${BASE}/openapi.json`)).json();
}

export class TestServer {
  readonly url: string;
  readonly port: number;
  /** The port of the metrics, if they have their own address. */
  readonly metricsPort: number | null;
  /** Stops the server before the test is over. */
  readonly stop: () => Promise<void>;
  readonly #api: DescribedApi;
  readonly #client: RawClient;

  private constructor(client: RawClient, api: DescribedApi, stop: () => Promise<void>, metricsPort: number | null) {
    const { port } = client;
    this.port = port;
    this.#client = client;
    this.stop = stop;
    this.metricsPort = metricsPort;
    this.url = `http://127.0.0.1:${port}`;
    this.#api = api;
  }

  /** The server that a client asks. */
  static async on(
    client: RawClient,
    {
      contract = 'described',
      enablePostRoutes = false,
      hasMesh = false,
    }: Pick<TestServerOptions, 'contract' | 'enablePostRoutes' | 'hasMesh'>,
    stop: () => Promise<void>,
    metricsPort: number | null = null,
  ): Promise<TestServer> {
    return new TestServer(
      client,
      await DescribedApi.of(client.port, contract, enablePostRoutes, hasMesh),
      stop,
      metricsPort,
    );
  }

  get operations(): readonly Operation[] {
    return this.#api.operations;
  }

  /** Returns the current OpenAPI document. */
  document(): Promise<Json> {
    return fetchDocument(this.port);
  }

  /** `GET` of a path below `/api/v2`. */
  get(path: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    return this.request(BASE + path, { headers });
  }

  /** Returns the result of `/ready`. */
  async isReady(): Promise<boolean> {
    return (await this.request('/ready')).status === 200;
  }

  /** The body of a `GET` that must succeed. */
  async json(path: string): Promise<Json> {
    const { status, text, body } = await this.get(path);
    assert.equal(status, 200, `${path}: ${text}`);
    return body;
  }

  /** Fails unless a `GET` is answered with this status and this error, and nothing more. */
  async refuses(path: string, status: number, error: string): Promise<void> {
    const answer = await this.get(path);
    assert.deepEqual([answer.status, answer.body], [status, { error }], path);
  }

  /** All pages of a list, by cursor from the empty one on, as mintlayer-core's SDKs walk. */
  async pages(path: string): Promise<Json[][]> {
    const pages: Json[][] = [];
    let cursor: string | null = '';
    do {
      const mark = path.includes('?') ? '&' : '?';
      const answer: TestAnswer = await this.get(`${path}${mark}cursor=${cursor}`);
      assert.equal(answer.status, 200, answer.text);
      pages.push(answer.body.items);
      cursor = answer.body.next_cursor;
    } while (cursor !== null);
    return pages;
  }

  /** `POST` of a batch: an object, or the text of one. */
  batch(body: object | string, headers: Record<string, string> = {}): Promise<TestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.request(`${BASE}/batch`, { method: 'POST', body: text, headers });
  }

  /** Redirections are not followed, and no answer is unpacked. */
  async request(path: string, { method = 'GET', headers: sent, body }: TestRequest = {}): Promise<TestAnswer> {
    const { pathname, search } = new URL(this.url + path);
    const response = await this.#client.send({
      method,
      path: pathname + search,
      headers: { ...UNCOMPRESSED, ...(sent as Record<string, string>) },
      body: body as string | Uint8Array,
    });
    const text = String(response.body);
    const headers = new Headers(response.headers as Record<string, string>);
    const isJson =
      headers.get('content-type') === 'application/json' && !headers.has('content-encoding') && text !== '';
    const answer = { status: response.status, headers, text, body: isJson ? JSON.parse(text) : undefined };
    assert.equal(headers.get('access-control-allow-origin'), '*', `CORS of ${path}`);
    const operation = this.operation(method, path);
    if (isJson && operation) this.check(operation, path, answer);
    return answer;
  }

  /** The documented operation that a request is for. */
  operation(method: string, path: string): Operation | undefined {
    const [bare] = path.split(/[?#]/, 1);
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    return this.operations.find((candidate) => candidate.method === name && candidate.pattern.test(bare!));
  }

  /** Fails unless the document has this status and this body for the operation. */
  check(operation: Operation, path: string, { status, body }: Pick<TestAnswer, 'status' | 'body'>): void {
    const code = String(status);
    assert.ok(
      code in operation.responses,
      `${operation.path} does not document status ${code}: ${JSON.stringify(body)}`,
    );
    const validate = this.#api.validator(operation, code);
    const isValid = validate(body);
    const reasons = JSON.stringify(validate.errors?.slice(0, 5));
    assert.ok(isValid, `${path} breaks its schema: ${reasons}: ${JSON.stringify(body).slice(0, 500)}`);
  }
}

/** What a path of the document matches: as in mintlayer-core, a parameter may be empty, but for one at the end. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/\{[a-z]+\}(?=\/)/g, '[^/]*').replace(/\{[a-z]+\}$/, '[^/]+')}$`);

export const SILENT = { info() {}, warn() {}, error() {} };

/** Remembers what is logged: the level, the message, and the fields but for errors. */
export class Notebook implements ApiLogger {
  readonly lines: string[] = [];

  info(fields: object, message: string): void {
    this.#note('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#note('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#note('error', fields, message);
  }

  /** The lines of which a part is this. */
  of(part: RegExp): string[] {
    return this.lines.filter((line) => part.test(line));
  }

  #note(level: string, fields: object, message: string): void {
    this.lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  }
}

/** Until the server has looked for a tip. One whose database is away, or silent, never does: that is not waited for. */
async function hasLooked(server: TestServer): Promise<void> {
  for (let attempt = 0; attempt < 30; attempt++) {
    const { text } = await server.request('/ready');
    if (!text.includes('cannot be reached')) return;
    await sleep(3);
  }
}

/** Starts a web server on a free port. It ends with the test. */
export async function startTestWebServer(
  t: Pick<TestContext, 'after'>,
  options: TestServerOptions,
): Promise<TestServer> {
  const server = await startWebServer({
    contract: 'described',
    enablePostRoutes: false,
    node: null,
    logger: SILENT,
    pages: createExplorer({ origin: 'http://127.0.0.1:3000' }),
    bindAddress: { host: '127.0.0.1', port: 0 },
    ...options,
  });
  const client = new RawClient(server.address.port, { connections: Number.POSITIVE_INFINITY });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    // The server would wait a second for the next request on them.
    client.closeIdle();
    stopped ??= server.stop();
    return stopped;
  };
  t.after(stop);
  const started = await TestServer.on(client, options, stop, server.metricsAddress?.port ?? null);
  await hasLooked(started);
  return started;
}

/** A web server that is ready, over an index that holds nothing but its genesis unless one is given. */
export async function serveIndex(
  t: Pick<TestContext, 'after'>,
  network: Network,
  { index, ...options }: Partial<TestServerOptions> & { readonly index?: TestIndex } = {},
): Promise<{ readonly index: TestIndex; readonly server: TestServer }> {
  const served = index ?? (await TestIndex.create(t, network));
  const server = await startTestWebServer(t, { network, postgres: served.postgres, ...options });
  await until(() => server.isReady(), 'readiness');
  return { index: served, server };
}

/** Fails unless the path is answered with 503 for this reason, and with when to try again. */
export async function assertUnavailable(server: TestServer, path: string, error: RegExp): Promise<void> {
  const answer = await server.get(path);
  assert.equal(answer.status, 503, `${path}: ${answer.text}`);
  assert.match(answer.body.error, error);
  assert.match(answer.headers.get('retry-after')!, /^[1-9][0-9]*$/);
}
