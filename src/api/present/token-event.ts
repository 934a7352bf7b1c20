/** What happened to a token, as JSON and CSV. */
import { TOKEN_EVENT_NAMES, type TokenEventEntryRow, tokenEventName } from '../../store/queries/tokens/token-events.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, choice, count, destination, flag, hexId, stringOrHex, time } from '../entry/kinds.ts';

const tokens = amountsIn<TokenEventEntryRow>(({ decimals }) => decimals ?? 0);

export const TOKEN_EVENT = defineEntry<TokenEventEntryRow>(
  {
    height: count(({ height }) => height),
    block_id: hexId(({ block_id }) => block_id),
    timestamp: time(({ timestamp }) => timestamp),
    tx_id: hexId(({ tx_id }) => tx_id),
    event: choice(TOKEN_EVENT_NAMES)(({ kind }) => tokenEventName(kind)),
    by: destination.orNull(({ actor }) => actor, 'The authority that did it; null for an issuance'),
    amount: tokens.orNull(({ amount }) => amount, 'What was minted or unminted; 1 for the issuance of an NFT'),
    supply: tokens(({ supply }) => supply, 'What was minted and not unminted, after it'),
    authority: destination.orNull(({ authority }) => authority, 'The new authority'),
    metadata_uri: stringOrHex.orNull(({ metadata_uri }) => metadata_uri, 'The new URI'),
    is_unfreezable: flag.orNull(({ is_unfreezable }) => is_unfreezable, 'Of a freeze: can it be undone?'),
  },
  {
    columns: [
      ...['height', 'block_id', 'time_utc', 'tx_id', 'event', 'amount', 'supply'],
      ...['authority', 'metadata_uri', 'is_unfreezable', 'by'],
    ],
  },
);
