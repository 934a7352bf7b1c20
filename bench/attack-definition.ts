/** The actions of malicious clients, as values: their requests, pace, reading, and the moment when they leave. */

export interface AttackRequest {
  /** `{n}` in it is a number that grows from request to request. */
  readonly path: string;
  /**
   * Makes it a POST: a text, then another one so many times, then the end. With the header `transfer-encoding`, the texts are
   * the chunks with their sizes.
   */
  readonly body?: {
    readonly text: string;
    readonly repeated?: string;
    readonly times?: number;
    readonly end?: string;
  };
}

export interface Attack {
  readonly connections: number;
  /** Sent in turn, over all connections together. */
  readonly requests: readonly AttackRequest[];
  /** Sent with each request besides `host`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The number of requests that are sent at once over a connection. */
  readonly pipeline: number;
  readonly sends: 'at once' | 'a byte a second' | 'all but the last byte';
  /** `slowly`: 30 kB a second. */
  readonly reads: 'all' | 'slowly' | 'never';
  /** The time of the next requests over the connection: after all responses, or at intervals in any case. */
  readonly again: { readonly afterResponsesMs: number } | { readonly everyMs: number };
  /** The client closes a connection at a random moment between these after it was opened; null: never. */
  readonly leaves: { readonly earliestMs: number; readonly latestMs: number } | null;
  /** After this time a connection that was closed, by whom ever, is opened again. */
  readonly returnsAfterMs: number;
}

/** The order to the process of an attacker. */
export interface AttackOrder extends Attack {
  readonly port: number;
  /** The address that it comes from. */
  readonly localAddress: string;
  readonly seed: number;
}

/** The bytes of a request, the `n`th one. */
export function requestText({ path, body }: AttackRequest, headers: Attack['headers'], n: number): string {
  const target = path.replaceAll('{n}', `${n}`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body === undefined) return `GET ${target} HTTP/1.1\r\nhost: a\r\n${lines.join('')}\r\n`;
  const text = bodyText(body);
  const length = 'transfer-encoding' in headers ? '' : `content-length: ${text.length}\r\n`;
  return `POST ${target} HTTP/1.1\r\nhost: a\r\n${lines.join('')}${length}\r\n${text}`;
}

export function bodyText({ text, repeated = '', times = 1, end = '' }: NonNullable<AttackRequest['body']>): string {
  return text + repeated.repeat(times) + end;
}
