import type { RawAnswer, RawClient, RawRequest } from '../support/raw-http.ts';
import { eventually } from '../support/until.ts';

/**
 * The answer of a server that is not too busy: one that could not confirm the tip for seconds says so with 503, and is
 * asked again. Fails if it says nothing else.
 */
export function answerOf(client: RawClient, request: RawRequest): Promise<RawAnswer> {
  return eventually(`an answer to ${request.method} ${request.path} other than 503`, async () => {
    const answer = await client.send(request);
    return answer.status === 503 ? undefined : answer;
  });
}
