/** The processes of `request-fuzzing.ts`: one sends hostile requests and judges the answers, or holds idle connections. */
import { connect, type Socket } from 'node:net';
import { hostileConnection } from './hostile-requests.ts';
import { numbersFrom } from './seeded-random.ts';

export type FuzzingTask =
  | {
      readonly kind: 'requests';
      readonly port: number;
      readonly count: number;
      readonly seed: number;
      readonly known: readonly string[];
    }
  | { readonly kind: 'idle'; readonly port: number; readonly count: number; readonly seconds: number };

export interface FuzzingOutcome {
  readonly requests: number;
  readonly connections: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What must not be: a 5xx that is not documented, silence, bytes that are no answer. The first ones, as JSON text. */
  readonly faults: readonly string[];
  readonly faultCount: number;
}

export interface IdleOutcome {
  /** Connections that could be opened, and those that were there to the end. */
  readonly opened: number;
  readonly held: number;
}

const PARALLEL = 64;
const QUIET_MS = 150;
/** A connection that was ended by its client is closed by the server within this time. */
const LONGEST_MS = 15_000;
const FAULTS_KEPT = 20;
/** The status, the head and the beginning of the body; one answer follows the other without a line end. */
const ANSWER = /HTTP\/1\.1 (\d{3}) ([\s\S]*?\r\n\r\n[\s\S]{0,300})/g;

async function sendHostile({
  port,
  count,
  seed,
  known,
}: Extract<FuzzingTask, { kind: 'requests' }>): Promise<FuzzingOutcome> {
  const random = numbersFrom(seed);
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let [requests, connections, faultCount] = [0, 0, 0];
  const fault = (what: string, bytes: Buffer, text: string): void => {
    faultCount++;
    if (faults.length < FAULTS_KEPT) {
      const sent = bytes.toString('latin1').slice(0, 2_000);
      faults.push(JSON.stringify({ what, seed, connection: connections, sent, received: text.slice(0, 500) }));
    }
  };
  const client = async (): Promise<void> => {
    while (requests < count) {
      const hostile = hostileConnection(random, known);
      requests += hostile.requests;
      connections++;
      const { text, hasEnded } = await talk(port, hostile.bytes);
      if (!hasEnded) fault('the server did not close the connection', hostile.bytes, text);
      if (text !== '' && !text.startsWith('HTTP/1.1 ')) fault('no answer', hostile.bytes, text);
      for (const [, status, head] of text.matchAll(ANSWER)) {
        statuses[status!] = (statuses[status!] ?? 0) + 1;
        const isDocumented = status === '503' && /^retry-after: [1-9]/im.test(head!) && head!.includes('{"error":');
        const isNotReady = status === '503' && head!.includes('{"status":');
        if (status!.startsWith('5') && !isDocumented && !isNotReady) fault(`status ${status}`, hostile.bytes, text);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, client));
  return { requests, connections, statuses, faults, faultCount };
}

/** Sends the bytes, reads until nothing more comes, ends, and waits for the server to close. */
async function talk(port: number, bytes: Buffer): Promise<{ readonly text: string; readonly hasEnded: boolean }> {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  socket.setEncoding('latin1');
  const quiet = setTimeout(() => socket.end(), QUIET_MS);
  socket.on('data', (chunk) => {
    text += chunk;
    quiet.refresh();
  });
  socket.on('error', () => {});
  socket.on('connect', () => socket.write(bytes));
  let hasEnded = true;
  const tooLate = setTimeout(() => {
    hasEnded = false;
    socket.destroy();
  }, LONGEST_MS);
  // Not `once` of node:events, which rejects for an error: a server that refuses may reset the connection.
  await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(quiet);
  clearTimeout(tooLate);
  return { text, hasEnded };
}

async function holdIdle({ port, count, seconds }: Extract<FuzzingTask, { kind: 'idle' }>): Promise<IdleOutcome> {
  const open = new Set<Socket>();
  let opened = 0;
  const step = 200;
  for (let first = 0; first < count; first += step) {
    const made = Array.from({ length: Math.min(step, count - first) }, (_, i) => openIdle(port, first + i, open));
    opened += (await Promise.all(made)).filter(Boolean).length;
  }
  await new Promise((later) => setTimeout(later, seconds * 1_000));
  const held = open.size;
  for (const socket of open) socket.destroy();
  return { opened, held };
}

/** One that has asked once, as a client that is kept alive. */
function openIdle(port: number, n: number, open: Set<Socket>): Promise<boolean> {
  return new Promise((resolve) => {
    // One source address has ports for some 28,000 connections only.
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + (n % 250)}` });
    socket.on('error', () => resolve(false));
    socket.on('close', () => {
      open.delete(socket);
      resolve(false);
    });
    socket.once('data', () => {
      open.add(socket);
      resolve(true);
    });
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n');
  });
}

process.on('message', (task: FuzzingTask) => {
  const work = task.kind === 'requests' ? sendHostile(task) : holdIdle(task);
  work.then(
    (outcome) => process.send?.(outcome),
    (error: Error) => process.send?.({ failure: error.stack }),
  );
});
process.on('disconnect', () => process.exit());
