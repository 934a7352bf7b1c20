import { type EndpointResult, HEAVY, type Rates, type ReadResult, USUAL } from './endpoint-throughput.ts';
import { bytesText, count, microseconds, milliseconds, type Report, ratio, times } from './report.ts';

/** The longest that one answer of a hundred may take under the heavy load. */
const P99_MARK_MS = 10;
/** The columns of `rates`. */
const RATES = ['answers/s', 'p50', 'p99', `${HEAVY}: /s`, 'p50', 'p99'];
/** The factor by which a deep page may be slower than the first. */
const DEPTH_MARK = 2;

const mark = (isMet: boolean) => (isMet ? 'yes' : 'NO');

/** Returns the progress line of an endpoint. */
export function progressLine({ name, bytes, bare, hot, cold }: EndpointResult): string {
  return (
    `  ${name}: ${bytesText(bytes)}, bare ${count(bare.perSecond)}, hot ${count(hot.usual.perSecond)}, ` +
    `cold ${count(cold.usual.perSecond)}`
  );
}

export function reportReading(report: Report, title: string, { endpoints, workers, peakBytes }: ReadResult): void {
  report.table(
    `Hot: one URL. Answers a second with ${USUAL} connections, p50 and p99 with ${USUAL} and ${HEAVY}; ${title}`,
    ['endpoint', 'size', ...RATES, 'bare/s', 'of it', 'CPU µs', 'bare'],
    endpoints.map(({ name, bytes, hot, bare }) => [
      name,
      bytesText(bytes),
      ...rates(hot),
      count(bare.perSecond),
      ratio(hot.usual.perSecond / bare.perSecond),
      microseconds(hot.usual.serverMicroseconds),
      microseconds(bare.serverMicroseconds),
    ]),
  );
  reportCold(report, 'Cold: another URL each time, nothing cached', endpoints, ({ cold }) => cold);
  reportCold(report, `Cold with --workers ${workers}`, endpoints, ({ coldByAll }) => coldByAll);
  reportMarks(report, endpoints, workers);
  reportDepth(report, endpoints);
  const slow = endpoints.filter(({ hot, cold }) => Math.max(hot.heavy.p99Ms, cold.heavy.p99Ms) >= P99_MARK_MS);
  report.say(
    `\n  p99 under ${P99_MARK_MS} ms with ${HEAVY} connections: ${slow.length === 0 ? 'everywhere' : `not ${slow.map(({ name }) => name).join('; ')}`}`,
  );
  if (!Number.isNaN(peakBytes)) report.say(`  web server memory, peak: ${bytesText(peakBytes)}`);
}

function reportCold(
  report: Report,
  title: string,
  endpoints: readonly EndpointResult[],
  ratesOf: (result: EndpointResult) => Rates | null,
): void {
  const rows = endpoints.flatMap((endpoint) => {
    const cold = ratesOf(endpoint);
    if (cold === null) return [];
    const { bytesPerAnswer, serverMicroseconds, postgresMicroseconds } = cold.usual;
    return [
      [
        endpoint.name,
        bytesText(bytesPerAnswer),
        ...rates(cold),
        microseconds(serverMicroseconds),
        microseconds(postgresMicroseconds),
      ],
    ];
  });
  if (rows.length === 0) return;
  report.table(title, ['endpoint', 'size', ...RATES, 'CPU µs', 'PostgreSQL µs'], rows);
}

function rates({ usual, heavy }: Rates): string[] {
  return [usual, heavy].flatMap(({ perSecond, p50Ms, p99Ms }) => [
    count(perSecond),
    milliseconds(p50Ms),
    milliseconds(p99Ms),
  ]);
}

function reportMarks(report: Report, endpoints: readonly EndpointResult[], workers: number): void {
  const marked = endpoints.filter(({ marks }) => marks !== null);
  if (marked.length === 0) return;
  report.table(
    'Against mintlayer-core (its published rates; hot: 10 times, or 60% of the bare server; cold: 5 times, or twice from 3,500 on)',
    [
      ...['endpoint', 'mintlayer-core/s', 'hot', 'mark', 'met', 'cold: mark'],
      ...[USUAL, HEAVY].flatMap((connections) => [`${connections}`, 'met']),
      ...[USUAL, HEAVY].flatMap((connections) => [`${connections}, --workers ${workers}`, 'met']),
    ],
    marked.map(({ name, mintlayerCore, hot, cold, coldByAll, marks }) => [
      name,
      count(mintlayerCore!),
      times(hot.usual.perSecond / mintlayerCore!),
      count(marks!.hot),
      mark(hot.usual.perSecond >= marks!.hot),
      count(marks!.cold),
      ...[cold.usual, cold.heavy, coldByAll?.usual, coldByAll?.heavy].flatMap((load) =>
        load ? [times(load.perSecond / mintlayerCore!), mark(load.perSecond >= marks!.cold)] : ['–', '–'],
      ),
    ]),
  );
}

function reportDepth(report: Report, endpoints: readonly EndpointResult[]): void {
  const lists = endpoints.flatMap((deep) => {
    const { page } = deep;
    if (page?.place !== 'deep') return [];
    const first = endpoints.find((other) => other.page?.list === page.list && other.page.place === 'first');
    return first ? [{ first, deep }] : [];
  });
  if (lists.length === 0) return;
  report.table(
    'Depth: the first page of each list and deep ones, cold',
    ['list', 'first/s', 'deep/s', 'factor', `at most ${DEPTH_MARK}`],
    lists.map(({ first, deep }) => {
      const factor = first.cold.usual.perSecond / deep.cold.usual.perSecond;
      return [
        deep.name,
        count(first.cold.usual.perSecond),
        count(deep.cold.usual.perSecond),
        times(factor),
        mark(factor <= DEPTH_MARK),
      ];
    }),
  );
}
