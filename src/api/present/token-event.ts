/** What happened to a token, as JSON. */
import Type from 'typebox';
import { destinationAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson, stringOrHexJson } from '../../render/common-values.ts';
import { booleanJson, nullableJson, plainJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type CsvTable, csvTime } from '../../serving/route/csv.ts';
import { TOKEN_EVENT_NAMES, type TokenEventEntryRow, tokenEventName } from '../../store/queries/tokens/token-events.ts';
import { objectWriter } from './object-writer.ts';

export const TOKEN_EVENT_SCHEMA = strictObject({
  height: COUNT_SCHEMA,
  block_id: HEX_ID_SCHEMA,
  timestamp: COUNT_SCHEMA,
  tx_id: HEX_ID_SCHEMA,
  event: Type.Enum([...TOKEN_EVENT_NAMES], { type: 'string' }),
  by: { ...nullable(BECH32_SCHEMA), description: 'The authority that did it; null for an issuance' },
  amount: {
    ...nullable(schemaRef('Amount')),
    description: 'What was minted or unminted; 1 for the issuance of an NFT',
  },
  supply: describedRef('Amount', 'What was minted and not unminted, after it'),
  authority: { ...nullable(BECH32_SCHEMA), description: 'The new authority' },
  metadata_uri: { ...nullable(schemaRef('StringOrHex')), description: 'The new URI' },
  is_unfreezable: { ...nullable(Type.Boolean()), description: 'Of a freeze: can it be undone?' },
});

const tokenEventJson = objectWriter(TOKEN_EVENT_SCHEMA);

export function presentTokenEvent(network: Network, row: TokenEventEntryRow): JsonTextOf<typeof TOKEN_EVENT_SCHEMA> {
  const decimals = row.decimals ?? 0;
  return tokenEventJson({
    height: row.height,
    block_id: row.block_id,
    timestamp: row.timestamp,
    tx_id: row.tx_id,
    event: plainJson(tokenEventName(row.kind)),
    by: nullableJson(row.actor, (destination) => plainJson(destinationAddress(network, destination))),
    amount: nullableJson(row.amount, (atoms) => amountJson(atoms, decimals)),
    supply: amountJson(row.supply, decimals),
    authority: nullableJson(row.authority, (destination) => plainJson(destinationAddress(network, destination))),
    metadata_uri: nullableJson(row.metadata_uri, stringOrHexJson),
    is_unfreezable: nullableJson(row.is_unfreezable, booleanJson),
  });
}

/** The columns of exported events. */
export function tokenEventCsv(network: Network): CsvTable<TokenEventEntryRow> {
  return {
    columns: [
      ...['height', 'block_id', 'time_utc', 'tx_id', 'event', 'amount', 'supply'],
      ...['authority', 'metadata_uri', 'is_unfreezable', 'by'],
    ],
    fields: (row) => {
      const decimals = row.decimals ?? 0;
      return [
        row.height,
        row.block_id,
        csvTime(row.timestamp),
        row.tx_id,
        tokenEventName(row.kind),
        row.amount === null ? null : { atoms: row.amount, decimals },
        { atoms: row.supply, decimals },
        row.authority === null ? null : destinationAddress(network, row.authority),
        row.metadata_uri === null ? null : Buffer.from(row.metadata_uri, 'hex').toString('utf8'),
        row.is_unfreezable === null ? null : `${row.is_unfreezable}`,
        row.actor === null ? null : destinationAddress(network, row.actor),
      ];
    },
  };
}
