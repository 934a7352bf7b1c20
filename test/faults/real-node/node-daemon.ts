/** A `node-daemon` of mintlayer-core on regtest with proof of stake, that is killed and started again with its files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/embedded/free-port.ts';

const RPC_USER = 'bench';
const RPC_PASSWORD = 'bench';

/** The node answered with this error. */
export class RpcError extends Error {}

const CALL_TIMEOUT_MS = 30_000;

export class NodeDaemon {
  readonly address: string;
  readonly #program: string;
  readonly #directory: string;
  readonly #options: readonly string[];
  readonly #p2pAddress: string;
  #child: ChildProcess | null = null;
  readonly #lastLines: string[] = [];

  private constructor(program: string, directory: string, options: readonly string[], port: number, p2pPort: number) {
    this.#program = program;
    this.#directory = directory;
    this.#options = options;
    this.address = `127.0.0.1:${port}`;
    this.#p2pAddress = `127.0.0.1:${p2pPort}`;
  }

  /** `options`: more than all have. */
  static async start(program: string, directory: string, options: readonly string[] = []): Promise<NodeDaemon> {
    const node = new NodeDaemon(program, directory, options, await freePort(), await freePort());
    node.start();
    await node.answers();
    return node;
  }

  start(): void {
    const own = ['--datadir', this.#directory, '--log-to-file', 'false'];
    const chain = ['regtest', '--chain-pos-netupgrades', '1', '--max-tip-age', '1000000000'];
    const rpc = ['--rpc-bind-address', this.address, '--rpc-username', RPC_USER];
    const network = ['--p2p-networking-enabled', 'false', '--p2p-bind-addresses', this.#p2pAddress];
    const args = [...own, ...chain, ...rpc, '--rpc-password', RPC_PASSWORD, ...network, '--force-allow-run-as-root'];
    args.push(...this.#options);
    this.#child = spawn(this.#program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#lastLines.push(text);
        if (this.#lastLines.length > 30) this.#lastLines.shift();
      });
    }
  }

  /** SIGKILL: its files stay as they are at that moment. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async answers(): Promise<void> {
    for (;;) {
      if (this.#child!.exitCode !== null) throw new Error(`the node ended by itself:\n${this.#lastLines.join('')}`);
      try {
        return void (await this.call('chainstate_best_block_id'));
      } catch (error) {
        if (error instanceof RpcError) throw error;
        await sleep(50);
      }
    }
  }

  /** Repeats a call until there is an answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what the method returns
  async patientCall(method: string, ...params: readonly unknown[]): Promise<any> {
    for (;;) {
      try {
        return await this.call(method, ...params);
      } catch (error) {
        if (error instanceof RpcError) throw error;
        await sleep(50);
      }
    }
  }

  /** Rejects with an `RpcError` when the node refuses, with another error when it does not answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what the method returns
  async call(method: string, ...params: readonly unknown[]): Promise<any> {
    const response = await fetch(`http://${this.address}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from(`${RPC_USER}:${RPC_PASSWORD}`).toString('base64')}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const { error, result } = (await response.json()) as any;
    if (error !== undefined) throw new RpcError(`${error.message}${error.data === undefined ? '' : `: ${error.data}`}`);
    return result;
  }
}
