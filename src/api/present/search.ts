/** The results of a search, as JSON. */
import Type from 'typebox';
import type { Mark } from '../../answers/marks-file.ts';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  pairName,
  poolAddress,
  tokenAddress,
} from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { objectJson, plainJson, textJson } from '../../render/compose-json.ts';
import { strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { SearchProblem } from '../../serving/parse/search-query.ts';
import type { FoundMarketRow, SearchRow } from '../../store/queries/chain/search.ts';

const TYPES = [
  'block',
  'transaction',
  'address',
  'pool',
  'delegation',
  'token',
  'nft',
  'order',
  'market',
  'other_network',
  'wrong_checksum',
] as const;

export const SEARCH_RESULT_SCHEMA = strictObject({
  type: Type.Enum([...TYPES], {
    type: 'string',
    description:
      'The type of the result. `other_network`: the searched text is an id of another network. `wrong_checksum`: it is ' +
      'mistyped',
  }),
  id: Type.String({ description: 'As used in paths; the searched text itself if it is not an id of this network' }),
  label: Type.String({ description: 'A name: a ticker, an NFT name, a height, the name of a mark' }),
  detail: Type.String({ description: 'Further information, as a text' }),
});

type ResultType = (typeof TYPES)[number];

function resultJson(
  type: ResultType,
  id: string,
  label: string,
  detail: string,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  return objectJson<ValueOf<typeof SEARCH_RESULT_SCHEMA>>({
    type: plainJson(type),
    id: textJson(id),
    label: textJson(label),
    detail: textJson(detail),
  });
}

export function presentSearchResult(network: Network, row: SearchRow): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  const { type, id, height } = row;
  switch (type) {
    case 'block':
      return resultJson(type, id, `Block ${height}`, isoTime(row.timestamp));
    case 'transaction':
      return resultJson(type, id, 'Transaction', `In block ${height}`);
    case 'pool':
      return resultJson(type, poolAddress(network, id), 'Stake pool', `Created in block ${height}`);
    case 'delegation':
      return resultJson(type, delegationAddress(network, id), 'Delegation', `Created in block ${height}`);
    case 'order':
      return resultJson(type, orderAddress(network, id), 'Order', `Created in block ${height}`);
    case 'token':
      return resultJson(type, tokenAddress(network, id), utf8(row.ticker!), `Token, issued in block ${height}`);
    case 'nft': {
      const { name, ticker } = nftMetadataFromHex(row.metadata!);
      return resultJson(type, tokenAddress(network, id), utf8(name), `NFT ${utf8(ticker)}, issued in block ${height}`);
    }
    case 'address':
      return resultJson(type, destinationAddress(network, id), 'Address', 'With transactions');
  }
}

export function presentFoundMarket(
  network: Network,
  { base, quote, base_ticker, quote_ticker, trades, open_orders }: FoundMarketRow,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  const [first, second] = [base_ticker, quote_ticker].map((hex) => (hex === null ? network.coinTicker : utf8(hex)));
  const detail = `${trades} trades, ${open_orders} open orders`;
  return resultJson('market', pairName(network, base, quote), `${first}/${second}`, detail);
}

export function presentFoundMark(
  { kind, id, name, status }: Mark,
  source: string | null,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  return resultJson(kind, id, name ?? '', `${status === null ? 'Named' : `Marked ${status}`} by ${source}`);
}

/** A valid address that no transaction involves. */
export function presentUnusedAddress(network: Network, address: Destination): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  return resultJson('address', destinationAddress(network, address), 'Address', 'Without transactions');
}

export function presentPendingResult(id: Id): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  return resultJson('transaction', id, 'Transaction', 'Pending');
}

/** `text`: the search text. */
export function presentSearchProblem(
  network: Network,
  problem: SearchProblem,
  text: string,
): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  switch (problem.type) {
    case 'other_network':
      return resultJson(
        problem.type,
        text,
        `Of ${problem.name}`,
        `This is an id or address of ${problem.name}; here is ${network.name}`,
      );
    case 'wrong_checksum':
      return resultJson(problem.type, text, 'Mistyped', 'This looks like an id or address, but its checksum is wrong');
  }
}

function utf8(hex: string): string {
  return Buffer.from(hex, 'hex').toString('utf8');
}

function isoTime(seconds: number | null): string {
  return new Date((seconds ?? 0) * 1_000).toISOString().replace('.000', '');
}
