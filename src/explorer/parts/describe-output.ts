/** Outputs of transactions and of block rewards, in words and numbers. */

import { parseTokenId } from '../../chain/address.ts';
import type { Amount, StringOrHex, Value } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/schema-types.ts';
import { type Html, html } from '../html.ts';
import { exact, hexOf, type OutputValue } from '../read/stored-json.ts';
import type { TransactionNames } from '../read/transaction.ts';
import type { CreatedIds, Fractions } from '../read/transaction-summary.ts';
import type { Site } from '../site.ts';
import { amount, coinUnit } from './amount.ts';
import { bytesHex, chainBytes, chainText, chainUri } from './chain-text.ts';
import { currencyUnit } from './currency.ts';
import { addressLink, delegationLink, htlcLink, idText, orderLink, thingLink, tokenLink } from './id-links.ts';
import { type Words, words } from './input-output-list.ts';
import { type ContainingBlock, lockWords } from './lock.ts';

type AlignedContext = Pick<OutputContext, 'site' | 'fractions'>;

interface OutputContext extends Pick<TransactionNames, 'labels'> {
  readonly site: Site;
  /** The block that has the output; null if it is pending or unknown. */
  readonly place: ContainingBlock | null;
  readonly tipHeight: number;
  /** The numbers of decimals to leave room for, by currency. */
  readonly fractions?: Fractions | undefined;
  /** The ids that the outputs of this transaction create; null for a spent output. */
  readonly created: CreatedIds | null;
}

/** A named detail. */
export function detail(name: string, value: Html | string): Html {
  return html`${name}: ${value}`;
}

/** Describes an output. The switch is exhaustive: a new kind of output does not compile until it is described. */
export function outputWords(context: OutputContext, output: OutputValue): Words {
  const { site, place, tipHeight, created } = context;
  const to = (address: string) => addressLink(site, address);
  switch (output.type) {
    case 'Transfer':
      return words(html`To ${to(output.destination)}`, alignedWorth(context, output.value));
    case 'LockThenTransfer':
      return words(
        html`To ${to(output.destination)}, locked`,
        alignedWorth(context, output.value),
        html`Locked ${lockWords(site, output.lock, place, tipHeight)}`,
      );
    case 'Burn':
      return words(html`Burned`, alignedWorth(context, output.value));
    case 'CreateStakePool':
      return words(
        html`Creates the pool ${thingLink(site, 'pool', output.pool_id)}`,
        alignedCoins(context, output.data.amount),
        detail('Staker', to(output.data.staker)),
        detail('Decommission key', to(output.data.decommission_key)),
        detail('Cost per block', amount(exact(output.data.cost_per_block), { unit: coinUnit(site) })),
        detail('Margin', output.data.margin_ratio_percentage),
        detail('VRF key', idText(output.data.vrf_public_key, { isShort: true })),
      );
    case 'ProduceBlockFromStake': {
      const pool = thingLink(site, 'pool', output.pool_id);
      return words(html`Stake of the pool ${pool}`, null, detail('Staker', to(output.destination)));
    }
    case 'CreateDelegationId': {
      const delegation = created?.delegation ?? null;
      const made = delegation === null ? 'a delegation' : html`the delegation ${delegationLink(site, delegation)}`;
      const pool = thingLink(site, 'pool', output.pool_id);
      return words(html`Creates ${made} to the pool ${pool}`, null, detail('Owner', to(output.destination)));
    }
    case 'DelegateStaking': {
      const delegation = thingLink(site, 'delegation', output.delegation_id);
      return words(html`Delegates to ${delegation}`, alignedCoins(context, output.amount));
    }
    case 'IssueFungibleToken':
      return tokenWords(context, output);
    case 'IssueNft':
      return nftWords(context, output);
    case 'DataDeposit': {
      const bytes = output.data.length;
      const what = html`Data of ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
      return words(what, null, chainBytes(hexOf(output.data)));
    }
    case 'Htlc':
      return htlcWords(context, output);
    case 'CreateOrder': {
      const order = created?.order ?? null;
      return words(
        html`Creates ${order === null ? 'an order' : html`the order ${orderLink(site, order)}`}: gives`,
        alignedWorth(context, output.give_value),
        html`Asks ${worthOf(context, output.ask_value)}`,
        detail('Conclude key', to(output.conclude_key)),
      );
    }
  }
}

/** Renders coins, aligned with others of the list. */
export function alignedCoins({ site, fractions }: AlignedContext, coins: ValueOf<typeof Amount>): Html {
  return amount(exact(coins), { unit: coinUnit(site), fraction: fractions?.get('') });
}

/** Renders a value as {@link worthOf} does, aligned with others of its currency. */
function alignedWorth(context: OutputContext, value: ValueOf<typeof Value>): Html {
  const currency = value.type === 'TokenV1' ? value.token_id : '';
  return worthOf(context, value, context.fractions?.get(currency));
}

/** Renders an amount with its currency. Legacy tokens (`TokenV0`) have neither. */
export function worthOf(
  { site, labels }: Pick<OutputContext, 'site' | 'labels'>,
  value: ValueOf<typeof Value>,
  fraction?: number,
): Html {
  switch (value.type) {
    case 'Coin':
      return amount(exact(value.amount), { unit: coinUnit(site), fraction });
    case 'TokenV1': {
      const unit = currencyUnit(site, labels, parseTokenId(site.network, value.token_id));
      return amount(exact(value.amount), { unit, fraction });
    }
    case 'TokenV0':
      return html`<span class="muted">legacy token (version 0), not counted</span>`;
  }
}

function tokenWords(context: OutputContext, output: Extract<OutputValue, { type: 'IssueFungibleToken' }>): Words {
  const { site, created } = context;
  const token = created?.token ?? null;
  const supply = output.total_supply;
  const supplyWords = {
    Fixed: 'fixed, maximum ',
    Lockable: 'unlimited until locked',
    Unlimited: 'unlimited',
  }[supply.type];
  return words(
    html`Issues the token ${textOrHex(output.token_ticker)}${token !== null && html` ${tokenLink(site, token)}`}`,
    null,
    detail('Decimals', String(output.number_of_decimals)),
    html`Supply: ${supplyWords}${supply.type === 'Fixed' && amount(exact(supply.amount))}`,
    detail('Authority', addressLink(site, output.authority)),
    detail('Freezable', output.is_freezable === 'Yes' ? 'yes' : 'no'),
    detail('Metadata', uriOf(output.metadata_uri)),
  );
}

function nftWords({ site }: OutputContext, output: Extract<OutputValue, { type: 'IssueNft' }>): Words {
  const { data } = output;
  return words(
    html`Issues the NFT ${textOrHex(data.name)} ${thingLink(site, 'nft', output.token_id)} to ${addressLink(site, output.destination)}`,
    null,
    detail('Ticker', textOrHex(data.ticker)),
    data.description.hex === '' ? null : detail('Description', textOrHex(data.description)),
    data.creator === null ? null : detail('Creator', addressLink(site, data.creator)),
    data.icon_uri && detail('Icon', uriOf(data.icon_uri)),
    data.media_uri && detail('Media', uriOf(data.media_uri)),
    detail('Media hash', bytesHex(data.media_hash.hex)),
    data.additional_metadata_uri && detail('Additional metadata', uriOf(data.additional_metadata_uri)),
  );
}

function htlcWords(context: OutputContext, output: Extract<OutputValue, { type: 'Htlc' }>): Words {
  const { site, place, tipHeight } = context;
  const { htlc } = output;
  return words(
    html`HTLC ${htlcLink(site, htlc.secret_hash.hex)}: claimable by ${addressLink(site, htlc.spend_key)} with the secret`,
    alignedWorth(context, output.value),
    html`Refundable to ${addressLink(site, htlc.refund_key)}, locked ${lockWords(site, htlc.refund_timelock, place, tipHeight)}`,
    htlc.secret && detail('Secret', bytesHex(htlc.secret.hex)),
  );
}

/** Renders bytes that should be text. */
function textOrHex({ string, hex }: ValueOf<typeof StringOrHex>): Html {
  return string === null ? chainBytes(hex) : chainText(string);
}

function uriOf({ string, hex }: ValueOf<typeof StringOrHex>): Html {
  return string === null || string === '' ? chainBytes(hex) : chainUri(string);
}
