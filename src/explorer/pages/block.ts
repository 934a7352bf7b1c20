/** `/block/{height or id}`: a block of the main chain, and the genesis. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import {
  addLateTokenDecimals,
  readDecimalsOfLaterIssuedTokens,
} from '../../answers/decimals-of-later-issued-tokens.ts';
import { outlineOfText } from '../../answers/transaction-outline.ts';
import { MAX_BLOCK_BYTES, MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import {
  type ParsedOutput,
  parseBlockHeaderJson,
  parseGenesisJson,
  parseKindCountsJson,
  parseOutputsJson,
} from '../../render/stored-json.ts';
import { parseBlockId } from '../../serving/parse/parameters.ts';
import { type BlockPageRow, getBlockPage } from '../../store/queries/blocks/block-lists.ts';
import { targetOfHeader } from '../../store/queries/blocks/block-targets.ts';
import { getBlockRemoval } from '../../store/queries/blocks/removed-blocks.ts';
import { getMeta } from '../../store/queries/chain/meta.ts';
import { LISTED_KINDS } from '../../store/queries/transactions/transactions.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import { type AnyPage, definePage, type ExplorerContext, type PageContent } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { badInput, noBlockYetError, pageNotFound } from '../page-error.ts';
import { coinAmount, countHtml } from '../parts/amount.ts';
import { chainText } from '../parts/chain-text.ts';
import { confirmationsHtml } from '../parts/confirmations.ts';
import { describeOutput } from '../parts/describe-output.ts';
import { blockLink, idHtml, poolLink, thingPath } from '../parts/id-links.ts';
import {
  ENTRIES_PER_PAGE,
  firstEntryOfPage,
  inputOutputList,
  lastPageStart,
  type PositionPaging,
  positionPagingLinks,
} from '../parts/input-output-list.ts';
import { KIND_WORDS } from '../parts/kind-words.ts';
import { difficultyText, percentage } from '../parts/number.ts';
import { fold } from '../parts/paging.ts';
import { badge, propertyList } from '../parts/properties-and-badges.ts';
import { timeHtml, utcText } from '../parts/time.ts';
import { type ListedTransactions, transactionTable } from '../parts/transaction-table.ts';
import { readListedTransactions, readRemovedTransactions, readSentenceNames } from '../read/listed-transactions.ts';
import { readTransactionNames, type TransactionNames } from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { type RemovedBlock, removedBlockContent } from './removed-block.ts';

interface Shown {
  /** The height or the id is given; the other is null. */
  readonly height: number | null;
  readonly id: Id | null;
  /** The index of the first transaction shown, or of the first output of the genesis. */
  readonly from: number;
}

interface Block {
  readonly row: BlockPageRow;
  /** The transactions of this page. */
  readonly transactions: ListedTransactions;
  readonly reward: readonly ParsedOutput[];
}

interface BlockData extends TransactionNames {
  readonly tip: SnapshotTip;
  readonly id: Id;
  /** Null for the genesis. */
  readonly block: Block | null;
  /** Null for any other block. */
  readonly genesis: Genesis | null;
}

interface RemovedBlockData extends RemovedBlock {
  readonly tip: SnapshotTip;
  readonly dependsOnHistory: true;
}

type Genesis = ReturnType<typeof parseGenesisJson>;

/** The number of transactions per page, as in all other lists. */
const TRANSACTIONS_PAGE = 25;
const NO_BLOCK = 'There is no such block in the chain.';

export function blockPage({ site, answers }: ExplorerContext): AnyPage {
  const { genesisId } = answers.network;
  /** The genesis, parsed once: it never changes. */
  let genesis: Genesis | null = null;

  return definePage<Shown, BlockData | RemovedBlockData>({
    path: '/block/:id',
    parse: ({ params, query }) => {
      const block = parseBlock(params.id!);
      if (!isGenesis(block)) return { ...block, from: firstEntryOfPage(query.from, TRANSACTIONS_PAGE) };
      const first = firstEntryOfPage(query.from);
      const from = genesis === null ? first : Math.min(first, lastPageStart(genesis.utxos.length));
      return { height: null, id: genesisId, from };
    },
    read: async (store, shown) => {
      if (!isGenesis(shown)) return readBlock(answers, store, shown);
      const data = await readGenesis(answers, store, genesis);
      ({ genesis } = data);
      return data;
    },
    render: (data, { from }) => {
      if ('removal' in data) return removedBlockContent(site, data);
      return data.block === null ? genesisContent(site, data, from) : blockContent(site, data, data.block);
    },
  });

  function isGenesis({ height, id }: Pick<Shown, 'height' | 'id'>): boolean {
    return height === 0 || id === genesisId;
  }
}

/** Parses a height or id. Throws the error 400 with a message for visitors. */
function parseBlock(text: string): Pick<Shown, 'height' | 'id'> {
  if (/^\d{1,10}$/.test(text)) return { height: Math.min(Number(text), MAX_HEIGHT), id: null };
  try {
    return { height: null, id: parseBlockId(text) };
  } catch {
    throw badInput('Enter the height of a block or its id, which has 64 characters (0–9, a–f).');
  }
}

async function readBlock(
  answers: AnswersContext,
  store: QueryRunner,
  { height, id, from }: Shown,
): Promise<BlockData | RemovedBlockData> {
  const { tip, rows } = await getBlockPage(store, { block: id ?? height!, first: from, pageSize: TRANSACTIONS_PAGE });
  const [row] = rows;
  if (row === undefined) {
    const removed = id === null ? null : await getBlockRemoval(store, id);
    if (removed?.removal) {
      const { removal } = removed;
      const shown = removal.transactions.slice(0, TRANSACTIONS_PAGE).map(({ txId }) => txId);
      requireSameTip({ tip }, removed);
      const outlines = (await readRemovedTransactions(store, tip, shown)).map(({ body, height, actors }) =>
        outlineOfText(answers.network, body, height, actors),
      );
      const told = outlines.flatMap(({ summary }) => summary ?? []);
      const names = await readSentenceNames(answers.network, store, tip, told);
      return { tip, id: id!, removal, outlines, names, dependsOnHistory: true };
    }
    throw id === null ? noBlockYetError(height!, tip) : pageNotFound(NO_BLOCK, tip);
  }
  const bodies = row.transactions === '' ? [] : row.transactions.split('\n');
  const actors = row.actors.split('\n');
  const transactions = await readListedTransactions(
    answers.network,
    store,
    tip,
    bodies.map((body, i) => ({ ...row, body, actors: actors[i] || null, size: null })),
  );
  const reward = parseOutputsJson(
    addLateTokenDecimals(row.reward, await readDecimalsOfLaterIssuedTokens(store, tip, [row.reward])),
  );
  const names = await readTransactionNames(answers, store, tip, [{ inputs: [], outputs: reward }]);
  return { tip, id: row.block_id, block: { row, transactions, reward }, genesis: null, ...names };
}

async function readGenesis(
  answers: AnswersContext,
  store: QueryRunner,
  known: Genesis | null,
): Promise<BlockData & { readonly genesis: Genesis }> {
  const { tip, rows } = await getMeta(store, 'genesis');
  if (rows[0] === undefined) throw pageNotFound(NO_BLOCK, tip);
  const genesis = known ?? parseGenesisJson(rows[0].value);
  const names = await readTransactionNames(answers, store, tip, [{ inputs: [], outputs: genesis.utxos }]);
  return { tip, id: answers.network.genesisId, block: null, genesis, ...names };
}

function blockContent(site: Site, data: BlockData, block: Block): PageContent {
  const { row, transactions } = block;
  const { tip, id } = data;
  const list = transactionTable(site, transactions, {
    caption: 'Transactions',
    empty: 'The block has no transactions.',
    isOfOneBlock: true,
    hasSize: false,
  });
  return {
    title: say('Block {height}', { height: row.height }),
    description: say('Block {height} of Mintlayer {network}, {timestamp}, with {tx_count} transactions: {id}.', {
      height: row.height,
      network: site.network.name,
      timestamp: utcText(row.timestamp),
      tx_count: row.tx_count,
      id,
    }),
    section: 'blocks',
    canonical: thingPath('block', id),
    isUnlisted: row.first > 0,
    api: [`/block/${id}`, '/block', `/chain/${row.height}`, `/block/${id}/raw`],
    body: html`<div class="heading"><h1>Block ${row.height}</h1>${neighbours(site, row.height, tip.height)}</div><p class="title-id">${idHtml(id, { canCopy: true })}</p>${blockProperties(site, tip, row)}<section><h2>Transactions <span class="muted">${countHtml(row.tx_count)}</span></h2>${list}${pagesOf(site, id, { from: row.first, length: row.tx_count, pageSize: TRANSACTIONS_PAGE })}</section>${rewardOf(site, data, block)}${fold('Details', headerProperties(site, row))}`,
  };
}

function neighbours(site: Site, height: number, tipHeight: number): Html {
  const link = (to: number, rel: string, text: Words) =>
    html`<a href="${site.href(thingPath('block', String(to)))}" rel="${rel}">${textOf(text)}</a>`;
  const next = height < tipHeight ? link(height + 1, 'next', 'Next') : html`<span class="muted">Newest block</span>`;
  return html`<nav class="paging" aria-label="Neighbouring blocks">${height > 0 && link(height - 1, 'prev', 'Previous')}${next}</nav>`;
}

function blockProperties(site: Site, tip: SnapshotTip, row: BlockPageRow): Html {
  const counts = parseKindCountsJson(row.kinds);
  const kinds = LISTED_KINDS.filter((kind) => kind in counts);
  return propertyList([
    ['Time', timeHtml(row.timestamp, 'both')],
    ['Confirmations', confirmationsHtml(site, tip.height - row.height)],
    [
      'Pool',
      row.pool_id === null ? html`<span class="muted">none (not staked by a pool)</span>` : poolLink(site, row.pool_id),
    ],
    kinds.length > 0 && [
      'Transaction types',
      html`${kinds.map((kind) => html`${badge(say('{kind} {number}', { kind: textOf(KIND_WORDS[kind]), number: counts[kind]! }))} `)}`,
    ],
    ['Staker reward', coinAmount(site, row.staker_reward)],
    ['Delegation rewards', coinAmount(site, row.delegations_reward)],
    ['Fees', coinAmount(site, row.fees)],
    [
      'Size',
      html`${countHtml(row.size)} <span class="unit">bytes</span> <span class="muted">· ${html`${percentage(BigInt(row.size), BigInt(MAX_BLOCK_BYTES))} full`}</span>`,
    ],
  ]);
}

/** What the header has besides. */
function headerProperties(site: Site, row: BlockPageRow): Html {
  const header = parseBlockHeaderJson(row.header);
  const { consensus_data: consensus } = header;
  const target = targetOfHeader(row.target_field);
  return propertyList([
    ['Previous block', blockLink(site, header.previous_block_id)],
    target !== null && [
      'Difficulty',
      html`${difficultyText(target)} <span class="muted">the initial target divided by this block’s target</span>`,
    ],
    ['Merkle root', idHtml(header.merkle_root)],
    ['Witness Merkle root', idHtml(header.witness_merkle_root)],
    target !== null && ['Target', html`<code class="hex">${target.target}</code>`],
    consensus !== null && 'nonce' in consensus && ['Nonce', countHtml(consensus.nonce)],
    consensus !== null &&
      'bits' in consensus && ['Bits', html`<code class="hex">${consensus.bits.toString(16)}</code>`],
  ]);
}

function rewardOf(site: Site, { tip, labels }: BlockData, { row, reward }: Block): Html {
  const context = { site, labels, tipHeight: tip.height, place: row, created: null };
  return inputOutputList('reward', {
    length: reward.length,
    entries: reward.map((output) => {
      const described = describeOutput(context, output);
      // The stake grows by the reward.
      return { ...described, worth: described.worth ?? coinAmount(site, row.staker_reward, { isSigned: true }) };
    }),
  });
}

function pagesOf(site: Site, id: Id, place: Pick<PositionPaging, 'from' | 'length' | 'pageSize'>): Html | null {
  const href = (first: number) => site.href(thingPath('block', id), { from: first || null });
  return positionPagingLinks({ ...place, firstPosition: 1, href });
}

function genesisContent(site: Site, { tip, id, genesis, labels }: BlockData, wanted: number): PageContent {
  const value = genesis!;
  const { timestamp } = value.timestamp;
  const context = { site, labels, tipHeight: tip.height, place: { height: 0, timestamp }, created: null };
  const from = Math.min(wanted, lastPageStart(value.utxos.length));
  const outputs = inputOutputList('genesis', {
    length: value.utxos.length,
    from,
    entries: value.utxos.slice(from, from + ENTRIES_PER_PAGE).map((output) => describeOutput(context, output)),
    pages: pagesOf(site, id, { from, length: value.utxos.length }),
  });
  return {
    title: 'Genesis',
    description: say('The genesis of Mintlayer {network}, {timestamp}: {id}.', {
      network: site.network.name,
      timestamp: utcText(timestamp),
      id,
    }),
    section: 'blocks',
    canonical: thingPath('block', id),
    isUnlisted: from > 0,
    api: ['/chain/genesis'],
    body: html`<div class="heading"><h1>Genesis</h1>${tip.height > 0 && neighbours(site, 0, tip.height)}</div><p class="title-id">${idHtml(id, { canCopy: true })}</p>${propertyList(
      [
        ['Time', timeHtml(timestamp, 'absolute')],
        ['Message', chainText(value.genesis_message)],
      ],
    )}${outputs}`,
  };
}
