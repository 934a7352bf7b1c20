/** What happens to the pending transactions, as a stream of changes: applying all of them gives the same pool. */
import { encodeOutput, outputFromHex } from '../chain/codec/output.ts';
import { encodeSignedTransaction } from '../chain/codec/transaction.ts';
import { bytesFromHex } from '../chain/scale/hex.ts';
import type { Atoms, Hex, Id } from '../chain/types.ts';
import { decodePending, type Origin, type PendingTransaction, type Resolution } from './transaction.ts';

export interface MirrorState {
  /** False while the node's list is too long to be returned, or exceeds the limits of this copy. */
  readonly isComplete: boolean;
  /** Since when the node cannot be followed; milliseconds since the epoch. Null while it can. 0: not yet followed. */
  readonly staleSince: number | null;
}

/** Times are milliseconds since the epoch. */
export type MempoolChange =
  /** Comes after all others. `isNew`: it was not there already when the mirror began. */
  | { readonly type: 'Added'; readonly transaction: PendingTransaction; readonly isNew: boolean }
  /** More is known of it than before. */
  | { readonly type: 'Resolved'; readonly id: Id; readonly resolution: Resolution }
  /** The index has it in a block. */
  | { readonly type: 'Confirmed'; readonly id: Id; readonly height: number; readonly at: number }
  /** It was pending, or in a block that was left, and is neither any more. */
  | { readonly type: 'Dropped'; readonly id: Id; readonly at: number }
  /** Is no longer kept here, though it may be pending: the oldest make room. */
  | { readonly type: 'Forgotten'; readonly id: Id }
  /** The order of all pending ones. */
  | { readonly type: 'Ordered'; readonly ids: readonly Id[] }
  | { readonly type: 'State'; readonly state: MirrorState };

/** What clients are notified of. */
export type MempoolNews =
  /** Once for each stay. */
  { readonly type: 'seen'; readonly transaction: PendingTransaction } | { readonly type: 'dropped'; readonly id: Id };

/** Undefined for a change that is no news to clients. */
export function newsOf(change: MempoolChange): MempoolNews | undefined {
  switch (change.type) {
    case 'Added':
      return change.isNew ? { type: 'seen', transaction: change.transaction } : undefined;
    case 'Dropped':
      return { type: 'dropped', id: change.id };
    case 'Resolved':
    case 'Confirmed':
    case 'Forgotten':
    case 'Ordered':
    case 'State':
      return undefined;
  }
}

// ------------------------------------------------------------------------------- between processes, as plain JSON

interface ResolutionMessage {
  readonly height: number;
  /** Encoded outputs. */
  readonly inputs: readonly (readonly [output: Hex, secret: Hex | null] | null)[];
  readonly fee: string | null;
  readonly addresses: readonly string[];
  readonly tokens: readonly Id[];
  readonly accounts: readonly {
    readonly account: 'delegation' | 'token';
    readonly id: Id;
    readonly nonce: string;
    readonly owner: string | null;
  }[];
  readonly isFinal: boolean;
}

/** A change that survives `JSON.stringify` and `process.send`. */
export type ChangeMessage =
  | {
      readonly type: 'Added';
      readonly signed: Hex;
      readonly origin: Origin;
      readonly seenAt: number;
      readonly resolution: ResolutionMessage;
      readonly isNew: boolean;
    }
  | { readonly type: 'Resolved'; readonly id: Id; readonly resolution: ResolutionMessage }
  | Exclude<MempoolChange, { readonly type: 'Added' | 'Resolved' }>;

export function changeToMessage(change: MempoolChange): ChangeMessage {
  switch (change.type) {
    case 'Added': {
      const { transaction, isNew } = change;
      const { signed, origin, seenAt } = transaction;
      const hex = encodeSignedTransaction(signed).toString('hex');
      return { type: 'Added', signed: hex, origin, seenAt, resolution: resolutionToMessage(transaction), isNew };
    }
    case 'Resolved':
      return { ...change, resolution: resolutionToMessage(change.resolution) };
    default:
      return change;
  }
}

/** Throws DecodeError for a message that `toMessage` did not make. */
export function changeFromMessage(message: ChangeMessage): MempoolChange {
  switch (message.type) {
    case 'Added': {
      const { signed, origin, seenAt, resolution, isNew } = message;
      const decoded = decodePending(bytesFromHex(signed));
      return {
        type: 'Added',
        transaction: { ...decoded, ...resolutionFromMessage(resolution), origin, seenAt },
        isNew,
      };
    }
    case 'Resolved':
      return { ...message, resolution: resolutionFromMessage(message.resolution) };
    default:
      return message;
  }
}

function resolutionToMessage(resolution: Resolution): ResolutionMessage {
  const { height, inputs, fee, addresses, tokens, accounts, isFinal } = resolution;
  return {
    height,
    inputs: inputs.map((input) => input && [encodeOutput(input.output).toString('hex'), input.secret]),
    fee: fee === null ? null : `${fee}`,
    addresses: [...addresses],
    tokens: [...tokens],
    accounts: accounts.map((use) => ({ ...use, nonce: `${use.nonce}` })),
    isFinal,
  };
}

function resolutionFromMessage(message: ResolutionMessage): Resolution {
  const fee: Atoms | null = message.fee === null ? null : BigInt(message.fee);
  return {
    ...message,
    inputs: message.inputs.map((input) => input && { output: outputFromHex(input[0]), secret: input[1] }),
    fee,
    addresses: new Set(message.addresses),
    tokens: new Set(message.tokens),
    accounts: message.accounts.map((use) => ({ ...use, nonce: BigInt(use.nonce) })),
  };
}
