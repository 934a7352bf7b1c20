/** `POST /wallet/sync` of wallets of 500 addresses: first responses, and differences in which nothing happened. */
import { MAX_WALLET_ADDRESSES } from '../src/serving/parse/wallet-body.ts';
import { API, onServers, type ReadOptions, USUAL } from './endpoint-throughput.ts';
import { count, millisecondsText, percentile, type Report, sorted } from './report.ts';
import { reportTargets, target } from './report-targets.ts';
import type { Bed, WebServer } from './test-bed.ts';

/** So many requests of each kind are sent one after the other. */
const REQUESTS = 200;
const MAX_FIRST_MS = 50;
const MAX_EMPTY_MS = 3;
const LEAST_PER_SECOND = 1_000;

interface WalletKind {
  readonly what: string;
  /** Milliseconds of each response, one request at a time, sorted. */
  readonly times: readonly number[];
  /** With {@link USUAL} requests at a time. */
  readonly perSecond: number;
  readonly maxMs: number;
}

/** Each wallet has other addresses than the one before. None of them is in the newest block. */
export async function measureWallets(bed: Bed, options: Omit<ReadOptions<never>, 'only' | 'onResult'>) {
  return onServers(bed, options, [], async ({ samples, server }) => {
    const tip = (await (await fetch(url(server, '/chain/tip'))).json()) as { block_height: number; block_id: string };
    const newest = await (await fetch(url(server, `/block/${tip.block_id}`))).text();
    const before = (await (await fetch(url(server, `/chain/${tip.block_height - 1}`))).json()) as string;
    const addresses = samples.addresses.filter((address) => !newest.includes(address));
    const wallets = Array.from({ length: Math.floor(addresses.length / MAX_WALLET_ADDRESSES) }, (_, n) =>
      addresses.slice(n * MAX_WALLET_ADDRESSES, (n + 1) * MAX_WALLET_ADDRESSES),
    );
    if (wallets.length === 0) throw new Error('the chain is too short for a wallet of so many addresses');
    const kinds = [
      { what: 'first response', cursor: null, maxMs: MAX_FIRST_MS },
      {
        what: 'nothing new, at the tip',
        cursor: { height: tip.block_height, block_id: tip.block_id },
        maxMs: MAX_EMPTY_MS,
      },
      {
        what: 'nothing new, a block below',
        cursor: { height: tip.block_height - 1, block_id: before },
        maxMs: MAX_EMPTY_MS,
      },
    ];
    const measured: WalletKind[] = [];
    for (const { what, cursor, maxMs } of kinds) {
      const bodies = wallets.map((each) => JSON.stringify({ addresses: each, cursor }));
      const times: number[] = [];
      for (let n = 0; n < REQUESTS; n++) times.push(await ask(server, bodies[n % bodies.length]!));
      const perSecond = await rateOf(server, bodies, options.seconds);
      measured.push({ what, times: sorted(times.slice(REQUESTS / 4)), perSecond, maxMs });
    }
    return { wallets: wallets.length, kinds: measured };
  });
}

function url({ port }: WebServer, path: string): string {
  return `http://127.0.0.1:${port}${API}${path}`;
}

/** Returns how long it took, in milliseconds. */
async function ask(server: WebServer, body: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url(server, '/wallet/sync'), { method: 'POST', body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`a wallet was answered with ${response.status}: ${text}`);
  return performance.now() - began;
}

async function rateOf(server: WebServer, bodies: readonly string[], seconds: number): Promise<number> {
  const began = performance.now();
  let asked = 0;
  const client = async () => {
    while (performance.now() - began < seconds * 1_000) await ask(server, bodies[asked++ % bodies.length]!);
  };
  await Promise.all(Array.from({ length: USUAL }, client));
  return (asked * 1_000) / (performance.now() - began);
}

/** Prints all with their marks; gives whether they are met. */
export function reportWallets(report: Report, { kinds, wallets }: Awaited<ReturnType<typeof measureWallets>>): boolean {
  const perSecond = (value: number) => `${count(value)}/s`;
  return reportTargets(
    report,
    `Wallets of ${MAX_WALLET_ADDRESSES} addresses, ${wallets} of them`,
    kinds.flatMap(({ what, times, perSecond: rate, maxMs }, n) => [
      target(`${what}, median`, percentile(times, 0.5), millisecondsText, { most: maxMs }),
      target(`${what}, p99`, percentile(times, 0.99), millisecondsText),
      target(`${what}, ${USUAL} at a time`, rate, perSecond, n === 0 ? {} : { least: LEAST_PER_SECOND }),
    ]),
  );
}
