/** What has changed for the addresses of a wallet, as JSON. */
import Type from 'typebox';
import { addLateTokenDecimals } from '../../answers/decimals-of-later-issued-tokens.ts';
import type { TokenLabels } from '../../answers/token-label.ts';
import type { WalletChanges, WalletCursor } from '../../answers/wallet-changes.ts';
import { COIN } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { COUNT_SCHEMA, patternString, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { WalletBalanceRow } from '../../store/queries/wallets/wallet-changes.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { amountsIn, count, flag, hexId, listOf, nested, stored, unescapedText } from '../entry/kinds.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { labelledCurrency, labelledIn } from './currency.ts';
import { listedTransactionSchema, presentTransaction } from './transaction.ts';

const EXAMPLE_CURSOR = {
  height: 401_000,
  block_id: '693bb8377f4b9b23c6bbce0b69ea472e40a3c32d5464240ee00e83041d6066a2',
};

const BLOCK_OF_CURSOR = defineEntry<Pick<WalletCursor, 'height' | 'blockId'>>({
  height: count(({ height }) => height),
  block_id: hexId(({ blockId }) => blockId),
});

export const WALLET_CURSOR = defineEntry<WalletCursor>(
  {
    ...BLOCK_OF_CURSOR.fields,
    position: count.optional(
      ({ position }) => position ?? undefined,
      'So many transactions of the block were told. Absent: it was told completely',
    ),
    unspent_from: unescapedText(patternString({ pattern: '^[0-9]+-[0-9]+-[0-9]+$' })).optional(
      ({ unspentFrom }) => (unspentFrom === null ? undefined : Object.values(unspentFrom).join('-')),
      'The first of the unspent outputs that were not told. Absent: all were told',
    ),
  },
  { description: 'What a client was told; to be sent back as it came', examples: [EXAMPLE_CURSOR] },
);

export function walletTransactionSchema(profile: ResponseProfile) {
  const { properties } = listedTransactionSchema(profile);
  return strictObject({ ...properties, height: COUNT_SCHEMA });
}

export const WALLET_OUTPUT_SCHEMA = strictObject({
  outpoint: schemaRef('Outpoint'),
  utxo: schemaRef('Output'),
  block_height: { ...COUNT_SCHEMA, description: 'Of the block that created it' },
});

interface WalletBalance extends WalletBalanceRow {
  readonly labels: TokenLabels;
}

const amount = amountsIn<WalletBalance>(({ currency, labels }, { coinDecimals }) =>
  currency === COIN ? coinDecimals : (labels.get(currency)?.decimals ?? 0),
);

export const WALLET_BALANCE = defineEntry<WalletBalance>({
  currency: labelledCurrency(({ currency, labels }) => labelledIn(labels, currency)),
  amount: amount((row) => row.amount, 'Not under a time lock'),
  locked: amount(({ locked }) => locked, 'Under a time lock'),
});

/** The response to a wallet for which nothing has changed. */
const EMPTY_CHANGES = {
  from: EXAMPLE_CURSOR,
  to: EXAMPLE_CURSOR,
  rolled_back_to: null,
  transactions: [],
  created: [],
  spent: [],
  unconfirmed_again: [],
  pending: [],
  pending_complete: true,
  dropped: [],
  balances: null,
  complete: true,
};
export const WALLET_REQUEST_EXAMPLE = {
  addresses: ['mtc1q95nhwph0a9ekg7xh08qk602guhypg7r95l7erhx'],
  cursor: EXAMPLE_CURSOR,
};

/** The pending transactions of a wallet. */
export interface WalletPending {
  /** As JSON; null while they are not known. */
  readonly transactions: readonly string[] | null;
  /** Are these all? */
  readonly isComplete: boolean;
  readonly unconfirmedAgain: readonly Id[];
  readonly dropped: readonly Id[];
}

interface WalletResponse {
  readonly profile: ResponseProfile;
  readonly changes: WalletChanges;
  readonly pending: WalletPending;
}

const arrayOf = (component: string) => stored(Type.Array(schemaRef(component)));
const arrayText = (texts: readonly string[]) => `[${texts.join()}]`;

/** A response, with the components that the route registers. It may be too long for one text: see {@link Entry.pieces}. */
export const WALLET_CHANGES = defineEntry<WalletResponse>(
  {
    from: nested(WALLET_CURSOR, 'WalletCursor').orNull(({ changes }) => changes.from, 'The cursor of the request'),
    to: nested(WALLET_CURSOR, 'WalletCursor')(({ changes }) => changes.to, 'The cursor of the next request'),
    rolled_back_to: nested(BLOCK_OF_CURSOR).orNull(
      ({ changes }) => changes.rolledBackTo,
      'null, unless a reorganisation removed the block of the cursor: then the last block that is still on the main ' +
        'chain. What was told of later blocks is void, and so are all outputs: `created` begins again with all unspent ones',
    ),
    transactions: arrayOf('WalletTransaction')(
      transactionsText,
      'Confirmed since, in the order of the chain; none if the cursor of the request is null',
    ),
    created: arrayOf('WalletOutput')(
      // The stored entry is an object without its last brace.
      ({ changes }) => arrayText(changes.created.map(({ entry, height }) => `${entry},"block_height":${height}}`)),
      'Outputs that were created since, also if they are spent again. All unspent ones if the cursor is null',
    ),
    spent: arrayOf('Outpoint')(
      ({ changes }) => arrayText(changes.spent),
      'Outputs that were spent since, also those that nothing was told of. They come after `created`',
    ),
    unconfirmed_again: listOf(hexId)(
      ({ pending }) => pending.unconfirmedAgain,
      'Those of `pending` that a removed block contained, as far as this server knows',
    ),
    pending: arrayOf('Transaction').orNull(
      ({ pending }) => pending.transactions && arrayText(pending.transactions),
      'The pending transactions of the addresses now; null while they are not known',
    ),
    pending_complete: flag(
      ({ pending }) => pending.isComplete,
      'false while `pending` may lack some: this server does not know all pending transactions, or the addresses have more ' +
        'than 500. A transaction that was in `pending` before may be pending still, unless it is in `dropped` or confirmed',
    ),
    dropped: listOf(hexId)(
      ({ pending }) => pending.dropped,
      'Transactions that left without being confirmed within the last hour, as far as this server knows',
    ),
    balances: listOf(nested(WALLET_BALANCE, 'WalletBalance')).orNull(
      ({ changes: { balances, labels } }) => balances?.map((row) => ({ ...row, labels })) ?? null,
      'Of all addresses together at `to`; null if nothing of the addresses changed since the cursor, or `complete` is false',
    ),
    complete: flag(({ changes }) => changes.isComplete, 'false: there is more; ask again with `to`'),
  },
  { examples: [EMPTY_CHANGES] },
);

function transactionsText({ profile, changes: { transactions, tip, lateDecimals } }: WalletResponse, network: Network) {
  const texts = transactions.map((row) => {
    const text = addLateTokenDecimals(presentTransaction({ network, profile }, row, tip, 'listed'), lateDecimals);
    return `${text.slice(0, -1)},"height":${row.height}}`;
  });
  return arrayText(texts);
}
