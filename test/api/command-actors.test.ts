/** Who gave commands: the authority over a token right before them, or the conclude key of an order; and the pages that say it. */
import assert from 'node:assert/strict';
import { destinationAddress, orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import type { AccountCommand, Destination, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import { coins, ISSUANCE, OWNER, signed, spend, tokens, transfer } from '../ledger/small-world.ts';
import { HandmadeChain, handmadeServers, tokenCommand } from '../support/handmade-chain.ts';
import { getPage } from '../support/html-page.ts';

const [SECOND, THIRD, PAYER] = ['0b', '0c', '0d'].map((byte) => `01${byte.repeat(20)}`) as [string, string, string];

const COINS = 400n * 10n ** 11n;
const paid = (destination: Destination): TxOutput => ({ type: 'Transfer', destination, value: coins(COINS) });
const chain = new HandmadeChain([transfer(coins(COINS)), ...Array.from({ length: 9 }, () => paid(PAYER))]);
const { network } = chain;
const fromGenesis = (index: number): TxInput => spend(network.genesisId, index, 'BlockReward');

let nextPayment = 0;
/** A transaction with commands, which PAYER pays for, but OWNER for the first. */
const made = (inputs: readonly TxInput[], outputs: readonly TxOutput[] = []): SignedTransaction =>
  signed([...inputs, fromGenesis(nextPayment++)], outputs);
const idOf = ({ transaction }: SignedTransaction) => transactionId(transaction);

const issued = made([], [ISSUANCE]);
const TOKEN = deriveTokenId(issued.transaction.inputs, 1)!;
let nonce = 0n;
const command = (part: AccountCommand) => tokenCommand(nonce++, part);
const mint = (amount: bigint) => command({ type: 'MintTokens', tokenId: TOKEN, amount });
const giveTo = (newAuthority: Destination) => command({ type: 'ChangeTokenAuthority', tokenId: TOKEN, newAuthority });
const frozen = () => command({ type: 'FreezeToken', tokenId: TOKEN, isUnfreezable: true });
const unfrozen = () => command({ type: 'UnfreezeToken', tokenId: TOKEN });

// One block; then each command of a transaction after the one before it; then a block later.
const byOwner = made([mint(50n)], [transfer(tokens(TOKEN, 50n))]);
const given = made([giveTo(SECOND)]);
const bySecond = made([mint(7n)], [transfer(tokens(TOKEN, 7n))]);
const mixed = made([frozen(), giveTo(THIRD), unfrozen(), giveTo(OWNER)]);
const again = made([mint(1n)], [transfer(tokens(TOKEN, 1n))]);
chain.add({ transactions: [issued] });
chain.add({ transactions: [byOwner, given, bySecond] });
chain.add({ transactions: [mixed] });
chain.add({ transactions: [again] });
const order = { concludeKey: THIRD, ask: coins(5n), give: tokens(TOKEN, 7n) };
const offered = made([spend(idOf(bySecond), 0)], [{ type: 'CreateOrder', order }]);
const ORDER = deriveOrderId(offered.transaction.inputs)!;
const onOrder = (type: 'ConcludeOrder' | 'FreezeOrder'): TxInput => ({
  type: 'OrderAccountCommand',
  command: { type, orderId: ORDER },
});
const stopped = made([onOrder('FreezeOrder')]);
const concluded = signed([onOrder('ConcludeOrder')], [transfer(tokens(TOKEN, 7n))]);
chain.add({ transactions: [offered, stopped, concluded] });

const servers = handmadeServers(chain);
const addressOf = (destination: Destination) => destinationAddress(network, destination);
/** What was done, and by whom, in the order of the inputs' ranks. */
const EXPECTED = new Map<SignedTransaction, readonly (readonly [type: string, by: Destination])[]>([
  [byOwner, [['token_mint', OWNER]]],
  [given, [['token_authority', OWNER]]],
  [bySecond, [['token_mint', SECOND]]],
  [
    mixed,
    [
      ['token_freeze', SECOND],
      ['token_unfreeze', THIRD],
      ['token_authority', SECOND],
      ['token_authority', THIRD],
    ],
  ],
  [again, [['token_mint', OWNER]]],
  [stopped, [['order_freeze', THIRD]]],
  [concluded, [['order_conclude', THIRD]]],
]);

servers.alike('an action says who gave its command, also right after a change of the authority', async (server) => {
  const listed = (await server.json('/transaction?expand=true&items=50')) as {
    readonly id: string;
    readonly actions: readonly { readonly type: string; readonly by?: string | null }[];
  }[];
  for (const [transaction, expected] of EXPECTED) {
    const { actions } = listed.find(({ id }) => id === idOf(transaction))!;
    const told = actions.flatMap(({ type, by }) => (by === undefined ? [] : [[type, by]]));
    assert.deepEqual(
      told,
      expected.map(([type, by]) => [type, addressOf(by)]),
    );
    assert.deepEqual((await server.json(`/transaction/${idOf(transaction)}?expand=true`)).actions, actions);
  }
  assert.equal((await server.json(`/order/${orderAddress(network, ORDER)}`)).conclude_destination, addressOf(THIRD));
});

servers.alike('the events of a token say which authority each was of', async (server) => {
  const { items } = await server.json(`/token/${tokenAddress(network, TOKEN)}/events?items=50`);
  assert.deepEqual(
    items.map(({ event, by }: { event: string; by: string | null }) => [event, by]),
    [
      ['mint', addressOf(OWNER)],
      ['authority', addressOf(THIRD)],
      ['unfreeze', addressOf(THIRD)],
      ['authority', addressOf(SECOND)],
      ['freeze', addressOf(SECOND)],
      ['mint', addressOf(SECOND)],
      ['authority', addressOf(OWNER)],
      ['mint', addressOf(OWNER)],
      ['issue', null],
    ],
  );
  const csv = (await server.get(`/token/${tokenAddress(network, TOKEN)}/events?format=csv`)).text.split('\r\n');
  assert.match(csv[0]!, /,by,cursor$/);
  assert.ok(csv[1]!.includes(`,${addressOf(OWNER)},`), csv[1]!);
});

servers.alike('a page says who gave a command, and who paid the fee if that was another', async (server) => {
  const said = async (transaction: SignedTransaction) =>
    (await getPage(server, `/tx/${idOf(transaction)}`)).main.all('p.by').map(({ text }) => text);
  const [owner, second, third, payer] = [OWNER, SECOND, THIRD, PAYER].map(addressOf);
  assert.deepEqual(await said(issued), [`Paid by ${owner} · Authority ${owner}`]);
  assert.deepEqual(await said(byOwner), [`Minted by the authority ${owner} · Fee paid by ${payer}`]);
  assert.deepEqual(await said(given), [`Given by the former authority ${owner} · Fee paid by ${payer}`]);
  assert.deepEqual(await said(bySecond), [`Minted by the authority ${second} · Fee paid by ${payer}`]);
  assert.deepEqual(await said(mixed), [`Frozen by the authority ${second} · Fee paid by ${payer}`]);
  assert.deepEqual(await said(stopped), [`Frozen by ${third} · Fee paid by ${payer}`]);
  assert.deepEqual(await said(concluded), [`Closed by ${third}`]);
});

servers.alike(
  'the lists of transactions say who paid for commands, or else who gave them, and the page of a transaction who gave each of them',
  async (server) => {
    const rows = (await getPage(server, '/txs')).main.rows();
    for (const transaction of EXPECTED.keys()) {
      const row = rows.find(([id]) => id!.text === idOf(transaction))!;
      assert.equal(row[4]!.text, addressOf(transaction === concluded ? THIRD : PAYER));
    }
    const others = (await getPage(server, `/tx/${idOf(mixed)}`)).main
      .one('ul.summary')
      .all('li')
      .map(({ text }) => text);
    assert.equal(others.length, 3);
    assert.match(others[0]!, new RegExp(`^Unfroze .* · Unfrozen by the authority ${addressOf(THIRD)}$`));
  },
);
