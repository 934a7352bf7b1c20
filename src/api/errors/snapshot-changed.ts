/** Says that two queries of one read saw different snapshots of the chain: the read is repeated. */
export class SnapshotChanged extends Error {
  override readonly name = 'SnapshotChanged';

  constructor() {
    super('the tip changed between two queries');
  }
}
