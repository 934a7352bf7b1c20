/** The errors of the Mesh API. Their codes, messages and whether to retry are part of `/network/options`. */
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import { type ErrorContext, toApiError } from '../../serving/route/error-response.ts';

const MESH_ERRORS = {
  'invalid request': { code: 1, message: 'The request is invalid', retriable: false },
  'unknown network': { code: 2, message: 'This server is for another network', retriable: false },
  'invalid account': { code: 3, message: 'There can be no such account', retriable: false },
  'invalid currency': { code: 4, message: 'There is no such currency', retriable: false },
  'unknown block': { code: 5, message: 'The block is not known', retriable: true },
  'removed block': { code: 6, message: 'A reorganisation removed the block', retriable: false },
  'unknown transaction': { code: 7, message: 'The transaction is not known', retriable: true },
  unsupported: { code: 8, message: 'The server does not support this', retriable: false },
  'submission disabled': { code: 9, message: 'The server does not take transactions', retriable: false },
  refused: { code: 10, message: 'The node refused the transaction', retriable: false },
  unavailable: { code: 11, message: 'The server cannot respond at the moment', retriable: true },
  'too many requests': { code: 12, message: 'This client asks for too much at a time', retriable: true },
  fault: { code: 13, message: 'Something went wrong in the server', retriable: false },
} as const;

type MeshErrorKind = keyof typeof MESH_ERRORS;

export const MESH_ERROR_LIST = Object.values(MESH_ERRORS);

export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly kind: MeshErrorKind;

  /** `message`: what is wrong with this request. */
  constructor(kind: MeshErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const KINDS_BY_STATUS: Readonly<Record<number, MeshErrorKind>> = {
  400: 'invalid request',
  413: 'invalid request',
  429: 'too many requests',
  503: 'unavailable',
};

/** Returns the response for any error: Mesh's clients expect the status 500 and read the rest from the body. */
export function meshErrorResponse(context: ErrorContext, error: unknown): PreparedResponse {
  const known = error instanceof MeshError ? error : toApiError(context, error);
  const kind = known instanceof MeshError ? known.kind : (KINDS_BY_STATUS[known.status] ?? 'fault');
  const body = { ...MESH_ERRORS[kind], details: { message: known.message } };
  return new PreparedResponse(JSON.stringify(body), { status: 500 });
}
