/** The longest time of a timer; with a longer one it would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits so many milliseconds. Throws the reason of the signal when it is aborted. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
