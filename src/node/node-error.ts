/** Errors of the connection to the node. */
export type NodeErrorKind =
  /** No connection, a connection that broke, or a gateway that says that the node is away. */
  | 'unreachable'
  /** The node refused our credentials, or there are none to send. */
  | 'unauthorized'
  /** Its genesis is not that of the network. */
  | 'other network'
  /** Connected, but no progress for too long. */
  | 'timeout'
  /** The node understood and answered with an error: see `NodeError.rpc`. */
  | 'rpc'
  /** The response is not what the method gives. */
  | 'malformed';

/** The error object of a JSON-RPC response, texts unchanged. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Codes of JSON-RPC responses that we act on (docs/protocol.md#rpc-transport). */
const RPC_INTERNAL_ERROR = -32603;
export const RPC_RESPONSE_TOO_LARGE = -32008;

/**
 * A failure of a call to the node. The message tells an operator what happened and what to look at;
 * `retryable` says whether the same call may succeed later without anybody changing a setting.
 */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly kind: NodeErrorKind;
  readonly retryable: boolean;
  /** Present when `kind` is `rpc`. */
  readonly rpc: RpcFailure | undefined;

  constructor(
    kind: NodeErrorKind,
    message: string,
    options: { retryable?: boolean; rpc?: RpcFailure; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.rpc = options.rpc;
    this.retryable = options.retryable ?? retryableByKind(kind, options.rpc);
  }

  /** The node's response to `method` was an error object. */
  static ofRpc(method: string, rpc: RpcFailure): NodeError {
    const data = rpc.data === undefined ? '' : `: ${textOf(rpc.data)}`;
    return new NodeError('rpc', `The node refused ${method}: ${rpc.message}${data} (code ${rpc.code}).`, { rpc });
  }

  /** The node's response to `method` is not `expected`. */
  static malformed(method: string, expected: string, got: unknown): NodeError {
    return new NodeError(
      'malformed',
      `The node answered ${method} with something else than ${expected}: ${oneLineExcerpt(got)}. ` +
        'Is the address really that of a Mintlayer node?',
    );
  }
}

/** Was the response larger than the node, or we, allow? */
export function isResponseTooLarge(error: unknown): boolean {
  return error instanceof NodeError && error.rpc?.code === RPC_RESPONSE_TOO_LARGE;
}

function retryableByKind(kind: NodeErrorKind, rpc: RpcFailure | undefined): boolean {
  switch (kind) {
    case 'unreachable':
    case 'other network':
    case 'timeout':
    case 'malformed':
      return true;
    case 'unauthorized':
      return false;
    case 'rpc':
      return rpc?.code === RPC_INTERNAL_ERROR;
  }
}

/** A text as it is, anything else as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Nested too deeply, though it was read as JSON.
    return 'something that cannot be shown';
  }
}

/** The start of a value as text, so that an error message stays one line. */
export function oneLineExcerpt(value: unknown): string {
  // The ids of calls grow: what comes again would be another text each time.
  const line = textOf(value)
    .replace(/\s+/g, ' ')
    .replace(/"id":\d+/, '"id":…')
    .trim();
  return line === '' ? 'nothing' : line.length > 120 ? `${line.slice(0, 117)}...` : line;
}
