/** `POST /wallet/sync`: what has changed for the addresses of a wallet since its last request. */

import Type from 'typebox';
import { isRecentHeight, RecentlyTouchedOwners } from '../../answers/recently-touched-owners.ts';
import {
  isCompleteCursor,
  noWalletChanges,
  readWalletChanges,
  type WalletChanges,
  type WalletCursor,
} from '../../answers/wallet-changes.ts';
import { MAX_HEIGHT, type Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { nullable, schemaRef } from '../../render/schemas/common.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import { joinBodyTexts, PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import {
  parseWalletBody,
  WALLET_ADDRESSES_PER_UNIT,
  WALLET_ADDRESSES_SCHEMA,
} from '../../serving/parse/wallet-body.ts';
import { type Caller, ClientGone } from '../../serving/resources/caller.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { requireReady, withChainTip } from '../../serving/route/readiness.ts';
import { jsonContent, responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { SnapshotChanged } from '../../store/read/one-snapshot.ts';
import type { ApiContext } from '../api-context.ts';
import { readWalletPending } from '../pending/wallet-pending.ts';
import {
  WALLET_BALANCE,
  WALLET_CHANGES,
  WALLET_CURSOR,
  WALLET_OUTPUT_SCHEMA,
  WALLET_REQUEST_EXAMPLE,
  walletTransactionSchema,
} from '../present/wallet.ts';

/** The most addresses of the longest kind take some 35 kB of it. */
const MAX_SYNC_BODY_BYTES = 64 * 1024;
/** The units of a response that may have megabytes: one to a wallet that begins, or that asks for more than recent blocks. */
const LONG_UNITS = 16;
/** The most reads while the tip changes. */
const MAX_TRIES = 20;

interface WalletReadRequest {
  readonly owners: readonly Destination[];
  readonly cursor: WalletCursor | null;
}

export function walletRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, profile, tipWatch } = context;
  const recentlyTouched = new RecentlyTouchedOwners();
  routes.addComponent('WalletCursor', WALLET_CURSOR.schema);
  routes.addComponent('WalletTransaction', walletTransactionSchema(profile));
  routes.addComponent('WalletOutput', WALLET_OUTPUT_SCHEMA);
  routes.addComponent('WalletBalance', WALLET_BALANCE.schema);

  /** `isAgain`: the tip that was polled last is known not to be the newest one. */
  function readChanges(
    { owners, cursor }: WalletReadRequest,
    caller: Caller,
    isAgain: boolean,
  ): WalletChanges | Promise<WalletChanges> {
    const tip = tipWatch.tip!;
    // Another response may have shown a newer tip already.
    const isNewest = !isAgain && tipWatch.advertisedRevision <= tip.revision;
    const isShort = cursor !== null && isCompleteCursor(cursor) && isRecentHeight(tip, cursor.height);
    if (isNewest && isShort) {
      const touched = recentlyTouched.get(tip, cursor.height, cursor.blockId);
      if (touched !== undefined && !owners.some((owner) => touched.has(owner))) return noWalletChanges(tip, cursor);
    }
    const units = (isShort ? 1 : LONG_UNITS) + Math.floor(owners.length / WALLET_ADDRESSES_PER_UNIT);
    return context.resources.requests.run(caller, units, (held) =>
      readWalletChanges(context.store.for(caller, held), network, owners, cursor, recentlyTouched),
    );
  }

  async function respond(body: Buffer, caller: Caller): Promise<PreparedResponse> {
    tipWatch.noteRequest();
    const request = parseWallet(network, body);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      requireReady(context);
      if (caller.isGone) throw new ClientGone();
      try {
        const changes = await readChanges(request, caller, tries > 0);
        const { tip, rolledBackTo } = changes;
        const pending = await readWalletPending(context, request.owners, tip, rolledBackTo?.height ?? null);
        const body = joinBodyTexts(WALLET_CHANGES.pieces(network, { profile, changes, pending }));
        return withChainTip(context, tip, new PreparedResponse(body));
      } catch (error) {
        if (!(error instanceof SnapshotChanged)) throw error;
      }
    }
    throw unavailable('tip changed during list');
  }

  addPostRoute(routes, context, {
    path: '/wallet/sync',
    summary: 'Changes to the addresses of a wallet since its last request',
    description:
      'A read: it needs no permission of the operator. Everything is of one tip. The first request has the cursor ' +
      'null and gets all unspent outputs and the balances. Each further one has the `to` of the response before, ' +
      `and gets what changed since. A response has at most 500 transactions; with \`complete: false\` there is more. ` +
      'The error 404 says that the cursor is not known: the wallet begins again with null.',
    body: jsonContent(
      Type.Object(
        {
          addresses: WALLET_ADDRESSES_SCHEMA,
          cursor: Type.Optional(nullable(schemaRef('WalletCursor'))),
        },
        { examples: [WALLET_REQUEST_EXAMPLE] },
      ),
    ),
    response: responsesWithoutEtag(WALLET_CHANGES.schema, [400, 404, 413]),
    bodyLimit: MAX_SYNC_BODY_BYTES,
    respond,
  });
}

function parseWallet(network: Network, body: Buffer): WalletReadRequest {
  const { owners, fields } = parseWalletBody(network, body);
  const { cursor = null } = fields;
  return { owners, cursor: cursor === null ? null : parseCursor(cursor) };
}

const BLOCK_ID = /^[0-9a-f]{64}$/;
const OUTPUT = /^(\d{1,10})-(\d{1,10})-(\d{1,10})$/;
const MAX_INTEGER = 2 ** 31 - 1;

function parseCursor(cursor: unknown): WalletCursor {
  const { height, block_id, position, unspent_from } = cursor as Record<string, unknown>;
  const isCount = (value: unknown, most: number) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;
  const unspentFrom = unspent_from === undefined ? null : parseOutput(unspent_from);
  const isCursor =
    isCount(height, MAX_HEIGHT) &&
    typeof block_id === 'string' &&
    BLOCK_ID.test(block_id) &&
    (position === undefined || isCount(position, MAX_INTEGER));
  if (!isCursor || unspentFrom === undefined) {
    throw badRequest('Invalid cursor: null, or the `to` of a response, is expected');
  }
  return {
    height: height as number,
    blockId: block_id,
    position: (position as number | undefined) ?? null,
    unspentFrom,
  };
}

function parseOutput(text: unknown): WalletCursor['unspentFrom'] | undefined {
  const [height, position, outputIndex] = OUTPUT.exec(String(text))?.slice(1).map(Number) ?? [];
  if ([height, position, outputIndex].some((part) => part === undefined || part > MAX_INTEGER)) return undefined;
  return { height: height!, position: position!, outputIndex: outputIndex! };
}
