/** What a transaction did, in one sentence: composed once, for pages as HTML and for descriptions as text. */

import { isPayment, type SummarizedActions } from '../../answers/transaction-outline.ts';
import { parseTokenId, poolAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import type { Hex } from '../../chain/types.ts';
import type { Action, ActionOf } from '../../render/actions.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import type { ThingKind } from '../things.ts';
import { type Message, say, textOf, type ValuesFor, wordsAndValues } from '../words/catalogue.ts';
import { listInWords, localDecimal } from '../words/formats.ts';
import { amountHtml, exactAmountOfJson } from './amount.ts';
import { bytesAsText, plainChainText } from './chain-text.ts';
import { currencyText, currencyUnit, isNft, nftHtml, tickerText } from './currency-names.ts';
import { shortId, thingLink, thingPath } from './id-links.ts';
import { ratioText } from './number.ts';
import { actorsLine, delegationOf, otherActor, ownerOfDelegation, type SentenceNames } from './transaction-actors.ts';

type Value = ActionOf<'burn'>['value'];
type Amount = ActionOf<'delegate'>['amount'];

type Part =
  | string
  | { readonly value: Value }
  | { readonly token: string }
  /** A thing with a page, by its id or by its own name in bytes. */
  | { readonly kind: ThingKind; readonly id: string; readonly name?: Hex };

/** Renders the sentence of a page about the transaction, the actions that it only counts, who did it, and whom it names besides. */
export function summaryHtml(site: Site, names: SentenceNames, summary: SummarizedActions | null): Html {
  return html`<p class="summary">${sentenceHtml(site, names, summary, true)}</p>${summary && untoldHtml(site, names, summary)}${summary && actorsLine(site, names, summary)}`;
}

function untoldHtml(site: Site, names: SentenceNames, summary: SummarizedActions): Html | null {
  const { untold, untoldCount, payers } = summary;
  if (untoldCount === 0 || isToldWhole(summary)) return null;
  const more = untoldCount - untold.length;
  return html`<ul class="summary">${untold.map((action) => {
    const receivers = action.type === 'token_mint' && action.to !== null ? [action.to] : [];
    const told = partsOfAction(site, names, action, { payers, receivers, delegationCount: 1 });
    const by = otherActor(site, names, summary, action);
    const details = [by, delegationOf(site, names, action)].map((detail) => detail && html` · ${detail}`);
    return html`<li>${told.map((part) => partHtml(site, names, part, false))}${details}</li>`;
  })}</ul>${more > 0 && html`<p class="muted">… and ${more} more, all in the JSON.</p>`}`;
}

/** Renders the sentence. `isShort`: amounts are rounded, as in lists. */
export function sentenceHtml(
  site: Site,
  names: SentenceNames,
  summary: SummarizedActions | null,
  isShort = false,
): Html {
  return html`${partsOf(site, names, summary).map((part) => partHtml(site, names, part, isShort))}`;
}

export function sentenceText(site: Site, names: SentenceNames, summary: SummarizedActions | null): string {
  return partsOf(site, names, summary)
    .map((part) => partText(site, names, part))
    .join('');
}

function partHtml(site: Site, { labels, ownNft }: SentenceNames, part: Part, isRounded: boolean): Html {
  if (typeof part === 'string') return html`${part}`;
  if ('value' in part) {
    const { value } = part;
    if (value.type === 'TokenV0') return html`a legacy token`;
    if (value.type === 'TokenV1' && value.token_id === ownNft) return html`the NFT`;
    const currency = currencyOf(site, value);
    const unit = currencyUnit(site, labels, currency);
    if (isNft(labels, currency)) return nftHtml(unit);
    return amountHtml(exactAmountOfJson(value.amount), { unit, isRounded: isRounded && 'inline' });
  }
  if ('token' in part) return currencyUnit(site, labels, parseTokenId(site.network, part.token));
  const { kind, id, name } = part;
  if (name === undefined) return thingLink(site, kind, id);
  return html`<a href="${site.href(thingPath(kind, id))}">${bytesAsText(name, { most: 24 })}</a>`;
}

function partText(site: Site, { labels }: SentenceNames, part: Part): string {
  if (typeof part === 'string') return part;
  if ('value' in part) {
    const { value } = part;
    if (value.type === 'TokenV0') return textOf('a legacy token');
    const currency = currencyOf(site, value);
    const amount = isNft(labels, currency) ? 'NFT' : localDecimal(value.amount.decimal);
    return `${amount} ${currencyText(site, labels, currency)}`;
  }
  if ('token' in part) return currencyText(site, labels, parseTokenId(site.network, part.token));
  return part.name === undefined ? shortId(part.id) : plainChainText(Buffer.from(part.name, 'hex').toString(), 24);
}

function currencyOf({ network }: Site, value: Exclude<Value, { type: 'TokenV0' }>): Currency {
  return value.type === 'Coin' ? COIN : parseTokenId(network, value.token_id);
}

function partsOf(site: Site, names: SentenceNames, summary: SummarizedActions | null): Part[] {
  if (summary === null) return [textOf('Too long for a summary')];
  const { first, otherPayments, otherChanges } = summary;
  if (first === null) return [textOf('Only paid a fee')];
  const count = otherPayments + otherChanges;
  const told = partsOfAction(site, names, first, summary);
  if (count === 0) return told;
  if (otherChanges > 0)
    told.push(textOf(count === 1 ? ', and 1 other change' : say(', and {count} other changes', { count })));
  else if (count === 1) told.push(...onePaymentMore(summary, isPayment(first)));
  else if (!isPayment(first)) told.push(textOf(say(', and {count} payments', { count })));
  else told.push(textOf(say(', and {count} other payments', { count })));
  return told;
}

/** Returns the only payment besides, if the sentence tells it. */
function paymentBeside({ untold, otherPayments, otherChanges }: SummarizedActions) {
  const payment = otherPayments === 1 && otherChanges === 0 ? untold.find(isPayment) : undefined;
  return payment?.type === 'transfer' && !payment.is_to_sender ? payment : null;
}

/** Does the sentence tell all actions? Several delegations are told as one. */
const isToldWhole = (summary: SummarizedActions): boolean =>
  summary.untoldCount === 1 && paymentBeside(summary) !== null;

function onePaymentMore(summary: SummarizedActions, isAfterPayment: boolean): Part[] {
  const payment = paymentBeside(summary);
  if (payment === null) return [textOf(isAfterPayment ? ', and 1 other payment' : ', and 1 payment')];
  const values = { value: { value: payment.value }, to: address(payment.to) };
  return isAfterPayment ? tell(', and {value} to {to}', values) : tell(', and sent {value} to {to}', values);
}

const coins = (amount: Amount): Part => ({ value: { type: 'Coin', amount } });
const tokens = (token_id: string, amount: Amount): Part => ({ value: { type: 'TokenV1', token_id, amount } });
const thing = (kind: ThingKind, id: string) => ({ kind, id });
const address = (id: string): Part => thing('address', id);

/** Joins values as "a, b and c". */
const all = (values: readonly Value[]): Part[] =>
  listInWords(values).map((each) => (typeof each === 'string' ? each : { value: each }));

/** Returns the parts of a sentence; a value is one part or several. */
function tell<Text extends Message>(message: Text, ...values: ValuesFor<Text, Part | Part[]>): Part[] {
  return wordsAndValues(say<Text, Part | Part[]>(message, ...values)).flatMap((part) =>
    typeof part === 'string' ? part : part.value,
  );
}

/** Whom and what the sentence of an action names besides. */
type Named = Pick<SummarizedActions, 'payers' | 'receivers' | 'delegationCount'>;

function partsOfAction(site: Site, names: SentenceNames, action: Action, named: Named): Part[] {
  switch (action.type) {
    case 'token_issue':
    case 'nft_issue':
    case 'token_mint':
    case 'token_unmint':
    case 'token_lock':
    case 'token_freeze':
    case 'token_unfreeze':
    case 'token_authority':
    case 'token_metadata':
      return partsOfTokenAction(names, action, named);
    case 'pool_create':
    case 'pool_decommission':
    case 'delegation_create':
    case 'delegate':
    case 'delegation_withdraw':
      return partsOfStakingAction(site, names, action, named);
    case 'order_create':
      return tell('Offered {give} for {ask}', { give: { value: action.give }, ask: { value: action.ask } });
    case 'order_fill':
      return [...trade(site, names, action), ...receivedBy(named.receivers)];
    case 'order_freeze':
      return tell('Froze order {order}', { order: thing('order', action.order_id) });
    case 'order_conclude': {
      const order = thing('order', action.order_id);
      return action.returned?.length
        ? tell('Received {values} by closing order {order}', { values: all(action.returned), order })
        : tell('Closed order {order}', { order });
    }
    case 'htlc_create':
      return tell('Locked {value} in an HTLC for {to}', {
        value: { value: action.value },
        to: address(action.spend_key),
      });
    case 'htlc_claim':
      return tell('Claimed {value} from an HTLC', { value: { value: action.value } });
    case 'htlc_refund':
      return tell('Refunded {value} from an HTLC', { value: { value: action.value } });
    case 'data_deposit':
      return action.size === 1 ? tell('Stored 1 byte') : tell('Stored {size} bytes', { size: String(action.size) });
    case 'burn':
      return tell('Burned {value}', { value: { value: action.value } });
    case 'lock':
      return tell('Sent {value} to {to}, time-locked', { value: { value: action.value }, to: address(action.to) });
    case 'transfer': {
      const values = { value: { value: action.value }, to: address(action.to) };
      return action.is_to_sender
        ? tell('Moved {value} to its own address {to}', values)
        : tell('Sent {value} to {to}', values);
    }
  }
}

type TokenAction = Extract<Action, { type: `token_${string}` | 'nft_issue' }>;

function partsOfTokenAction({ ownNft }: SentenceNames, action: TokenAction, { payers, receivers }: Named): Part[] {
  switch (action.type) {
    case 'token_issue': {
      const { ticker, token_id: id } = action;
      const token: Part = id === null ? (ticker.string ?? ticker.hex) : { kind: 'token', id, name: ticker.hex };
      return tell(SUPPLIES[action.total_supply], { token });
    }
    case 'nft_issue': {
      const to = address(action.to);
      if (action.token_id === ownNft) return tell('Issued to {to}', { to });
      const nft: Part = { kind: 'nft', id: action.token_id, name: action.name.hex };
      return isOnly(payers, action.to)
        ? tell('Issued NFT {nft}', { nft })
        : tell('Issued NFT {nft} to {to}', { nft, to });
    }
    case 'token_mint': {
      const minted = tokens(action.token_id, action.amount);
      return [...tell('Minted {minted}', { minted }), ...toReceivers(receivers)];
    }
    case 'token_unmint':
      return tell('Unminted {amount}', { amount: tokens(action.token_id, action.amount) });
    case 'token_lock':
      return tell('Locked the supply of {token}', { token: { token: action.token_id } });
    case 'token_freeze': {
      const token = { token: action.token_id };
      return action.is_token_unfreezable
        ? tell('Froze {token}', { token })
        : tell('Froze {token} permanently', { token });
    }
    case 'token_unfreeze':
      return tell('Unfroze {token}', { token: { token: action.token_id } });
    case 'token_authority':
      return tell('Transferred the authority over {token} to {to}', {
        token: { token: action.token_id },
        to: address(action.new_authority),
      });
    case 'token_metadata':
      return tell('Changed the metadata of {token}', { token: { token: action.token_id } });
  }
}

type StakingAction = Extract<Action, { type: `pool_${string}` | `delegat${string}` }>;

function partsOfStakingAction(site: Site, names: SentenceNames, action: StakingAction, named: Named): Part[] {
  const { payers, receivers, delegationCount } = named;
  switch (action.type) {
    case 'pool_create':
      return tell('Created pool {pool} with {pledge}', {
        pool: thing('pool', action.pool_id),
        pledge: coins(action.pledge),
      });
    case 'pool_decommission': {
      const pool = thing('pool', action.pool_id);
      if (!action.returned?.length) return tell('Decommissioned pool {pool}', { pool });
      const told = tell('Decommissioned pool {pool}: {values}', { values: all(action.returned), pool });
      return [...told, ...toReceiversOfCoins(receivers)];
    }
    case 'delegation_create':
      return tell('Opened a delegation in pool {pool}', { pool: thing('pool', action.pool_id) });
    case 'delegate': {
      const amount = coins(action.amount);
      if (delegationCount > 1) {
        return tell('Delegated {amount} to {count} delegations', { amount, count: String(delegationCount) });
      }
      const pool = poolOf(site, names, action.delegation_id);
      const told =
        pool.kind === 'pool'
          ? tell('Delegated {amount} to pool {pool}', { amount, pool })
          : tell('Delegated {amount} to {pool}', { amount, pool });
      return [...told, ...ofOther(site, names, action.delegation_id, payers)];
    }
    case 'delegation_withdraw': {
      const amount = coins(action.amount);
      const pool = poolOf(site, names, action.delegation_id);
      const told =
        delegationCount > 1
          ? tell('Withdrew {amount} from {count} delegations', { amount, count: String(delegationCount) })
          : pool.kind === 'pool'
            ? tell('Withdrew {amount} from pool {pool}', { amount, pool })
            : tell('Withdrew {amount} from {pool}', { amount, pool });
      return [...told, ...toReceiversOfCoins(receivers)];
    }
  }
}

const SUPPLIES = {
  Fixed: 'Issued token {token} with a maximum supply',
  Lockable: 'Issued token {token} with a supply that can be locked',
  Unlimited: 'Issued token {token} with an unlimited supply',
} as const;

/** Returns the pool of a delegation; the delegation itself if it is not in the chain yet. */
function poolOf({ network }: Site, { delegations }: SentenceNames, delegation: string) {
  const known = delegations.get(delegation);
  return known === undefined ? thing('delegation', delegation) : thing('pool', poolAddress(network, known.pool_id));
}

function toReceivers([to, ...others]: readonly string[]): Part[] {
  if (to === undefined) return [];
  return others.length === 0
    ? tell(' to {to}', { to: address(to) })
    : tell(' to {count} addresses', { count: String(others.length + 1) });
}

/** Who received what a trade brought, if it is one. */
const receivedBy = ([to, ...others]: readonly string[]): Part[] =>
  to === undefined || others.length > 0 ? [] : tell(', received by {to}', { to: address(to) });

/** Of coins that pay the fee, too. */
const toReceiversOfCoins = (receivers: readonly string[]): Part[] =>
  receivers.length === 0 ? [] : [...toReceivers(receivers), textOf(', minus the fee')];

const isOnly = (addresses: readonly string[], id: string): boolean => addresses.length === 1 && addresses[0] === id;

/** Says whose a delegation is if others pay. */
function ofOther(site: Site, names: SentenceNames, delegation: string, payers: readonly string[]): Part[] {
  const owner = ownerOfDelegation(site, names, delegation);
  if (owner === null || payers.length === 0 || isOnly(payers, owner)) return [];
  return tell(' for {owner}', { owner: address(owner) });
}

/** Names both sides of fills, with the price if there is one pair. */
function trade(
  site: Site,
  { labels }: SentenceNames,
  { order_ids: orders, paid, received }: ActionOf<'order_fill'>,
): Part[] {
  const count = String(orders.length);
  const filled =
    orders.length === 1
      ? tell('Filled order {order}', { order: thing('order', orders[0]!) })
      : tell('Filled {count} orders', { count });
  const [give, take] = [received?.[0], paid?.[0]];
  if (paid === null || take === undefined) return filled;
  if (received === null || give === undefined) return [...filled, ...tell(' with {paid}', { paid: all(paid) })];
  const inFills = orders.length === 1 ? [] : tell(' in {count} fills', { count });
  if (paid.length > 1 || received.length > 1 || give.type === 'TokenV0' || take.type === 'TokenV0') {
    return [...tell('Bought {received} for {paid}', { received: all(received), paid: all(paid) }), ...inFills];
  }
  const isBuy = marketOf(currencyOf(site, give), currencyOf(site, take)).base === currencyOf(site, give);
  const [base, quote] = isBuy ? [give, take] : [take, give];
  // One of a kind has no price per unit.
  if ([base, quote].some((value) => isNft(labels, currencyOf(site, value)))) {
    const sides = { received: { value: give }, paid: { value: take } };
    const told = isBuy ? tell('Bought {received} for {paid}', sides) : tell('Sold {paid} for {received}', sides);
    return [...told, ...inFills];
  }
  // The amounts have the ids of tokens that share a ticker.
  const ticker = (value: Exclude<Value, { type: 'TokenV0' }>) => tickerText(site, labels, currencyOf(site, value));
  const values = {
    base: { value: base },
    quote: { value: quote },
    price: ratioText(quote.amount.decimal, base.amount.decimal),
    paidUnit: ticker(quote),
    unit: ticker(base),
  };
  const told = isBuy
    ? tell('Bought {base} for {quote} ({price} {paidUnit} per {unit})', values)
    : tell('Sold {base} for {quote} ({price} {paidUnit} per {unit})', values);
  return [...told, ...inFills];
}
