/** The ends of what the protocol can say: the largest numbers, nothing at all, and bytes that are no text. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import type { Id, OutputValue, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { COIN, coins, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers, issueNft, issueToken, tokenCommand } from '../support/handmade-chain.ts';

const RICH = `01${'0b'.repeat(20)}`;
const LOCKED = `01${'0c'.repeat(20)}`;
const MOST = (1n << 128n) - 1n;
const LAST = (1n << 64n) - 1n;
const EMPTY_POOL = 'f0'.repeat(32);
const NFT = 'f1'.repeat(32);
const EMPTY_NFT = 'f2'.repeat(32);
const NO_TEXT = 'ff00fe';

const poolOf = (poolId: Id, pledge: bigint): TxOutput => ({
  type: 'CreateStakePool',
  poolId,
  data: {
    ...{ pledge, staker: OWNER, vrfPublicKey: `00${'11'.repeat(32)}`, decommissionKey: OWNER },
    ...{ marginRatioPerThousand: 1000, costPerBlock: MOST },
  },
});
const FIXED = { type: 'Fixed', amount: MOST } as const;
const pay = (destination: string, value: OutputValue): TxOutput => ({ type: 'Transfer', value, destination });

const chain = new HandmadeChain([
  transfer(coins(10_000n * COIN)),
  pay(RICH, coins(MOST)),
  pay(RICH, coins(MOST)),
  poolOf(EMPTY_POOL, 0n),
]);
const { network } = chain;

let left = 10_000n * COIN;
let change: TxInput = spend(network.genesisId, 0, 'BlockReward');
/** Adds a block with a transaction that spends what is left of the coins; gives the transaction. */
function add(given: {
  readonly inputs?: readonly TxInput[];
  readonly outputs?: readonly TxOutput[];
  readonly flags?: bigint;
}): SignedTransaction {
  left -= 300n * COIN;
  const made = signed([change, ...(given.inputs ?? [])], [transfer(coins(left)), ...(given.outputs ?? [])]);
  const transaction = { ...made.transaction, flags: given.flags ?? 0n };
  change = spend(transactionId(transaction), 0);
  chain.add({ transactions: [{ ...made, transaction }] });
  return { ...made, transaction };
}
const idOf = ({ transaction }: SignedTransaction) => transactionId(transaction);

const issued = add({
  flags: MOST,
  outputs: [
    issueToken(NO_TEXT, NO_TEXT, 18, FIXED),
    { type: 'CreateDelegationId', poolId: EMPTY_POOL, destination: LOCKED },
    { type: 'DataDeposit', data: '' },
    { type: 'DataDeposit', data: 'ff00' },
    issueNft(NFT, NO_TEXT),
    issueNft(EMPTY_NFT, ''),
  ],
});
const TOKEN = deriveTokenId(issued.transaction.inputs, 1)!;
const DELEGATION = deriveDelegationId(issued.transaction.inputs)!;
const EMPTY_TOKEN = deriveTokenId(
  add({ flags: 1n << 64n, outputs: [issueToken('', '', 0, FIXED)] }).transaction.inputs,
  1,
)!;
const mint = { type: 'MintTokens', tokenId: TOKEN, amount: MOST } as const;
const toRich = pay(RICH, tokens(TOKEN, MOST));
const minted = add({ inputs: [tokenCommand(0n, mint)], outputs: [toRich] });
const mintedLast = add({ inputs: [tokenCommand(LAST, mint)], outputs: [toRich] });
const withdrawn = add({
  inputs: [{ type: 'Account', nonce: LAST, delegationId: DELEGATION, amount: 0n }],
  outputs: [{ type: 'DelegateStaking', delegationId: DELEGATION, amount: 0n }],
});
const LOCKS = ['UntilHeight', 'UntilTime', 'ForBlockCount', 'ForSeconds'] as const;
const locked = add({
  outputs: LOCKS.map((type) => ({
    type: 'LockThenTransfer',
    value: coins(1n),
    destination: LOCKED,
    lock: { type, value: LAST },
  })),
});
const ordered = add({
  inputs: [spend(idOf(minted), 1)],
  outputs: [
    { type: 'CreateOrder', order: { concludeKey: OWNER, ask: coins(300n), give: tokens(TOKEN, 100n) } },
    pay(RICH, tokens(TOKEN, MOST - 100n)),
  ],
});
const ORDER = deriveOrderId(ordered.transaction.inputs)!;
add({
  inputs: [{ type: 'OrderAccountCommand', command: { type: 'FillOrder', orderId: ORDER, fillAmount: 300n } }],
  outputs: [pay(RICH, tokens(TOKEN, 100n))],
});
const emptied = add({
  inputs: [tokenCommand(5n, { type: 'ChangeTokenMetadataUri', tokenId: EMPTY_TOKEN, metadataUri: NO_TEXT })],
});
add({ inputs: [tokenCommand(6n, { type: 'ChangeTokenMetadataUri', tokenId: EMPTY_TOKEN, metadataUri: '' })] });

const servers = handmadeServers(chain);
const [rich, lockedAddress] = [RICH, LOCKED].map((destination) => destinationAddress(network, destination));
const token = tokenAddress(network, TOKEN);
const emptyToken = tokenAddress(network, EMPTY_TOKEN);
const delegation = delegationAddress(network, DELEGATION);
const order = orderAddress(network, ORDER);
const emptyPool = poolAddress(network, EMPTY_POOL);

const SH_NO_TEXT = { hex: NO_TEXT, string: null };
const SH_EMPTY = { hex: '', string: '' };
/** Twice the largest amount: of 18 decimals, and of the coin's 11. */
const TWICE_18 = { atoms: `${2n * MOST}`, decimal: '680564733841876926926.74921486353642291' };
const TWICE_11 = { atoms: `${2n * MOST}`, decimal: '6805647338418769269267492148.6353642291' };

servers.alike('flags are shown to their last digit; the lowest bit says that it may be replaced', async (server) => {
  const largest = await server.get(`/transaction/${idOf(issued)}`);
  assert.match(largest.text, new RegExp(`"flags":${MOST},`));
  assert.equal(largest.body.is_replaceable, true);
  const second = (await server.json('/transaction?offset_mode=absolute&offset=2&items=1'))[0].id;
  const { text, body } = await server.get(`/transaction/${second}`);
  assert.match(text, new RegExp(`"flags":${1n << 64n},`));
  assert.equal(body.is_replaceable, false);
});

servers.alike('the last nonce is shown to its last digit, and so is the one after it', async (server) => {
  assert.match((await server.get(`/transaction/${idOf(mintedLast)}`)).text, new RegExp(`"nonce":${LAST},`));
  assert.match((await server.get(`/transaction/${idOf(withdrawn)}`)).text, new RegExp(`"nonce":${LAST}\\}`));
  const next = new RegExp(`"next_nonce":${LAST + 1n}[,}]`);
  for (const path of [`/token/${token}`, `/delegation/${delegation}`, `/pool/${emptyPool}/delegations`]) {
    assert.match((await server.get(path)).text, next, path);
  }
});

servers.alike('a lock beyond all heights and times is shown to its last digit, and never ends', async (server) => {
  const { text } = await server.get(`/transaction/${idOf(locked)}`);
  for (const type of LOCKS) {
    const content = type === 'UntilTime' ? `{"timestamp":${LAST}}` : `${LAST}`;
    assert.ok(text.includes(`"lock":{"content":${content},"type":"${type}"}`), type);
  }
  const { coin_balance, locked_coin_balance } = await server.json(`/address/${lockedAddress}`);
  assert.deepEqual([coin_balance.atoms, locked_coin_balance.atoms], ['0', '4']);
  assert.deepEqual(await server.json(`/address/${lockedAddress}/spendable-utxos`), []);
  assert.equal((await server.json(`/address/${lockedAddress}/all-utxos`)).length, 4);
});

// docs/indexing-rules.md#balances: sums are not limited to 128 bits.
servers.alike('amounts add up beyond 128 bits', async (server) => {
  assert.deepEqual((await server.json(`/address/${rich}`)).coin_balance, TWICE_11);
  assert.deepEqual((await server.json(`/token/${token}`)).circulating_supply, TWICE_18);
  assert.deepEqual((await server.json(`/statistics/token/${token}`)).circulating_supply, TWICE_18);
  const [holder, ...others] = (await server.json(`/statistics/token/${token}/holders`)).items;
  assert.deepEqual([holder.address, holder.amount, others], [rich, TWICE_18, []]);
  const { preminted } = await server.json('/statistics/coin');
  assert.equal(preminted.atoms, `${2n * MOST + 10_000n * COIN}`);
  const { cost_per_block } = await server.json(`/pool/${emptyPool}`);
  assert.deepEqual(cost_per_block, { atoms: `${MOST}`, decimal: '3402823669209384634633746074.31768211455' });
});

it('mintlayer-core: an address has tokens beyond 128 bits', async () => {
  assert.deepEqual((await servers.core.json(`/address/${rich}`)).tokens, [{ token_id: token, amount: TWICE_18 }]);
});

it('described: a ticker and a URI that are no text are still a text and the bytes', async () => {
  const { token_ticker, metadata_uri, total_supply } = await servers.described.json(`/token/${token}`);
  assert.deepEqual([token_ticker, metadata_uri], ['\ufffd\0\ufffd', { hex: NO_TEXT }]);
  assert.equal(total_supply.atoms, `${MOST}`);
  const empty = await servers.described.json(`/token/${emptyToken}`);
  assert.deepEqual([empty.token_ticker, empty.metadata_uri, empty.next_nonce], ['', { hex: '' }, 7]);
});

it('mintlayer-core: a ticker and a URI that are no text are only bytes', async () => {
  const { token_ticker, metadata_uri, total_supply } = await servers.core.json(`/token/${token}`);
  assert.deepEqual([token_ticker, metadata_uri], [SH_NO_TEXT, SH_NO_TEXT]);
  assert.deepEqual(total_supply, { Fixed: { atoms: `${MOST}` } });
  const empty = await servers.core.json(`/token/${emptyToken}`);
  assert.deepEqual([empty.token_ticker, empty.metadata_uri], [SH_EMPTY, SH_EMPTY]);
});

servers.alike('what is issued, deposited and changed is shown as the bytes that it is', async (server) => {
  const { outputs } = await server.json(`/transaction/${idOf(issued)}`);
  const [, issue, , deposit, secondDeposit, shownNft, emptyNft] = outputs;
  assert.deepEqual([issue.token_ticker, issue.metadata_uri], [SH_NO_TEXT, SH_NO_TEXT]);
  assert.deepEqual(issue.total_supply, {
    type: 'Fixed',
    amount: { atoms: `${MOST}`, decimal: '340282366920938463463.374607431768211455' },
  });
  assert.deepEqual([deposit.data, secondDeposit.data], [[], [255, 0]]);
  const texts = ['name', 'description', 'ticker', 'media_hash'];
  const optional = ['icon_uri', 'additional_metadata_uri', 'media_uri'];
  for (const field of [...texts, ...optional]) assert.deepEqual(shownNft.data[field], SH_NO_TEXT, field);
  for (const field of texts) assert.deepEqual(emptyNft.data[field], SH_EMPTY, field);
  for (const field of [...optional, 'creator']) assert.equal(emptyNft.data[field], null, field);
  const { inputs } = await server.json(`/transaction/${idOf(emptied)}`);
  assert.deepEqual(inputs[1].input.metadata_uri, [255, 0, 254]);
});

it('described: the texts of an NFT are null where they are empty', async () => {
  const { owner, ...rest } = await servers.described.json(`/nft/${tokenAddress(network, EMPTY_NFT)}`);
  assert.equal(owner, destinationAddress(network, OWNER));
  assert.equal(Object.keys(rest).length, 8);
  for (const [field, value] of Object.entries(rest)) assert.equal(value, null, field);
  const { name, icon_uri, media_hash } = await servers.described.json(`/nft/${tokenAddress(network, NFT)}`);
  assert.deepEqual([name, icon_uri, media_hash], ['\ufffd\0\ufffd', '\ufffd\0\ufffd', NO_TEXT]);
});

it('mintlayer-core: the URIs of an NFT are null where they are empty, its other texts never', async () => {
  const empty = await servers.core.json(`/nft/${tokenAddress(network, EMPTY_NFT)}`);
  for (const field of ['name', 'description', 'ticker', 'media_hash']) assert.deepEqual(empty[field], SH_EMPTY, field);
  for (const field of ['icon_uri', 'additional_metadata_uri', 'media_uri']) assert.equal(empty[field], null, field);
  const { name, icon_uri, media_hash } = await servers.core.json(`/nft/${tokenAddress(network, NFT)}`);
  assert.deepEqual([name, icon_uri, media_hash], [SH_NO_TEXT, SH_NO_TEXT, SH_NO_TEXT]);
});

servers.alike('tokens whose tickers are empty or no text are listed, and found by no ticker', async (server) => {
  const fungible = [TOKEN, EMPTY_TOKEN].sort();
  const ids = [...fungible, NFT, EMPTY_NFT].map((id) => tokenAddress(network, id));
  assert.deepEqual(await server.json('/token'), ids);
  for (const text of ['%EF%BF%BD', 'ff', '%00']) assert.deepEqual(await server.json(`/token/ticker/${text}`), [], text);
});

// docs/indexing-rules.md#open-orders: an order is open while something is asked.
servers.alike('an order that is filled to nothing is in no list, but found by its id', async (server) => {
  const coin = network.coinTicker;
  for (const path of ['/order', `/order/pair/${coin}_${token}`]) assert.deepEqual(await server.json(path), [], path);
  for (const side of ['ask', 'bid']) {
    const book = await server.json(`/order/pair/${coin}_${token}/book?side=${side}`);
    assert.deepEqual(book, { items: [], next_cursor: null });
  }
  const { ask_balance, give_balance, initially_asked, nonce } = await server.json(`/order/${order}`);
  assert.deepEqual([ask_balance.atoms, give_balance.atoms, initially_asked.atoms, nonce], ['0', '0', '300', 1]);
});

servers.alike('a pool without stake is in no list, but found by its id with its empty delegation', async (server) => {
  assert.deepEqual(await server.json('/pool'), []);
  assert.deepEqual(await server.json('/pool?sort=by_pledge'), []);
  const { staker_balance, delegations_balance, margin_ratio_per_thousand } = await server.json(`/pool/${emptyPool}`);
  assert.deepEqual([staker_balance.atoms, delegations_balance.atoms, margin_ratio_per_thousand], ['0', '0', '100%']);
  const [{ delegation_id, balance }, ...more] = await server.json(`/pool/${emptyPool}/delegations`);
  assert.deepEqual([delegation_id, balance.atoms, more], [delegation, '0', []]);
});
