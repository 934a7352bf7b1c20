/** The ETag of a response: it depends on nothing but the tip, the request and the shapes of the response profile. */
import type { SnapshotTip } from '../../store/read/batched-query.ts';

/**
 * `version`: of the shapes of responses. `keyHash`: of the response's cache key; an ETag that is sent with another request
 * never matches.
 */
export function etagOf(version: string, { id }: Pick<SnapshotTip, 'id'>, keyHash: number): string {
  return `W/"${id.slice(0, 24)}-${keyHash.toString(36)}-${version}"`;
}
