/** Example requests for the running server. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two requests that have to wait for the server. */
const PAUSE_MS = 100;
/** The longest wait for a response. */
const ANSWER_MS = 5_000;

/** Waits until the server can respond to everything. Returns lines to print; `undefined` if `stop` comes first. */
export async function waitForExampleRequests(base: string, stop: AbortSignal): Promise<string[] | undefined> {
  const isOk = async (path: string, accept = 'application/json'): Promise<boolean> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
    const response = await fetch(base + path, { signal, headers: { accept } }).catch(() => undefined);
    await response?.body?.cancel().catch(() => undefined);
    return response?.ok === true;
  };
  // While the index is filled for the first time, most responses are 503.
  while (!(await isOk('/ready'))) {
    if (stop.aborted) return undefined;
    await sleep(PAUSE_MS);
  }
  return [
    ...((await isOk('/', 'text/html')) ? [`open ${base} in a browser to look at the chain`] : []),
    `curl ${base}/api/v2/chain/tip`,
    `curl ${base}/api/v2/transaction`,
    `curl -N ${base}/api/v2/stream   # events as they happen`,
    `open ${base}/docs in a browser to try every endpoint`,
  ];
}
