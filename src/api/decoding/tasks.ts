/** What is decoded for clients, in the main thread or in {@link DecodingThread}'s. */
import { type Decoded, decodePasted } from './pasted-text.ts';
import { decodeSubmission, type Submission } from './submission.ts';

/** What each task gives. */
export interface Results {
  readonly submission: Submission | null;
  readonly pasted: Decoded;
}

export type Task = keyof Results;

export const TASKS: { readonly [T in Task]: (text: string) => Results[T] } = {
  submission: decodeSubmission,
  pasted: decodePasted,
};

/** From the main thread. */
export interface DecodingRequest {
  readonly number: number;
  readonly task: Task;
  readonly text: string;
}

/** To the main thread. */
export interface DecodingResponse {
  readonly number: number;
  readonly result: Results[Task];
}
