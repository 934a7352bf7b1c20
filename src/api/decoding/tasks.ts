/** What is decoded for clients, in the main thread or in {@link DecodingThread}'s. */
import { formField } from './form-field.ts';
import { type DecodedPaste, decodePasted } from './pasted-text.ts';
import { decodeSubmission, type Submission } from './submission.ts';

/** What each task gives. */
export interface Results {
  /** Of the body of a submission. */
  readonly submission: Submission | null;
  /** Of a form with a transaction to submit. */
  readonly submissionForm: Submission | null;
  /** Of a form with a transaction or block to explain. */
  readonly pastedForm: DecodedPaste;
}

export type Task = keyof Results;

export const TASKS: { readonly [T in Task]: (body: Uint8Array) => Results[T] } = {
  submission: (body) => decodeSubmission(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')),
  submissionForm: (body) => decodeSubmission(formField(body)),
  pastedForm: (body) => decodePasted(formField(body)),
};

/** From the main thread. */
export interface DecodingRequest {
  readonly number: number;
  readonly task: Task;
  readonly body: Uint8Array;
}

/** To the main thread. */
export interface DecodingResponse {
  readonly number: number;
  readonly result: Results[Task];
}
