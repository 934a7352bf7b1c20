/** `/block/{height or id}`: a block of the main chain, and the genesis. */

import { parseBlockId } from '../../api/parse/parameters.ts';
import { addLateDecimals, readLateDecimals } from '../../api/present/late-decimals.ts';
import { badRequest, notFound } from '../../api/route/api-error.ts';
import type { ApiContext } from '../../api/route/context.ts';
import { SnapshotChanged } from '../../api/route/snapshot-changed.ts';
import { readWholeBlock } from '../../api/v2/block.ts';
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { type ListedBlockRow, listBlocks } from '../../store/queries/block-lists.ts';
import type { BlockRow } from '../../store/queries/blocks.ts';
import { getBlockIdAtHeight } from '../../store/queries/blocks.ts';
import { getMeta } from '../../store/queries/meta.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import type { Explorer } from '../explorer.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage, type PageContent, sameTip } from '../page.ts';
import { coinAmount, count, countOf } from '../parts/amount.ts';
import { badge } from '../parts/badge.ts';
import { chainText } from '../parts/chain-text.ts';
import { facts } from '../parts/facts.ts';
import { FLOW_PAGE, firstEntry, flow, lastPageStart } from '../parts/flow.ts';
import { blockLink, idText, poolLink, thingPath } from '../parts/ids.ts';
import { outputWords } from '../parts/output-words.ts';
import { time, utcText } from '../parts/time.ts';
import { transactionTable } from '../parts/transaction-table.ts';
import {
  type BlockHeaderValue,
  readGenesisText,
  readHeaderText,
  readKindsText,
  readOutputTexts,
  readTransactionTexts,
} from '../read/stored-json.ts';
import { readNames, type TransactionNames } from '../read/transaction.ts';
import type { Site } from '../site.ts';

interface Shown {
  /** One of both. */
  readonly height: number | null;
  readonly id: Id | null;
  /** The first shown transaction, and output of the reward or genesis. */
  readonly from: number;
}

interface BlockData extends TransactionNames {
  readonly tip: SnapshotTip;
  readonly id: Id;
  /** Null for the genesis. */
  readonly block: { readonly row: BlockRow; readonly listed: ListedBlockRow } | null;
  /** The body of the genesis; null for any other block. */
  readonly genesis: string | null;
}

const NO_BLOCK = 'There is no such block in the chain';

export function blockPage({ site, api }: Explorer): AnyPage {
  return definePage<Shown, BlockData>({
    path: '/block/:id',
    parse: ({ params, query }) => ({
      ...parseBlock(params.id!),
      from: firstEntry(query.from),
    }),
    read: (store, shown) => readBlock(api, store, shown),
    render: (data, { from }) =>
      data.block === null ? genesisContent(site, data, from) : blockContent(site, data, from),
  });
}

/** Throws the error 400 in words for visitors. */
function parseBlock(text: string): Pick<Shown, 'height' | 'id'> {
  if (/^\d{1,10}$/.test(text)) return { height: Math.min(Number(text), LARGEST_HEIGHT), id: null };
  try {
    return { height: null, id: parseBlockId(text) };
  } catch {
    throw badRequest('A block is named by its height, or by its id of 64 characters, 0 to 9 and a to f');
  }
}

async function readBlock(api: ApiContext, store: UnbatchedQueryRunner, { height, id }: Shown): Promise<BlockData> {
  const blockId = id ?? (await idAt(store, height!));
  if (blockId === api.network.genesisId) return readGenesis(api, store, blockId);
  const whole = await readWholeBlock(api, store, blockId);
  const [row] = whole.rows;
  if (row === undefined) {
    // The height had another block a moment ago.
    if (id === null) throw new SnapshotChanged();
    throw notFound(NO_BLOCK);
  }
  const texts = [row.reward, row.transactions ?? ''];
  const [listed, lateDecimals] = await Promise.all([
    listBlocks(store, { after: { height: row.height + 1 }, limit: 1 }),
    readLateDecimals(store, whole.tip, texts),
  ]);
  const tip = sameTip(whole, listed);
  const filled = { ...row, transactions: addLateDecimals(row.transactions ?? '', lateDecimals) };
  const outputs = readOutputTexts(row.reward);
  const names = await readNames(api, store, tip, [{ inputs: [], outputs }]);
  return { tip, id: blockId, block: { row: filled, listed: listed.rows[0]! }, genesis: null, ...names };
}

async function idAt(store: UnbatchedQueryRunner, height: number): Promise<Id> {
  const { tip, rows } = await getBlockIdAtHeight(store, height);
  if (rows[0]) return rows[0].block_id;
  throw notFound(`There is no block ${height} yet: the newest one is block ${tip.height}`);
}

async function readGenesis(api: ApiContext, store: UnbatchedQueryRunner, id: Id): Promise<BlockData> {
  const { tip, rows } = await getMeta(store, 'genesis');
  const genesis = rows[0]?.value;
  if (genesis === undefined) throw notFound(NO_BLOCK);
  const outputs = readGenesisText(genesis).utxos;
  return { tip, id, block: null, genesis, ...(await readNames(api, store, tip, [{ inputs: [], outputs }])) };
}

function blockContent(site: Site, data: BlockData, wanted: number): PageContent {
  const { tip, id } = data;
  const { row, listed } = data.block!;
  const header = readHeaderText(row.header);
  const transactions = readTransactionTexts(row.transactions!);
  const from = Math.min(wanted, lastPageStart(transactions.length));
  const shown = transactions.slice(from, from + FLOW_PAGE);
  const list = transactionTable(
    site,
    shown.map((transaction) => ({
      transaction,
      size: null,
      place: { height: row.height, timestamp: listed.timestamp },
    })),
    {
      caption: 'Transactions of the block',
      empty: 'The block has no transactions.',
      isOfOneBlock: true,
      hasSize: false,
    },
  );
  return {
    title: `Block ${row.height}`,
    description: `Block ${row.height} of Mintlayer ${site.network.name}, ${utcText(listed.timestamp)}, with ${row.tx_count} transactions: ${id}.`,
    section: 'blocks',
    canonical: thingPath('block', id),
    isUnlisted: from > 0,
    api: [`/block/${id}`, '/block', `/chain/${row.height}`, `/block/${id}/raw`],
    body: html`<div class="heading"><h1>Block ${count(row.height)}</h1>${neighbours(site, row.height, tip.height)}</div><p class="title-id">${idText(id, { canCopy: true })}</p>${blockFacts(site, data, header)}${rewardOf(site, data)}<h2>Transactions <span class="muted">${count(row.tx_count)}</span></h2>${list}${pagesOf(site, id, from, row.tx_count)}`,
  };
}

function neighbours(site: Site, height: number, tipHeight: number): Html {
  return html`<nav class="paging" aria-label="Neighbouring blocks"><a href="${site.href(thingPath('block', String(height - 1)))}" rel="prev">Previous</a>${
    height < tipHeight
      ? html`<a href="${site.href(thingPath('block', String(height + 1)))}" rel="next">Next</a>`
      : html`<span class="muted">the newest</span>`
  }</nav>`;
}

function blockFacts(site: Site, { tip, block }: BlockData, header: BlockHeaderValue): Html {
  const { row, listed } = block!;
  const { consensus_data: consensus } = header;
  const kinds = Object.entries(readKindsText(listed.kinds));
  return facts([
    ['Time', time(listed.timestamp)],
    ['Confirmations', countOf(tip.height - row.height, 'block above it', 'blocks above it')],
    ['Previous block', blockLink(site, header.previous_block_id)],
    [
      'Pool',
      listed.pool_id === null
        ? html`<span class="muted">none: not made by a pool</span>`
        : poolLink(site, listed.pool_id),
    ],
    ['Size', html`${count(listed.size)} <span class="unit">bytes</span>`],
    ['Fees', coinAmount(site, listed.fees)],
    ['Reward of the staker', coinAmount(site, listed.staker_reward)],
    ['Reward of delegations', coinAmount(site, listed.delegations_reward)],
    kinds.length > 0 && [
      'Kinds',
      html`${kinds.map(([kind, number]) => html`${badge(`${kindText(kind)} ${number}`)} `)}`,
    ],
    consensus !== null && 'target' in consensus && ['Target', html`<code class="hex">${consensus.target}</code>`],
    consensus !== null && 'nonce' in consensus && ['Nonce', count(consensus.nonce)],
    consensus !== null &&
      'bits' in consensus && ['Bits', html`<code class="hex">${consensus.bits.toString(16)}</code>`],
    ['Merkle root', idText(header.merkle_root)],
    ['Witness Merkle root', idText(header.witness_merkle_root)],
  ]);
}

/** "token_issue" as "token issue". */
function kindText(kind: string): string {
  return kind.replaceAll('_', ' ').replace('nft', 'NFT').replace('htlc', 'HTLC');
}

function rewardOf(site: Site, { tip, block, labels }: BlockData): Html {
  const { row, listed } = block!;
  const context = {
    site,
    labels,
    tipHeight: tip.height,
    place: { height: row.height, timestamp: listed.timestamp },
    created: null,
  };
  const outputs = readOutputTexts(row.reward);
  return flow({
    title: 'Reward outputs',
    anchor: 'reward',
    length: outputs.length,
    from: 0,
    entries: outputs.map((output) => outputWords(context, output)),
    empty: 'The block has no outputs of its own.',
  });
}

function pagesOf(site: Site, id: Id, from: number, length: number): Html | null {
  if (length <= FLOW_PAGE) return null;
  const link = (place: number, text: string) =>
    html`<a href="${site.href(thingPath('block', id), { from: place || null })}">${text}</a>`;
  const to = Math.min(from + FLOW_PAGE, length);
  return html`<nav class="paging" aria-label="Pages of the list">${from > 0 && link(from - FLOW_PAGE, 'Previous')}<span class="muted">${from + 1} to ${to} of ${length}</span>${to < length && link(to, 'Next')}</nav>`;
}

function genesisContent(site: Site, { tip, id, genesis, labels }: BlockData, wanted: number): PageContent {
  const value = readGenesisText(genesis!);
  const { timestamp } = value.timestamp;
  const context = { site, labels, tipHeight: tip.height, place: { height: 0, timestamp }, created: null };
  const from = Math.min(wanted, lastPageStart(value.utxos.length));
  const outputs = flow({
    title: 'Outputs',
    anchor: 'reward',
    length: value.utxos.length,
    from,
    entries: value.utxos.slice(from, from + FLOW_PAGE).map((output) => outputWords(context, output)),
    pages: pagesOf(site, id, from, value.utxos.length),
    empty: 'The genesis has no outputs.',
  });
  const next =
    tip.height > 0 &&
    html`<nav class="paging" aria-label="Neighbouring blocks"><a href="${site.href('/block/1')}" rel="next">Next</a></nav>`;
  return {
    title: 'Genesis',
    description: `The genesis of Mintlayer ${site.network.name}, ${utcText(timestamp)}: ${id}.`,
    section: 'blocks',
    canonical: thingPath('block', id),
    isUnlisted: from > 0,
    api: ['/chain/genesis'],
    body: html`<div class="heading"><h1>Genesis</h1>${next}</div><p class="title-id">${idText(id, { canCopy: true })}</p>${facts(
      [
        ['Time', time(timestamp, { isAbsolute: true })],
        ['Message', chainText(value.genesis_message)],
      ],
    )}${outputs}`,
  };
}
