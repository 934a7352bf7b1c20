/** Parses the points and ranges of the chain in queries: `height`, `time`, `from` and `to`. */
import Type from 'typebox';
import { unsignedInteger } from '../../render/schemas/common.ts';
import type { ChainPoint, ChainRange } from '../../store/queries/blocks/chain-points.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { requireFound } from '../errors/api-error.ts';
import { boundedHeight, lastQueryValue, parseUnsigned, type UrlQuery } from './parameters.ts';

/** The query parameters of `parsePoint`. */
export const POINT_QUERY_SCHEMAS = {
  height: Type.Optional(unsignedInteger({ description: 'As it was after the block at this height' })),
  time: Type.Optional(
    unsignedInteger({
      description:
        'As it was after the last block with at most this timestamp, in seconds since the epoch; not with `height`',
    }),
  ),
};

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
