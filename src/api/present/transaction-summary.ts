/** What a transaction did, as JSON: the fields that transactions have with `expand=true`. */
import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Action } from '../../render/actions.ts';
import { ACCOUNT_TYPES, type NetChange } from '../../render/net-changes.ts';
import { schemaRef } from '../../render/schemas/common.ts';
import type { TransactionSummary } from '../../render/transaction-summary.ts';
import { appendedFields, defineEntry, kind } from '../entry/define-entry.ts';
import { amountsIn, choice, coins, listOf, nested, stored, unescapedText } from '../entry/kinds.ts';
import { COIN_JSON, tokenCurrencyJson } from './currency.ts';

/** What an account has more or less of a currency. The ids in it are addresses already. */
export const NET_CHANGE = defineEntry<NetChange>(
  {
    account_type: choice(ACCOUNT_TYPES).orNull(({ account }) => account.type),
    account: unescapedText(Type.String()).orNull(
      ({ account }) => account.id,
      'The address or id; of an HTLC its output, as `transaction:index`. Null for what several orders or pools gave or took together',
    ),
    currency: stored(schemaRef('Currency'))(({ currency }) =>
      currency.token === '' ? COIN_JSON : tokenCurrencyJson(currency.token),
    ),
    change: amountsIn<NetChange>(({ currency }) => currency.decimals).signed(({ atoms }) => atoms),
  },
  { description: 'What an account has more or less of a currency after a transaction; never 0' },
);

const action = kind<Action>({ schema: schemaRef('Action'), json: (value) => JSON.stringify(value) });

const TOO_LONG = 'Null if the transaction is longer than 512 kB as JSON';

/** What a transaction did, with who gave its commands; null if it is too long. */
export const SUMMARY_FIELDS = appendedFields<TransactionSummary | null>({
  actions: listOf(action).orNull(
    (summary) => summary?.actions ?? null,
    `What it did. Change, and what an action pays out, are not listed as transfers. ${TOO_LONG}`,
  ),
  net_changes: listOf(nested(NET_CHANGE, 'NetChange')).orNull(
    (summary) => summary?.netChanges ?? null,
    `By account and currency. ${TOO_LONG}, and while the fee is not known`,
  ),
  protocol_fee: coins.orNull(
    (summary) => summary?.protocolFee ?? null,
    `The coins that the protocol burns for it, besides \`fee\`. ${TOO_LONG}`,
  ),
});

/** Appends what a transaction did: see {@link SUMMARY_FIELDS}. */
export function withSummary(network: Network, transaction: string, summary: TransactionSummary | null): string {
  return `${transaction.slice(0, -1)}${SUMMARY_FIELDS.text(summary, network)}}`;
}
