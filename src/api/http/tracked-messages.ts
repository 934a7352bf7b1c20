/** Node's requests and responses, which tell their {@link Connection} what it counts. */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connectionOf, isBodyRead } from './connection.ts';
import { hasBody } from './headers.ts';

/**
 * A request that counts the pieces of its body: chunks, or what a read of the connection returned. A listener for 'data'
 * would not see them while the body is paused or nobody reads it, and Node keeps up to 64 kB then: 65,536 pieces.
 */
export class PieceCountingRequest extends IncomingMessage {
  /** Node calls it with each piece when it was parsed, and with null at the end. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(null);
    if (connectionOf(this.socket)?.countPiece(piece.length) === false) return false;
    return isBodyRead(this.method) ? super.push(piece) : true;
  }
}

/** A response that notes when its client has taken it. A listener for each response would add half a microsecond. */
export class UnsentTrackingResponse extends ServerResponse {
  /** Has what still comes of the request's body read and so counted: Node would drop it uncounted. */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const { req } = this;
    if (!req.complete && hasBody(req)) req.resume();
    return super.end(chunk, encoding as BufferEncoding, callback as () => void);
  }

  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    connectionOf(socket)?.onTaken();
  }
}
