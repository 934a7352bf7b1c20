/**
 * The head of a response that is sent many times: its status line and headers. Node checks and joins all headers anew for
 * each response, which is a sixth of what a hot one costs. Here it does so once; later responses take over the text, with
 * the end that Node adds itself (`Date`, `Connection`, `Keep-Alive`) from another response of the same second.
 */
import type { ServerResponse } from 'node:http';

/** A response as Node knows it. */
interface HeadedResponse {
  /** The whole head once it is made, with the empty line. */
  _header: string | null;
  /** Of the server, in milliseconds: it is in the head. */
  readonly _keepAliveTimeout: number;
}

/** What Node adds to the head of a response on a connection that stays open. */
interface AddedByNode {
  readonly text: string;
  /** Servers of one process may have different ones. */
  readonly keepAliveTimeout: number;
}

/** In this second; null until it is known. */
let addedByNode: AddedByNode | null = null;

export class ResponseHead {
  readonly status: number;
  /** Name, value, name, value, … without those that Node adds. */
  readonly #headers: readonly string[] | (() => readonly string[]);
  /** Its lines up to what Node adds; null until it was sent once and is sent again. */
  #text: string | null;
  #isChecked = false;

  /**
   * `text`: the lines of status and headers, each with its end, where they are known to be valid; Node does not check them
   * then, and the list of headers is only made when that way cannot be taken.
   */
  constructor(status: number, headers: readonly string[] | (() => readonly string[]), text: string | null = null) {
    this.status = status;
    this.#headers = headers;
    this.#text = text;
  }

  get headers(): readonly string[] {
    return typeof this.#headers === 'function' ? this.#headers() : this.#headers;
  }

  /** In place of `response.writeHead`. Throws what that throws when a header is not valid. */
  write(response: ServerResponse): void {
    const isPersistent = response.shouldKeepAlive && !response.hasHeader('connection');
    const headed = response as unknown as HeadedResponse;
    if (isPersistent && this.#text !== null && addedByNode?.keepAliveTimeout === headed._keepAliveTimeout) {
      response.statusCode = this.status;
      headed._header = this.#text + addedByNode.text;
      return;
    }
    response.writeHead(this.status, this.headers as string[]);
    if (isPersistent && (this.#isChecked || this.#text !== null)) this.#remember(headed);
    this.#isChecked = true;
  }

  #remember({ _header: head, _keepAliveTimeout: keepAliveTimeout }: HeadedResponse): void {
    const end = head?.lastIndexOf('\r\nDate: ') ?? -1;
    if (head === null || end < 0) return;
    const added = head.slice(end + 2);
    // Not so where Node closes the connection after all: after a response without a length in HTTP/1.0.
    if (!added.includes('\r\nConnection: keep-alive\r\n')) return;
    // Node makes the date once a second, too, and may not have made this second's yet.
    if (!added.startsWith(`Date: ${new Date().toUTCString()}`)) return;
    this.#text = head.slice(0, end + 2);
    if (addedByNode === null) setTimeout(forgetAdded, 1_000 - (Date.now() % 1_000)).unref();
    addedByNode = { text: added, keepAliveTimeout };
  }
}

function forgetAdded(): void {
  addedByNode = null;
}

/** Header lines, each with its end, of a list of name, value, name, value, … */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}
