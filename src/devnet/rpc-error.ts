/** The error object of a JSON-RPC answer. Codes and texts are the node's (docs/protocol.md#rpc-transport). */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const rpcParseError = () => new RpcError(-32700, 'Parse error');
export const rpcInvalidRequest = () => new RpcError(-32600, 'Invalid request');
export const rpcMethodNotFound = () => new RpcError(-32601, 'Method not found');
export const rpcInvalidParams = (data: string) => new RpcError(-32602, 'Invalid params', data);
export const rpcInternalError = () => new RpcError(-32603, 'Internal error');
export const rpcRequestTooLarge = (limit: number) =>
  new RpcError(-32007, 'Request is too big', `Exceeded max limit of ${limit}`);
export const rpcResponseTooLarge = (limit: number) =>
  new RpcError(-32008, 'Response is too big', `Exceeded max limit of ${limit}`);
/** The call itself failed; `reason` is the node's text. */
export const rpcCallFailed = (reason: string) => new RpcError(-32000, reason);
/** The error of HTTP status 401 (docs/protocol.md#rpc-authentication). */
export const rpcUnauthorized = () => new RpcError(401, 'Unauthorized');

/** The whole answer with this error; `id` is `null` when the request's own is not known. */
export function rpcErrorResponse(id: string | number | null, error: RpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}
