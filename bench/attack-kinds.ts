/** The attacks, each at its full strength: those of a table that was measured once, usual ones, and those of a review. */
import { encodeSignedTransaction } from '../src/chain/codec/transaction.ts';
import type { TxOutput } from '../src/chain/types.ts';
import type { Attack, AttackRequest } from './attack-definition.ts';
import type { AttackTargets } from './prepare-attack-targets.ts';
import type { SampleIds } from './sample-ids.ts';

const API = '/api/v2';
const HTML = { accept: 'text/html' };
const BROTLI = { 'accept-encoding': 'br' };
export const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
/** The smallest output there is: nothing of the coin is burned. */
const MIN_OUTPUT_HEX = '020000';
const NO_SIGNATURES = '00';
/** The number of outputs that fit into the largest accepted body. */
const OUTPUTS_OF_SUBMISSION = 349_000;
const OUTPUTS_OF_DECODED = 40_000;
const BATCH_IDS = 500;

const USUAL: Omit<Attack, 'requests' | 'connections'> = {
  headers: {},
  pipeline: 1,
  sends: 'at once',
  reads: 'all',
  again: { afterResponsesMs: 0 },
  leaves: null,
  returnsAfterMs: 1_000,
};

/** For requests without an end, and for clients that send one request. */
const NEVER_AGAIN = { everyMs: 3_600_000 };

const UNREAD = { reads: 'never', pipeline: 1_400 } as const;

/** Sends again after the responses and reads them all, unless `more` says otherwise. */
function attack(connections: number, requests: readonly AttackRequest[], more: Partial<Attack> = {}): Attack {
  return { ...USUAL, connections, requests, ...more };
}

const gets = (paths: readonly string[]): AttackRequest[] => paths.map((path) => ({ path }));
const addressPages = ({ addresses }: SampleIds, query = '') =>
  gets(addresses.slice(0, 2_000).map((address) => `/address/${address}${query}`));

/** The hex text of a signed transaction of so many outputs, as a body behind a head. */
export function manyOutputs(count: number, head = ''): NonNullable<AttackRequest['body']> {
  const outputs = new Array<TxOutput>(count).fill({ type: 'Burn', value: { type: 'Coin', amount: 0n } });
  const bytes = encodeSignedTransaction({ transaction: { flags: 0n, inputs: [], outputs }, signatures: [] });
  const text = bytes.toString('hex');
  // The last byte says that there are no signatures.
  const start = text.length - NO_SIGNATURES.length - MIN_OUTPUT_HEX.length * count;
  return { text: head + text.slice(0, start), repeated: MIN_OUTPUT_HEX, times: count, end: NO_SIGNATURES };
}

export function batch(type: string, ids: readonly string[]): AttackRequest {
  return { path: `${API}/batch`, body: { text: JSON.stringify({ type, ids }) } };
}

/** Makes requests of {@link BATCH_IDS} ids each, `most` at most; one of fewer ids if there are not as many. */
function inPieces(ids: readonly string[], most: number, request: (ids: readonly string[]) => AttackRequest) {
  const pieces = Math.max(1, Math.min(most, Math.floor(ids.length / BATCH_IDS)));
  return Array.from({ length: pieces }, (_, i) => request(ids.slice(i * BATCH_IDS, (i + 1) * BATCH_IDS)));
}

/** Makes requests about wallets, each of as many addresses as there may be. */
function wallets(path: string, addresses: readonly string[]): AttackRequest[] {
  return inPieces(addresses, 20, (own) => ({
    path: API + path,
    body: { text: JSON.stringify({ addresses: own, items: 100 }) },
  }));
}

/** The attacks that were measured before each client had an account. */
function measuredBefore({ samples, largeTransactions, oldEvents }: AttackTargets) {
  const pool = encodeURIComponent(samples.busiestPool);
  return {
    'lists, compressed': attack(300, gets([`${API}/transaction?items=100&offset={n}`]), {
      pipeline: 16,
      headers: BROTLI,
      again: { everyMs: 1_000 },
    }),
    'batches of one id': attack(4, [batch('/transaction/:txid', Array<string>(BATCH_IDS).fill(largeTransactions[0]!))]),
    'batches that are left': attack(
      16,
      inPieces(samples.addresses, 20, (ids) => batch('/address/:address', ids)),
      { leaves: { earliestMs: 30, latestMs: 30 }, returnsAfterMs: 10 },
    ),
    'pages that are left': attack(260, addressPages(samples), {
      pipeline: 16,
      headers: HTML,
      leaves: { earliestMs: 100, latestMs: 300 },
      returnsAfterMs: 50,
    }),
    'streams far behind': attack(
      150,
      gets(oldEvents.map((event) => `${API}/stream?pool=${pool}&last_event_id=${event}`)),
      { again: NEVER_AGAIN, leaves: { earliestMs: 100, latestMs: 400 }, returnsAfterMs: 50 },
    ),
  };
}

function usual({ samples, anyEndpoints, anyPages }: AttackTargets) {
  const transactions = gets(samples.txs.slice(0, 2_000).map((id) => `${API}/transaction/${id}`));
  const lists = gets(Array.from({ length: 200 }, (_, i) => `${API}/transaction?items=100&offset=${i}`));
  return {
    'files of /docs, not read': attack(18, gets(['/docs/static/swagger-ui-bundle.js']), UNREAD),
    'small responses, not read': attack(150, gets([`${API}/transaction?items=8`]), UNREAD),
    'large responses, not read': attack(300, lists, { ...UNREAD, pipeline: 20 }),
    'one large response, not read, 1,000 connections': attack(1_000, lists.slice(0, 1), { ...UNREAD, pipeline: 30 }),
    '20,000 requests at once': attack(1, transactions, { pipeline: 20_000 }),
    '20,000 requests at once, not read': attack(1, transactions, { ...UNREAD, pipeline: 20_000 }),
    'unfinished bodies of 2 MB': attack(
      200,
      [{ path: `${API}/transaction`, body: { text: '', repeated: 'a', times: 2_097_152 } }],
      { ...UNREAD, pipeline: 1, sends: 'all but the last byte' },
    ),
    'whole lists': attack(
      8,
      gets(['all-utxos', 'spendable-utxos'].map((list) => `${API}/address/${samples.busiestAddress}/${list}?junk={n}`)),
    ),
    'pages of the explorer': attack(300, addressPages(samples, '?junk={n}'), { pipeline: 4, headers: HTML }),
    'parameters that nobody knows': attack(4, gets([`${API}/transaction?items=100&junk={n}`])),
    'fee rates': attack(4, gets([`${API}/feerate?in_top_x_mb={n}`]), { pipeline: 4 }),
    'metrics, all the time': attack(20, gets(['/metrics'])),
    'requests that come a byte a second': attack(1_000, gets([`${API}/chain/tip`]), { sends: 'a byte a second' }),
    'idle connections': attack(10_000, gets(['/health']), { again: NEVER_AGAIN }),
    'any endpoints': attack(64, gets(anyEndpoints.map((path) => API + path)), { pipeline: 4 }),
    'any pages': attack(64, gets(anyPages), { headers: HTML }),
    'histories of wallets': attack(64, wallets('/history', samples.addresses)),
    'income of wallets': attack(64, wallets('/staking', samples.delegators)),
  };
}

/** Each is what somebody found by reading the code. */
function reviewed(targets: AttackTargets) {
  const { samples, largeTransactions, hugeTransaction, richAddress, veryLongAddresses, oldEvents } = targets;
  const wholeLists = ['all-utxos', 'spendable-utxos', 'all-utxos?profile={n}', 'spendable-utxos?pending=exclude'].map(
    (list) => `${API}/address/${richAddress}/${list}`,
  );
  const pool = encodeURIComponent(samples.busiestPool);
  return {
    'batches of one huge transaction': attack(2, [
      batch('/transaction/:txid', Array<string>(60).fill(hugeTransaction)),
    ]),
    'batches of large transactions': attack(
      6,
      Array.from({ length: 20 }, (_, i) => batch('/transaction/:txid', largeTransactions.slice(i))),
      { headers: BROTLI },
    ),
    'batches of a huge transaction, not read': attack(
      200,
      samples.txs.slice(0, 200).map((id) => batch('/transaction/:txid', [hugeTransaction, id])),
      { ...UNREAD, pipeline: 1 },
    ),
    'a page for each connection': attack(2_000, addressPages(samples), { headers: HTML, again: NEVER_AGAIN }),
    'batches of a whole list': attack(100, [batch('/address/:address/all-utxos', [richAddress])]),
    'huge lists, read slowly': attack(7, gets(wholeLists), { reads: 'slowly' }),
    'lists, read slowly': attack(40, gets([`${API}/transaction?items=100&offset={n}`]), {
      reads: 'slowly',
      pipeline: 16,
    }),
    'long lists': attack(64, gets(veryLongAddresses.map((address) => `${API}/address/${address}/all-utxos`))),
    'huge lists': attack(6, gets(wholeLists)),
    'huge lists, compressed': attack(4, gets(wholeLists), { headers: BROTLI }),
    'the YAML document, compressed': attack(300, gets(['/docs/yaml']), {
      pipeline: 16,
      headers: BROTLI,
      again: { everyMs: 1_000 },
    }),
    'submissions of many outputs': attack(
      6,
      [{ path: `${API}/transaction`, body: manyOutputs(OUTPUTS_OF_SUBMISSION) }],
      { again: { everyMs: 700 } },
    ),
    'forms that send many outputs': attack(
      6,
      [{ path: '/decode/send', body: manyOutputs(OUTPUTS_OF_SUBMISSION, 'hex=') }],
      { headers: FORM, again: { everyMs: 700 } },
    ),
    'forms that decode many outputs': attack(40, [{ path: '/decode', body: manyOutputs(OUTPUTS_OF_DECODED, 'hex=') }], {
      headers: FORM,
    }),
    'forms of many fields': attack(12, [{ path: '/decode', body: { text: '', repeated: 'a&', times: 160_000 } }], {
      headers: FORM,
    }),
    'parts of a huge transaction': attack(12, gets([`/tx/${hugeTransaction}?outputs={n}00`]), { headers: HTML }),
    'pages of large transactions': attack(40, gets(largeTransactions.map((id) => `/tx/${id}?inputs={n}00`)), {
      headers: HTML,
    }),
    'streams that are not read': attack(
      150,
      gets(oldEvents.map((event) => `${API}/stream?pool=${pool}&types=block,activity&last_event_id=${event}`)),
      { reads: 'never' },
    ),
    'raw blocks': attack(
      800,
      gets([samples.largestBlock, ...samples.blocks.slice(0, 1_000)].map((id) => `${API}/block/${id}/raw`)),
    ),
    'one read of many': attack(
      400,
      gets(['/', `${API}/address/${samples.busiestAddress}/spendable-utxos?pending=exclude`]),
      { headers: HTML, again: { everyMs: 500 } },
    ),
    'bodies in chunks of a byte': attack(
      20,
      [{ path: `${API}/batch`, body: { text: '', repeated: '1\r\na\r\n', times: 250_000 } }],
      { headers: { 'transfer-encoding': 'chunked' }, again: NEVER_AGAIN },
    ),
    'unfinished bodies, ever new ones': attack(
      200,
      [{ path: `${API}/transaction`, body: { text: '', repeated: 'a', times: 300_000 } }],
      { sends: 'all but the last byte', leaves: { earliestMs: 200, latestMs: 500 }, returnsAfterMs: 10 },
    ),
  };
}

/** Every kind of attack, by its name. */
export interface AttackKinds {
  /** The attacks that once harmed others. */
  readonly harmful: ReadonlyMap<string, Attack>;
  readonly usual: ReadonlyMap<string, Attack>;
}

export function attackKinds(targets: AttackTargets): AttackKinds {
  const harmful = { ...measuredBefore(targets), ...reviewed(targets) };
  return { harmful: new Map(Object.entries(harmful)), usual: new Map(Object.entries(usual(targets))) };
}
