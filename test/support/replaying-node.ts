/** A replayed chain behind an RPC server, and a client of it. */

import { ReplayNode } from '../../src/devnet/replay-node.ts';
import type { RpcServerOptions } from '../../src/devnet/rpc-server.ts';
import { NodeClient, type NodeClientOptions } from '../../src/node/client.ts';
import { type FaultHook, serveFaultyRpc } from './faulty-rpc-server.ts';
import type { Scope } from './file-scope.ts';
import { chainFile, SmallChain } from './small-chain.ts';

export interface ReplayingNodeOptions {
  /** A small chain, or the path of a chain file. Default: four blocks. */
  readonly chain?: SmallChain | string;
  readonly server?: RpcServerOptions;
  readonly client?: Partial<NodeClientOptions>;
  readonly faults?: FaultHook;
}

/** Everything is closed when the test has ended. The chain is at its genesis. */
export async function replayingNode(t: Scope, options: ReplayingNodeOptions = {}) {
  const chain = options.chain ?? new SmallChain().grow(4);
  const node = await ReplayNode.open(typeof chain === 'string' ? chain : await chainFile(t, chain));
  const server = await serveFaultyRpc(node, {
    ...options.server,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  const client = new NodeClient({ address: server.address, auth: { type: 'none' }, ...options.client });
  t.after(async () => {
    client.close();
    await server.close();
    await node.close();
  });
  return { node, server, client };
}
