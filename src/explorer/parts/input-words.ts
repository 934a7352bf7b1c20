/** Inputs of transactions, in words and figures: outputs that are spent, withdrawals, commands. */
import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import type { Id } from '../../chain/types.ts';
import { type Html, html } from '../html.ts';
import { exact, hexOf, type InputEntryValue, type InputValue } from '../read/stored-json.ts';
import type { TransactionNames } from '../read/transaction.ts';
import type { Fractions } from '../read/transaction-facts.ts';
import type { Site } from '../site.ts';
import { amount, coinUnit, count, exactAmount } from './amount.ts';
import { chainUriBytes } from './chain-text.ts';
import { currencyUnit } from './currency.ts';
import type { Words } from './flow.ts';
import { addressLink, outpointLink, thingLink } from './ids.ts';
import { detail, outputWords } from './output-words.ts';

interface InputContext extends TransactionNames {
  readonly site: Site;
  readonly tipHeight: number;
  readonly fractions?: Fractions | undefined;
}

type Command = Extract<InputValue, { input_type: 'AccountCommand' | 'OrderAccountCommand' }>;

/** Exhaustive: a new kind of input or command does not compile before it has words. */
export function inputWords(context: InputContext, { input, utxo }: InputEntryValue): Words {
  const { site } = context;
  switch (input.input_type) {
    case 'UTXO': {
      const from = outpointLink(site, input.source_type, input.source_id, input.index);
      if (utxo === null) {
        return { what: html`Spends ${from}`, worth: null, details: [html`The output is not known yet`] };
      }
      const spent = spentWords(context, utxo);
      return { ...spent, details: [html`Spends ${from}`, ...spent.details] };
    }
    case 'Account':
      return {
        what: html`Withdraws from the delegation ${thingLink(site, 'delegation', input.delegation_id)}`,
        worth: amount(exact(input.amount), { unit: coinUnit(site), fraction: context.fractions?.get('') }),
        details: [nonce(input.nonce)],
      };
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return commandWords(context, input);
  }
}

/** What an output was that is spent: who it was of, not where it went. */
function spentWords(context: InputContext, utxo: NonNullable<InputEntryValue['utxo']>): Words {
  const { site } = context;
  const words = outputWords({ ...context, place: null, created: null }, utxo);
  switch (utxo.type) {
    case 'Transfer':
    case 'LockThenTransfer':
      return { ...words, what: html`From ${addressLink(site, utxo.destination)}`, details: [] };
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
      return {
        what: html`Closes the pool ${thingLink(site, 'pool', utxo.pool_id)}`,
        worth: null,
        details: [html`Pays out what the pool holds`],
      };
    case 'Htlc':
      return utxo.htlc.secret === null
        ? { ...words, what: html`Refund of an HTLC to ${addressLink(site, utxo.htlc.refund_key)}`, details: [] }
        : {
            ...words,
            what: html`Claim of an HTLC by ${addressLink(site, utxo.htlc.spend_key)}`,
            details: [detail('Secret', html`<code class="hex">${utxo.htlc.secret.hex}</code>`)],
          };
    case 'IssueNft':
      return {
        ...words,
        what: html`NFT ${thingLink(site, 'nft', utxo.token_id)} from ${addressLink(site, utxo.destination)}`,
        details: [],
      };
    // Nothing can spend these.
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      return words;
  }
}

function commandWords(context: InputContext, input: Command): Words {
  const { site, labels } = context;
  const token = (address: string) => {
    const id = parseTokenId(site.network, address);
    return html`${currencyUnit(site, labels, id)} ${thingLink(site, 'token', address)}`;
  };
  const words = (what: Html, ...details: Html[]): Words => ({ what, worth: null, details });
  switch (input.command) {
    case 'MintTokens': {
      const unit = currencyUnit(site, labels, parseTokenId(site.network, input.token_id));
      const what = html`Mints the token ${thingLink(site, 'token', input.token_id)}`;
      const fraction = context.fractions?.get(input.token_id);
      return { what, worth: amount(exact(input.amount), { unit, fraction }), details: [nonce(input.nonce)] };
    }
    case 'UnmintTokens':
      return words(
        html`Unmints the token ${token(input.token_id)}`,
        html`What the outputs burn of it leaves the supply`,
        nonce(input.nonce),
      );
    case 'FreezeTokens':
      return words(
        html`Freezes the token ${token(input.token_id)}`,
        input.is_token_unfreezable ? html`It can be unfrozen` : html`For ever: it cannot be unfrozen`,
        nonce(input.nonce),
      );
    case 'UnfreezeTokens':
      return words(html`Unfreezes the token ${token(input.token_id)}`, nonce(input.nonce));
    case 'LockTokenSupply':
      return words(html`Locks the supply of the token ${token(input.token_id)}, for ever`, nonce(input.nonce));
    case 'ChangeTokenAuthority':
      return words(
        html`Gives the authority over the token ${token(input.token_id)} to ${addressLink(site, input.new_authority)}`,
        nonce(input.nonce),
      );
    case 'ChangeTokenMetadataUri':
      return words(html`Changes the metadata of the token ${token(input.token_id)}`, metadata(input.metadata_uri));
    case 'FillOrder': {
      const id = parseOrderId(site.network, input.order_id);
      const what = html`Fills the order ${thingLink(site, 'order', input.order_id)} with`;
      return { what, worth: filled(context, id, BigInt(input.fill_atoms.atoms)), details: terms(context, id) };
    }
    case 'FreezeOrder':
      return words(
        html`Freezes the order ${thingLink(site, 'order', input.order_id)}`,
        html`It takes no fills any more`,
        ...terms(context, parseOrderId(site.network, input.order_id)),
      );
    case 'ConcludeOrder':
      return words(
        html`Concludes the order ${thingLink(site, 'order', input.order_id)}`,
        html`What it holds goes to the outputs`,
        ...terms(context, parseOrderId(site.network, input.order_id)),
      );
  }
}

function nonce(value: number | bigint): Html {
  return html`Nonce ${count(value)}`;
}

function metadata(bytes: readonly number[]): Html {
  return detail('New URI', chainUriBytes(hexOf(bytes)));
}

/** A fill is in what the order asks for. An order that is not in the index is pending itself. */
function filled({ site, labels, orders }: InputContext, id: Id, atoms: bigint): Html {
  const order = orders.get(id);
  if (order === undefined) return html`${amount(exactAmount(atoms, 0))} <span class="unit">atoms</span>`;
  return amount(exactAmount(atoms, order.ask_decimals), { unit: currencyUnit(site, labels, order.ask_currency) });
}

function terms({ site, labels, orders }: InputContext, id: Id): Html[] {
  const order = orders.get(id);
  if (order === undefined) return [];
  const given = amount(exactAmount(order.initially_given, order.give_decimals), {
    unit: currencyUnit(site, labels, order.give_currency),
  });
  const asked = amount(exactAmount(order.initially_asked, order.ask_decimals), {
    unit: currencyUnit(site, labels, order.ask_currency),
  });
  return [html`The order gives ${given} for ${asked} in all`];
}
