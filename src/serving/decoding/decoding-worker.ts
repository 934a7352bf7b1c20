/** The thread of `decoding-thread.ts`, which does one task after the other. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { DECODING_TASKS, type DecodingRequest, type DecodingResponse } from './decoding-tasks.ts';

// On Linux this sets the priority of this thread only, elsewhere of the process. Long decoding must not delay requests.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

parentPort!.on('message', ({ number, task, body }: DecodingRequest) => {
  const response: DecodingResponse = { number, result: DECODING_TASKS[task](body) };
  parentPort!.postMessage(response);
});
