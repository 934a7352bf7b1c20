/** Where the contracts differ about what an address has. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress } from '../../../src/chain/address.ts';
import { bothContracts, keysOf } from './both-profiles.ts';

const { golden, differs, answers } = bothContracts();

differs(
  'an entry of spendable outputs names its block, or does not',
  async () =>
    `/address/${await golden.address('utxos where unlock_height is null and unlock_time is null')}/spendable-utxos`,
  {
    described: ([first]) => {
      assert.deepEqual(keysOf(first), ['block', 'outpoint', 'utxo']);
      assert.deepEqual(keysOf(first.block), ['block_id', 'height', 'timestamp']);
    },
    core: ([first]) => assert.deepEqual(keysOf(first), ['outpoint', 'utxo']),
  },
);

differs(
  'all outputs of an address hold the spent ones with what spent them, or only the unspent',
  async () =>
    `/address/${await golden.address('outputs o join spends s using (height, position, output_index) where s.spent_position is not null and o.height > 0')}/all-utxos`,
  {
    described: (body) => {
      const spent = body.filter((entry: { spent: object | null }) => entry.spent !== null);
      assert.ok(spent.length > 0);
      assert.deepEqual(keysOf(spent[0].spent), ['block_id', 'height', 'timestamp', 'transaction_id']);
      assert.match(spent[0].spent.transaction_id, /^[0-9a-f]{64}$/);
    },
    core: (body) => assert.ok(body.every((entry: object) => keysOf(entry).join() === 'outpoint,utxo')),
  },
);

differs(
  'the NFTs of an address are not among its tokens, or are',
  async () =>
    `/address/${await golden.address(`balances b where amount > 0 and currency in (select token_id from nfts)
       and not exists (select from balances f join tokens on token_id = f.currency where f.owner = b.owner)`)}`,
  {
    described: (body) => assert.deepEqual(body.tokens, []),
    core: (body) => assert.deepEqual(body.tokens[0].amount, { atoms: '1', decimal: '1' }),
  },
);

differs(
  'the delegations of an address are ids, or objects',
  async () => `/address/${await golden.address('delegations', 'spend_destination')}/delegations`,
  {
    described: ([first]) => assert.match(first, /^[a-z]+1/),
    core: ([first]) =>
      assert.deepEqual(keysOf(first), ['balance', 'delegation_id', 'next_nonce', 'pool_id', 'spend_destination']),
  },
);

answers(
  'an address without token authority is an error, or an empty list',
  () => `/address/${destinationAddress(golden.network, `01${'99'.repeat(20)}`)}/token-authority`,
  { described: [404, { error: 'No token authority found' }], core: [200, []] },
);

const waiting = 'utxos where refund_owner is not null and owner <> refund_owner and unlock_height is null';

it('the HTLCs of an address are listed for the refund key only once the lock has passed, or always', async () => {
  const { owner, place } = await golden.one(
    `select refund_owner as owner, height || '.' || output_index as place from ${waiting}
       and refund_height > (select height + 1 from chain_tip) limit 1`,
  );
  const path = `/address/${destinationAddress(golden.network, owner!)}/spendable-utxos`;
  const [, outputIndex] = place!.split('.');
  const htlcs = (entries: { utxo: { type: string }; outpoint: { index: number } }[]) =>
    entries.filter((entry) => entry.utxo.type === 'Htlc' && entry.outpoint.index === Number(outputIndex)).length;
  const all = htlcs(await golden.core.json(path));
  assert.ok(all > 0);
  assert.ok(htlcs(await golden.described.json(path)) < all);
});

it('the HTLCs of an address are listed for the spend key always', async () => {
  const path = `/address/${await golden.address(waiting)}/spendable-utxos`;
  const isHtlc = (entry: { utxo: { type: string } }) => entry.utxo.type === 'Htlc';
  assert.ok((await golden.described.json(path)).some(isHtlc));
  assert.ok((await golden.core.json(path)).some(isHtlc));
});
