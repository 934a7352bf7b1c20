/** A recorded chain as the history of a node: for each new tip, the blocks removed and added. */
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { networkFromChainFile } from '../../src/chain/networks/custom-network.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Id, IdentifiedBlock } from '../../src/chain/types.ts';
import { ChainFile } from '../../src/devnet/chain-file-reader.ts';

export interface HistoryStep {
  /** Height of the last block that stays. */
  readonly ancestor: number;
  /** The blocks after it. */
  readonly blocks: readonly IdentifiedBlock[];
}

export interface RecordedChain {
  readonly network: Network;
  readonly steps: readonly HistoryStep[];
  /** The main chain at the end, from height 1. */
  readonly mainChain: readonly IdentifiedBlock[];
}

/** A recorded chain that the tests carry. */
export async function goldenChain(name: string): Promise<RecordedChain> {
  await using file = await ChainFile.open(new URL(`../golden/${name}.ndjson.gz`, import.meta.url).pathname);
  const known = new Map<Id, IdentifiedBlock>();
  const steps: HistoryStep[] = [];
  let mainChain: IdentifiedBlock[] = [];
  for (let line = await file.next(); line !== undefined; line = await file.next()) {
    known.set(line.id, identifyBlock(line.bytes));
    if (!line.tip) continue;
    const branch: IdentifiedBlock[] = [];
    const heights = new Map(mainChain.map(({ id }, i) => [id, i + 1]));
    heights.set(file.head.id, 0);
    let at = line.id;
    for (let block = known.get(at); block !== undefined && !heights.has(at); block = known.get(at)) {
      branch.unshift(block);
      at = block.block.header.prevBlockId;
    }
    const ancestor = heights.get(at) ?? 0;
    steps.push({ ancestor, blocks: branch });
    mainChain = [...mainChain.slice(0, ancestor), ...branch];
  }
  return { network: networkFromChainFile(file.head.line), steps, mainChain };
}
