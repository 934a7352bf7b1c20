/** The page `/docs`, which shows the OpenAPI document and sends requests. It loads nothing from other hosts. */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { badRequest } from '../errors/api-error.ts';
import { etagOfText } from '../http/headers.ts';
import { PreparedResponse, sendCounted } from '../http/prepared-response.ts';
import type { ApiContext } from '../route/context.ts';
import { errorResponse } from '../route/error-response.ts';

export const PAGE_PATH = '/docs';

/** Makes the fields of parameters wide enough for ids. */
const PAGE_STYLE = `
.swagger-ui .parameters-col_description input[type='text'] { max-width: 100%; width: 46em; font-family: monospace; }
.swagger-ui .parameters-col_name { padding-right: 1em; width: 12em; }
.swagger-ui .info { margin: 2em 0 1em; }
.explorer { position: absolute; margin: 1em 20px; font: 14px sans-serif; }
.dark-mode .explorer { color: #8bd3c7; }
`;

/** The theme that the explorer's pages keep in the browser, or the system's; and a link to those pages, if there are any. */
const PAGE_SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)');
function applyTheme() {
  let theme;
  try { theme = localStorage.getItem('theme'); } catch {}
  document.documentElement.classList.toggle('dark-mode', theme === 'dark' || (theme !== 'light' && dark.matches));
}
applyTheme();
dark.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);
const link = document.createElement('a');
Object.assign(link, { className: 'explorer', href: location.pathname.replace(/docs.*/, ''), textContent: 'Back to the explorer' });
fetch(link.href, { method: 'HEAD' }).then(({ ok }) => ok && document.body.prepend(link), () => {});
`;

/** Allows this server only, also over plain HTTP, and inline styles, which the page uses. */
const contentSecurityPolicy = (publicUrl: string) => ({
  'default-src': "'self'",
  // "Execute" sends requests to this origin.
  ...(publicUrl === '' ? {} : { 'connect-src': `'self' ${new URL(publicUrl).origin}` }),
  'base-uri': "'self'",
  'frame-ancestors': "'self'",
  'img-src': "'self' data:",
  'object-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
});

/** Adds `/docs` and its files. */
export async function documentationPageRoutes(app: FastifyInstance, context: ApiContext): Promise<void> {
  const files = await pageFiles(context.publicUrl);
  const unknown = errorResponse(context, badRequest('Bad request'));

  function sendFile(request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack();
    const path = request.url.split('?', 1)[0]!.slice(PAGE_PATH.length);
    sendCounted(context.metrics, PAGE_PATH, request.raw, reply.raw, files.get(path) ?? unknown);
  }

  for (const path of ['', '/', '/static/*']) app.get(`${PAGE_PATH}${path}`, { schema: { hide: true } }, sendFile);
}

function pageOptions(publicUrl: string): FastifySwaggerUiOptions {
  return {
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      docExpansion: 'list',
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
    },
    theme: {
      title: 'Mintlayer chain indexer',
      css: [{ filename: 'page.css', content: PAGE_STYLE }],
      js: [{ filename: 'page.js', content: PAGE_SCRIPT }],
    },
    staticCSP: contentSecurityPolicy(publicUrl),
    // The page at `/docs`, without a slash at the end, links to its files by their whole path.
    ...(publicUrl === '' ? {} : { indexPrefix: new URL(publicUrl).pathname }),
  };
}

/** Headers of the library's responses that are not copied: they are set here, or they only apply to files. */
const LEFT_OUT = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'accept-ranges',
  'last-modified',
  'etag',
  'cache-control',
]);

const knownPageFiles = new Map<string, Promise<Map<string, PreparedResponse>>>();

/** The responses of the page, which all servers of the process with that public URL share. */
function pageFiles(publicUrl: string): Promise<Map<string, PreparedResponse>> {
  const files = knownPageFiles.get(publicUrl) ?? readPageFiles(PAGE_PATH, pageOptions(publicUrl));
  knownPageFiles.set(publicUrl, files);
  return files;
}

/** The responses of the page by their path below `prefix`, `''` and `'/'` included. Throws when a file is missing. */
async function readPageFiles(prefix: string, options: FastifySwaggerUiOptions): Promise<Map<string, PreparedResponse>> {
  const library = Fastify({ logger: false });
  await library.register(fastifySwagger, { openapi: {} });
  await library.register(fastifySwaggerUi, { ...options, routePrefix: prefix });
  try {
    await library.ready();
    const paths = ['', '/', '/static/swagger-initializer.js', ...themeFiles(options), ...(await staticFiles())];
    const files = paths.map(async (path): Promise<[string, PreparedResponse]> => {
      const { statusCode, headers, rawPayload } = await library.inject({ method: 'GET', url: `${prefix}${path}` });
      if (statusCode !== 200) throw new Error(`the documentation page has no ${path}: status ${statusCode}`);
      const kept = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name));
      return [
        path,
        new PreparedResponse(rawPayload, {
          contentType: String(headers['content-type']),
          etag: etagOfText(rawPayload.toString('latin1')),
          headers: kept.flatMap(([name, value]) => [name, String(value)]),
        }),
      ];
    });
    return new Map(await Promise.all(files));
  } finally {
    await library.close();
  }
}

function themeFiles({ theme }: FastifySwaggerUiOptions): string[] {
  return [...(theme?.css ?? []), ...(theme?.js ?? [])].map(({ filename }) => `/static/theme/${filename}`);
}

/** Returns the files in the library's package; the library generates `index.html`. */
async function staticFiles(): Promise<string[]> {
  const directory = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
  const names = await readdir(directory);
  return names.filter((name) => name !== 'index.html' && !name.endsWith('.map')).map((name) => `/static/${name}`);
}
