/** What a transaction did, in one sentence: composed once, for pages as HTML and for descriptions as text. */
import type { TokenLabels } from '../../api/present/token-label.ts';
import { parseTokenId, poolAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { marketOf } from '../../chain/market.ts';
import type { Hex, Id } from '../../chain/types.ts';
import type { Action, ActionOf } from '../../render/actions.ts';
import { type Html, html } from '../html.ts';
import { exactAmountOfJson } from '../read/stored-json.ts';
import { type Deed, isPayment } from '../read/transaction-outline.ts';
import type { Site } from '../site-urls.ts';
import { amountHtml } from './amount.ts';
import { chainBytes, plainChainText } from './chain-text.ts';
import { currencyText, currencyUnit } from './currency.ts';
import { type EntityKind, entityLink, entityPath, shortId } from './id-links.ts';
import { ratioText } from './number.ts';

/** What sentences name. */
export interface SentenceNames {
  readonly labels: TokenLabels;
  /** The pools of delegations, by the address of the delegation. */
  readonly pools: ReadonlyMap<string, Id>;
}

type Value = ActionOf<'burn'>['value'];
type Amount = ActionOf<'delegate'>['amount'];

type Part =
  | string
  | { readonly value: Value }
  | { readonly token: string }
  /** A thing with a page, by its id or by its own name in bytes. */
  | { readonly kind: EntityKind; readonly id: string; readonly name?: Hex };

/** Renders the sentence. `isShort`: amounts are cut, as in lists. */
export function sentenceHtml(site: Site, names: SentenceNames, deed: Deed | null, isShort = false): Html {
  return html`${partsOf(site, names, deed).map((part) => partHtml(site, names, part, isShort))}`;
}

export function sentenceText(site: Site, names: SentenceNames, deed: Deed | null): string {
  return partsOf(site, names, deed)
    .map((part) => partText(site, names, part))
    .join('');
}

function partHtml(site: Site, { labels }: SentenceNames, part: Part, isCut: boolean): Html {
  if (typeof part === 'string') return html`${part}`;
  if ('value' in part) {
    const { value } = part;
    if (value.type === 'TokenV0') return html`a legacy token`;
    const unit = currencyUnit(site, labels, currencyOf(site, value));
    return amountHtml(exactAmountOfJson(value.amount), { unit, isCut: isCut && 'inline' });
  }
  if ('token' in part) return currencyUnit(site, labels, parseTokenId(site.network, part.token));
  const { kind, id, name } = part;
  if (name === undefined) return entityLink(site, kind, id);
  return html`<a href="${site.href(entityPath(kind, id))}">${chainBytes(name, { most: 24 })}</a>`;
}

function partText(site: Site, { labels }: SentenceNames, part: Part): string {
  if (typeof part === 'string') return part;
  if ('value' in part) {
    const { value } = part;
    if (value.type === 'TokenV0') return 'a legacy token';
    return `${value.amount.decimal} ${currencyText(site, labels, currencyOf(site, value))}`;
  }
  if ('token' in part) return currencyText(site, labels, parseTokenId(site.network, part.token));
  return part.name === undefined ? shortId(part.id) : plainChainText(Buffer.from(part.name, 'hex').toString(), 24);
}

function currencyOf({ network }: Site, value: Exclude<Value, { type: 'TokenV0' }>): Currency {
  return value.type === 'Coin' ? COIN : parseTokenId(network, value.token_id);
}

function partsOf(site: Site, names: SentenceNames, deed: Deed | null): Part[] {
  if (deed === null) return ['Too long to be told in a sentence'];
  const { first, otherPayments, otherChanges } = deed;
  if (first === null) return ['Paid its fee only'];
  const others = otherPayments + otherChanges;
  if (others === 0) return partsOfAction(site, names, first);
  const noun = otherChanges > 0 ? 'other change' : isPayment(first) ? 'other payment' : 'payment';
  return [...partsOfAction(site, names, first), `, and ${others} ${noun}${others === 1 ? '' : 's'}`];
}

const coins = (amount: Amount): Part => ({ value: { type: 'Coin', amount } });
const tokens = (token_id: string, amount: Amount): Part => ({ value: { type: 'TokenV1', token_id, amount } });
const address = (id: string): Part => ({ kind: 'address', id });

/** Joins values as "a, b and c". */
function all(values: readonly Value[]): Part[] {
  return values.flatMap((value, i): Part[] => [
    ...(i === 0 ? [] : [i === values.length - 1 ? ' and ' : ', ']),
    { value },
  ]);
}

const returning = (values: readonly Value[] | null): Part[] =>
  values === null || values.length === 0 ? [] : [', which returned ', ...all(values)];

function partsOfAction(site: Site, names: SentenceNames, action: Action): Part[] {
  switch (action.type) {
    case 'token_issue': {
      const { ticker, token_id: id, total_supply: supply } = action;
      const token: Part = id === null ? (ticker.string ?? ticker.hex) : { kind: 'token', id, name: ticker.hex };
      return ['Issued token ', token, `, supply ${supply.toLowerCase()}`];
    }
    case 'nft_issue':
      return ['Issued NFT ', { kind: 'nft', id: action.token_id, name: action.name.hex }];
    case 'token_mint':
      return [
        ...['Minted ', tokens(action.token_id, action.amount)],
        ...(action.to === null ? [] : [' to ', address(action.to)]),
      ];
    case 'token_unmint':
      return ['Unminted ', tokens(action.token_id, action.amount)];
    case 'token_lock':
      return ['Locked the supply of ', { token: action.token_id }];
    case 'token_freeze':
      return ['Froze ', { token: action.token_id }, action.is_token_unfreezable ? '' : ' for ever'];
    case 'token_unfreeze':
      return ['Unfroze ', { token: action.token_id }];
    case 'token_authority':
      return ['Gave the authority over ', { token: action.token_id }, ' to ', address(action.new_authority)];
    case 'token_metadata':
      return ['Changed the metadata of ', { token: action.token_id }];
    case 'pool_create':
      return ['Created pool ', { kind: 'pool', id: action.pool_id }, ' with ', coins(action.pledge)];
    case 'pool_decommission':
      return ['Decommissioned pool ', { kind: 'pool', id: action.pool_id }, ...returning(action.returned)];
    case 'delegation_create':
      return ['Created a delegation to ', { kind: 'pool', id: action.pool_id }];
    case 'delegate':
      return ['Delegated ', coins(action.amount), ' to ', poolOf(site, names, action.delegation_id)];
    case 'delegation_withdraw':
      return ['Withdrew ', coins(action.amount), ' from ', poolOf(site, names, action.delegation_id)];
    case 'order_create':
      return ['Offered ', { value: action.give }, ' for ', { value: action.ask }];
    case 'order_fill':
      return trade(site, action);
    case 'order_freeze':
      return ['Froze order ', { kind: 'order', id: action.order_id }];
    case 'order_conclude':
      return ['Concluded order ', { kind: 'order', id: action.order_id }, ...returning(action.returned)];
    case 'htlc_create':
      return ['Locked ', { value: action.value }, ' in an HTLC for ', address(action.spend_key)];
    case 'htlc_claim':
      return ['Claimed ', { value: action.value }, ' from an HTLC'];
    case 'htlc_refund':
      return ['Took back ', { value: action.value }, ' from an HTLC'];
    case 'data_deposit':
      return [`Deposited ${action.size} ${action.size === 1 ? 'byte' : 'bytes'} of data`];
    case 'burn':
      return ['Burned ', { value: action.value }];
    case 'lock':
      return ['Locked ', { value: action.value }, ' for ', address(action.to)];
    case 'transfer':
      return action.is_to_sender
        ? ['Moved ', { value: action.value }, ' within ', address(action.to)]
        : ['Sent ', { value: action.value }, ' to ', address(action.to)];
  }
}

function poolOf({ network }: Site, { pools }: SentenceNames, delegation: string): Part {
  const pool = pools.get(delegation);
  return pool === undefined ? { kind: 'delegation', id: delegation } : { kind: 'pool', id: poolAddress(network, pool) };
}

/** Names both sides of fills, with the price if there is one pair. */
function trade(site: Site, { order_ids: orders, paid, received }: ActionOf<'order_fill'>): Part[] {
  const filled: Part[] =
    orders.length === 1 ? ['Filled order ', { kind: 'order', id: orders[0]! }] : [`Filled ${orders.length} orders`];
  const [give, take] = [received?.[0], paid?.[0]];
  if (paid === null || take === undefined) return filled;
  if (received === null || give === undefined) return [...filled, ' with ', ...all(paid)];
  const inFills = orders.length === 1 ? '' : ` in ${orders.length} fills`;
  if (paid.length > 1 || received.length > 1 || give.type === 'TokenV0' || take.type === 'TokenV0') {
    return ['Bought ', ...all(received), ' for ', ...all(paid), inFills];
  }
  const isBuy = marketOf(currencyOf(site, give), currencyOf(site, take)).base === currencyOf(site, give);
  const [base, quote] = isBuy ? [give, take] : [take, give];
  const price = ratioText(quote.amount.decimal, base.amount.decimal);
  return [isBuy ? 'Bought ' : 'Sold ', { value: base }, ' for ', { value: quote }, ` at ${price}${inFills}`];
}
