/** The causes of 503 with their messages: docs/api.md#causes-of-503. */
import { NodeError } from '../../node/node-error.ts';
import type { StoreError } from '../../store/read/store-error.ts';
import { ApiError } from './api-error.ts';

/** The causes and their messages, in the order of the documentation: database and index, load, the moving chain, the node, operation. */
export const CAUSES_OF_503 = {
  'database away': 'The database cannot be reached at the moment. Try again soon.',
  'database too slow': 'The database took too long to answer. Try again later.',
  'no chain': 'The database holds no chain yet; the scanner fills it. Try again soon.',
  'missing privileges':
    "The web server's database user may not read the index. Its operator has to grant that; the server's log says how.",
  'other network': 'The database holds the chain of another network than this server is for.',
  'index incomplete': (height: number) =>
    `The index is being built: the scanner has reached height ${height} and is not at the chain's tip yet.`,
  'being added': (what: string) => `What this needs is not complete yet: ${what}. Try again later.`,
  busy: 'The server has too much to do at the moment. Try again soon.',
  'tip changed during batch': 'The chain moves on faster than this batch can be read. Try again, or ask for fewer ids.',
  'tip changed during list': 'The chain moves on faster than this list can be read. Try again.',
  'cursor ahead of index': 'This server has not reached the block of the cursor yet. Try again soon.',
  'tip not reached':
    'This server has not reached the tip that x-min-tip names. Try again soon, or without that header.',
  'pending behind index': 'Pending transactions are behind the chain at the moment. Try again soon.',
  'no node for pending': 'This server was started without a node, which knows the pending transactions.',
  'pending not known': 'Pending transactions are not known at the moment: the node cannot be followed. Try again soon.',
  'pending not known for raw':
    'No block has this transaction, and the node, which knows those that wait, cannot be asked.',
  'no node for blocks': 'This server was started without a node, which alone has encoded blocks.',
  'node away for blocks': 'The node, which alone has encoded blocks, cannot be reached at the moment. Try again soon.',
  'block missing at node': 'The node does not have this block at the moment. Try again soon.',
  'wrong block from node': 'The node gave another block than it was asked for.',
  'transaction not in block of node': 'The node gave another block than the index has. Try again soon.',
  'no node for submission': 'This server was started without a node, which takes the transactions.',
  'node away for submission':
    'The node did not take the transaction: it cannot be reached at the moment. Try again soon.',
  'no node for fee rates': 'This server was started without a node, which alone knows fee rates.',
  'node away for fee rates': 'The node, which alone knows fee rates, cannot be reached at the moment. Try again soon.',
  'node of another network':
    'The node of this server belongs to another network, so it is not used. The operator has to correct the settings.',
  'replica behind': (seconds: number) => `The database is a replica, and ${seconds} s behind its primary.`,
  'database superseded': (seconds: number) => `Another database server has had a newer tip for ${seconds} s.`,
  stopping: 'The server is stopping.',
};

export type CauseOf503 = keyof typeof CAUSES_OF_503;

/** Seconds after which to try again; 1 for the others. */
export const RETRY_AFTER: Readonly<Partial<Record<CauseOf503, number>>> = {
  'index incomplete': 5,
  'being added': 5,
  'node of another network': 60,
};

/** The parameters of a cause's message: one or none. */
type MessageParameters<Name extends CauseOf503> = (typeof CAUSES_OF_503)[Name] extends (
  ...parameters: infer P
) => string
  ? P
  : [];

/** Makes the error 503 for a cause, with the parameter of its message. */
export function unavailable<Name extends CauseOf503>(name: Name, ...parameters: MessageParameters<Name>): ApiError {
  const message: string | ((...of: never[]) => string) = CAUSES_OF_503[name];
  const text = typeof message === 'string' ? message : message(...(parameters as never[]));
  return new ApiError(503, text, { retryAfter: RETRY_AFTER[name] ?? 1 });
}

/** Makes the error 503 for a failed call of the node: that of `name`, unless the node is of another network. */
export function nodeUnavailable(
  error: unknown,
  name: 'pending not known' | 'pending not known for raw' | `node away for ${'blocks' | 'fee rates' | 'submission'}`,
): ApiError {
  const isOther = error instanceof NodeError && error.kind === 'other network';
  return unavailable(isOther ? 'node of another network' : name);
}

type UnavailableKind = Exclude<StoreError['kind'], 'fault' | 'incomplete'>;

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
