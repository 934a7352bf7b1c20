/** What a transaction did, as JSON: the fields that transactions have with `expand=true`. */
import type { Network } from '../../chain/networks/network.ts';
import type { Action } from '../../render/actions.ts';
import { amountJson, signedAmountJson } from '../../render/common-values.ts';
import {
  arrayJson,
  type Json,
  type MoreFields,
  moreFields,
  NULL_JSON,
  nullableJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import type { NetChange } from '../../render/net-changes.ts';
import type { NET_CHANGE_SCHEMA, SUMMARY_PROPERTIES } from '../../render/schemas/transaction-summary.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { TransactionSummary } from '../../render/transaction-summary.ts';
import { COIN_JSON, tokenCurrencyJson } from './currency.ts';

type Summary = { [Name in keyof typeof SUMMARY_PROPERTIES]: ValueOf<(typeof SUMMARY_PROPERTIES)[Name]> };

/** Appends what a transaction did: see {@link summaryFields}. */
export function withSummary(network: Network, transaction: string, summary: TransactionSummary | null): string {
  return `${transaction.slice(0, -1)}${summaryFields(network, summary)}}`;
}

/** Returns what a transaction did, as fields to append. `summary`: with who gave its commands; null if it is too long. */
export function summaryFields(network: Network, summary: TransactionSummary | null): MoreFields<Summary> {
  const { actions, netChanges, protocolFee } = summary ?? TOO_LONG;
  return moreFields<Summary>({
    actions: JSON.stringify(actions) as Json<Action[] | null>,
    net_changes: nullableJson(netChanges, (changes) => arrayJson(changes.map(netChangeJson))),
    protocol_fee: nullableJson(protocolFee, (fee) => amountJson(fee, network.coinDecimals)),
  });
}

const TOO_LONG = { actions: null, netChanges: null, protocolFee: null };

function netChangeJson({ account, currency, atoms }: NetChange): JsonTextOf<typeof NET_CHANGE_SCHEMA> {
  return objectJson({
    account_type: account.type === null ? NULL_JSON : plainJson(account.type),
    account: account.id === null ? NULL_JSON : plainJson(account.id),
    currency: currency.token === '' ? COIN_JSON : tokenCurrencyJson(currency.token),
    change: signedAmountJson(atoms, currency.decimals),
  });
}
