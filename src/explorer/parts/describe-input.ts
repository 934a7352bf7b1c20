/** Describes the inputs of transactions in words and numbers: spent outputs, withdrawals, commands. */
import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { type Html, html } from '../html.ts';
import { exactAmountOfJson, hexOf, type InputEntryValue, type InputValue } from '../read/stored-json.ts';
import type { TransactionNames } from '../read/transaction.ts';
import type { DecimalsByCurrency } from '../read/transaction-summary.ts';
import type { Site } from '../site.ts';
import { amountHtml, countHtml, exactAmount } from './amount.ts';
import { chainUriBytes } from './chain-text.ts';
import { currencyUnit } from './currency.ts';
import { alignedCoins, describeOutput, namedDetail } from './describe-output.ts';
import { addressLink, outpointLink, thingLink } from './id-links.ts';
import { type EntryDescription, entryDescription } from './input-output-list.ts';
import { askedAmount, givenAmount } from './order-table.ts';

interface InputContext extends TransactionNames {
  readonly site: Site;
  readonly tipHeight: number;
  readonly fractions?: DecimalsByCurrency | undefined;
}

type Command = Extract<InputValue, { input_type: 'AccountCommand' | 'OrderAccountCommand' }>;

/**
 * Describes an input. The switches are exhaustive: a new kind of input or command does not compile until it is
 * described.
 */
export function describeInput(context: InputContext, { input, utxo }: InputEntryValue): EntryDescription {
  const { site } = context;
  switch (input.input_type) {
    case 'UTXO': {
      const from = outpointLink(site, input.source_type, input.source_id, input.index);
      if (utxo === null) return entryDescription(html`Spends ${from}`, null, html`Output not known yet`);
      const spent = spentWords(context, utxo);
      return { ...spent, details: [html`Spends ${from}`, ...spent.details] };
    }
    case 'Account':
      return entryDescription(
        html`Withdraws from the delegation ${thingLink(site, 'delegation', input.delegation_id)}`,
        alignedCoins(context, input.amount),
        nonce(input.nonce),
      );
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return commandWords(context, input);
  }
}

/** Describes a spent output by its owner, not by where its value went. */
function spentWords(context: InputContext, utxo: NonNullable<InputEntryValue['utxo']>): EntryDescription {
  const { site } = context;
  const created = describeOutput({ ...context, place: null, created: null }, utxo);
  const { worth } = created;
  switch (utxo.type) {
    case 'Transfer':
    case 'LockThenTransfer':
      return entryDescription(html`From ${addressLink(site, utxo.destination)}`, worth);
    case 'CreateStakePool':
    case 'ProduceBlockFromStake': {
      const pool = thingLink(site, 'pool', utxo.pool_id);
      return entryDescription(html`Decommissions the pool ${pool}`, null, html`Pays out its balance`);
    }
    case 'Htlc': {
      const { secret, refund_key, spend_key } = utxo.htlc;
      if (secret === null) return entryDescription(html`HTLC refund to ${addressLink(site, refund_key)}`, worth);
      const shown = namedDetail('Secret', html`<code class="hex">${secret.hex}</code>`);
      return entryDescription(html`HTLC claim by ${addressLink(site, spend_key)}`, worth, shown);
    }
    case 'IssueNft': {
      const nft = thingLink(site, 'nft', utxo.token_id);
      return entryDescription(html`NFT ${nft} from ${addressLink(site, utxo.destination)}`, worth);
    }
    // Nothing can spend an output of these kinds.
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      return created;
  }
}

function commandWords(context: InputContext, input: Command): EntryDescription {
  const { site, labels } = context;
  const token = (address: string) => {
    const id = parseTokenId(site.network, address);
    return html`${currencyUnit(site, labels, id)} ${thingLink(site, 'token', address)}`;
  };
  const order = (address: string) => thingLink(site, 'order', address);
  switch (input.command) {
    case 'MintTokens': {
      const unit = currencyUnit(site, labels, parseTokenId(site.network, input.token_id));
      const worth = amountHtml(exactAmountOfJson(input.amount), {
        unit,
        fraction: context.fractions?.get(input.token_id),
      });
      return entryDescription(
        html`Mints the token ${thingLink(site, 'token', input.token_id)}`,
        worth,
        nonce(input.nonce),
      );
    }
    case 'UnmintTokens': {
      const effect = html`The supply decreases by what the outputs burn`;
      return entryDescription(html`Unmints the token ${token(input.token_id)}`, null, effect, nonce(input.nonce));
    }
    case 'FreezeTokens': {
      const effect = input.is_token_unfreezable ? html`It can be unfrozen` : html`Permanent: it cannot be unfrozen`;
      return entryDescription(html`Freezes the token ${token(input.token_id)}`, null, effect, nonce(input.nonce));
    }
    case 'UnfreezeTokens':
      return entryDescription(html`Unfreezes the token ${token(input.token_id)}`, null, nonce(input.nonce));
    case 'LockTokenSupply':
      return entryDescription(
        html`Locks the supply of the token ${token(input.token_id)} permanently`,
        null,
        nonce(input.nonce),
      );
    case 'ChangeTokenAuthority': {
      const owner = addressLink(site, input.new_authority);
      const what = html`Transfers the authority over the token ${token(input.token_id)} to ${owner}`;
      return entryDescription(what, null, nonce(input.nonce));
    }
    case 'ChangeTokenMetadataUri': {
      const uri = chainUriBytes(hexOf(input.metadata_uri));
      return entryDescription(
        html`Changes the metadata of the token ${token(input.token_id)}`,
        null,
        namedDetail('New URI', uri),
      );
    }
    case 'FillOrder': {
      const worth = filled(context, input.order_id, BigInt(input.fill_atoms.atoms));
      return entryDescription(
        html`Fills the order ${order(input.order_id)} with`,
        worth,
        terms(context, input.order_id),
      );
    }
    case 'FreezeOrder': {
      const effect = html`It can no longer be filled`;
      return entryDescription(
        html`Freezes the order ${order(input.order_id)}`,
        null,
        effect,
        terms(context, input.order_id),
      );
    }
    case 'ConcludeOrder': {
      const effect = html`Pays out its balances`;
      return entryDescription(
        html`Concludes the order ${order(input.order_id)}`,
        null,
        effect,
        terms(context, input.order_id),
      );
    }
  }
}

function nonce(value: number | bigint): Html {
  return html`Nonce ${countHtml(value)}`;
}

/**
 * Renders the amount of a fill, in the currency that the order asks. An order that is not in the index is pending
 * itself.
 */
function filled({ site, labels, orders }: InputContext, address: string, atoms: bigint): Html {
  const order = orders.get(parseOrderId(site.network, address));
  if (order === undefined) return html`${amountHtml(exactAmount(atoms, 0))} <span class="unit">atoms</span>`;
  return askedAmount(site, labels, order, atoms);
}

function terms({ site, labels, orders }: InputContext, address: string): Html | null {
  const order = orders.get(parseOrderId(site.network, address));
  if (order === undefined) return null;
  const given = givenAmount(site, labels, order, order.initially_given);
  return html`Initial order: gives ${given} for ${askedAmount(site, labels, order, order.initially_asked)}`;
}
