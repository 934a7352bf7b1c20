/** The client of the API that the running code serves, so that clients take turns where not all can be served at once. */

let current = '';

/** The client that the running code serves; empty: none in particular. */
export function currentApiClient(): string {
  return current;
}

/**
 * Runs a function on behalf of a client. That holds until the function first awaits: code after that has to read
 * {@link currentApiClient} before, and call this again. (AsyncLocalStorage would do without, and cost every short query a
 * microsecond for the sake of few long ones.)
 */
export function runAsApiClient<T>(client: string, run: () => T): T {
  const before = current;
  current = client;
  try {
    return run();
  } finally {
    current = before;
  }
}
