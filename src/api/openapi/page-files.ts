/**
 * The files of the documentation page, as the library makes them, read once at the start and cached: they are sent like
 * every other response, and no client can make the server open a file.
 */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import Fastify from 'fastify';
import { fnv1a } from '../http/fnv1a.ts';
import { PreparedResponse } from '../http/prepared-response.ts';

/** Headers of the library's responses that are not copied: they are set by us, or only true of files. */
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

/** The responses of the page by their path below `prefix`, `''` and `'/'` included. Throws when a file is missing. */
export async function readPageFiles(
  prefix: string,
  options: FastifySwaggerUiOptions,
): Promise<Map<string, PreparedResponse>> {
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
          etag: `W/"${fnv1a(rawPayload.toString('latin1')).toString(36)}-${rawPayload.length}"`,
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
  return (theme?.css ?? []).map(({ filename }) => `/static/theme/${filename}`);
}

/** The files in the library's package; `index.html` it generates itself. */
async function staticFiles(): Promise<string[]> {
  const directory = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
  const names = await readdir(directory);
  return names.filter((name) => name !== 'index.html' && !name.endsWith('.map')).map((name) => `/static/${name}`);
}
