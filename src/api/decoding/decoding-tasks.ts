/** The decoding tasks, done in the main thread or in that of {@link DecodingThread}. */
import { formField } from './form-field.ts';
import { type DecodedPaste, decodePasted } from './pasted-text.ts';
import { decodeSubmission, type Submission } from './submitted-transaction.ts';

/** The result of each task. */
export interface Results {
  /** The result for the body of a submission. */
  readonly submission: Submission | null;
  /** The result for a form with a transaction to submit. */
  readonly submissionForm: Submission | null;
  /** The result for a form with a transaction or block to explain. */
  readonly pastedForm: DecodedPaste;
}

export type Task = keyof Results;

export const TASKS: { readonly [T in Task]: (body: Uint8Array) => Results[T] } = {
  submission: (body) => decodeSubmission(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')),
  submissionForm: (body) => decodeSubmission(formField(body)),
  pastedForm: (body) => decodePasted(formField(body)),
};

/** A message from the main thread. */
export interface DecodingRequest {
  readonly number: number;
  readonly task: Task;
  readonly body: Uint8Array;
}

/** A message to the main thread. */
export interface DecodingResponse {
  readonly number: number;
  readonly result: Results[Task];
}
