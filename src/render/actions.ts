/** What a transaction did, action by action. Pure; from its JSON alone. */
import {
  isBurnOutput,
  isContractOutput,
  isLockedOutput,
  isPaymentOutput,
  isStakeOutput,
  type PaymentKind,
} from '../chain/input-and-output-kinds.ts';
import type { Atoms } from '../chain/types.ts';
import { type CountedValue, sumOfAmounts, takenBy, tokenOf } from './input-and-output-amounts.ts';
import { type AmountFlows, countedOf } from './net-changes.ts';
import { ACTION_RANKS } from './schemas/transaction-summary.ts';
import type { ComponentValue } from './schemas/value-of-schema.ts';
import type { ParsedInputEntry, ParsedOutput, ParsedOutputOf, ParsedTransaction } from './stored-json.ts';

export type Action = ComponentValue<'Action'>;
export type ActionOf<Type extends Action['type']> = Extract<Action, { type: Type }>;

/** The action of a command, by its input. Who gave it is not in the JSON: `by` is null until it is set. */
export interface CommandAction {
  readonly action: Extract<Action, { by: string | null }>;
  readonly inputIndex: number;
}

/** The addresses of what a transaction creates; null where it creates nothing. */
interface CreatedAddresses {
  readonly delegation: string | null;
  readonly order: string | null;
  readonly token: string | null;
}

type Payment = ParsedOutputOf<PaymentKind>;

/**
 * Returns the actions, by the ranks of their kinds, and those of them that are commands. Change, and what another action pays out, is
 * no transfer.
 */
export function actionsOf(
  { inputs, outputs }: ParsedTransaction,
  flows: AmountFlows,
  created: CreatedAddresses,
): { readonly actions: Action[]; readonly commands: CommandAction[] } {
  const actions: Action[] = [];
  const commands: CommandAction[] = [];
  const senders = new Set<string>();
  const unminted = new Set<string>();
  for (const [inputIndex, entry] of inputs.entries()) {
    const { utxo } = entry;
    if (utxo !== null && 'destination' in utxo) senders.add(utxo.destination);
    const action = actionOfInput(entry, outputs, flows);
    if (action === null) continue;
    actions.push(action);
    if ('by' in action) commands.push({ action, inputIndex });
    if (action.type === 'token_unmint') unminted.add(action.token_id);
  }
  const fills = flows.sources.filter(({ fillAtoms }) => fillAtoms !== null);
  if (fills.length > 0) {
    const { given, taken } = flows.unnamed ?? { given: null, taken: null };
    actions.push({ type: 'order_fill', order_ids: fills.map(({ id }) => id!), paid: taken, received: given });
  }
  const payments: Payment[] = [];
  for (const output of outputs) {
    if (isPaymentOutput(output)) {
      payments.push(output);
      continue;
    }
    const action = actionOfOutput(output, created);
    if (action !== null && !(action.type === 'burn' && unminted.has(tokenIdOf(action.value)))) actions.push(action);
  }
  addPayments(actions, payments, senders, flows);
  actions.sort((a, b) => ACTION_RANKS[a.type] - ACTION_RANKS[b.type]);
  return { actions, commands };
}

/**
 * Adds the payments that are neither change nor paid out by another action, and what other senders have gained; all payments if the
 * transaction did nothing else.
 */
function addPayments(
  actions: Action[],
  payments: readonly Payment[],
  senders: ReadonlySet<string>,
  { payouts, netChanges }: AmountFlows,
): void {
  const leaving = payments.filter((payment) => isLockedOutput(payment) || !senders.has(payment.destination));
  const paidOut = payouts.size === 0 ? NONE : paymentsOutOf(payouts, leaving);
  for (const action of actions) {
    if (action.type === 'token_mint') action.to = receiverOf(action.token_id, paidOut);
  }
  const others = paidOut.size === 0 ? leaving : leaving.filter((payment) => !paidOut.has(payment));
  const paid = new Set(leaving.map(({ destination, value }) => `${destination} ${tokenIdOf(value)}`));
  const gains = (netChanges ?? []).flatMap(({ account, currency, atoms }): Action[] => {
    const to = account.type === 'address' && atoms > 0n ? account.id! : '';
    if (!senders.has(to) || payouts.has(currency.token) || paid.has(`${to} ${currency.token}`)) return [];
    return [{ type: 'transfer', to, value: countedOf(currency, atoms), is_to_sender: false }];
  });
  const isNothingElse = others.length === 0 && gains.length === 0 && actions.length === 0;
  for (const payment of isNothingElse ? payments : others) {
    const { value, destination } = payment;
    const type = isLockedOutput(payment) ? 'lock' : 'transfer';
    actions.push({ type, to: destination, value, is_to_sender: senders.has(destination) });
  }
  actions.push(...gains);
}

/** Returns the payments of the currencies in which payouts are enough for all of them. */
function paymentsOutOf(payouts: ReadonlyMap<string, Atoms>, payments: readonly Payment[]): ReadonlySet<Payment> {
  const sums = new Map<string, Atoms>();
  for (const payment of payments) {
    const value = takenBy(payment);
    if (value !== null) sums.set(tokenOf(value), (sums.get(tokenOf(value)) ?? 0n) + BigInt(value.amount.atoms));
  }
  return new Set(
    payments.filter((payment) => {
      const value = takenBy(payment);
      return value !== null && sums.get(tokenOf(value))! <= (payouts.get(tokenOf(value)) ?? -1n);
    }),
  );
}

const NONE: ReadonlySet<Payment> = new Set();

/** Returns the only address that the payments of a token go to. */
function receiverOf(token: string, payments: Iterable<Payment>): string | null {
  const receivers = new Set(
    Array.from(payments).flatMap(({ value, destination }) => (tokenIdOf(value) === token ? [destination] : [])),
  );
  return receivers.size === 1 ? [...receivers][0]! : null;
}

function tokenIdOf(value: Payment['value']): string {
  return value.type === 'TokenV1' ? value.token_id : '';
}

/** Returns what an input does, except for fills: these are one action together. Null if it only pays. */
function actionOfInput(
  { input, utxo }: ParsedInputEntry,
  outputs: readonly ParsedOutput[],
  { sources, unnamed }: AmountFlows,
): Action | null {
  const returned = sources.length === 1 ? (unnamed?.given ?? null) : null;
  switch (input.input_type) {
    case 'UTXO':
      return utxo && actionOfSpend(utxo, returned);
    case 'Account':
      return { type: 'delegation_withdraw', delegation_id: input.delegation_id, amount: input.amount };
    case 'AccountCommand':
    case 'OrderAccountCommand':
      switch (input.command) {
        case 'MintTokens':
          return { type: 'token_mint', token_id: input.token_id, by: null, amount: input.amount, to: null };
        case 'UnmintTokens':
          return {
            type: 'token_unmint',
            token_id: input.token_id,
            by: null,
            amount: burnedAmount(input.token_id, outputs),
          };
        case 'LockTokenSupply':
          return { type: 'token_lock', token_id: input.token_id, by: null };
        case 'FreezeTokens': {
          const { token_id, is_token_unfreezable } = input;
          return { type: 'token_freeze', token_id, by: null, is_token_unfreezable };
        }
        case 'UnfreezeTokens':
          return { type: 'token_unfreeze', token_id: input.token_id, by: null };
        case 'ChangeTokenAuthority':
          return { type: 'token_authority', token_id: input.token_id, by: null, new_authority: input.new_authority };
        case 'ChangeTokenMetadataUri':
          return { type: 'token_metadata', token_id: input.token_id, by: null };
        case 'ConcludeOrder':
          return { type: 'order_conclude', order_id: input.order_id, by: null, returned };
        case 'FreezeOrder':
          return { type: 'order_freeze', order_id: input.order_id, by: null };
        case 'FillOrder':
          return null;
      }
  }
}

function actionOfSpend(output: ParsedOutput, returned: CountedValue[] | null): Action | null {
  if (isStakeOutput(output)) return { type: 'pool_decommission', pool_id: output.pool_id, returned };
  if (!isContractOutput(output)) return null;
  const { value, htlc } = output;
  return htlc.secret === null
    ? { type: 'htlc_refund', value, refund_key: htlc.refund_key }
    : { type: 'htlc_claim', value, spend_key: htlc.spend_key };
}

function actionOfOutput(output: Exclude<ParsedOutput, Payment>, created: CreatedAddresses): Action | null {
  switch (output.type) {
    case 'Burn':
      return { type: 'burn', value: output.value };
    case 'CreateStakePool':
      return { type: 'pool_create', pool_id: output.pool_id, pledge: output.data.amount };
    case 'CreateDelegationId': {
      const { pool_id, destination: owner } = output;
      return { type: 'delegation_create', delegation_id: created.delegation, pool_id, owner };
    }
    case 'DelegateStaking':
      return { type: 'delegate', delegation_id: output.delegation_id, amount: output.amount };
    case 'IssueFungibleToken': {
      const { token_ticker: ticker, total_supply } = output;
      return { type: 'token_issue', token_id: created.token, ticker, total_supply: total_supply.type };
    }
    case 'IssueNft':
      return { type: 'nft_issue', token_id: output.token_id, name: output.data.name, to: output.destination };
    case 'DataDeposit':
      return { type: 'data_deposit', size: output.data.length };
    case 'Htlc': {
      const { spend_key, refund_key } = output.htlc;
      return { type: 'htlc_create', value: output.value, spend_key, refund_key };
    }
    case 'CreateOrder':
      return { type: 'order_create', order_id: created.order, ask: output.ask_value, give: output.give_value };
    // Only a block's reward has it.
    case 'ProduceBlockFromStake':
      return null;
  }
}

/** Returns the amount of a token in `Burn` outputs, which an unmint takes out of the supply. */
function burnedAmount(token: string, outputs: readonly ParsedOutput[]): ActionOf<'token_unmint'>['amount'] {
  const burned = outputs.flatMap((output) =>
    isBurnOutput(output) && output.value.type === 'TokenV1' && output.value.token_id === token
      ? [output.value.amount]
      : [],
  );
  return sumOfAmounts(burned);
}
