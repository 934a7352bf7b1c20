/** The ETag of a response: it depends on nothing but the tip, the request and the shapes of the response profile. */
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import type { ApiContext } from './context.ts';

/** `keyHash`: of the response's cache key. An ETag that is sent with another request never matches. */
export function etagOf(
  { shapesVersion }: Pick<ApiContext, 'shapesVersion'>,
  { id }: Pick<SnapshotTip, 'id'>,
  keyHash: number,
): string {
  return `W/"${id.slice(0, 24)}-${keyHash.toString(36)}-${shapesVersion}"`;
}
