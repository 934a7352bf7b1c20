/** The label of a token in responses, its ticker and decimals, as JSON. */
import { TOKEN_VALUE, type TokenLabels } from '../../answers/token-label.ts';
import { parseTokenId } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { oneOf, schemaRef, VALUES } from '../../render/schemas/common.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { bech32, count, literal, stored } from '../entry/kinds.ts';
import { type LabelledCurrency, labelFields, labelledIn } from './currency.ts';

export const frozenSince = <Row>(of: (row: Row) => number | null) =>
  count.orNull(of, 'The height of the block that froze the token; null while it is not frozen');

interface TokenValue extends LabelledCurrency {
  readonly address: string;
  /** As JSON. */
  readonly amount: string;
}

const LABELLED_TOKEN_VALUE = defineEntry<TokenValue>(
  {
    type: literal('TokenV1'),
    token_id: bech32(({ address }) => address),
    ...labelFields<TokenValue>(
      ({ currency }) => currency,
      ({ label }) => label,
    ),
    amount: stored(schemaRef('Amount'))(({ amount }) => amount),
  },
  { title: 'ValueLabelledToken' },
);

/** A `Value` with the token's ticker and decimals. */
export const LABELLED_VALUE_SCHEMA = oneOf([VALUES.Coin, LABELLED_TOKEN_VALUE.schema, VALUES.TokenV0], {
  title: 'LabelledValue',
});

/** Adds the token's label to the stored text of a value. */
export function presentLabelledValue(network: Network, labels: TokenLabels, value: string): string {
  const match = TOKEN_VALUE.exec(value);
  if (match === null) return value;
  const [, amount, address] = match as unknown as [string, string, string];
  return LABELLED_TOKEN_VALUE.json(network, { ...labelledIn(labels, parseTokenId(network, address)), amount, address });
}
