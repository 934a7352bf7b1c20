/** The thread of `decoding-thread.ts`: one task after the other. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type DecodingRequest, type DecodingResponse, TASKS } from './tasks.ts';

// Of this thread alone on Linux, of the process elsewhere: who decodes without end is not to hold up requests.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

parentPort!.on('message', ({ number, task, body }: DecodingRequest) => {
  const response: DecodingResponse = { number, result: TASKS[task](body) };
  parentPort!.postMessage(response);
});
