/** The schemas of what a transaction did: its actions (docs/api.md#what-a-transaction-did). */
import Type, { type TProperties, type TSchema } from 'typebox';
import type { TransactionKind } from '../../ledger/transaction-kind.ts';
import { BECH32_SCHEMA, COUNT_SCHEMA, nullable, oneOf, schemaRef, strictObject } from './common.ts';

const action = <const Kind extends TransactionKind, Fields extends TProperties>(type: Kind, fields: Fields) =>
  strictObject({ type: Type.Literal(type), ...fields }, { title: `Action${pascalCase(type)}` });
const pascalCase = (words: string) => words.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

const TOKEN = { token_id: BECH32_SCHEMA };
const COMMAND = {
  ...TOKEN,
  by: {
    ...nullable(BECH32_SCHEMA),
    description: 'The authority over the token right before it; null if it is not known',
  },
};
const ORDER_COMMAND = {
  order_id: BECH32_SCHEMA,
  by: { ...nullable(BECH32_SCHEMA), description: 'The conclude key of the order; null if it is not known' },
};
/** `null` where several sources pay at once, or where a spent output is not known. */
const VALUES = nullable(Type.Array(schemaRef('Value')));
const PAYMENT = {
  to: BECH32_SCHEMA,
  value: schemaRef('Value'),
  is_to_sender: { ...Type.Boolean(), description: 'Does it go back to an address that pays?' },
};

/** The actions, in the order in which a transaction lists them. */
const ACTIONS = {
  token_issue: action('token_issue', {
    token_id: { ...nullable(BECH32_SCHEMA), description: 'null if it follows from an input without an output' },
    ticker: schemaRef('StringOrHex'),
    total_supply: Type.Enum(['Fixed', 'Lockable', 'Unlimited'], { type: 'string' }),
  }),
  nft_issue: action('nft_issue', { ...TOKEN, name: schemaRef('StringOrHex'), to: BECH32_SCHEMA }),
  token_mint: action('token_mint', {
    ...COMMAND,
    amount: schemaRef('Amount'),
    to: { ...nullable(BECH32_SCHEMA), description: 'null unless all goes to one address that pays nothing' },
  }),
  token_unmint: action('token_unmint', { ...COMMAND, amount: schemaRef('Amount') }),
  token_lock: action('token_lock', COMMAND),
  token_freeze: action('token_freeze', { ...COMMAND, is_token_unfreezable: Type.Boolean() }),
  token_unfreeze: action('token_unfreeze', COMMAND),
  token_authority: action('token_authority', { ...COMMAND, new_authority: BECH32_SCHEMA }),
  token_metadata: action('token_metadata', COMMAND),
  pool_create: action('pool_create', { pool_id: BECH32_SCHEMA, pledge: schemaRef('Amount') }),
  pool_decommission: action('pool_decommission', { pool_id: BECH32_SCHEMA, returned: VALUES }),
  delegation_create: action('delegation_create', {
    delegation_id: nullable(BECH32_SCHEMA),
    pool_id: BECH32_SCHEMA,
    owner: BECH32_SCHEMA,
  }),
  delegate: action('delegate', { delegation_id: BECH32_SCHEMA, amount: schemaRef('Amount') }),
  delegation_withdraw: action('delegation_withdraw', { delegation_id: BECH32_SCHEMA, amount: schemaRef('Amount') }),
  order_create: action('order_create', {
    order_id: nullable(BECH32_SCHEMA),
    ask: schemaRef('Value'),
    give: schemaRef('Value'),
  }),
  order_fill: action('order_fill', {
    order_ids: {
      ...Type.Array(BECH32_SCHEMA),
      description: 'The orders that the transaction fills, once for each fill',
    },
    paid: { ...VALUES, description: 'What all of them took; null if it cannot be told' },
    received: { ...VALUES, description: 'What all of them gave; null if it cannot be told' },
  }),
  order_freeze: action('order_freeze', ORDER_COMMAND),
  order_conclude: action('order_conclude', { ...ORDER_COMMAND, returned: VALUES }),
  htlc_create: action('htlc_create', {
    value: schemaRef('Value'),
    spend_key: BECH32_SCHEMA,
    refund_key: BECH32_SCHEMA,
  }),
  htlc_claim: action('htlc_claim', { value: schemaRef('Value'), spend_key: BECH32_SCHEMA }),
  htlc_refund: action('htlc_refund', { value: schemaRef('Value'), refund_key: BECH32_SCHEMA }),
  data_deposit: action('data_deposit', { size: { ...COUNT_SCHEMA, description: 'In bytes' } }),
  burn: action('burn', { value: schemaRef('Value') }),
  lock: action('lock', PAYMENT),
  transfer: action('transfer', PAYMENT),
} satisfies Record<TransactionKind, TSchema>;

/** The ranks of the kinds: a transaction lists its actions by them. */
export const ACTION_RANKS = Object.fromEntries(Object.keys(ACTIONS).map((kind, rank) => [kind, rank])) as Readonly<
  Record<TransactionKind, number>
>;

export const ACTION_SCHEMA = oneOf(Object.values(ACTIONS), {
  description: 'Something that a transaction did; `type` is its kind, as in the `kinds` of `/block`',
});
