/** What becomes of a transaction, as clients see it. */
import { transactionId } from '../../../src/chain/ids.ts';
import type { SignedTransaction } from '../../../src/chain/types.ts';
import { listAll } from '../../support/pending-world.ts';
import type { TestServer } from '../../support/web-server.ts';

export const idOf = (signed: SignedTransaction) => transactionId(signed.transaction);

/** `pending`, `confirmed`, or the body of the error. */
export async function stateOf(server: TestServer, id: string): Promise<unknown> {
  const { status, body } = await server.get(`/transaction/${id}`);
  if (status !== 200) return body;
  return body.block_id === null ? 'pending' : 'confirmed';
}

export const isListed = async (server: TestServer, id: string) =>
  (await listAll(server)).some((each) => each.id === id);
