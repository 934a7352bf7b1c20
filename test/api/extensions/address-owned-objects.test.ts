/** What an address may conclude, spend or refund, and when it can, against a naive model; HTLCs by their hash. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, orderAddress } from '../../../src/chain/address.ts';
import type { Destination } from '../../../src/chain/types.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { assertLabelled, byId, error, got, listed, network } = chain;

it('orders are listed for who may conclude them, the currencies with ticker and decimals', async () => {
  const orders = [...chain.facts.world.orders.values()].filter(({ isConcluded }) => !isConcluded);
  const owners = new Set(orders.map(({ concludeKey }) => concludeKey));
  assert.ok(owners.size > 0);
  let labels = 0;
  for (const owner of owners) {
    const own = orders
      .filter(({ concludeKey }) => concludeKey === owner)
      .sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
    const entries = await listed(`/address/${destinationAddress(network, owner)}/orders`);
    assert.deepEqual(
      entries.map(({ order_id, creation_block_height, is_frozen }) => [order_id, creation_block_height, is_frozen]),
      own.map(({ id, creationHeight, isFrozen }) => [orderAddress(network, id), creationHeight, isFrozen]),
    );
    for (const entry of entries) {
      const plain = await got(`/order/${entry.order_id}`);
      const { give_currency, ask_currency } = entry;
      assert.deepEqual({ ...entry, ...plain, give_currency, ask_currency }, entry);
      labels += assertLabelled(give_currency, plain.give_currency);
      labels += assertLabelled(ask_currency, plain.ask_currency);
    }
  }
  assert.ok(labels > 3);
});

it('HTLCs are listed by the hash of their secret, with how they ended', async () => {
  const endings = new Set<string>();
  let labels = 0;
  for (const [secretHash, htlcs] of chain.facts.htlcs()) {
    const entries = await listed(`/htlc/${secretHash}`);
    const expected = htlcs.map(({ outpoint, spent, isClaimed }) => {
      const status = isClaimed ? 'claimed' : spent === null ? 'open' : 'refunded';
      endings.add(status);
      const block = spent && chain.facts.blocks[spent.height - 1]!;
      return {
        outpoint,
        status,
        secret: isClaimed ? chain.facts.world.wallet.secretOf(secretHash) : null,
        spent: spent && {
          tx_id: spent.transactionId,
          input_index: spent.inputIndex,
          block_id: block!.id,
          height: block!.height,
          timestamp: block!.timestamp,
        },
      };
    });
    assert.deepEqual(
      entries.map(({ outpoint: { source_id, index }, status, secret, spent }) => ({
        outpoint: `${source_id}:${index}`,
        ...{ status, secret, spent },
      })),
      expected,
    );
    for (const { outpoint, value, secret_hash, spend_address, refund_address, refund_lock, block } of entries) {
      const { outputs, block_id, timestamp } = await chain.servers[0]!.json(`/transaction/${outpoint.source_id}`);
      const output = outputs[outpoint.index];
      assert.equal(secret_hash, output.htlc.secret_hash.hex);
      assert.equal(secret_hash, secretHash);
      assert.equal(spend_address, output.htlc.spend_key);
      assert.equal(refund_address, output.htlc.refund_key);
      assert.deepEqual(refund_lock, output.htlc.refund_timelock);
      assert.deepEqual([block.block_id, block.timestamp], [block_id, timestamp]);
      labels += assertLabelled(value, output.value);
    }
  }
  assert.deepEqual([...endings].sort(), ['claimed', 'open', 'refunded']);
  assert.ok(labels > 0, 'none was of a token');
  assert.deepEqual(await got(`/htlc/${'00'.repeat(20)}`), { items: [], next_cursor: null });
  assert.deepEqual(await error('/htlc/00'), [400, 'Invalid secret hash']);
});

it('HTLCs are listed for who may spend or refund them', async () => {
  const { world } = chain.facts;
  const parties = new Set<Destination>();
  const places = new Map([...chain.facts.htlcs().values()].flat().map((htlc) => [htlc.outpoint, htlc.place]));
  for (const { output } of world.utxos.values()) {
    if (output.type === 'Htlc') parties.add(output.contract.spendKey).add(output.contract.refundKey);
  }
  assert.ok(parties.size > 1);
  for (const party of parties) {
    const expected = [...world.utxos.values()].flatMap(({ output, outpoint }) => {
      if (output.type !== 'Htlc') return [];
      const { spendKey, refundKey } = output.contract;
      if (spendKey !== party && refundKey !== party) return [];
      const key = `${outpoint.sourceId}:${outpoint.index}`;
      return [{ key, place: places.get(key)!, may_spend: spendKey === party, may_refund: refundKey === party }];
    });
    expected.sort((a, b) => b.place[0] - a.place[0] || b.place[1] - a.place[1] || b.place[2] - a.place[2]);
    const entries = await listed(`/address/${destinationAddress(network, party)}/htlcs`);
    assert.deepEqual(
      entries.map(({ outpoint, may_spend, may_refund }) => ({
        key: `${outpoint.source_id}:${outpoint.index}`,
        ...{ may_spend, may_refund },
      })),
      expected.map(({ key, may_spend, may_refund }) => ({ key, may_spend, may_refund })),
    );
    for (const { refund_height, refund_time } of entries) {
      assert.equal(Number(refund_height === null) + Number(refund_time === null), 1);
    }
  }
});

it('unlocks are all time-locked outputs of an address, those first that open first', async () => {
  let locked = 0;
  const tip = chain.facts.blocks.at(-1)!;
  for (const owner of chain.taking.ofAddress.keys()) {
    const address = destinationAddress(network, owner);
    const entries = await listed(`/address/${address}/unlocks`);
    locked += entries.length;
    const keyOf = ({ outpoint }: Json) => `${outpoint.source_id}:${outpoint.index}`;
    assert.deepEqual(
      entries.map((entry) => ({ outpoint: keyOf(entry), opensAt: entry.opens_at })),
      chain.facts.unlocks(owner),
      address,
    );
    const utxos = await chain.servers[0]!.json(`/address/${address}/all-utxos`);
    for (const { lock, value, opens_at, is_estimate, unlock_height, unlock_time, block, outpoint } of entries) {
      assert.equal(is_estimate, lock.type === 'UntilHeight' || lock.type === 'ForBlockCount');
      const opens = lock.type === 'UntilTime' ? lock.content.timestamp : Number(lock.content);
      switch (lock.type) {
        case 'UntilHeight':
          assert.equal(unlock_height, opens);
          break;
        case 'ForBlockCount':
          assert.equal(unlock_height, block.height + opens);
          break;
        case 'UntilTime':
          assert.equal(unlock_time, opens);
          break;
        default:
          assert.equal(unlock_time, block.timestamp + opens);
      }
      assert.equal(opens_at, is_estimate ? tip.timestamp + (unlock_height - tip.height) * 120 : unlock_time);
      const entry = utxos.find((utxo: Json) => keyOf(utxo) === keyOf({ outpoint }));
      assertLabelled(value, entry.utxo.value);
    }
  }
  assert.ok(locked > 10);
});
