/** On whose behalf questions are asked, so that clients take turns where they cannot all be answered at once. */

let current = '';

/** The client for whom the code that runs now asks; empty: it is nobody's in particular. */
export function currentClient(): string {
  return current;
}

/**
 * Runs a function for a client. It holds for what is called before the function first waits: who asks after that has to
 * remember the client ({@link currentClient}) and say it again. (A context of asynchronous calls would cost every short
 * question a microsecond, for the few long ones.)
 */
export function runAsClient<T>(client: string, ask: () => T): T {
  const before = current;
  current = client;
  try {
    return ask();
  } finally {
    current = before;
  }
}
