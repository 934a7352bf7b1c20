/** Describes the inputs of transactions in words and numbers: spent outputs, withdrawals, commands. */

import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { createsNft, isContractOutput, isPaymentOutput, isStakeOutput } from '../../chain/input-and-output-kinds.ts';
import { hexOfByteArray, type ParsedInput, type ParsedInputEntry } from '../../render/stored-json.ts';
import { type Html, html } from '../html.ts';
import type { TransactionNames } from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { amountHtml, countHtml, exactAmount, exactAmountOfJson } from './amount.ts';
import { chainUriBytes } from './chain-text.ts';
import { currencyUnit } from './currency-names.ts';
import { coinsHtml, describeOutput } from './describe-output.ts';
import { addressLink, outpointLink, thingLink } from './id-links.ts';
import { type EntryDescription, entryDescription } from './input-output-list.ts';
import { orderAmount } from './order-table.ts';
import { namedDetail } from './properties-and-badges.ts';

interface InputContext extends TransactionNames {
  readonly site: Site;
  readonly tipHeight: number;
}

type TokenCommand = Extract<ParsedInput, { token_id: string }>;
type OrderCommand = Extract<ParsedInput, { order_id: string }>;

/**
 * Describes an input. The switches are exhaustive: a new kind of input or command does not compile until it is
 * described.
 */
export function describeInput(context: InputContext, { input, utxo }: ParsedInputEntry): EntryDescription {
  const { site } = context;
  switch (input.input_type) {
    case 'UTXO': {
      const from = outpointLink(site, input.source_type, input.source_id, input.index);
      if (utxo === null) return entryDescription(html`Spends ${from}`, null, html`Output not known yet`);
      const spent = spentWords(context, utxo);
      return { ...spent, details: [html`Spends ${from}`, ...spent.details] };
    }
    case 'Account': {
      const delegation = thingLink(site, 'delegation', input.delegation_id);
      const worth = coinsHtml(context, input.amount);
      return entryDescription(html`Withdraws from the delegation ${delegation}`, worth, nonceDetail(input.nonce));
    }
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return 'token_id' in input ? tokenCommandWords(context, input) : orderCommandWords(context, input);
  }
}

/** Describes a spent output by its owner, not by where its value went. */
function spentWords(context: InputContext, utxo: NonNullable<ParsedInputEntry['utxo']>): EntryDescription {
  const { site } = context;
  const created = describeOutput({ ...context, place: null, created: null }, utxo);
  const { worth } = created;
  if (isPaymentOutput(utxo)) return entryDescription(html`From ${addressLink(site, utxo.destination)}`, worth);
  if (isStakeOutput(utxo)) {
    const pool = thingLink(site, 'pool', utxo.pool_id);
    return entryDescription(html`Decommissions the pool ${pool}`, null, html`Pays out its balance`);
  }
  if (isContractOutput(utxo)) {
    const { secret, refund_key, spend_key } = utxo.htlc;
    if (secret === null) return entryDescription(html`HTLC refund to ${addressLink(site, refund_key)}`, worth);
    const shown = namedDetail('Secret', html`<code class="hex">${secret.hex}</code>`);
    return entryDescription(html`HTLC claim by ${addressLink(site, spend_key)}`, worth, shown);
  }
  if (createsNft(utxo)) {
    const nft = thingLink(site, 'nft', utxo.token_id);
    return entryDescription(html`NFT ${nft} from ${addressLink(site, utxo.destination)}`, worth);
  }
  // Nothing can spend an output of another kind.
  return created;
}

function tokenCommandWords({ site, labels }: InputContext, input: TokenCommand): EntryDescription {
  const unit = currencyUnit(site, labels, parseTokenId(site.network, input.token_id));
  const link = thingLink(site, 'token', input.token_id);
  const token = html`${unit} ${link}`;
  const nonce = 'nonce' in input ? nonceDetail(input.nonce) : null;
  switch (input.command) {
    case 'MintTokens': {
      const worth = amountHtml(exactAmountOfJson(input.amount), { unit });
      return entryDescription(html`Mints the token ${link}`, worth, nonce);
    }
    case 'UnmintTokens': {
      const effect = html`The supply falls by the amount that the outputs burn`;
      return entryDescription(html`Unmints the token ${token}`, null, effect, nonce);
    }
    case 'FreezeTokens': {
      const effect = input.is_token_unfreezable ? html`It can be unfrozen` : html`Permanent: it cannot be unfrozen`;
      return entryDescription(html`Freezes the token ${token}`, null, effect, nonce);
    }
    case 'UnfreezeTokens':
      return entryDescription(html`Unfreezes the token ${token}`, null, nonce);
    case 'LockTokenSupply':
      return entryDescription(html`Locks the supply of the token ${token} permanently`, null, nonce);
    case 'ChangeTokenAuthority': {
      const owner = addressLink(site, input.new_authority);
      return entryDescription(html`Transfers the authority over the token ${token} to ${owner}`, null, nonce);
    }
    case 'ChangeTokenMetadataUri': {
      const uri = namedDetail('New URI', chainUriBytes(site, hexOfByteArray(input.metadata_uri)));
      return entryDescription(html`Changes the metadata of the token ${token}`, null, uri);
    }
  }
}

function orderCommandWords({ site, labels, orders }: InputContext, input: OrderCommand): EntryDescription {
  const link = thingLink(site, 'order', input.order_id);
  // An order that is not in the index is pending itself.
  const order = orders.get(parseOrderId(site.network, input.order_id));
  const given = order && orderAmount(site, labels, order, 'give', order.initially_given);
  const terms =
    order && html`Initial order: gives ${given} for ${orderAmount(site, labels, order, 'ask', order.initially_asked)}`;
  switch (input.command) {
    case 'FillOrder': {
      const atoms = BigInt(input.fill_atoms.atoms);
      const worth = order
        ? orderAmount(site, labels, order, 'ask', atoms)
        : html`${amountHtml(exactAmount(atoms, 0))} <span class="unit">atoms</span>`;
      return entryDescription(html`Payment into order ${link}`, worth, terms);
    }
    case 'FreezeOrder':
      return entryDescription(html`Freezes the order ${link}`, null, html`It can no longer be filled`, terms);
    case 'ConcludeOrder':
      return entryDescription(html`Closes the order ${link}`, null, html`Pays out its balances`, terms);
  }
}

function nonceDetail(nonce: number | bigint): Html {
  return html`Nonce ${countHtml(nonce)}`;
}
