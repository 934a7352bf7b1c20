/** The attacks, each at its full strength: those of a table that was measured once, usual ones, and those of a review. */
import { encodeSignedTransaction } from '../src/chain/codec/transaction.ts';
import type { TxOutput } from '../src/chain/types.ts';
import type { Attack, AttackRequest } from './attack.ts';
import type { AttackTargets } from './attack-targets.ts';

const API = '/api/v2';
const HTML = { accept: 'text/html' };
const BROTLI = { 'accept-encoding': 'br' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** The smallest output there is: nothing of the coin is burned. */
const SMALLEST_OUTPUT = '020000';
const NO_SIGNATURES = '00';
/** As many as fit into the largest body that is taken. */
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

/** For what has no end, and for those who ask once. */
const NEVER_AGAIN = { everyMs: 3_600_000 };

const gets = (paths: readonly string[]): AttackRequest[] => paths.map((path) => ({ path }));

/** The hex text of a signed transaction of so many outputs, as a body behind a head. */
export function manyOutputs(count: number, head = ''): NonNullable<AttackRequest['body']> {
  const outputs = new Array<TxOutput>(count).fill({ type: 'Burn', value: { type: 'Coin', amount: 0n } });
  const bytes = encodeSignedTransaction({ transaction: { flags: 0n, inputs: [], outputs }, signatures: [] });
  const text = bytes.toString('hex');
  // The last byte says that there are no signatures.
  const start = text.length - NO_SIGNATURES.length - SMALLEST_OUTPUT.length * count;
  return { text: head + text.slice(0, start), repeated: SMALLEST_OUTPUT, times: count, end: NO_SIGNATURES };
}

function batch(type: string, ids: readonly string[]): AttackRequest {
  return { path: `${API}/batch`, body: { text: JSON.stringify({ type, ids }) } };
}

/** One for each piece of so many ids. */
function batches(type: string, ids: readonly string[], most: number): AttackRequest[] {
  const pieces = Math.max(1, Math.min(most, Math.floor(ids.length / BATCH_IDS)));
  return Array.from({ length: pieces }, (_, i) => batch(type, ids.slice(i * BATCH_IDS, (i + 1) * BATCH_IDS)));
}

/** What was measured before there was one account for each client. */
function measuredBefore({ samples, largeTransactions, oldEvents }: AttackTargets) {
  const pool = encodeURIComponent(samples.busiestPool);
  return {
    'lists, compressed': {
      ...{ ...USUAL, connections: 300, pipeline: 16, headers: BROTLI, again: { everyMs: 1_000 } },
      requests: gets([`${API}/transaction?items=100&offset={n}`]),
    },
    'batches of one id': {
      ...{ ...USUAL, connections: 4 },
      requests: [batch('/transaction/:txid', Array<string>(BATCH_IDS).fill(largeTransactions[0]!))],
    },
    'batches that are left': {
      ...{ ...USUAL, connections: 16, leaves: { earliestMs: 30, latestMs: 30 }, returnsAfterMs: 10 },
      requests: batches('/address/:address', samples.addresses, 20),
    },
    'pages that are left': {
      ...{ ...USUAL, connections: 260, pipeline: 16, headers: HTML },
      ...{ leaves: { earliestMs: 100, latestMs: 300 }, returnsAfterMs: 50 },
      requests: gets(samples.addresses.slice(0, 2_000).map((address) => `/address/${address}`)),
    },
    'streams far behind': {
      ...{ ...USUAL, connections: 20, again: NEVER_AGAIN },
      ...{ leaves: { earliestMs: 100, latestMs: 400 }, returnsAfterMs: 50 },
      requests: gets(oldEvents.map((event) => `${API}/stream?pool=${pool}&last_event_id=${event}`)),
    },
  } satisfies Record<string, Attack>;
}

function usual({ samples, anyEndpoints, anyPages }: AttackTargets) {
  const unread = { ...USUAL, reads: 'never', pipeline: 1_400 } as const;
  const transactions = gets(samples.txs.slice(0, 2_000).map((id) => `${API}/transaction/${id}`));
  const lists = gets(Array.from({ length: 200 }, (_, i) => `${API}/transaction?items=100&offset=${i}`));
  return {
    'files of /docs, not read': {
      ...{ ...unread, connections: 18 },
      requests: gets(['/docs/static/swagger-ui-bundle.js']),
    },
    'small responses, not read': { ...unread, connections: 150, requests: gets([`${API}/transaction?items=8`]) },
    'large responses, not read': { ...unread, connections: 300, pipeline: 20, requests: lists },
    'one large response, not read, 1,000 connections': {
      ...{ ...unread, connections: 1_000, pipeline: 30 },
      requests: lists.slice(0, 1),
    },
    '20,000 requests at once': { ...USUAL, connections: 1, pipeline: 20_000, requests: transactions },
    '20,000 requests at once, not read': { ...unread, connections: 1, pipeline: 20_000, requests: transactions },
    'unfinished bodies of 2 MB': {
      ...{ ...unread, connections: 200, pipeline: 1, sends: 'all but the last byte' },
      requests: [{ path: `${API}/transaction`, body: { text: '', repeated: 'a', times: 2_097_152 } }],
    },
    'whole lists': {
      ...{ ...USUAL, connections: 8 },
      requests: gets(
        ['all-utxos', 'spendable-utxos'].map((list) => `${API}/address/${samples.busiestAddress}/${list}?junk={n}`),
      ),
    },
    'pages of the explorer': {
      ...{ ...USUAL, connections: 300, pipeline: 4, headers: HTML },
      requests: gets(samples.addresses.slice(0, 2_000).map((address) => `/address/${address}?junk={n}`)),
    },
    'parameters that nobody knows': {
      ...{ ...USUAL, connections: 4 },
      requests: gets([`${API}/transaction?items=100&junk={n}`]),
    },
    'fee rates': { ...USUAL, connections: 4, pipeline: 4, requests: gets([`${API}/feerate?in_top_x_mb={n}`]) },
    'metrics, all the time': { ...USUAL, connections: 20, requests: gets(['/metrics']) },
    'requests that come a byte a second': {
      ...{ ...USUAL, connections: 1_000, sends: 'a byte a second' },
      requests: gets([`${API}/chain/tip`]),
    },
    'idle connections': {
      ...{ ...USUAL, connections: 10_000, again: NEVER_AGAIN },
      requests: gets(['/health']),
    },
    'any endpoints': { ...USUAL, connections: 64, pipeline: 4, requests: gets(anyEndpoints.map((path) => API + path)) },
    'any pages': { ...USUAL, connections: 64, headers: HTML, requests: gets(anyPages) },
  } satisfies Record<string, Attack>;
}

/** Each is what somebody found by reading the code. */
function reviewed(targets: AttackTargets) {
  const { samples, largeTransactions, hugeTransaction, richAddress, oldEvents } = targets;
  const wholeLists = ['all-utxos', 'spendable-utxos', 'all-utxos?profile={n}', 'spendable-utxos?pending=exclude'].map(
    (list) => `${API}/address/${richAddress}/${list}`,
  );
  const pool = encodeURIComponent(samples.busiestPool);
  return {
    'batches of one huge transaction': {
      ...{ ...USUAL, connections: 2 },
      requests: [batch('/transaction/:txid', Array<string>(60).fill(hugeTransaction))],
    },
    'batches of large transactions': {
      ...{ ...USUAL, connections: 6, headers: BROTLI },
      requests: Array.from({ length: 20 }, (_, i) => batch('/transaction/:txid', largeTransactions.slice(i))),
    },
    'huge lists, read slowly': { ...USUAL, connections: 7, reads: 'slowly', requests: gets(wholeLists) },
    'lists, read slowly': {
      ...{ ...USUAL, connections: 40, reads: 'slowly', pipeline: 16 },
      requests: gets([`${API}/transaction?items=100&offset={n}`]),
    },
    'huge lists': { ...USUAL, connections: 6, requests: gets(wholeLists) },
    'huge lists, compressed': { ...USUAL, connections: 4, headers: BROTLI, requests: gets(wholeLists) },
    'the YAML document, compressed': {
      ...{ ...USUAL, connections: 300, pipeline: 16, headers: BROTLI, again: { everyMs: 1_000 } },
      requests: gets(['/docs/yaml']),
    },
    'submissions of many outputs': {
      ...{ ...USUAL, connections: 6, again: { everyMs: 700 } },
      requests: [{ path: `${API}/transaction`, body: manyOutputs(OUTPUTS_OF_SUBMISSION) }],
    },
    'forms that send many outputs': {
      ...{ ...USUAL, connections: 6, headers: { ...HTML, ...FORM }, again: { everyMs: 700 } },
      requests: [{ path: '/decode/send', body: manyOutputs(OUTPUTS_OF_SUBMISSION, 'hex=') }],
    },
    'forms that decode many outputs': {
      ...{ ...USUAL, connections: 16, headers: { ...HTML, ...FORM } },
      requests: [{ path: '/decode', body: manyOutputs(OUTPUTS_OF_DECODED, 'hex=') }],
    },
    'forms of many fields': {
      ...{ ...USUAL, connections: 12, headers: { ...HTML, ...FORM } },
      requests: [{ path: '/decode', body: { text: '', repeated: 'a&', times: 160_000 } }],
    },
    'parts of a huge transaction': {
      ...{ ...USUAL, connections: 12, headers: HTML },
      requests: gets([`/tx/${hugeTransaction}?outputs={n}00`]),
    },
    'pages of large transactions': {
      ...{ ...USUAL, connections: 40, headers: HTML },
      requests: gets(largeTransactions.map((id) => `/tx/${id}?inputs={n}00`)),
    },
    'streams that are not read': {
      ...{ ...USUAL, connections: 20, reads: 'never' },
      requests: gets(
        oldEvents.map((event) => `${API}/stream?pool=${pool}&types=block,activity&last_event_id=${event}`),
      ),
    },
    'raw blocks': {
      ...{ ...USUAL, connections: 8 },
      requests: gets([samples.largestBlock, ...samples.blocks.slice(0, 1_000)].map((id) => `${API}/block/${id}/raw`)),
    },
    'one read of many': {
      ...{ ...USUAL, connections: 400, headers: HTML, again: { everyMs: 500 } },
      requests: gets(['/', `${API}/address/${samples.busiestAddress}/spendable-utxos?pending=exclude`]),
    },
    'unfinished bodies, ever new ones': {
      ...{ ...USUAL, connections: 200, sends: 'all but the last byte' },
      ...{ leaves: { earliestMs: 200, latestMs: 500 }, returnsAfterMs: 10 },
      requests: [{ path: `${API}/transaction`, body: { text: '', repeated: 'a', times: 300_000 } }],
    },
  } satisfies Record<string, Attack>;
}

/** Every kind of attack, by its name. */
export interface AttackKinds {
  /** Those that harmed others once. */
  readonly harmful: ReadonlyMap<string, Attack>;
  readonly usual: ReadonlyMap<string, Attack>;
}

export function attackKinds(targets: AttackTargets): AttackKinds {
  const harmful = { ...measuredBefore(targets), ...reviewed(targets) };
  return { harmful: new Map(Object.entries(harmful)), usual: new Map(Object.entries(usual(targets))) };
}
