/** Renders a decoded transaction or block, with the same parts as those of the chain. */

import { burnedFees } from '../../chain/burned-fees.ts';
import type { Atoms } from '../../chain/types.ts';
import { derivedIds } from '../../render/created-ids.ts';
import { renderHeader } from '../../render/header.ts';
import { parseBlockHeaderJson } from '../../render/stored-json.ts';
import { MAX_EXPLAINED_ENTRIES, type PastedBlock, type PastedTransaction } from '../../serving/decoding/pasted-text.ts';
import { type Html, html } from '../html.ts';
import { currencySumTable } from '../pages/transaction.ts';
import type { DecodedBlockData, DecodedTransactionData } from '../read/decode-page-data.ts';
import type { Site } from '../site.ts';
import { coinAmount, countHtml, noneHtml } from './amount.ts';
import { describeInput } from './describe-input.ts';
import { describeOutput } from './describe-output.ts';
import { blockLink, destinationLink, heightLink, idHtml, poolLink, transactionLink } from './id-links.ts';
import { type EntryDescription, inputOutputList } from './input-output-list.ts';
import { badge, banner, propertyList } from './properties-and-badges.ts';
import { timeHtml } from './time.ts';
import { summaryHtml } from './transaction-sentence.ts';
import { transactionTable } from './transaction-table.ts';

export function decodedTransactionHtml(
  site: Site,
  decoded: PastedTransaction,
  explained: DecodedTransactionData,
): Html {
  const { id } = decoded;
  const { state, names, summary } = explained;
  return html`<h1 class="title">Transaction</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${summaryHtml(site, names, summary)}${STATES[state](site, id)}${decoded.wallet !== null && partlySigned(decoded)}${transactionProperties(site, decoded, explained)}<div class="columns">${inputs(site, decoded, explained)}${outputs(site, decoded, explained)}</div>${explained.isWhole && currencySumTable(site, explained, burnedFees(site.network, explained.height, decoded.transaction))}`;
}

const STATES = {
  confirmed: (site: Site, id: string) => banner(html`This transaction is confirmed: ${transactionLink(site, id)}`),
  pending: (site: Site, id: string) => banner(html`This transaction is pending: ${transactionLink(site, id)}`),
  unknown: () => banner(html`This transaction is not in the chain, and not known to be pending.`, 'warning'),
} as const;

/** Says how many signatures of a wallet's transaction are missing. */
function partlySigned({ signatures, inputCount }: PastedTransaction): Html {
  const missing = signatures!.filter((signature) => signature === null).length;
  const all = inputCount > MAX_EXPLAINED_ENTRIES ? MAX_EXPLAINED_ENTRIES : inputCount;
  return banner(
    html`Partially signed by a wallet: ${countHtml(missing)} of ${countHtml(all)} signatures are missing. Spent outputs that are not in the chain are as the wallet says.`,
    'warning',
  );
}

/** Whose signature of an input is missing, if it is. */
function missingSignature(site: Site, { signatures, wallet }: PastedTransaction, index: number): readonly Html[] {
  if (wallet === null || signatures?.[index] !== null) return [];
  const signer = wallet.signers[index] ?? null;
  const by = signer === null ? noneHtml() : destinationLink(site, signer);
  return [html`${badge('not signed', 'bad')} by ${by}`];
}

function transactionProperties(site: Site, decoded: PastedTransaction, explained: DecodedTransactionData): Html {
  const { transaction, inputCount, outputCount, signatures, hex } = decoded;
  const { flags } = transaction;
  const isUnsigned = signatures === null;
  const isAll = transaction.inputs.length === inputCount && transaction.outputs.length === outputCount;
  const burned = isAll ? burnedFees(site.network, explained.height, transaction) : 0n;
  const { fee } = explained;
  return propertyList([
    ['Inputs', countHtml(inputCount)],
    ['Outputs', countHtml(outputCount)],
    [
      'Size',
      html`${countHtml(hex.length / 2)} <span class="unit">bytes${isUnsigned && html`, without signatures`}</span>`,
    ],
    ['Signatures', isUnsigned ? html`<span class="muted">not included</span>` : signatureWords(decoded)],
    flags > 1n && ['Flags', countHtml(flags)],
    burned !== 0n && ['Protocol fee (burned)', coinAmount(site, burned)],
    ['Fee', fee === null ? unknownFee() : feeHtml(site, fee)],
  ]);
}

const unknownFee = () => html`<span class="muted">unknown (not all of its inputs are known here)</span>`;

function feeHtml(site: Site, fee: Atoms): Html {
  return html`${coinAmount(site, fee)}${fee < 0n && html` ${badge('inputs too low', 'bad')}`}`;
}

function signatureWords({ signedCount, inputCount }: PastedTransaction): Html {
  return html`${countHtml(signedCount)} <span class="muted">of ${inputCount} inputs signed; signatures are not verified here</span>`;
}

function inputs(site: Site, decoded: PastedTransaction, explained: DecodedTransactionData): Html {
  const context = { site, tipHeight: explained.tip.height, labels: explained.labels, orders: explained.orders };
  const { inputCount: length } = decoded;
  return inputOutputList('inputs', {
    length,
    entries: explained.transaction.inputs.map((entry, i): EntryDescription => {
      const words = describeInput(context, entry);
      const height = explained.spentAt.get(i);
      const unsigned = missingSignature(site, decoded, i);
      if (height === undefined || explained.state === 'confirmed')
        return { ...words, details: [...words.details, ...unsigned] };
      const spent = html`${badge('spent', 'bad')} by another transaction in block ${heightLink(site, height)}`;
      return { ...words, details: [...words.details, ...unsigned, spent] };
    }),
    pages: rest(length),
  });
}

function outputs(site: Site, decoded: PastedTransaction, explained: DecodedTransactionData): Html {
  const { tip, labels, transaction } = explained;
  const created = derivedIds(site.network, transaction, tip.height + 1);
  const context = { site, tipHeight: tip.height, labels, place: null, created };
  const { outputCount: length } = decoded;
  return inputOutputList('outputs', {
    length,
    entries: transaction.outputs.map((output) => describeOutput(context, output)),
    pages: rest(length),
  });
}

function rest(length: number): Html | null {
  return length <= MAX_EXPLAINED_ENTRIES
    ? null
    : html`<p class="muted">Showing the first ${MAX_EXPLAINED_ENTRIES} of ${countHtml(length)}.</p>`;
}

export function decodedBlockHtml(site: Site, decoded: PastedBlock, explained: DecodedBlockData): Html {
  const { id, rewardCount, transactionCount: length, mismatch, transactionSizes } = decoded;
  const { tip, labels, names, reward, transactions, isInChain } = explained;
  const state = isInChain
    ? banner(html`This block is in the chain: ${blockLink(site, id)}`)
    : banner(html`This block is not in the chain.`, 'warning');
  const context = { site, tipHeight: tip.height, labels, place: null, created: null };
  const listed = transactionTable(
    site,
    {
      listed: transactions.map((transaction, i) => ({ transaction, size: transactionSizes[i]!, place: null })),
      names,
    },
    { caption: 'Transactions', empty: 'The block has no transactions.', isOfOneBlock: true },
  );
  return html`<h1>Block</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${state}${
    mismatch !== null && banner(html`The header does not match the contents: ${mismatch}.`, 'bad')
  }${blockProperties(site, decoded)}${inputOutputList('reward', {
    length: rewardCount,
    entries: reward.map((output) => describeOutput(context, output)),
    pages: rest(rewardCount),
  })}<h2>Transactions <span class="muted">${countHtml(length)}</span></h2>${listed}${
    transactions.length < length &&
    html`<p class="muted">Showing the first ${transactions.length} of ${countHtml(length)}.</p>`
  }`;
}

function blockProperties(site: Site, { block, size }: PastedBlock): Html {
  const { header } = block;
  const { consensus } = header;
  const text = parseBlockHeaderJson(renderHeader(header)).consensus_data;
  const producer =
    consensus.type === 'PoS'
      ? html`the pool ${poolLink(site, consensus.data.stakePoolId)}`
      : consensus.type === 'PoW'
        ? html`proof of work`
        : html`no consensus`;
  return propertyList([
    ['Time', timeHtml(header.timestamp, 'absolute')],
    ['Previous block', blockLink(site, header.prevBlockId)],
    ['Produced by', producer],
    ['Size', html`${countHtml(size)} <span class="unit">bytes</span>`],
    ['Signature', block.signature === null ? noneHtml() : html`present, not verified here`],
    text !== null && 'target' in text && ['Target', html`<code class="hex">${text.target}</code>`],
    ['Merkle root', idHtml(header.txMerkleRoot)],
    ['Witness Merkle root', idHtml(header.witnessMerkleRoot)],
  ]);
}
