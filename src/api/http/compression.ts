/** Compression of responses, in Node's thread pool: a few at a time, of clients in turns, and never of very large ones. */
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Holding } from '../../resources/holdings.ts';
import { ClientGone, ResourceRefusal } from '../../resources/resources.ts';
import { connectionOf } from './connection.ts';

export type Encoding = 'br' | 'gzip';

/** Bodies from this size on are compressed for clients that can read it: below, headers and a packet's frame weigh more. */
export const COMPRESS_FROM_BYTES = 4_096;
/** Compressing takes some 25 ms of a thread for each megabyte. */
const MOST_COMPRESSED_BYTES = 4 * 1024 * 1024;

const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 4 }),
};

/**
 * The compressed body of a response. Null where it is to be sent as it is: it is too large, the server is too busy, or the
 * client has gone. While it waits, the body counts among what its client has not taken.
 */
export async function compress(encoding: Encoding, body: Buffer, response: ServerResponse): Promise<Buffer | null> {
  const connection = connectionOf(response.req.socket);
  if (body.length > MOST_COMPRESSED_BYTES || connection === undefined) return null;
  const { unsent_bytes, compressions } = connection.resources;
  const waiting: Holding = {
    client: connection.caller.client,
    amount: 0,
    shared: body,
    takeBack: () => connection.cut(),
  };
  unsent_bytes.add(waiting);
  try {
    return await compressions.run(connection.caller, 1, () => compressors[encoding](body));
  } catch (error) {
    if (error instanceof ResourceRefusal || error instanceof ClientGone) return null;
    throw error;
  } finally {
    unsent_bytes.remove(waiting);
  }
}

/** The best encoding that the header `accept-encoding` names; null for none. */
export function acceptedEncoding(accepted: string | undefined): Encoding | null {
  if (accepted === undefined) return null;
  let best: Encoding | null = null;
  for (const item of accepted.split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue;
    if (name === 'br') return 'br';
    if (name === 'gzip' || name === '*') best = 'gzip';
  }
  return best;
}
