/** The reason why a transaction may not be in the next block. The message is what a node would answer to its sender. */
export class TransactionRefusal extends Error {
  override readonly name: string = 'TransactionRefusal';
}

/** Something comes before it that is not there: an output, or a smaller nonce. */
export class OrphanRefusal extends TransactionRefusal {
  override readonly name = 'OrphanRefusal';
}

/** A block could have it, but no mempool takes it. The node tells its subscribers of no such refusal. */
export class PolicyRefusal extends TransactionRefusal {
  override readonly name = 'PolicyRefusal';
}

/** Throws a `TransactionRefusal`. */
export function refuseTransaction(reason: string): never {
  throw new TransactionRefusal(reason);
}
