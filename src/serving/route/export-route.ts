/** Exports: the entries of a list from a cursor on, streamed from one snapshot, as CSV or as lines of JSON. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Backoff } from '../../errors/backoff.ts';
import { withRetry } from '../../errors/retry.ts';
import { isCancelledByRecovery } from '../../store/postgres/postgres-error.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import { StoreError } from '../../store/read/store-error.ts';
import { ApiError } from '../errors/api-error.ts';
import { callerOf } from '../http/connection.ts';
import { StreamedBody } from '../http/streamed-body.ts';
import { encodeCursor } from '../pagination/paging.ts';
import { EXPORT_MEDIA_TYPES, type ExportFormat } from '../parse/export-format.ts';
import { type Caller, ClientGone } from '../resources/caller.ts';
import { ResourceRefusal } from '../resources/shared-resources.ts';
import type { ServingContext } from './context.ts';
import { csvLine } from './csv.ts';
import { errorResponse } from './error-response.ts';
import type { AnyListExport, RowSource } from './get-route-stages.ts';
import { requireReady } from './readiness.ts';

/** Seconds after which a client may try again that found no place. */
const RETRY_AFTER = 10;

/** For this long, an export is restarted if a replica cancels it or its reads see two snapshots. */
const BEGIN_ANEW_MS = 10_000;
const PAUSES: Backoff = { firstMs: 100, maxMs: 100 };

const TOO_MANY = new ApiError(429, 'Too many exports at a time. Try again when others have ended.', {
  retryAfter: RETRY_AFTER,
});

/** A request for an export. */
interface ExportRequest {
  readonly raw: IncomingMessage;
  readonly reply: ServerResponse;
  readonly format: ExportFormat;
  /** The result of `metrics.begin()`. */
  readonly began: number;
}

/**
 * Answers with an export, and counts it. `prepare` may read what the export needs to know. The head is sent when the first rows
 * are there: an error until then is a response, and one after that breaks the connection.
 */
export async function respondWithExport(
  context: ServingContext,
  name: string,
  { raw, reply, format, began }: ExportRequest,
  prepare: (caller: Caller) => AnyListExport | Promise<AnyListExport>,
): Promise<void> {
  const { metrics, throttledLog } = context;
  const caller = callerOf(raw);
  const deadline = performance.now() + BEGIN_ANEW_MS;
  const retryable = (error: unknown): boolean =>
    !reply.headersSent && !caller.isGone && performance.now() < deadline && isOfThisMoment(error);
  const send = async (): Promise<void> => {
    const chosen = await prepare(caller);
    const reader = await chosen.open();
    const stop = (): void => reader.close();
    caller.onGone(stop);
    try {
      if (caller.isGone) throw new ClientGone();
      const first = raw.method === 'HEAD' ? null : await reader.next();
      if (chosen.hasRow && first?.length === 0) throw new SnapshotChanged();
      context.tipWatch.noteAdvertised(reader.tip.revision);
      // A download is not a request in flight.
      metrics.end(name, 200, began);
      await sendRows(context, chosen, reader, { raw, reply, format, caller, first });
    } finally {
      caller.offGone(stop);
      reader.close();
    }
  };
  try {
    requireReady(context);
    await context.resources.exports.run(caller, 1, () => withRetry(send, { ...PAUSES, retryable }));
  } catch (error) {
    if (reply.headersSent) {
      reply.destroy();
      if (!(error instanceof ClientGone || caller.isGone))
        throttledLog.warn('export', error, 'An export could not be finished.');
      return;
    }
    const isBusy = error instanceof ResourceRefusal && error.resource === 'exports';
    const response = errorResponse(context, isBusy ? TOO_MANY : error);
    metrics.end(name, response.status, began);
    response.send(raw, reply);
  }
}

/** May the same export succeed when it is begun anew? */
function isOfThisMoment(error: unknown): boolean {
  return error instanceof SnapshotChanged || (error instanceof StoreError && isCancelledByRecovery(error.cause));
}

async function sendRows(
  { resources, exportPatienceMs }: ServingContext,
  { fileName, list, order, csv, json }: AnyListExport,
  reader: RowSource<object>,
  {
    raw,
    reply,
    format,
    caller,
    first,
  }: Omit<ExportRequest, 'began'> & { readonly caller: Caller; readonly first: object[] | null },
): Promise<void> {
  const body = new StreamedBody(raw, reply, {
    contentType: format.type === 'csv' ? `${EXPORT_MEDIA_TYPES.csv}; charset=utf-8` : EXPORT_MEDIA_TYPES.ndjson,
    fileName: `${fileName}.${format.type}`,
    tip: reader.tip,
    caller,
    unsent: resources.unsent_bytes,
    patienceMs: exportPatienceMs,
  });
  if (first === null) return;
  const cursorsOf = (row: object) => (order === null ? [] : [encodeCursor(list, order.fields, order.sortKey(row))]);
  const jsonLine = (row: object) => {
    const [cursor] = cursorsOf(row);
    const text = json!(row);
    return cursor === undefined ? `${text}\n` : `${text.slice(0, -1)},"cursor":"${cursor}"}\n`;
  };
  const lineOf = (row: object): string =>
    format.type === 'csv'
      ? csvLine([...csv.fields(row), ...cursorsOf(row)], format.delimiter, format.decimal)
      : jsonLine(row);
  if (format.type === 'csv') {
    const columns = order === null ? csv.columns : [...csv.columns, 'cursor'];
    await body.write(csvLine(columns, format.delimiter, format.decimal));
  }
  for (let rows = first; rows.length > 0; ) {
    // PostgreSQL reads the next rows while the client takes these.
    const next = reader.next();
    next.catch(() => {});
    const text = rows
      .filter((row) => order === null || order.isEntry(row))
      .map(lineOf)
      .join('');
    if (text !== '') await body.write(text);
    rows = await next;
  }
  body.end();
}
