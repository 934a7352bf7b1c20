/** Load besides answer clients and stream clients: small and large requests in numbers, submissions, attackers. */
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, compose } from '../../bench/attack-composition.ts';
import type { Attack, AttackOrder } from '../../bench/attack-definition.ts';
import { attackKinds } from '../../bench/attack-kinds.ts';
import { startAttacker } from '../../bench/attack-test-bed.ts';
import { endpoints } from '../../bench/endpoint-urls.ts';
import { measuredPages } from '../../bench/explorer-page-paths.ts';
import type { AttackTargets } from '../../bench/prepare-attack-targets.ts';
import type { SampleIds } from '../../bench/sample-ids.ts';
import type { SeededRandom } from '../../bench/seeded-random.ts';
import { Clients } from '../../bench/well-behaved-clients.ts';
import { largeReads, smallReads } from '../../bench/well-behaved-requests.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Stack } from '../faults/stack.ts';
import type { Scope } from '../support/file-scope.ts';

const OLD_EVENTS = 300;
const SUBMIT_MS = 400;
const COINS = 20;
/** Of those who do not attack. */
const ADDRESSES = { small: '127.0.0.2', large: '127.0.0.3', often: '127.0.0.4' };
/** Hundreds of requests a second that cost little: what each leaves behind is soon much. */
const OFTEN: Attack = {
  connections: 4,
  requests: ['/api/v2/chain/tip', '/api/v2/statistics/coin', '/api/v2/block', '/'].map((path) => ({ path })),
  headers: { accept: 'text/html, application/json' },
  pipeline: 10,
  sends: 'at once',
  reads: 'all',
  again: { everyMs: 20 },
  leaves: null,
  returnsAfterMs: 100,
};

/** What a chain offers that nobody prepared. */
export function attackTargets({ node }: Stack, samples: SampleIds): AttackTargets {
  const { txs, addresses, busiestAddress } = samples;
  const { height } = node.tip();
  return {
    samples,
    largeTransactions: txs.slice(0, 200),
    hugeTransaction: txs[0]!,
    richAddress: busiestAddress,
    longAddresses: addresses.slice(0, 150),
    veryLongAddresses: addresses.slice(0, 10),
    oldEvents: Array.from({ length: OLD_EVENTS }, (_, n) => height - n).map((at) => `${at}-${node.mainChainId(at)}`),
    anyEndpoints: endpoints(samples).flatMap(({ cold }) => cold.slice(0, 200)),
    anyPages: measuredPages(samples).flatMap(({ cold }) => cold.slice(0, 200)),
  };
}

/** Starts clients in processes of their own; the function gives the statuses of all but the most frequent requests. */
export async function startClients(scope: Scope, { port }: Stack, targets: AttackTargets) {
  const clients = await Clients.start({
    small: { port, localAddress: ADDRESSES.small, requests: smallReads(targets.samples), pauseMs: 5 },
    large: { port, localAddress: ADDRESSES.large, requests: largeReads(targets), pauseMs: 20 },
  });
  scope.after(() => clients.close());
  const often = await startAttacker();
  scope.after(() => often.kill());
  setPriority(often.pid!, constants.priority.PRIORITY_NORMAL);
  often.send({ ...OFTEN, localAddress: ADDRESSES.often, seed: 1, port } satisfies AttackOrder);
  return async () => {
    const { small, large } = await clients.take();
    return [...small, ...large].flatMap(({ status }) => status ?? []);
  };
}

/** Attackers from seeds. */
export function attackersOf(targets: AttackTargets, seeds: readonly number[]): Attacker[] {
  return seeds.map((seed) => compose(seed, attackKinds(targets)).attackers[0]!);
}

/** One attacker after the other for so long each, over and over. */
export async function attackInTurn(port: number, attackers: readonly Attacker[], ms: number, signal: AbortSignal) {
  const child = await startAttacker();
  for (let n = 0; !signal.aborted; n++) {
    const { attack, localAddress, seed } = attackers[n % attackers.length]!;
    child.send({ ...attack, localAddress, seed, port } satisfies AttackOrder);
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
  child.kill();
}

/** Submits a payment now and then, and counts what the node takes. Rejects when the answer is another. */
export async function submit(
  { node, port }: Stack,
  random: SeededRandom,
  counts: { taken: number },
  signal: AbortSignal,
) {
  for (; !signal.aborted; await sleep(SUBMIT_MS)) {
    const body = encodeSignedTransaction(node.payment(random.whole(0, COINS))).toString('hex');
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/transaction`, { method: 'POST', body });
    const text = await response.text();
    if (response.ok) counts.taken++;
    // The node refuses what spends the same as a block that came meanwhile.
    else if (!text.includes('RPC error')) throw new Error(`a submission was answered with ${response.status}: ${text}`);
  }
}
