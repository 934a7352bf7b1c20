/** The causes of 503 with their messages: docs/api.md#causes-of-503. */
import type { StoreError } from '../../store/read/store-error.ts';
import { ApiError } from './api-error.ts';

interface Cause {
  /** The field `error` of the body; a function if the text has a parameter. */
  readonly message: string | ((parameter: never) => string);
  /** Seconds for the header `retry-after`. */
  readonly retryAfter: number;
}

/** The causes, in the order of the documentation: database and index, load, the moving chain, the node, operation. */
export const CAUSES_OF_503 = {
  'database away': {
    message: 'The database cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
  },
  'database too slow': {
    message: 'The database took too long to answer. Try again later.',
    retryAfter: 1,
  },
  'no chain': {
    message: 'The database holds no chain yet; the scanner fills it. Try again soon.',
    retryAfter: 1,
  },
  'missing privileges': {
    message:
      "The web server's database user may not read the index. Its operator has to grant that; the server's log says how.",
    retryAfter: 1,
  },
  'other network': {
    message: 'The database holds the chain of another network than this server is for.',
    retryAfter: 1,
  },
  'index incomplete': {
    message: (height: number) =>
      `The index is being built: the scanner has reached height ${height} and is not at the chain's tip yet.`,
    retryAfter: 5,
  },
  busy: { message: 'The server has too much to do at the moment. Try again soon.', retryAfter: 1 },
  'tip changed during batch': {
    message: 'The chain moves on faster than this batch can be read. Try again, or ask for fewer ids.',
    retryAfter: 1,
  },
  'tip changed during list': {
    message: 'The chain moves on faster than this list can be read. Try again.',
    retryAfter: 1,
  },
  'pending behind index': {
    message: 'Pending transactions are behind the chain at the moment. Try again soon.',
    retryAfter: 1,
  },
  'no node for pending': {
    message: 'This server was started without a node, which knows the pending transactions.',
    retryAfter: 1,
  },
  'pending not known': {
    message: 'Pending transactions are not known at the moment: the node cannot be followed. Try again soon.',
    retryAfter: 1,
  },
  'pending not known for raw': {
    message: 'No block has this transaction, and the node, which knows those that wait, cannot be asked.',
    retryAfter: 1,
  },
  'no node for blocks': {
    message: 'This server was started without a node, which alone has encoded blocks.',
    retryAfter: 1,
  },
  'node away for blocks': {
    message: 'The node, which alone has encoded blocks, cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
  },
  'block missing at node': {
    message: 'The node does not have this block at the moment. Try again soon.',
    retryAfter: 1,
  },
  'wrong block from node': {
    message: 'The node gave another block than it was asked for.',
    retryAfter: 1,
  },
  'transaction not in block of node': {
    message: 'The node gave another block than the index has. Try again soon.',
    retryAfter: 1,
  },
  'no node for submission': {
    message: 'This server was started without a node, which takes the transactions.',
    retryAfter: 1,
  },
  'node away for submission': {
    message: 'The node did not take the transaction: it cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
  },
  'no node for fee rates': {
    message: 'This server was started without a node, which alone knows fee rates.',
    retryAfter: 1,
  },
  'node away for fee rates': {
    message: 'The node, which alone knows fee rates, cannot be reached at the moment. Try again soon.',
    retryAfter: 1,
  },
  stopping: {
    message: 'The server is stopping.',
    retryAfter: 1,
  },
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseOf503 = keyof typeof CAUSES_OF_503;

/** The parameters of a cause's message: one or none. */
type MessageParameters<Name extends CauseOf503> = (typeof CAUSES_OF_503)[Name]['message'] extends (
  ...parameters: infer Parameters
) => string
  ? Parameters
  : [];

/** Makes the error 503 for a cause, with the parameter of its message. */
export function unavailable<Name extends CauseOf503>(name: Name, ...parameters: MessageParameters<Name>): ApiError {
  const { message, retryAfter }: Cause = CAUSES_OF_503[name];
  const text =
    typeof message === 'string' ? message : (message as (...of: readonly unknown[]) => string)(...parameters);
  return new ApiError(503, text, { retryAfter });
}

type UnavailableKind = Exclude<StoreError['kind'], 'fault'>;

/** The cause for each kind of store error. A new kind needs an entry. */
const CAUSES_BY_KIND = {
  unavailable: 'database away',
  'too slow': 'database too slow',
  'not ready': 'no chain',
  'missing privileges': 'missing privileges',
  stopping: 'stopping',
} as const satisfies Readonly<Record<UnavailableKind, CauseOf503>>;

/** Returns the cause for an error of the store. A fault of the server (error 500) has none. */
export const causeOfStoreError = (kind: UnavailableKind) => CAUSES_BY_KIND[kind];
