/** Describes the outputs of transactions and of block rewards, in words and numbers. */

import { parseTokenId } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { CreatedIds } from '../../render/created-ids.ts';
import type { AMOUNT_SCHEMA, STRING_OR_HEX_SCHEMA, VALUE_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import { hexOfByteArray, type ParsedOutput, type ParsedOutputOf } from '../../render/stored-json.ts';
import { type Html, html } from '../html.ts';
import type { TransactionNames } from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { textOf } from '../words/catalogue.ts';
import { amountHtml, coinUnit, exactAmountOfJson } from './amount.ts';
import { bytesAsText, bytesHex, chainText, chainUri } from './chain-text.ts';
import { currencyUnit } from './currency-names.ts';
import { addressLink, delegationLink, htlcLink, idHtml, orderLink, thingLink, tokenLink } from './id-links.ts';
import { type EntryDescription, entryDescription } from './input-output-list.ts';
import { type ContainingBlock, describeLock, endedLock, lockedOrNot } from './lock.ts';
import { namedDetail } from './properties-and-badges.ts';

interface OutputContext extends Pick<TransactionNames, 'labels'> {
  readonly site: Site;
  /** The block that has the output; null if it is pending or unknown. */
  readonly place: ContainingBlock | null;
  readonly tipHeight: number | null;
  /** Are amounts rounded, as in lists? */
  readonly isRounded?: boolean;
  /** The ids that the outputs of this transaction create; null for a spent output. */
  readonly created: CreatedIds | null;
}

/** Describes an output. The switch is exhaustive: a new kind of output does not compile until it is described. */
export function describeOutput(context: OutputContext, output: ParsedOutput): EntryDescription {
  const { site, place, tipHeight, created } = context;
  const to = (address: string) => addressLink(site, address);
  switch (output.type) {
    case 'Transfer':
      return entryDescription(html`To ${to(output.destination)}`, valueHtml(context, output.value));
    case 'LockThenTransfer':
      return entryDescription(
        html`To ${to(output.destination)}`,
        valueHtml(context, output.value),
        lockedOrNot(site, output.lock, place, tipHeight),
      );
    case 'Burn':
      return entryDescription(html`Burned`, valueHtml(context, output.value));
    case 'CreateStakePool': {
      const { data } = output;
      return entryDescription(
        html`Creates the pool ${thingLink(site, 'pool', output.pool_id)}`,
        coinsHtml(context, data.amount),
        namedDetail('Staker', to(data.staker)),
        namedDetail('Decommission key', to(data.decommission_key)),
        namedDetail('Cost per block', coinsHtml({ site }, data.cost_per_block)),
        namedDetail('Margin', data.margin_ratio_percentage),
        namedDetail('VRF key', idHtml(data.vrf_public_key, { isShort: true })),
      );
    }
    case 'ProduceBlockFromStake': {
      const pool = thingLink(site, 'pool', output.pool_id);
      return entryDescription(html`Stake of the pool ${pool}`, null, namedDetail('Staker', to(output.destination)));
    }
    case 'CreateDelegationId': {
      const id = created?.delegation;
      const pool = thingLink(site, 'pool', output.pool_id);
      const what = id
        ? html`Creates the delegation ${delegationLink(site, id)} to the pool ${pool}`
        : html`Creates a delegation to the pool ${pool}`;
      return entryDescription(what, null, namedDetail('Owner', to(output.destination)));
    }
    case 'DelegateStaking': {
      const delegation = thingLink(site, 'delegation', output.delegation_id);
      return entryDescription(html`Delegates to ${delegation}`, coinsHtml(context, output.amount));
    }
    case 'IssueFungibleToken':
      return tokenWords(context, output);
    case 'IssueNft':
      return nftWords(context, output);
    case 'DataDeposit': {
      const bytes = output.data.length;
      const what = bytes === 1 ? html`Data of 1 byte` : html`Data of ${bytes} bytes`;
      return entryDescription(what, null, bytesAsText(hexOfByteArray(output.data)));
    }
    case 'Htlc':
      return htlcWords(context, output);
    case 'CreateOrder': {
      const id = created?.order;
      return entryDescription(
        id ? html`Offered in the order ${orderLink(site, id)}` : html`Offered in an order`,
        valueHtml(context, output.give_value),
        html`In return for ${valueHtml(context, output.ask_value)}`,
        namedDetail('Can be closed by', to(output.conclude_key)),
      );
    }
  }
}

/** Renders coins. */
export function coinsHtml(
  { site, isRounded = false }: Pick<OutputContext, 'site' | 'isRounded'>,
  coins: ValueOf<typeof AMOUNT_SCHEMA>,
): Html {
  return amountHtml(exactAmountOfJson(coins), { unit: coinUnit(site), isRounded });
}

/** Renders an amount with its currency. Legacy tokens (`TokenV0`) have neither. */
export function valueHtml(
  { site, labels, isRounded = false }: Pick<OutputContext, 'site' | 'labels' | 'isRounded'>,
  value: ValueOf<typeof VALUE_SCHEMA>,
): Html {
  if (value.type === 'TokenV0') return html`<span class="muted">legacy token (version 0), not counted</span>`;
  const currency = value.type === 'Coin' ? COIN : parseTokenId(site.network, value.token_id);
  return amountHtml(exactAmountOfJson(value.amount), { isRounded, unit: currencyUnit(site, labels, currency) });
}

function tokenWords({ site, created }: OutputContext, output: ParsedOutputOf<'IssueFungibleToken'>): EntryDescription {
  return entryDescription(
    html`Issues the token ${textOrHex(output.token_ticker)}${created?.token && html` ${tokenLink(site, created.token)}`}`,
    null,
    namedDetail('Decimals', String(output.number_of_decimals)),
    supplyWords(output.total_supply),
    namedDetail('Authority', addressLink(site, output.authority)),
    namedDetail('Freezable', textOf(output.is_freezable === 'Yes' ? 'yes' : 'no')),
    namedDetail('Metadata', uriOf(site, output.metadata_uri)),
  );
}

function supplyWords(supply: ParsedOutputOf<'IssueFungibleToken'>['total_supply']): Html {
  if (supply.type === 'Fixed') return html`Supply: fixed, maximum ${amountHtml(exactAmountOfJson(supply.amount))}`;
  return supply.type === 'Lockable' ? html`Supply: unlimited until locked` : html`Supply: unlimited`;
}

function nftWords({ site }: OutputContext, output: ParsedOutputOf<'IssueNft'>): EntryDescription {
  const { data } = output;
  return entryDescription(
    html`Issues the NFT ${textOrHex(data.name)} ${thingLink(site, 'nft', output.token_id)} to ${addressLink(site, output.destination)}`,
    null,
    namedDetail('Ticker', textOrHex(data.ticker)),
    data.description.hex !== '' && namedDetail('Description', textOrHex(data.description)),
    data.creator !== null && namedDetail('Creator', addressLink(site, data.creator)),
    data.icon_uri && namedDetail('Icon', uriOf(site, data.icon_uri)),
    data.media_uri && namedDetail('Media', uriOf(site, data.media_uri)),
    namedDetail('Media hash', bytesHex(data.media_hash.hex)),
    data.additional_metadata_uri && namedDetail('Additional metadata', uriOf(site, data.additional_metadata_uri)),
  );
}

function htlcWords(context: OutputContext, output: ParsedOutputOf<'Htlc'>): EntryDescription {
  const { site, place, tipHeight } = context;
  const { secret, secret_hash, spend_key, refund_key, refund_timelock } = output.htlc;
  const lock = describeLock(site, refund_timelock, place, tipHeight);
  const since = endedLock(site, refund_timelock, place, tipHeight);
  const refundee = addressLink(site, refund_key);
  return entryDescription(
    html`HTLC ${htlcLink(site, secret_hash.hex)}: claimable by ${addressLink(site, spend_key)} with the secret`,
    valueHtml(context, output.value),
    since === null ? html`Refundable to ${refundee}, locked ${lock}` : html`Refundable to ${refundee} since ${since}`,
    secret && namedDetail('Secret', bytesHex(secret.hex)),
  );
}

/** Renders bytes that should be text. */
function textOrHex({ string, hex }: ValueOf<typeof STRING_OR_HEX_SCHEMA>): Html {
  return string === null ? bytesAsText(hex) : chainText(string);
}

function uriOf(site: Site, { string, hex }: ValueOf<typeof STRING_OR_HEX_SCHEMA>): Html {
  return string === null || string === '' ? bytesAsText(hex) : chainUri(site, string);
}
