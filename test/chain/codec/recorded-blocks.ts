/**
 * A selection of blocks that holds every kind of input, output and witness in our recordings. Most were accepted by a real
 * node (test/golden/README.md).
 */
import { readFileSync } from 'node:fs';

export interface RecordedBlock {
  readonly chain: string;
  readonly height: number;
  readonly id: string;
  readonly bytes: Buffer;
}

export const RECORDED_BLOCKS: readonly RecordedBlock[] = readFileSync(
  new URL('../../golden/sample-blocks.ndjson', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { chain: string; height: number; id: string; block: string })
  .map(({ block, ...rest }) => ({ ...rest, bytes: Buffer.from(block, 'hex') }));
