/** The thread of `decoding-thread.ts`: one task after the other. */
import { parentPort } from 'node:worker_threads';
import { type DecodingRequest, type DecodingResponse, TASKS } from './tasks.ts';

parentPort!.on('message', ({ number, task, text }: DecodingRequest) => {
  const response: DecodingResponse = { number, result: TASKS[task](text) };
  parentPort!.postMessage(response);
});
