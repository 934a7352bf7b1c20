/**
 * The thread of `monitor-thread.ts`: responds to `/metrics`, `/health` and `/ready` with the last status of the main
 * thread, so that no thread waits for the other, except that `/metrics` asks for the metrics of the process.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { thisBuild } from '../../config/this-build.ts';
import { systemErrorText } from '../../errors/operator-error.ts';
import { ageSeconds, jsonResponse, type MonitorResponse, serveMonitor } from '../../monitoring/monitor-server.ts';
import type { HostPort } from '../../node/host-port.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import { scannerMetricsWriter } from './metrics.ts';
import { blocksBehind, reasonNotReady } from './readiness.ts';
import { monotonicSeconds, type StatusReport } from './status-report.ts';

export interface MonitorThreadData {
  readonly address: HostPort;
  readonly report: StatusReport;
}

/**
 * Messages from the main thread: its status, or the metrics of its process as text. Each shows that it is not blocked.
 */
export type MonitorUpdate = { readonly report: StatusReport } | { readonly processText: string };
/**
 * The first message to the main thread: the port, or why the thread does not listen. Each later one asks for the metrics
 * of the process.
 */
export type MonitorStartResult = { readonly port: number } | { readonly refusal: string };

/** The text of the metrics is made at most once in this time. */
const KEPT_SECONDS = 1;
/** The longest wait for the main thread's process metrics; after that the previous ones are used. */
const PROCESS_MS = 1_000;
/** A main thread without a heartbeat for this long is blocked: a batch of blocks takes a fraction of a second. */
const HANGING_SECONDS = 60;

const parent = parentPort!;
const { address, report: firstReport } = workerData as MonitorThreadData;

let report = firstReport;
let heardAt = monotonicSeconds();
let processText = '';
let onProcessText = (): void => {};

parent.on('message', (order: MonitorUpdate) => {
  heardAt = monotonicSeconds();
  if ('report' in order) report = order.report;
  else {
    processText = order.processText;
    onProcessText();
  }
});

const silentSeconds = (): number => Math.max(0, monotonicSeconds() - heardAt);
const ownText = scannerMetricsWriter(() => ({ report, now: monotonicSeconds(), silentSeconds: silentSeconds() }));

async function makeText(): Promise<string> {
  const given = new Promise<void>((resolve) => (onProcessText = resolve));
  parent.postMessage('process metrics');
  await Promise.race([given, sleep(PROCESS_MS)]);
  return (await ownText()) + processText;
}

let made = { at: Number.NEGATIVE_INFINITY, text: Promise.resolve('') };

async function metrics(): Promise<MonitorResponse> {
  const now = monotonicSeconds();
  if (now - made.at >= KEPT_SECONDS) made = { at: now, text: makeText() };
  return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await made.text };
}

function hangText(): string | null {
  const seconds = silentSeconds();
  return seconds > HANGING_SECONDS ? `the main thread hangs: no sign of life for ${Math.round(seconds)} s` : null;
}

function health(): MonitorResponse {
  const hangs = hangText();
  const status = hangs ?? 'alive';
  return jsonResponse(hangs === null ? 200 : 503, { status, phase: report.phase });
}

function ready(): MonitorResponse {
  const reason = hangText() ?? reasonNotReady(report, monotonicSeconds());
  const { phase, tip, nodeHeight } = report;
  return jsonResponse(reason === null ? 200 : 503, {
    status: reason ?? 'ready',
    phase,
    block_height: tip?.height ?? null,
    block_id: tip?.blockId ?? null,
    // Tells of a node or a chain that stands still, although the index is at its tip.
    block_age_seconds: tip === null ? null : ageSeconds(tip.timestamp),
    node_height: nodeHeight,
  });
}

/** What the scanner is and how it is, as the `/status` of a web server, as far as it knows. */
function status(): MonitorResponse {
  const { network, phase, tip, nodeHeight, nodes, nodeAnsweredAt, adding, lastError } = report;
  const [address] = Object.keys(nodes).filter((name) => nodes[name] === 1);
  return jsonResponse(200, {
    program: 'scanner',
    ...thisBuild(),
    storage_version: STORAGE_VERSION,
    network,
    mode: phase,
    adding: adding === null ? [] : [adding],
    ready: reasonNotReady(report, monotonicSeconds()) === null,
    index: tip && {
      height: tip.height,
      id: tip.blockId,
      timestamp: tip.timestamp,
      age_seconds: ageSeconds(tip.timestamp),
      lag_blocks: blocksBehind(report, monotonicSeconds()),
    },
    node: {
      address: address ?? null,
      height: nodeHeight,
      answer_age_seconds:
        nodeAnsweredAt && Math.max(0, Math.round((monotonicSeconds() - nodeAnsweredAt) * 1_000) / 1_000),
    },
    last_error: lastError && `${lastError.kind}: ${lastError.text}`,
  });
}

function begin(message: MonitorStartResult): void {
  parent.postMessage(message);
}

serveMonitor(address, { '/metrics': metrics, '/health': health, '/ready': ready, '/status': status }).then(
  (server) => begin({ port: (server.address() as AddressInfo).port }),
  (error: unknown) => begin({ refusal: systemErrorText(error) }),
);
