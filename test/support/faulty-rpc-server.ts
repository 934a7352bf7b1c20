/** The devnet's RPC server with faults between it and its clients. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { RpcAuthenticator } from '../../src/devnet/rpc-authentication.ts';
import { RpcError, rpcErrorResponse, rpcUnauthorized } from '../../src/devnet/rpc-error.ts';
import type { ConnectionRpcMethods } from '../../src/devnet/rpc-protocol.ts';
import {
  RpcServer,
  type RpcServerOptions,
  refuseUpgrade,
  responseBytes,
  sendJson,
  sendPlainText,
  sendUnauthorized,
} from '../../src/devnet/rpc-server.ts';
import type { ServedNode } from '../../src/devnet/served-node-interface.ts';

const FLOOD_CHUNK = Buffer.alloc(64 * 1024, ' ');
/** More than any client takes. */
const MAX_FLOOD_MESSAGE_BYTES = 64 * 1024 * 1024;

export type Fault =
  /** The connection breaks before the answer. */
  | { readonly type: 'drop' }
  /** The answer comes later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** HTTP 200 with a text that is no JSON-RPC. */
  | { readonly type: 'garbage'; readonly text: string }
  /** Responds as if the credentials were wrong. */
  | { readonly type: 'unauthorized' }
  /** The connection breaks in the middle of the answer. */
  | { readonly type: 'truncate' }
  /** An answer of so many bytes, however many that are, that says nothing. */
  | { readonly type: 'flood'; readonly bytes: number }
  /** Responds with a status, as a gateway does. */
  | { readonly type: 'status'; readonly status: number }
  /** The method fails with this error. */
  | { readonly type: 'rpc'; readonly code: number; readonly message: string };

interface FaultyCall {
  /** The method of the message (of the first request of a batch), `upgrade` when a WebSocket is asked for. */
  readonly method: string;
  readonly transport: 'http' | 'websocket';
}

/** Called before each message is answered; undefined lets it pass. */
export type FaultHook = (call: FaultyCall) => Fault | undefined;

export interface FaultyRpcServerOptions extends RpcServerOptions {
  readonly faults?: FaultHook;
}

/** Serves like `serveRpc`, with faults. */
export async function serveFaultyRpc(chain: ServedNode, options: FaultyRpcServerOptions = {}): Promise<RpcServer> {
  return new FaultyRpcServer(chain, await RpcAuthenticator.open(options.auth ?? { type: 'none' }), options).listen();
}

class FaultyRpcServer extends RpcServer {
  readonly #faults: FaultHook | undefined;

  constructor(chain: ServedNode, gatekeeper: RpcAuthenticator, options: FaultyRpcServerOptions) {
    super(chain, gatekeeper, options);
    this.#faults = options.faults;
  }

  protected override async respond(request: IncomingMessage, response: ServerResponse, message: string) {
    const fault = await this.#faultOf(methodOf(message), 'http');
    switch (fault?.type) {
      case 'drop':
        return void request.socket.destroy();
      case 'garbage':
        return sendPlainText(request, response, 200, fault.text);
      case 'unauthorized':
        return sendUnauthorized(request, response);
      case 'truncate': {
        const body = responseBytes(this.answer(message) ?? { text: '', ascii: true });
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
        return void response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy());
      }
      case 'flood':
        return flood(response, fault.bytes);
      case 'status':
        return sendPlainText(request, response, fault.status, 'What is behind this gateway is away.\n');
      case 'rpc':
        return sendJson(response, 200, { text: faultAnswer(message, fault), ascii: false });
      case 'delay':
      case undefined:
        return super.respond(request, response, message);
    }
  }

  protected override async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const fault = await this.#faultOf('upgrade', 'websocket');
    if (fault === undefined || fault.type === 'delay') return super.upgrade(request, socket, head);
    if (fault.type !== 'unauthorized') return void socket.destroy();
    refuseUpgrade(socket, '401 Unauthorized', rpcErrorResponse(null, rpcUnauthorized()));
  }

  protected override async respondOverSocket(
    socket: WebSocket,
    message: string,
    methods: ConnectionRpcMethods,
    send: (text: string | Buffer) => void,
  ) {
    const fault = await this.#faultOf(methodOf(message), 'websocket');
    switch (fault?.type) {
      case 'drop':
      case 'truncate':
      case 'unauthorized':
      case 'status':
        return socket.terminate();
      case 'garbage':
        return send(fault.text);
      case 'flood':
        return send(Buffer.alloc(Math.min(fault.bytes, MAX_FLOOD_MESSAGE_BYTES), ' '));
      case 'rpc':
        return send(faultAnswer(message, fault));
      case 'delay':
      case undefined:
        return super.respondOverSocket(socket, message, methods, send);
    }
  }

  /** A delay is waited for here. */
  async #faultOf(method: string, transport: FaultyCall['transport']): Promise<Fault | undefined> {
    const fault = this.#faults?.({ method, transport });
    if (fault?.type === 'delay') await sleep(fault.ms, undefined, { ref: false });
    return fault;
  }
}

/** Until the client has had enough. */
async function flood(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  const closed = once(response, 'close');
  for (let sent = 0; sent < bytes && !response.closed; sent += FLOOD_CHUNK.length) {
    if (!response.write(FLOOD_CHUNK)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

/** Returns the method of the first request of a batch; empty if there is none. */
function methodOf(message: string): string {
  return /"method"\s*:\s*"([^"\\]*)"/.exec(message)?.[1] ?? '';
}

function faultAnswer(message: string, fault: { readonly code: number; readonly message: string }): string {
  const id = /"id"\s*:\s*(\d+)/.exec(message)?.[1];
  return rpcErrorResponse(id === undefined ? null : Number(id), new RpcError(fault.code, fault.message));
}
