/**
 * Reads request bodies, whose bytes are counted in the accounts of their clients, from their arrival until the response is
 * sent. If there are too many, the largest body of the client with the most bytes is refused.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors/api-error.ts';
import { ClientGone } from '../resources/caller.ts';
import type { Holding, Holdings } from '../resources/reclaimable-holdings.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import { connectionOf } from './connection.ts';
import { requestHeader } from './headers.ts';

/**
 * From this size on, a turn of the event loop reads one or two pieces of a body, of 64 kB each. Otherwise it reads up to
 * 2 MB of each connection before anything else runs.
 */
const READ_AT_ONCE_BYTES = 64 * 1024;

/**
 * Resolves to the body of a request, of any content type; empty if it has none. Rejects with the error 413 for more than
 * `maxBytes`, a ResourceRefusal, or ClientGone. The connection is closed after the response to a body that was refused.
 */
export function readRequestBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  bodies: Holdings,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const connection = connectionOf(request.socket)!;
    const pieces: Buffer[] = [];
    let isSettled = false;

    function refuse(error: unknown): void {
      isSettled = true;
      pieces.length = 0;
      response.setHeader('connection', 'close');
      reject(error);
    }
    const body: Holding = {
      client: connection.caller.client,
      amount: 0,
      takeBack: () => {
        // After the body is complete, or the response has begun, only the connection can be cut.
        if (isSettled || response.headersSent) connection.cut();
        else refuse(new ResourceRefusal('body_bytes', true));
      },
    };

    if (Number(requestHeader(request, 'content-length') ?? 0) > maxBytes) {
      refuse(tooLarge());
      return;
    }
    bodies.add(body);
    // The memory of a body is free when the response is sent, or the client has disconnected.
    response.once('close', () => bodies.remove(body));
    request.on('data', (piece: Buffer) => {
      if (isSettled) return;
      bodies.resize(body, body.amount + piece.length);
      if (isSettled) return;
      if (body.amount > maxBytes) {
        refuse(tooLarge());
        return;
      }
      pieces.push(piece);
      if (body.amount < READ_AT_ONCE_BYTES) return;
      request.pause();
      setImmediate(() => request.resume());
    });
    request.once('end', () => {
      if (isSettled) return;
      isSettled = true;
      resolve(Buffer.concat(pieces));
    });
    request.once('error', () => {});
    request.once('close', () => {
      if (isSettled) return;
      isSettled = true;
      bodies.remove(body);
      reject(new ClientGone());
    });
  });
}

/** The words of mintlayer-core. */
const tooLarge = () => new ApiError(413, 'Failed to buffer the request body: length limit exceeded');
