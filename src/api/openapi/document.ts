/** The OpenAPI document, with examples of the served chain. */
import type { Network } from '../../chain/networks/network.ts';
import { etagOfText } from '../../serving/http/headers.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RoutedRequest, RouteGroup } from '../../serving/http/routes.ts';
import { errorResponse } from '../../serving/route/error-response.ts';
import type { ApiContext } from '../api-context.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { type DocumentHead, EXTENSION_TAG, type OpenApiDocument } from './assemble-document.ts';
import { DOCUMENTATION_PATH } from './documentation-page.ts';
import { type ExampleIdKind, type ExampleIds, readExampleIds } from './example-ids.ts';

const DOCUMENT_PATH = '/api/v2/openapi.json';

const about = (profile: ResponseProfile, network: Network) => `\
Blocks, transactions, addresses, staking pools, delegations, tokens, NFTs and orders of the network **${network.name}**,
in the format \`${profile.name}\` (the response profile that the operator has chosen). Reading needs no credentials, and any origin may read (CORS).

**Start here**: \`GET /api/v2/chain/tip\` returns the newest block, \`GET /api/v2/transaction/{id}\` a transaction,
\`GET /api/v2/address/{address}\` an address, and \`GET /api/v2/stream?address=…\` sends an event for each change of an
address. The other operations are grouped by subject below.

**Try it**: open an operation below and press *Execute*. The parameters are filled in with ids of this chain.

**Amounts** are \`{"atoms", "decimal"}\`: the integer count of the smallest unit, and the same in whole units. Both are strings.

**Lists** take \`items\` (default 10, maximum 100) and \`offset\`; some lists of an address are returned whole
unless the request asks for a page. For deep pages use the \`cursor\`: every page but the last has the next cursor in
\`x-next-cursor\`, and its URL in \`Link\`. Paging by cursor never repeats or skips an entry, even as blocks arrive. The exception
is a list sorted by a value that changes (holders, and pools by most sort orders): an entry whose value changes may be
repeated or skipped.

**Caching**: responses that depend only on the chain have an \`ETag\`; responses that depend on pending transactions have none. A
request with the tag in \`If-None-Match\` gets 304 while the tip is the same.

**Limits**: do not pipeline requests: the connection is closed after the first response. 429: too many requests, or too many
at once. 503: the server cannot respond at the moment. Both have \`retry-after\`.

**Errors** are \`{"error": text}\`. An unknown path returns 400, an unsupported method 405. \`HEAD\`
works wherever \`GET\` does.`;

const TAGS = [
  { name: 'Service', description: 'About this server' },
  { name: 'Chain', description: 'The genesis, the tip, and blocks by height' },
  { name: 'Blocks', description: 'Blocks of the main chain by id' },
  { name: 'Transactions', description: 'Transactions of the main chain, their proofs and their outputs' },
  { name: 'Addresses', description: 'Balances, outputs and history of an address' },
  { name: 'Pools and delegations', description: 'Staking' },
  { name: 'Tokens and NFTs', description: 'Fungible tokens and NFTs' },
  { name: 'Orders', description: 'The order book' },
  { name: 'Statistics', description: 'Supply and holders of the coin and of each token' },
  { name: 'Events', description: 'Blocks, reorganisations and pending transactions as they happen' },
  { name: 'Mempool', description: 'Pending transactions' },
  { name: 'Batches', description: 'Many requests of one kind at once' },
  { name: EXTENSION_TAG, description: 'Lists, look-ups and search that mintlayer-core does not have' },
  { name: 'Fees and submission', description: 'Requests that need the node' },
];

const MESH_TAG = { name: 'Mesh', description: 'The Mesh (Rosetta) API, for exchanges and custodians' };

/** Returns everything in the document but its paths and components. */
export function documentHead(
  profile: ResponseProfile,
  network: Network,
  publicUrl: string,
  hasMesh: boolean,
): DocumentHead {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mintlayer chain indexer',
      version: '2.0.0',
      summary: 'A REST API over the indexed Mintlayer chain',
      license: { name: 'MIT', identifier: 'MIT' },
      description: about(profile, network),
    },
    servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
    tags: hasMesh ? [...TAGS, MESH_TAG] : TAGS,
    security: [],
  };
}

/** Adds `/api/v2/openapi.json`, and the document for the page `/docs`. `read` returns the document without examples. */
export function documentRoutes(routes: RouteGroup, context: ApiContext, read: () => OpenApiDocument): void {
  const document = new CachedDocument(context, read);

  async function respond({ raw, reply }: RoutedRequest): Promise<void> {
    const began = context.metrics.begin();
    const finished = await document.current().catch((error: unknown) => errorResponse(context, error));
    context.metrics.end(DOCUMENT_PATH, finished.status, began);
    finished.send(raw, reply);
  }

  // The page reads the document from the first path.
  for (const path of [`${DOCUMENTATION_PATH}/json`, DOCUMENT_PATH])
    routes.add({ method: 'GET', path, schema: null, handle: (request) => void respond(request) });
}

interface CachedVersion {
  readonly document: Promise<PreparedResponse>;
  /** The tip's revision when the examples were read; undefined if there was no tip. */
  readonly revision: number | undefined;
}

/** The document with examples of the chain, cached until the tip changes. */
class CachedDocument {
  readonly #context: ApiContext;
  readonly #read: () => OpenApiDocument;
  #cached: CachedVersion | null = null;

  /** `read` returns the document without examples. */
  constructor(context: ApiContext, read: () => OpenApiDocument) {
    this.#context = context;
    this.#read = read;
  }

  current(): Promise<PreparedResponse> {
    const revision = this.#context.tipWatch.tip?.revision;
    if (this.#cached === null || this.#cached.revision !== revision) {
      const cached: CachedVersion = { document: this.#make(), revision };
      cached.document.catch(() => {
        if (this.#cached === cached) this.#cached = null;
      });
      this.#cached = cached;
    }
    return this.#cached.document;
  }

  async #make(): Promise<PreparedResponse> {
    // The document has no examples while the database is unreachable.
    const exampleIds = await readExampleIds(this.#context).catch(() => ({}));
    const text = JSON.stringify(withExamples(this.#read(), exampleIds));
    return new PreparedResponse(text, { etag: etagOfText(text) });
  }
}

interface DocumentedParameter {
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: { readonly format?: string; readonly enum?: readonly string[] };
}

/** The routes whose example is an address of a certain kind. */
const ADDRESS_EXAMPLES: Readonly<Record<string, ExampleIdKind>> = {
  '/api/v2/address/{address}/delegations': 'delegator',
  '/api/v2/address/{address}/token-authority': 'authority',
};
/** The names of required parameters: without an optional one, the example shows what is now. */
const EXAMPLES_BY_NAME: Readonly<Record<string, ExampleIdKind>> = {
  height: 'height',
  day: 'day',
  ticker: 'ticker',
  index: 'output-index',
  from: 'from',
  to: 'to',
  time: 'to',
  q: 'search',
};

/** Returns the document with examples for the parameters, as far as the chain has any. */
function withExamples<Document extends { paths?: object | undefined }>(
  document: Document,
  exampleIds: ExampleIds,
): Document {
  const exampleOf = (path: string, { name, required, schema }: DocumentedParameter) => {
    const kind =
      (name === 'address' && ADDRESS_EXAMPLES[path]) || (required && EXAMPLES_BY_NAME[name]) || schema?.format;
    return exampleIds[kind as ExampleIdKind] ?? (required && kind === undefined ? schema?.enum?.[0] : undefined);
  };
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, object>>).map(
    ([path, operations]) => {
      const exemplified = Object.entries(operations).map(([method, operation]) => {
        const { parameters } = operation as { parameters?: DocumentedParameter[] };
        if (parameters === undefined) return [method, operation];
        const withExample = parameters.map((parameter) => {
          const example = exampleOf(path, parameter);
          return example === undefined ? parameter : { ...parameter, example };
        });
        return [method, { ...operation, parameters: withExample }];
      });
      return [path, Object.fromEntries(exemplified)];
    },
  );
  return { ...document, paths: Object.fromEntries(paths) };
}
