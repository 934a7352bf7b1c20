/** On whose behalf a question is asked, so that clients take turns where they cannot all be answered at once. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Holds the client's name while its request is answered; nothing: it is nobody's in particular. */
export const askingAs = new AsyncLocalStorage<string>();
