/** What happened to a token: its issuance and the commands of its authority, newest first. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Atoms, Destination, Hex, Id } from '../../../chain/types.ts';
import { boundQuery, defineQuery } from '../../read/query.ts';
import { defineExportableList, type NotNull } from '../lists/define-list.ts';

/** The fields of the event are null in the one row of a token without events after the page's beginning. */
interface TokenEventRow {
  readonly exists: boolean;
  /** The decimals of a fungible token; null for an NFT. */
  readonly decimals: number | null;
  readonly height: number | null;
  readonly position: number | null;
  readonly event_index: number | null;
  /** A kind of transaction. */
  readonly kind: string | null;
  /** What was minted or unminted. */
  readonly amount: Atoms | null;
  /** What circulates after it. */
  readonly supply: Atoms | null;
  /** The new authority. */
  readonly authority: Destination | null;
  readonly metadata_uri: Hex | null;
  readonly is_unfreezable: boolean | null;
  readonly block_id: Id | null;
  /** In seconds since the epoch. */
  readonly timestamp: number | null;
  readonly tx_id: Id | null;
  /** Who gave the command: the authority before it. Null for an issuance. */
  readonly actor: Destination | null;
}

/** A row with an event. */
export type TokenEventEntryRow = NotNull<
  TokenEventRow,
  'height' | 'position' | 'event_index' | 'kind' | 'supply' | 'block_id' | 'timestamp' | 'tx_id'
>;

interface TokenEventKey {
  readonly height: number;
  readonly position: number;
  readonly eventIndex: number;
}

type EventParameters = [tokenId: Id, height: number, position: number, eventIndex: number, rowLimit: number | null];
const EVENT_COLUMNS = {
  token_id: 'bytea',
  height: 'integer',
  position: 'integer',
  event_index: 'integer',
  row_limit: 'integer',
} as const;

const eventsSql = (ofKind = '') => `
    select true as exists, k.decimals, e.height, e.position, e.event_index, e.kind, e.amount, e.supply, e.authority,
           e.metadata_uri, e.is_unfreezable, e.block_id, e.timestamp, e.tx_id, e.actor
    from (select 1) one
    left join tokens k on k.token_id = :token_id
    left join nfts n on n.token_id = :token_id
    left join lateral (
      select v.*, b.block_id, b.timestamp, x.tx_id
      from (
        select * from token_events
        where token_id = :token_id${ofKind} and (height, position, event_index) < (:height, :position, :event_index)
        order by height desc, position desc, event_index desc limit :row_limit
      ) v
      cross join lateral (select block_id, timestamp, first_tx_index from blocks where height = v.height offset 0) b
      cross join lateral (select tx_id from transactions where tx_index = b.first_tx_index + v.position offset 0) x
    ) e on true
    where k.token_id is not null or n.token_id is not null`;

const TOKEN_EVENTS = defineQuery<EventParameters, TokenEventRow>({
  name: 'token_events',
  parameters: EVENT_COLUMNS,
  select: eventsSql(),
});

const TOKEN_EVENTS_OF_KIND = defineQuery<[name: string, ...EventParameters], TokenEventRow>({
  name: 'token_events_of_kind',
  parameters: { name: 'text', ...EVENT_COLUMNS },
  select: eventsSql(` and kind = case when k.token_id is null then 'nft_' else 'token_' end || :name`),
});

/** What happens to tokens: kinds of transactions, without the words before them. */
export const TOKEN_EVENT_NAMES = [
  'issue',
  'mint',
  'unmint',
  'lock',
  'freeze',
  'unfreeze',
  'authority',
  'metadata',
] as const;
export type TokenEventName = (typeof TOKEN_EVENT_NAMES)[number];

interface TokenEventSelection {
  readonly tokenId: Id;
  /** Only events of this name. */
  readonly kind?: TokenEventName | undefined;
}

/** The events of a token or NFT. No row if there is no such token. */
export const TOKEN_EVENT_LIST = defineExportableList<
  TokenEventSelection,
  TokenEventKey,
  TokenEventRow,
  TokenEventEntryRow
>({
  name: ({ tokenId, kind }) => `token-events ${tokenId}${kind === undefined ? '' : ` ${kind}`}`,
  fields: { height: 'int32', position: 'int32', eventIndex: 'int32' },
  sortKey: ({ height, position, event_index }) => ({ height, position, eventIndex: event_index }),
  isEntry: (row): row is TokenEventEntryRow => row.height !== null,
  query({ tokenId, kind }, after, limit) {
    const { height, position, eventIndex } = after ?? { height: MAX_HEIGHT, position: 0, eventIndex: 0 };
    const place = [tokenId, height, position, eventIndex, limit] as const;
    return kind === undefined ? boundQuery(TOKEN_EVENTS, ...place) : boundQuery(TOKEN_EVENTS_OF_KIND, kind, ...place);
  },
});

/** The name of an event by its kind of transaction. */
export function tokenEventName(kind: string): TokenEventName {
  const name = kind.replace(/^(token|nft)_/, '');
  const event = TOKEN_EVENT_NAMES.find((known) => known === name);
  if (event === undefined) throw new Error(`no event of a token: ${kind}`);
  return event;
}
