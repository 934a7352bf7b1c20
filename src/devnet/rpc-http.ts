import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorAnswer, unauthorized } from './rpc-error.ts';
import type { AnswerText } from './rpc-protocol.ts';

/** The body, undefined when it is larger than `limit`; the rest is then not read. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The answer as it goes over the wire. */
export const answerBytes = ({ text, ascii }: AnswerText) => Buffer.from(text, ascii ? 'latin1' : 'utf8');

/** Ends the response with an answer. */
export function json(
  response: ServerResponse,
  status: number,
  text: AnswerText,
  headers: Record<string, string> = {},
): void {
  const body = answerBytes(text);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
}

/** Ends the response with a plain text, whatever the request's body is. */
export function plain(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  request.resume();
  response.writeHead(status, { 'content-type': 'text/plain', ...headers });
  response.end(text);
}

/** Status 401 (docs/protocol.md#rpc-authentication). */
export function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const text = errorAnswer(null, unauthorized());
  json(response, 401, { text, ascii: true }, { 'www-authenticate': 'Basic' });
}

/** Ends a connection that wanted to become a WebSocket; `status` is code and phrase. */
export function refuseUpgrade(socket: Duplex, status: string, body: string): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nWWW-Authenticate: Basic\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** Breaks the connection in the middle of the answer. */
export function truncate(request: IncomingMessage, response: ServerResponse, text: AnswerText | undefined): void {
  const body = answerBytes(text ?? { text: '', ascii: true });
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy());
}
