/** Who gives the commands of pending transactions, when other pending ones change that. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveOrderId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import type { AccountCommand, Destination, Id, TxInput } from '../../src/chain/types.ts';
import { keyOfOutpoint } from '../../src/ledger/state-rows.ts';
import { NOTHING_CONFIRMED } from '../../src/mempool/confirmed-index-interface.ts';
import { pendingActorOf } from '../../src/mempool/pending-command-actors.ts';
import { coins, ISSUANCE, OWNER } from '../ledger/small-world.ts';
import { unsigned } from '../support/fake-mempool.ts';
import { tokenCommand } from '../support/handmade-chain.ts';
import { addPending, HandmadePending } from '../support/handmade-pending.ts';

const [SECOND, THIRD] = ['0b', '0c'].map((byte) => `01${byte.repeat(20)}`) as [Destination, Destination];
const CONFIRMED = '11'.repeat(32);
const PLACES = [0, 1, 2, 3, 4, 5, 6];
const outpointOf = (index: number) => ({ sourceType: 'Transaction', sourceId: 'ff'.repeat(32), index }) as const;
const funds = (index: number): TxInput => ({ type: 'Utxo', outpoint: outpointOf(index) });
const mint = (tokenId: Id): AccountCommand => ({ type: 'MintTokens', tokenId, amount: 1n });
const give = (tokenId: Id, newAuthority: Destination): AccountCommand => ({
  type: 'ChangeTokenAuthority',
  tokenId,
  newAuthority,
});

it('the actor of a pending command is the authority after the pending changes before it, by their nonces', () => {
  const { pool } = new HandmadePending([]);
  const payment = { type: 'Transfer', value: coins(10n ** 14n), destination: OWNER } as const;
  const outputs = new Map(PLACES.map((n) => [keyOfOutpoint(outpointOf(n)), payment]));
  const confirmed = { ...NOTHING_CONFIRMED, outputs, tokens: new Map([[CONFIRMED, SECOND]]) };
  const add = (inputs: readonly TxInput[], made: Parameters<typeof unsigned>[1] = []) =>
    pool.get(addPending(pool, unsigned(inputs, made), confirmed))!;
  const actorOf = (transaction: ReturnType<typeof add>, input = 0) => pendingActorOf(pool, transaction, input);

  const issued = add([funds(0)], [ISSUANCE]);
  const token = deriveTokenId(issued.signed.transaction.inputs, 1)!;
  const first = add([tokenCommand(0n, mint(token)), funds(1)]);
  const both = add([tokenCommand(1n, give(token, SECOND)), tokenCommand(2n, mint(token)), funds(2)]);
  assert.deepEqual(
    [actorOf(first), actorOf(both), actorOf(both, 1), actorOf(both, 2)],
    [OWNER, OWNER, SECOND, undefined],
  );

  const old = add([tokenCommand(7n, mint(CONFIRMED)), funds(3)]);
  const given = add([tokenCommand(8n, give(CONFIRMED, THIRD)), funds(4)]);
  const later = add([tokenCommand(9n, mint(CONFIRMED)), funds(5)]);
  assert.deepEqual([actorOf(old), actorOf(given), actorOf(later)], [SECOND, SECOND, THIRD]);

  const order = { concludeKey: THIRD, ask: coins(1n), give: coins(2n) };
  const offered = add([funds(6)], [{ type: 'CreateOrder', order }]);
  const orderId = deriveOrderId(offered.signed.transaction.inputs)!;
  const conclude = (id: Id): TxInput => ({
    type: 'OrderAccountCommand',
    command: { type: 'ConcludeOrder', orderId: id },
  });
  assert.deepEqual([actorOf(add([conclude(orderId)])), actorOf(add([conclude(CONFIRMED)]))], [THIRD, undefined]);
});
