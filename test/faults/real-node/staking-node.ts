/** A real node that makes proofs of stake for pools with the VRF key of the genesis. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBlock } from '../../../src/chain/codec/block.ts';
import { writeInput } from '../../../src/chain/codec/input.ts';
import { writeOutput } from '../../../src/chain/codec/output.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type { Block, Id, Outpoint, TxOutput } from '../../../src/chain/types.ts';
import type { Scope } from '../../support/file-scope.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { NodeDaemon, RpcError } from './node-daemon.ts';

/** The keys of the pool in the genesis of regtest, as mintlayer-core publishes them. */
export const GENESIS_KEYS = {
  secret: 0x8717e6946febd3a33ccdc3f3a27629ec80c33461c33a0fc56b4836fcedd26638n,
  vrfSecret:
    '003fcf7b813bec2a293f574b842988895278b396dd72471de2583b242097a59f06e9f3cd7b78d45750afd17292031373fddb5e7a8090db51221038f5e05f29998e',
  vrfPublicKey: '00fa2f59dc7a7e176058e4f2d155cfa03ee007340e0285447892158823d332f744',
} as const;

/** A pool with the smallest pledge finds a block in about two minutes. */
const INITIAL_TARGET = 0x19260000;
const PAUSE_MS = 2;

/** Starts a node that ends with the scope. */
export async function startStakingNode(
  scope: Scope,
  program: string,
  options: readonly string[] = [],
): Promise<NodeDaemon> {
  const staking = ['--blockprod-min-peers-to-produce-blocks', '0', '--chain-initial-difficulty', `${INITIAL_TARGET}`];
  const fast = ['--enable-chainstate-heavy-checks', 'false'];
  const node = await NodeDaemon.start(program, await temporaryDirectory(scope), [...staking, ...fast, ...options]);
  scope.after(() => node.kill());
  return node;
}

/** What a block is made with: the pool, the secret of its staker, and its newest output. */
export interface Kernel {
  readonly poolId: Id;
  readonly stakerSecret: bigint;
  readonly outpoint: Outpoint;
  readonly output: TxOutput;
}

/** Gives an empty block on the node's tip, with a proof. Asked again on the same tip, it gives one of a later time. */
export async function emptyBlock(node: NodeDaemon, kernel: Kernel): Promise<Block> {
  const secret = kernel.stakerSecret.toString(16).padStart(64, '0');
  const writer = new ScaleWriter();
  const pool = `0200${secret}${GENESIS_KEYS.vrfSecret}${kernel.poolId}`;
  writer.hex(pool, pool.length / 2);
  writer.vector([{ type: 'Utxo', outpoint: kernel.outpoint }], writeInput);
  writer.vector([kernel.output], writeOutput);
  const input = writer.finish().toString('hex');
  for (;;) {
    try {
      const hex: string = await node.call('blockprod_generate_block', input, [], [], 'LeaveEmptySpace');
      return decodeBlock(Buffer.from(hex, 'hex'));
    } catch (error) {
      // Its mempool is still at the parent of the tip.
      if (!(error instanceof RpcError) || !/recoverable mempool error/.test(error.message)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
