import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { KNOWN_NETWORKS, mainnet } from '../../../src/chain/networks/known-networks.ts';
import { DecodeError } from '../../../src/chain/scale/codec-errors.ts';
import { encodeGenesis } from '../../support/encode-blocks.ts';
import { genesisId } from '../../support/hashes.ts';
import { genesis } from '../arbitrary.ts';

for (const network of KNOWN_NETWORKS) {
  test(`the genesis of ${network.name} comes back from its bytes and has its id`, () => {
    const decoded = decodeGenesis(network.genesis);
    assert.equal(encodeGenesis(decoded).toString('hex'), network.genesis);
    assert.equal(genesisId(decoded), network.genesisId);
  });
}

test('the genesis of mainnet mints 400 million coins', () => {
  const { message, timestamp, outputs } = decodeGenesis(Buffer.from(mainnet.genesis, 'hex'));
  assert.equal(Buffer.byteLength(message), 292);
  assert.match(message, /^In a free-market economy, .*constraints;\n {8}6777eb86/);
  assert.equal(timestamp, 1706468400);
  const [transfer, pool] = outputs;
  assert.ok(transfer?.type === 'Transfer' && transfer.value.type === 'Coin');
  assert.ok(pool?.type === 'CreateStakePool');
  assert.equal(transfer.value.amount + pool.data.pledge, 400_000_000n * 10n ** 11n);
  assert.equal(pool.poolId, '00'.repeat(32));
  assert.equal(pool.data.marginRatioPerThousand, 50);
});

test('any genesis comes back from its bytes', () => {
  fc.assert(
    fc.property(genesis, (some) => {
      const message = some.message.toWellFormed();
      assert.deepEqual(decodeGenesis(encodeGenesis({ ...some, message })), { ...some, message });
    }),
  );
});

test('a message that is not UTF-8 is refused', () => {
  assert.throws(() => decodeGenesis('04ff0000'), DecodeError);
  assert.throws(() => decodeGenesis('0461'), DecodeError);
  assert.equal(decodeGenesis('04610000').message, 'a');
});
