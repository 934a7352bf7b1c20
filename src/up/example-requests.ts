/** Example requests for the running server, with ids of the chain that it serves. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The pause between two requests that have to wait for the server. */
const PAUSE_MS = 100;
/** The longest wait for a response. */
const ANSWER_MS = 5_000;

interface Json {
  readonly [key: string]: unknown;
}

/**
 * Waits until the server can respond to everything and has something to show. Returns lines to print; `undefined` if
 * `stop` comes first. Requests without the expected response are left out.
 */
export async function waitForExampleRequests(base: string, stop: AbortSignal): Promise<string[] | undefined> {
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response | undefined> => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_MS)]);
    return fetch(base + path, { signal, headers }).catch(() => undefined);
  };
  const ask = async (path: string): Promise<unknown> => {
    const answer = await get(`/api/v2${path}`);
    return answer?.ok ? await answer.json().catch(() => undefined) : void (await answer?.body?.cancel());
  };
  // While the index is filled for the first time, most responses are 503.
  while (!stop.aborted && !(await isReady(get))) await sleep(PAUSE_MS);
  const tip = await waitForBlocks(ask, stop);
  if (tip === undefined) return undefined;
  const [transaction] = ((await ask('/transaction?items=1')) ?? []) as Json[];
  const address = addressIn(transaction);
  const paths = [
    '/chain/tip',
    `/block/${tip.block_id}`,
    ...(typeof transaction?.id === 'string' ? [`/transaction/${transaction.id}`] : []),
    ...(address === undefined ? [] : [`/address/${address}`]),
  ];
  const page = await get('/', { accept: 'text/html' });
  await page?.body?.cancel().catch(() => undefined);
  const hasPages = page?.headers.get('content-type')?.startsWith('text/html') === true;
  return [
    ...(hasPages ? [`open ${base} in a browser to look at the chain`] : []),
    ...paths.map((path) => `curl ${base}/api/v2${path}`),
    `curl -N ${base}/api/v2/stream   # events as they happen`,
    `open ${base}/docs in a browser to try every endpoint`,
  ];
}

async function isReady(get: (path: string) => Promise<Response | undefined>): Promise<boolean> {
  const answer = await get('/ready');
  await answer?.body?.cancel().catch(() => undefined);
  return answer?.ok === true;
}

/** Returns the tip of a chain that has a few blocks, or any tip after some seconds. */
async function waitForBlocks(ask: (path: string) => Promise<unknown>, stop: AbortSignal): Promise<Json | undefined> {
  for (let answers = 0; !stop.aborted; await sleep(PAUSE_MS)) {
    const tip = (await ask('/chain/tip')) as Json | undefined;
    if (typeof tip?.block_height === 'number' && (tip.block_height >= 3 || ++answers > 100)) return tip;
  }
  return undefined;
}

/** Returns the first address that a transaction pays to. */
function addressIn(transaction: Json | undefined): string | undefined {
  const outputs = Array.isArray(transaction?.outputs) ? (transaction.outputs as Json[]) : [];
  return outputs.map(({ destination }) => destination).find((destination) => typeof destination === 'string');
}
