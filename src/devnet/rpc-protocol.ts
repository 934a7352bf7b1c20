/** JSON-RPC: requests, batches and responses as text. */
import {
  RpcError,
  rpcErrorResponse,
  rpcInternalError,
  rpcInvalidRequest,
  rpcMethodNotFound,
  rpcParseError,
  rpcResponseTooLarge,
} from './rpc-error.ts';
import { type RpcContext, RpcJsonResult, rpcMethod } from './rpc-methods.ts';
import { RpcParams } from './rpc-params.ts';

/** The text to send; `ascii` when that is known, it is then sent without a look at each character. */
export interface RpcResponseText {
  readonly text: string;
  readonly ascii: boolean;
}

type RequestId = string | number | null;

/** Methods that belong to one connection; undefined when it has no method of that name. */
export type ConnectionRpcMethods = (name: string) => ((params: RpcParams) => unknown) | undefined;

/**
 * Answers one JSON-RPC 2.0 message, a batch or a single request (docs/protocol.md#rpc-transport). Never throws:
 * whatever the message is, there is an answer; `undefined` only for notifications.
 */
export function respondToRpc(
  context: RpcContext,
  message: string,
  own?: ConnectionRpcMethods,
): RpcResponseText | undefined {
  let request: unknown;
  try {
    request = JSON.parse(message);
  } catch {
    return errorText(null, rpcParseError());
  }
  if (!Array.isArray(request)) return answerOne(context, request, message, own);
  if (request.length === 0) return errorText(null, rpcInvalidRequest());
  const texts: string[] = [];
  let length = 2;
  for (const single of request) {
    const text = answerOne(context, single, message, own)?.text;
    if (text === undefined) continue;
    length += text.length + 1;
    if (length > context.maxResponseBytes) return errorText(null, rpcResponseTooLarge(context.maxResponseBytes));
    texts.push(text);
  }
  return texts.length === 0 ? undefined : { text: `[${texts.join(',')}]`, ascii: false };
}

function answerOne(
  context: RpcContext,
  request: unknown,
  message: string,
  own: ConnectionRpcMethods | undefined,
): RpcResponseText | undefined {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    return errorText(null, rpcInvalidRequest());
  const { jsonrpc, id: givenId, method, params } = request as Record<string, unknown>;
  const id = isRequestId(givenId) ? givenId : null;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (givenId !== undefined && !isRequestId(givenId)))
    return errorText(id, rpcInvalidRequest());
  // A notification is carried out but not answered, not even when it fails.
  const isNotification = givenId === undefined;
  try {
    const result = call(context, method, new RpcParams(params, message), own);
    return isNotification ? undefined : resultText(context, id, result);
  } catch (error) {
    return isNotification ? undefined : errorText(id, error instanceof RpcError ? error : rpcInternalError());
  }
}

function call(context: RpcContext, name: string, params: RpcParams, own?: ConnectionRpcMethods): unknown {
  const ofConnection = own?.(name);
  if (ofConnection !== undefined) return ofConnection(params);
  const method = rpcMethod(name);
  if (method === undefined) throw rpcMethodNotFound();
  return method(context, params);
}

function resultText({ maxResponseBytes }: RpcContext, id: RequestId, result: unknown): RpcResponseText {
  const rendered = result instanceof RpcJsonResult;
  const json = rendered ? result.text : JSON.stringify(result);
  if (json.length > maxResponseBytes) throw rpcResponseTooLarge(maxResponseBytes);
  return {
    text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}`,
    ascii: rendered && typeof id !== 'string',
  };
}

function errorText(id: RequestId, error: RpcError): RpcResponseText {
  return { text: rpcErrorResponse(id, error), ascii: false };
}

function isRequestId(id: unknown): id is RequestId {
  return id === null || typeof id === 'string' || typeof id === 'number';
}
