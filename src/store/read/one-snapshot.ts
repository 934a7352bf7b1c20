/** Several queries whose rows must be of one snapshot: the tips that they saw are compared, and if they differ all is read again. */
import type { SnapshotTip } from './query.ts';

export class SnapshotChanged extends Error {
  override readonly name = 'SnapshotChanged';

  constructor() {
    super('the tip changed between two queries');
  }
}

/** Is it the same state of the index? */
export function isSameTip(tip: SnapshotTip, other: SnapshotTip | null): boolean {
  return tip.revision === other?.revision && tip.id === other.id;
}

/** Returns the common tip of results. Throws {@link SnapshotChanged} if they differ. */
export function requireSameTip(...results: readonly { readonly tip: SnapshotTip }[]): SnapshotTip {
  const { tip } = results[0]!;
  if (!results.every((other) => isSameTip(tip, other.tip))) throw new SnapshotChanged();
  return tip;
}

/** Reads, again as long as that throws {@link SnapshotChanged}, until everything that was read is of one snapshot. */
export async function readOneSnapshot<Data>(read: () => Data | Promise<Data>): Promise<Data> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof SnapshotChanged)) throw error;
    }
  }
}
