/** Faults that tests inject between a client and the devnet. */
export type Fault =
  /** The connection breaks before the answer. */
  | { readonly type: 'drop' }
  /** The answer comes later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** HTTP 200 with a text that is no JSON-RPC. */
  | { readonly type: 'garbage'; readonly text: string }
  /** As if the credentials were wrong. */
  | { readonly type: 'unauthorized' }
  /** The connection breaks in the middle of the answer. */
  | { readonly type: 'truncate' }
  /** As from a gateway. */
  | { readonly type: 'status'; readonly status: number }
  /** The method fails with this error. */
  | { readonly type: 'rpc'; readonly code: number; readonly message: string };

interface FaultyCall {
  /** The method of the message (of the first request of a batch), `upgrade` when a WebSocket is asked for. */
  readonly method: string;
  readonly transport: 'http' | 'websocket';
  /** 1 for the first message that the server got, then 2, 3, … */
  readonly number: number;
}

/** Asked before each message is answered; undefined lets it pass. */
export type FaultHook = (call: FaultyCall) => Fault | undefined;
