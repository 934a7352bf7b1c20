/** How fast the chain goes: the mean time between its newest blocks. */
import { BLOCK_LIST, type ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import { durationText } from '../words/formats.ts';

/** The newest blocks that are counted. */
export const PACE_BLOCKS = 60;

export const readNewestBlocks = (store: QueryRunner) => BLOCK_LIST.read(store, { after: null, limit: PACE_BLOCKS });

/** Says the mean time between blocks, newest first; null for fewer than two. */
export function paceText(blocks: readonly ListedBlockRow[]): Html | null {
  const [newest, oldest] = [blocks[0], blocks.at(-1)];
  if (newest === undefined || oldest === undefined || newest === oldest) return null;
  const pace = Math.round((newest.timestamp - oldest.timestamp) / (blocks.length - 1));
  return html`A block every ${durationText(pace)} on average, in the newest ${blocks.length}`;
}
