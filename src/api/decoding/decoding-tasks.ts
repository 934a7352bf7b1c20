/** The decoding tasks, done in the main thread or in that of {@link DecodingThread}. */
import { formField } from './form-field.ts';
import { type DecodedPaste, decodePasted } from './pasted-text.ts';
import { decodeSubmission, type SubmittedTransaction } from './submitted-transaction.ts';

/** The result of each task. */
export interface DecodingResults {
  /** The result for the body of a submission. */
  readonly submission: SubmittedTransaction | null;
  /** The result for a form with a transaction to submit. */
  readonly submissionForm: SubmittedTransaction | null;
  /** The result for a form with a transaction or block to explain. */
  readonly pastedForm: DecodedPaste;
}

export type DecodingTask = keyof DecodingResults;

export const DECODING_TASKS: { readonly [T in DecodingTask]: (body: Uint8Array) => DecodingResults[T] } = {
  submission: (body) => decodeSubmission(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')),
  submissionForm: (body) => decodeSubmission(formField(body)),
  pastedForm: (body) => decodePasted(formField(body)),
};

/** A message from the main thread. */
export interface DecodingRequest {
  readonly number: number;
  readonly task: DecodingTask;
  readonly body: Uint8Array;
}

/** A message to the main thread. */
export interface DecodingResponse {
  readonly number: number;
  readonly result: DecodingResults[DecodingTask];
}
