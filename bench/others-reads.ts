/** What clients that behave ask for. */
import type { ClientRequest } from './client.ts';
import type { SampleIds } from './sample-ids.ts';
import { SeededRandom } from './seeded-random.ts';

const API = '/api/v2';
/** More than are asked for until the cache has forgotten the first. */
const SMALL_READS = 20_000;
const LARGE_READS = 600;
const BATCH_IDS = 100;

/** Heights, single things and short pages of lists, one after the other; hardly any twice. */
export function smallReads(samples: SampleIds): ClientRequest[] {
  const random = new SeededRandom(1);
  const offset = (entries: number) =>
    `offset=${random.whole(0, Math.max(0, entries - 20))}&items=${random.whole(5, 20)}`;
  const kinds: readonly (() => string)[] = [
    () => `/chain/${random.whole(1, samples.height)}`,
    () => `/block/${random.pick(samples.blocks)}/header`,
    () => `/transaction/${random.pick(samples.txs)}`,
    () => `/transaction?${offset(samples.transactions)}`,
    () => `/pool?${offset(samples.livingPools)}`,
    () => `/token?${offset(samples.allTokens)}`,
    () => `/address/${random.pick(samples.addresses)}`,
    () => '/chain/tip',
  ];
  return Array.from({ length: SMALL_READS }, (_, n) => ({ path: API + kinds[n % kinds.length]!() }));
}

/** Batches, raw blocks and pages in turn. */
export function largeReads({ blocks, txs, addresses }: SampleIds): ClientRequest[] {
  const random = new SeededRandom(2);
  const batch = (type: string, ids: readonly string[]): ClientRequest => ({
    path: `${API}/batch`,
    body: JSON.stringify({ type, ids: random.some(ids, BATCH_IDS) }),
  });
  const page = (path: string): ClientRequest => ({ path, headers: { accept: 'text/html' } });
  const kinds: readonly (() => ClientRequest)[] = [
    () => batch('/transaction/:txid', txs),
    () => ({ path: `${API}/block/${random.pick(blocks)}/raw` }),
    () => page(`/block/${random.pick(blocks)}`),
    () => batch('/address/:address', addresses),
    () => ({ path: `${API}/block/${random.pick(blocks)}/raw` }),
    () => page(`/address/${random.pick(addresses)}`),
    () => page(`/tx/${random.pick(txs)}`),
  ];
  return Array.from({ length: LARGE_READS }, (_, n) => kinds[n % kinds.length]!());
}
