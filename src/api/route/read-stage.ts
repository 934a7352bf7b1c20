/** The reading stage of a route: one snapshot of the chain, its page resolved before it is read. */

import type { Caller } from '../../resources/caller.ts';
import type { ListAnchors } from '../../store/queries/keyset.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { SnapshotChanged } from '../errors/snapshot-changed.ts';
import type { OffsetAnchors } from '../pagination/offset-anchors.ts';
import type { ListPage } from '../pagination/page.ts';
import type { ApiContext } from './context.ts';
import type { GetRoute, RouteReadResult } from './get-route.ts';

/** How often a page is resolved anew because the tip changed before it was read; then it is read from the list's start. */
const MAX_RESOLUTIONS = 2;

/** Of a route of the API, or of a page. */
type ReadStage<Params, Data extends RouteReadResult> = Pick<GetRoute<Params, Data>, 'read' | 'anchors'>;

type ReadContext = Pick<ApiContext, 'store' | 'offsetAnchors'>;

/**
 * What the route reads for these parameters, on behalf of a caller. `store` may be another one than that of the context.
 * Throws {@link SnapshotChanged}: then it has to be read again.
 */
export function readRouteDataOnce<Params, Data extends RouteReadResult>(
  context: ReadContext,
  route: ReadStage<Params, Data>,
  params: Params,
  caller: Caller,
  store: UnbatchedQueryRunner = context.store.for(caller),
): Data | Promise<Data> {
  const read = (resolved: Params) => route.read(store, resolved, caller);
  const anchors = route.anchors?.(params);
  return anchors ? readPage(context.offsetAnchors, anchors, read, params) : read(params);
}

/** The same, read again until it is of one snapshot. */
export async function readRouteData<Params, Data extends RouteReadResult>(
  ...parameters: Parameters<typeof readRouteDataOnce<Params, Data>>
): Promise<Data> {
  for (;;) {
    try {
      return await readRouteDataOnce(...parameters);
    } catch (error) {
      if (!(error instanceof SnapshotChanged)) throw error;
    }
  }
}

/** The same for a list with pages by offset. */
async function readPage<Params, Data extends RouteReadResult>(
  offsetAnchors: OffsetAnchors,
  anchors: ListAnchors<Params, unknown>,
  read: (params: Params) => Data | Promise<Data>,
  params: Params,
): Promise<Data> {
  const { page } = params as Params & { readonly page: ListPage<unknown, null> };
  if (!offsetAnchors.isWorthwhile(page)) return read(params);
  for (let i = 0; i < MAX_RESOLUTIONS; i++) {
    const anchored = await offsetAnchors.resolve(anchors, params, page);
    const data = await read({ ...params, page: anchored.page });
    if (isSameTip(data.tip, anchored.tip)) return data;
    offsetAnchors.forget(page);
  }
  return read(params);
}

function isSameTip(a: SnapshotTip | null, b: SnapshotTip): boolean {
  return a !== null && a.revision === b.revision && a.id === b.id;
}
