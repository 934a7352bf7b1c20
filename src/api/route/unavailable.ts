/**
 * Every cause of the error 503 of the web server, and what its client is told. docs/api.md#causes-of-503 shows the same
 * table; test/api/route/unavailable.test.ts compares both with each other and with the files that are named here.
 */
import type { StoreError } from '../../store/read/store-error.ts';
import { ApiError } from './api-error.ts';

interface Cause {
  /** What the client gets as `error`; a function where the text has a parameter. */
  readonly message: string | ((parameter: never) => string);
  /** Seconds for the header `retry-after`. */
  readonly retryAfter: number;
  /** When it happens. */
  readonly when: string;
  /** The files that decide it: they throw it, or the error of the store that stands for it. */
  readonly decidedBy: readonly string[];
}

/** In the order of the documentation: database and index, load, the moving chain, the node, operation. */
export const CAUSES_OF_503 = {
  'database away': {
    message: 'The database cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
    when: 'there is no connection to the database, or its tip was not confirmed for 2 s',
    decidedBy: ['src/api/route/admission.ts', 'src/store/read/query-dispatcher.ts', 'src/store/read/store-error.ts'],
  },
  'database too slow': {
    message: 'The database took too long to answer. Try again later.',
    retryAfter: 1,
    when: 'a query was not answered within 10 s',
    decidedBy: ['src/store/read/query-dispatcher.ts', 'src/store/read/store-error.ts'],
  },
  'no chain': {
    message: 'The database holds no chain yet; the scanner fills it. Try again soon.',
    retryAfter: 1,
    when: 'there is no index in the database yet',
    decidedBy: [
      'src/api/route/admission.ts',
      'src/api/v2/chain.ts',
      'src/store/read/row-distributor.ts',
      'src/store/read/store-error.ts',
    ],
  },
  'missing privileges': {
    message:
      "The web server's database user may not read the index. Its operator has to grant that; the server's log says how.",
    retryAfter: 1,
    when: 'the database user lacks privileges',
    decidedBy: ['src/api/route/admission.ts', 'src/store/read/store-error.ts'],
  },
  'other network': {
    message: 'The database holds the chain of another network than this server is for.',
    retryAfter: 1,
    when: 'the database holds another network',
    decidedBy: ['src/api/route/admission.ts'],
  },
  'index incomplete': {
    message: (height: number) =>
      `The index is being built: the scanner has reached height ${height} and is not at the chain's tip yet.`,
    retryAfter: 5,
    when: 'the index is being filled, or its indexes are being built',
    decidedBy: ['src/api/route/admission.ts'],
  },
  'slow clients': {
    message: 'Clients are slow to take what they asked for. Try again soon.',
    retryAfter: 5,
    when: 'the bytes that clients have not taken fill their part of the memory budget',
    decidedBy: ['src/api/route/admission.ts'],
  },
  'too many in progress': {
    message: 'Too many requests are being answered. Try again soon.',
    retryAfter: 1,
    when: 'requests in progress fill their part of the memory budget',
    decidedBy: ['src/api/route/admission.ts'],
  },
  'too many bodies': {
    message: 'Too many request bodies are being read. Try again soon.',
    retryAfter: 1,
    when: 'request bodies exceed their part of the memory budget: the one that has been arriving longest is refused',
    decidedBy: ['src/api/http/request-body-budget.ts'],
  },
  'too many batches': {
    message: 'Too many batches are being answered. Try again soon.',
    retryAfter: 1,
    when: '4 batches are in progress in this process',
    decidedBy: ['src/api/v2/batch.ts'],
  },
  'tip changed during batch': {
    message: 'The chain moves on faster than this batch can be read. Try again, or ask for fewer ids.',
    retryAfter: 1,
    when: 'the tip changed each of the 5 times that a batch was read',
    decidedBy: ['src/api/route/batch-responses.ts'],
  },
  'tip changed during list': {
    message: 'The chain moves on faster than this list can be read. Try again.',
    retryAfter: 1,
    when: 'the tip changed each of the 20 times that a list with `pending=exclude` was read',
    decidedBy: ['src/api/pending/unspent-by-pending.ts'],
  },
  'pending behind index': {
    message: 'Pending transactions are behind the chain at the moment. Try again soon.',
    retryAfter: 1,
    when: 'pending transactions did not follow the tip of the index within 2 s',
    decidedBy: ['src/api/pending/wait-for-revision.ts'],
  },
  'no node for pending': {
    message: 'This server was started without a node, which knows the pending transactions.',
    retryAfter: 1,
    when: 'pending transactions, and the server was started without a node',
    decidedBy: ['src/api/pending/pending-transactions.ts'],
  },
  'pending not known': {
    message: 'Pending transactions are not known at the moment: the node cannot be followed. Try again soon.',
    retryAfter: 1,
    when: 'pending transactions, and the node has been away for 30 s or was never reached',
    decidedBy: ['src/api/pending/pending-transactions.ts'],
  },
  'pending not known for raw': {
    message: 'No block has this transaction, and the node, which knows those that wait, cannot be asked.',
    retryAfter: 1,
    when: '`/transaction/{id}/raw` of a transaction that is in no block, and the node cannot be asked',
    decidedBy: ['src/api/v2/raw.ts'],
  },
  'no node for blocks': {
    message: 'This server was started without a node, which alone has encoded blocks.',
    retryAfter: 1,
    when: 'an encoded block or transaction, and the server was started without a node',
    decidedBy: ['src/api/cache/node-blocks.ts'],
  },
  'node away for blocks': {
    message: 'The node, which alone has encoded blocks, cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
    when: 'an encoded block or transaction, and the node cannot be reached or does not answer within 10 s',
    decidedBy: ['src/api/cache/node-blocks.ts'],
  },
  'too many blocks at node': {
    message: 'The node is asked for many blocks. Try again soon.',
    retryAfter: 1,
    when: 'an encoded block or transaction, and the node is asked for 4 other blocks',
    decidedBy: ['src/api/cache/node-blocks.ts'],
  },
  'block missing at node': {
    message: 'The node does not have this block at the moment. Try again soon.',
    retryAfter: 1,
    when: 'an encoded block or transaction, and the node does not have the block, which the index has',
    decidedBy: ['src/api/cache/node-blocks.ts'],
  },
  'wrong block from node': {
    message: 'The node gave another block than it was asked for.',
    retryAfter: 1,
    when: 'an encoded block or transaction, and the node gave bytes with another id',
    decidedBy: ['src/api/cache/node-blocks.ts'],
  },
  'transaction not in block of node': {
    message: 'The node gave another block than the index has. Try again soon.',
    retryAfter: 1,
    when: "an encoded transaction, and the node's block does not have it where the index has it",
    decidedBy: ['src/api/v2/raw.ts'],
  },
  'no node for submission': {
    message: 'This server was started without a node, which takes the transactions.',
    retryAfter: 1,
    when: 'a submission, and the server was started without a node',
    decidedBy: ['src/api/v2/submission.ts'],
  },
  'node away for submission': {
    message: 'The node did not take the transaction: it cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
    when: 'a submission, and the node cannot be reached or does not answer within 30 s',
    decidedBy: ['src/api/v2/submission.ts'],
  },
  'too many submissions': {
    message: 'The node has many transactions to look at. Try again soon.',
    retryAfter: 1,
    when: 'a submission, and the node is processing 64 others',
    decidedBy: ['src/api/v2/submission.ts'],
  },
  'too many texts to decode': {
    message: 'Many texts are being decoded. Try again soon.',
    retryAfter: 1,
    when: 'the form of `/decode`, and the server is decoding 8 others',
    decidedBy: ['src/explorer/pages/decode.ts'],
  },
  'no node for fee rates': {
    message: 'This server was started without a node, which alone knows fee rates.',
    retryAfter: 1,
    when: 'fee rates, and the server was started without a node',
    decidedBy: ['src/api/v2/feerate.ts'],
  },
  'node away for fee rates': {
    message: 'The node, which alone knows fee rates, cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
    when: 'fee rates, and the node has never given any',
    decidedBy: ['src/api/v2/feerate.ts'],
  },
  stopping: {
    message: 'The server is stopping.',
    retryAfter: 1,
    when: '`/ready`, a new stream or a query while the server stops',
    decidedBy: [
      'src/api/operations/operations-routes.ts',
      'src/api/v2/stream.ts',
      'src/store/read/query-dispatcher.ts',
    ],
  },
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseOf503 = keyof typeof CAUSES_OF_503;

/** The parameters of a cause's message: one, or none. */
type MessageParameters<Name extends CauseOf503> = (typeof CAUSES_OF_503)[Name]['message'] extends (
  ...parameters: infer Parameters
) => string
  ? Parameters
  : [];

/** The error 503 for a cause, with the parameter of its message where it has one. */
export function unavailable<Name extends CauseOf503>(name: Name, ...parameters: MessageParameters<Name>): ApiError {
  const { message, retryAfter }: Cause = CAUSES_OF_503[name];
  const text =
    typeof message === 'string' ? message : (message as (...of: readonly unknown[]) => string)(...parameters);
  return new ApiError(503, text, { retryAfter });
}

type UnavailableKind = Exclude<StoreError['kind'], 'fault'>;

/** What an error of the store is to a client. A new kind needs an entry. */
const CAUSES_BY_KIND = {
  unavailable: 'database away',
  'too slow': 'database too slow',
  'not ready': 'no chain',
  'missing privileges': 'missing privileges',
  stopping: 'stopping',
} as const satisfies Readonly<Record<UnavailableKind, CauseOf503>>;

/** The cause that an error of the store is; a fault of the server (error 500) is none. */
export const causeOfKind = (kind: UnavailableKind) => CAUSES_BY_KIND[kind];
