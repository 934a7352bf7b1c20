/** HTLCs in the lists of both their keys, and what their spends reveal. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { InputWitness, SignedTransaction, TimeLock, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers } from '../support/handmade-chain.ts';
import { GENESIS_TIMESTAMP, SECONDS_PER_BLOCK } from '../support/small-chain.ts';

const SPENDER = `01${'0b'.repeat(20)}`;
const REFUNDED = `01${'0c'.repeat(20)}`;
const NEVER = (1n << 64n) - 1n;
const SECRETS = { text: Buffer.from('a secret of thirty-two letters..').toString('hex'), bytes: 'ff'.repeat(32) };
const SIGNATURE = `8d01${'cd'.repeat(99)}`;

/** The tip is at height 3, and the middle one of the newest timestamps is that of block 2. */
const MEDIAN = BigInt(GENESIS_TIMESTAMP + 2 * SECONDS_PER_BLOCK);
/** Of contracts made in block 1: those that a transaction in block 4 may refund, and those that it may not. */
const LOCKS: readonly (readonly [lock: TimeLock, isOver: boolean])[] = [
  [{ type: 'UntilHeight', value: 4n }, true],
  [{ type: 'UntilHeight', value: 5n }, false],
  [{ type: 'UntilHeight', value: NEVER }, false],
  [{ type: 'ForBlockCount', value: 0n }, true],
  [{ type: 'ForBlockCount', value: 3n }, true],
  [{ type: 'ForBlockCount', value: 4n }, false],
  [{ type: 'ForBlockCount', value: NEVER }, false],
  [{ type: 'UntilTime', value: MEDIAN }, true],
  [{ type: 'UntilTime', value: MEDIAN + 1n }, false],
  [{ type: 'UntilTime', value: NEVER }, false],
  [{ type: 'ForSeconds', value: BigInt(SECONDS_PER_BLOCK) }, true],
  [{ type: 'ForSeconds', value: BigInt(SECONDS_PER_BLOCK + 1) }, false],
  [{ type: 'ForSeconds', value: NEVER }, false],
];
/** How four more are spent: by what witness, and what is shown of it. */
const SPENDS: readonly (readonly [witness: InputWitness, secret: object | null])[] = [
  [standard(`00${SECRETS.text}${SIGNATURE}`), { hex: SECRETS.text, string: 'a secret of thirty-two letters..' }],
  [standard(`00${SECRETS.bytes}${SIGNATURE}`), { hex: SECRETS.bytes, string: null }],
  [standard(`01${SIGNATURE}`), null],
  [standard(`02${SECRETS.text}${SIGNATURE}`), null],
];

function standard(rawSignature: string): InputWitness {
  return { type: 'Standard', sighashType: 1, rawSignature };
}

const htlc = (refundTimelock: TimeLock): TxOutput => ({
  type: 'Htlc',
  value: coins(COIN),
  contract: { secretHash: '00'.repeat(20), spendKey: SPENDER, refundKey: REFUNDED, refundTimelock },
});

const chain = new HandmadeChain([transfer(coins(1000n * COIN))]);
const { network } = chain;
const locks = [...LOCKS.map(([lock]) => lock), ...SPENDS.map((): TimeLock => ({ type: 'ForBlockCount', value: 0n }))];
const making = signed([spend(network.genesisId, 0, 'BlockReward')], locks.map(htlc));
const MADE = transactionId(making.transaction);
chain.add({ transactions: [making] });
const spendings = SPENDS.map(([witness], i): SignedTransaction => {
  return { ...signed([spend(MADE, LOCKS.length + i)], [transfer(coins(COIN))]), signatures: [witness] };
});
const SPENT = spendings.map(({ transaction }) => transactionId(transaction));
chain.add({ transactions: spendings });
chain.add();

const servers = handmadeServers(chain);
const [owner, spender, refunded] = [OWNER, SPENDER, REFUNDED].map((key) => destinationAddress(network, key));

interface Entry {
  readonly outpoint: { readonly index: number };
  readonly spent?: { readonly transaction_id: string } | null;
}
const indexesOf = (entries: readonly Entry[]) => entries.map(({ outpoint }) => outpoint.index);
const unspent = LOCKS.map((_, index) => index);

servers.alike('the spend key may spend every HTLC that is unspent', async (server) => {
  assert.deepEqual(indexesOf(await server.json(`/address/${spender}/spendable-utxos`)), unspent);
});

// docs/api.md#outputs-of-an-address, docs/protocol.md#time-locks: the block after the tip spends.
it('described: the refund key may spend those whose lock will be over in the next block', async () => {
  const over = unspent.filter((index) => LOCKS[index]![1]);
  const path = `/address/${refunded}/spendable-utxos`;
  assert.deepEqual(indexesOf(await servers.described.json(path)), over);
  assert.deepEqual(indexesOf((await servers.described.pages(`${path}?items=2`)).flat()), over);
});

it('mintlayer-core: the refund key is told of every HTLC that is unspent', async () => {
  assert.deepEqual(indexesOf(await servers.core.json(`/address/${refunded}/spendable-utxos`)), unspent);
});

it('described: all outputs of either key hold every HTLC, and what spent it', async () => {
  for (const key of [spender, refunded]) {
    const entries: Entry[] = await servers.described.json(`/address/${key}/all-utxos`);
    const spenders = entries.map(({ spent }) => spent?.transaction_id ?? null);
    assert.deepEqual(spenders, [...unspent.map(() => null), ...SPENT]);
  }
});

it('mintlayer-core: all outputs of either key hold every HTLC that is unspent', async () => {
  for (const key of [spender, refunded]) {
    assert.deepEqual(indexesOf(await servers.core.json(`/address/${key}/all-utxos`)), unspent);
  }
});

// docs/indexing-rules.md#owners-and-histories
servers.alike('a spend is history of the spend key, a refund of the refund key, any other of both', async (server) => {
  const [bySecret, byOther, refund, neither] = SPENT;
  const history = async (address: string | undefined) => (await server.json(`/address/${address}`)).transaction_history;
  assert.deepEqual(await history(spender), [neither, byOther, bySecret, MADE]);
  assert.deepEqual(await history(refunded), [neither, refund, MADE]);
});

servers.alike('nobody has a balance of what lies in an HTLC', async (server) => {
  for (const key of [spender, refunded]) {
    const { coin_balance, locked_coin_balance, tokens } = await server.json(`/address/${key}`);
    assert.deepEqual([coin_balance.atoms, locked_coin_balance.atoms, tokens], ['0', '0', []]);
  }
  assert.equal((await server.json(`/address/${owner}`)).coin_balance.decimal, '4');
});

servers.alike(
  'an address that an HTLC names is known from its block on, also to who asks for its past',
  async (server) => {
    for (const key of [spender, refunded]) {
      await server.refuses(`/address/${key}?height=0`, 404, 'Address not found');
      for (const height of [1, 3]) {
        const { coin_balance, locked_coin_balance, tokens } = await server.json(`/address/${key}?height=${height}`);
        assert.deepEqual([coin_balance.atoms, locked_coin_balance.atoms, tokens], ['0', '0', []]);
      }
    }
  },
);

// docs/api.md#outputs-in-json
servers.alike('a secret is shown where its spend is, and nowhere else', async (server) => {
  for (const [i, [, secret]] of SPENDS.entries()) {
    const { inputs } = await server.json(`/transaction/${SPENT[i]}`);
    assert.deepEqual(inputs[0].utxo.htlc.secret, secret);
  }
  const { outputs } = await server.json(`/transaction/${MADE}`);
  for (const { htlc: shown } of outputs) assert.equal(shown.secret, null);
});

servers.alike('the lock of a refund is shown to its last digit', async (server) => {
  const { text, body } = await server.get(`/transaction/${MADE}/output/${LOCKS.length - 1}`);
  assert.match(text, /"refund_timelock":\{"content":18446744073709551615,"type":"ForSeconds"\}/);
  assert.deepEqual(
    [body.htlc.secret, body.htlc.spend_key, body.htlc.refund_key, body.spent_at_block_height],
    [null, spender, refunded, null],
  );
});
