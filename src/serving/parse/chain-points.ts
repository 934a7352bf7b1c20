/** Parses the points and ranges of the chain in queries: `height`, `time`, `from` and `to`. */
import Type from 'typebox';
import { MAX_HEIGHT, type Network } from '../../chain/networks/network.ts';
import { unsignedInteger } from '../../render/schemas/common.ts';
import type { ChainPoint, ChainRange } from '../../store/queries/blocks/chain-points.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { badRequest, requireFound } from '../errors/api-error.ts';
import { EXPAND_OWNED, lastQueryValue, parseAddress, parseUnsigned, type UrlQuery } from './parameters.ts';

/** The query parameters of {@link parsePoint}. */
export const POINT_QUERY_SCHEMAS = {
  height: Type.Optional(unsignedInteger({ description: 'As it was after the block at this height' })),
  time: Type.Optional(
    unsignedInteger({
      description:
        'As it was after the last block with at most this timestamp, in seconds since the epoch; not with `height`',
    }),
  ),
};

/** Parses `height` or `time`; null if neither is given. */
export function parsePoint(query: UrlQuery): ChainPoint | null {
  const height = lastQueryValue(query, 'height');
  const time = lastQueryValue(query, 'time');
  if (height !== undefined && time !== undefined) throw badRequest('Invalid time: it cannot be given with `height`');
  if (height !== undefined) return { height: boundedHeight(parseUnsigned(height, 'Invalid block height')) };
  return time === undefined
    ? null
    : { time: parseUnsigned(time, 'Invalid time: seconds since the epoch are expected') };
}

/** Parses the parameter `address` of a path, the point of the query, and {@link EXPAND_OWNED}. */
export function addressAndPoint(network: Network) {
  return ({ params, query }: { readonly params: Readonly<Record<string, string>>; readonly query: UrlQuery }) => ({
    owner: parseAddress(network, params.address!),
    point: parsePoint(query),
    isExpanded: EXPAND_OWNED.parse(query),
  });
}

/** Returns the block of a point; throws the error 404 if there is none. */
export function requirePointBlock<Row>(point: ChainPoint, row: Row | undefined, tip: SnapshotTip | null = null): Row {
  return requireFound(row, `No block found at supplied ${'height' in point ? 'height' : 'time'}`, tip);
}

const bound = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(\\+?[0-9]+|#[0-9]+)$',
      format: 'chain-bound',
      description: `${description}: seconds since the epoch, or a height as \`#123\` (\`%23123\` in a URL)`,
    }),
  );

/** The query parameters of {@link parseRange}. */
export const RANGE_QUERY_SCHEMAS = {
  from: bound('Only blocks from this time or height on'),
  to: bound('Only blocks before this time or below this height'),
};

/** Parses `from` and `to`: the range from the first on, without the second. */
export function parseRange(query: UrlQuery): ChainRange {
  return { from: parseBound(query, 'from'), to: parseBound(query, 'to') };
}

function parseBound(query: UrlQuery, name: 'from' | 'to'): ChainPoint | null {
  const text = lastQueryValue(query, name);
  return text === undefined ? null : parseBoundText(text, name);
}

/** Parses a bound of a range; throws the error 400. */
function parseBoundText(text: string, name: 'from' | 'to'): ChainPoint {
  const message = `Invalid ${name}: seconds since the epoch, or a height as #123, are expected`;
  if (!text.startsWith('#')) return { time: parseUnsigned(text, message) };
  return { height: boundedHeight(parseUnsigned(text.slice(1), message)) };
}

/** Returns a height as a number; one that no chain will ever reach as the largest. */
const boundedHeight = (height: bigint): number => Number(height > MAX_HEIGHT ? MAX_HEIGHT : height);

/** Parses a bound of times, in seconds since the epoch; null if it is not given. */
export function parseTimeBound(query: UrlQuery, name: 'from' | 'to'): bigint | null {
  const text = lastQueryValue(query, name);
  return text === undefined ? null : parseUnsigned(text, `Invalid ${name}: seconds since the epoch are expected`);
}
