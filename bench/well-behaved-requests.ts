/** The requests of well-behaved clients. */
import { batch, FORM, manyOutputs } from './attack-kinds.ts';
import type { AttackTargets } from './prepare-attack-targets.ts';
import type { SampleIds } from './sample-ids.ts';
import { SeededRandom } from './seeded-random.ts';
import type { ClientRequest } from './well-behaved-clients.ts';

const API = '/api/v2';
/** The number of small reads, so large that the cache has forgotten the first before it comes again. */
const SMALL_READS = 20_000;
const LARGE_READS = 600;
const BATCH_IDS = 100;

const BROWSER = { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br' };

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

/** The outputs of the decoded transaction, which the thread decodes. */
const OUTPUTS_OF_DECODED = 6_000;

/** Batches, raw blocks, pages and texts to decode, in turn: with streams they need every shared resource. */
export function largeReads({ samples, longAddresses }: AttackTargets): ClientRequest[] {
  const { blocks, txs, addresses } = samples;
  const random = new SeededRandom(2);
  const page = (path: string): ClientRequest => ({ path, headers: BROWSER });
  const kinds: readonly (() => ClientRequest)[] = [
    () => batch('/transaction/:txid', random.some(txs, BATCH_IDS)),
    () => ({ path: `${API}/block/${random.pick(blocks)}/raw` }),
    () => page(`/block/${random.pick(blocks)}`),
    () => batch('/address/:address', random.some(addresses, BATCH_IDS)),
    () => ({ path: `${API}/block/${random.pick(blocks)}/raw` }),
    () => page(`/address/${random.pick(addresses)}`),
    () => page(`/tx/${random.pick(txs)}`),
    () => ({ path: '/decode', headers: FORM, body: manyOutputs(OUTPUTS_OF_DECODED, 'hex=') }),
    () => batch('/address/:address/all-utxos', [random.pick(longAddresses)]),
  ];
  return Array.from({ length: LARGE_READS }, (_, n) => kinds[n % kinds.length]!());
}
