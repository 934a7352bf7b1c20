import assert from 'node:assert/strict';
import { it } from 'node:test';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { AccountCommand, NftMetadata, OutputValue, SignedTransaction, TxOutput } from '../../src/chain/types.ts';
import { searchFragments } from '../../src/ledger/search-fragments.ts';
import { balanceKey, outpointKey } from '../../src/ledger/state-rows.ts';
import {
  applySecond,
  applyThird,
  COIN,
  coins,
  FREE,
  OWNER,
  signed,
  smallWorld,
  spend,
  TOKEN,
  tokens,
  transfer,
} from './small-world.ts';

const fragments = (ticker: string) =>
  searchFragments(Buffer.from(ticker).toString('hex')).map(({ fragment }) => fragment);
const whole = (ticker: string) =>
  searchFragments(Buffer.from(ticker).toString('hex')).flatMap(({ fragment, isWhole }) => (isWhole ? [fragment] : []));

it('the pieces of a ticker are all of them in lower case, each once', () => {
  assert.deepEqual(fragments('aBa').sort(), ['a', 'ab', 'aba', 'b', 'ba']);
  assert.deepEqual(fragments('ÄÖ').sort(), ['ä', 'äö', 'ö']);
  assert.deepEqual(fragments(''), []);
  assert.deepEqual(whole('aBa'), ['aba']);
});

it('the pieces of a ticker are made of whole characters', () => {
  assert.deepEqual(fragments('😀x').sort(), ['x', '😀', '😀x'].sort());
});

it('the pieces of a ticker are of its first 32 characters', () => {
  const head = 'abcdefghijklmnopqrstuvwxyz012345';
  assert.equal(head.length, 32);
  const longest = fragments(head);
  assert.equal(longest.length, (32 * 33) / 2);
  assert.ok(longest.includes(head));
  assert.deepEqual(fragments(`${head}6789`), longest);
  assert.equal(fragments('😀'.repeat(40)).length, 32);
  assert.deepEqual(whole(`${head}6789`), [], 'the searchable part of it is not all of it');
});

it('the pieces of a ticker begin with its first character, whatever that is', () => {
  assert.deepEqual(fragments('\ufeffA').sort(), ['a', '\ufeff', '\ufeffa'].sort());
});

it('the pieces of a ticker are none when it is not UTF-8', () => {
  for (const bytes of ['ff', '61c3', 'c0af', 'eda080']) assert.equal(searchFragments(bytes).length, 0, bytes);
});

it('the pieces of a ticker are none when it holds a control character', () => {
  for (const character of ['\0', '\n', '\x1f', '\x7f', '\u0085']) {
    assert.deepEqual(fragments(`A${character}B`), [], JSON.stringify(character));
  }
});

const MOST = (1n << 128n) - 1n;
const OTHER = `01${'0b'.repeat(20)}`;

interface Step {
  readonly command?: AccountCommand;
  readonly nonce?: bigint;
  /** What the transaction pays out besides the coins that go on to the next. */
  readonly outputs?: readonly TxOutput[];
  /** Spends the output of that number of the step before. */
  readonly spends?: number;
}

/** The token after steps, each a transaction of one block that hands 50 coins less to the next. */
function after(steps: readonly Step[]) {
  const state = smallWorld();
  const before = state.statistics.get('')!;
  const transactions: SignedTransaction[] = [];
  for (const [i, { command, nonce = BigInt(i), outputs = [], spends }] of steps.entries()) {
    const last = transactions.at(-1);
    const of = (index: number) => spend(transactionId(last!.transaction), index);
    const inputs = [last ? of(0) : FREE, ...(spends === undefined ? [] : [of(spends)])];
    const change = transfer(coins((450n - 50n * BigInt(i)) * COIN));
    transactions.push(
      signed(
        [...inputs, ...(command ? [{ type: 'AccountCommand', nonce, command } as const] : [])],
        [change, ...outputs],
      ),
    );
  }
  const applied = applySecond(state, { transactions });
  const coin = state.statistics.get('')!;
  assert.equal(before.circulatingSupply - coin.circulatingSupply, coin.burned - before.burned);
  return {
    token: state.tokens.get(TOKEN)!,
    statistics: state.statistics.get(TOKEN),
    balance: state.balances.get(balanceKey(OWNER, TOKEN)),
    burnedFees: (coin.burned - before.burned) / COIN,
    fees: applied.transactions.map(({ fee }) => fee / COIN),
    ofToken: applied.transactions.map((transaction) => transaction.tokens.has(TOKEN)),
  };
}

const mint = (amount: bigint): Step => ({
  command: { type: 'MintTokens', tokenId: TOKEN, amount },
  outputs: [transfer(tokens(TOKEN, amount))],
});
const unmint = (amount: bigint): Step => ({
  command: { type: 'UnmintTokens', tokenId: TOKEN },
  outputs: [{ type: 'Burn', value: tokens(TOKEN, amount) }],
  spends: 1,
});

// docs/indexing-rules.md#token-commands
it('the supply of a token is nothing again when all that was minted is unminted', () => {
  const { token, statistics, balance } = after([mint(7n), unmint(7n)]);
  assert.equal(token.circulatingSupply, 0n);
  assert.equal(token.nextNonce, 2n);
  const counted = { circulatingSupply: 0n, preminted: 0n, burned: 7n, staked: 0n, holders: 0, effectiveStake: 0n };
  assert.deepEqual(statistics, { currency: TOKEN, ...counted });
  assert.equal(balance, null);
});

it('the supply of a token is in the record what was minted and not unminted, in the statistics what was not burned', () => {
  const burned: Step = { outputs: [{ type: 'Burn', value: tokens(TOKEN, 7n) }], spends: 1 };
  const { token, statistics, ofToken } = after([mint(7n), burned]);
  assert.equal(token.circulatingSupply, 7n);
  assert.equal(token.nextNonce, 1n);
  assert.deepEqual([statistics?.circulatingSupply, statistics?.burned], [0n, 7n]);
  assert.deepEqual(ofToken, [true, true]);
});

it('the supply of a token takes several burns of an unminting transaction together, and none of other tokens', () => {
  const burn = (value: OutputValue): TxOutput => ({ type: 'Burn', value });
  const outputs = [
    burn(tokens(TOKEN, 2n)),
    burn(coins(0n)),
    burn(tokens('ee'.repeat(32), 0n)),
    burn(tokens(TOKEN, 3n)),
  ];
  const { token, statistics } = after([
    mint(7n),
    { ...unmint(5n), outputs: [...outputs, transfer(tokens(TOKEN, 2n))] },
  ]);
  assert.deepEqual([token.circulatingSupply, statistics?.burned, statistics?.circulatingSupply], [2n, 5n, 2n]);
});

it('the supply of a token may be minted, and lie at one address, beyond 128 bits', () => {
  const { token, statistics, balance } = after([mint(MOST), mint(MOST)]);
  assert.equal(token.circulatingSupply, 2n * MOST);
  assert.equal(statistics?.circulatingSupply, 2n * MOST);
  assert.equal(balance?.amount, 2n * MOST);
});

const commands: readonly (readonly [AccountCommand, fee: bigint])[] = [
  [{ type: 'MintTokens', tokenId: TOKEN, amount: 0n }, 50n],
  [{ type: 'UnmintTokens', tokenId: TOKEN }, 50n],
  [{ type: 'LockTokenSupply', tokenId: TOKEN }, 50n],
  [{ type: 'FreezeToken', tokenId: TOKEN, isUnfreezable: true }, 50n],
  [{ type: 'UnfreezeToken', tokenId: TOKEN }, 50n],
  [{ type: 'ChangeTokenAuthority', tokenId: TOKEN, newAuthority: OTHER }, 20n],
  [{ type: 'ChangeTokenMetadataUri', tokenId: TOKEN, metadataUri: '' }, 20n],
];
for (const [command, fee] of commands) {
  it(`a token costs ${fee} coins for ${command.type}, which are burned and no fee of the block`, () => {
    const { burnedFees, fees, ofToken } = after([{ command }]);
    assert.deepEqual([burnedFees, fees, ofToken], [fee, [50n - fee], [true]]);
  });
}

// docs/protocol.md#output-values, docs/indexing-rules.md#outputs: it is never counted, but outputs and histories are.
const metadata: NftMetadata = {
  creator: null,
  name: '',
  description: '',
  ticker: '4e4654',
  iconUri: '',
  additionalMetadataUri: '',
  mediaUri: '',
  mediaHash: '',
};
const legacy = {
  issue: {
    type: 'TokenV0',
    data: { type: 'TokenIssuance', ticker: '4f4c44', amountToIssue: 9n, numberOfDecimals: 2, metadataUri: '' },
  },
  issueNft: { type: 'TokenV0', data: { type: 'NftIssuance', metadata } },
  pay: { type: 'TokenV0', data: { type: 'TokenTransfer', tokenId: TOKEN, amount: 5n } },
} as const satisfies Record<string, OutputValue>;
const contract = {
  ...{ secretHash: '00'.repeat(20), spendKey: OTHER, refundKey: OWNER },
  refundTimelock: { type: 'UntilHeight', value: 0n },
} as const;
const kinds: readonly (readonly [what: string, output: TxOutput, owners: readonly string[]])[] = Object.entries(
  legacy,
).flatMap(([what, value]) => [
  [`${what} by Transfer`, { type: 'Transfer', value, destination: OTHER }, [OTHER]],
  [
    `${what} by LockThenTransfer`,
    { type: 'LockThenTransfer', value, destination: OTHER, lock: { type: 'UntilHeight', value: 3n } },
    [OTHER],
  ],
  [`${what} by Burn`, { type: 'Burn', value }, []],
  [`${what} by Htlc`, { type: 'Htlc', value, contract }, [OTHER, OWNER]],
]);

for (const [what, output, owners] of kinds) {
  it(`a legacy token is an output and a history, and nothing else: ${what}`, () => {
    const state = smallWorld();
    const before = state.statistics.get('');
    const made = signed([FREE], [output, transfer(coins(500n * COIN))]);
    const id = transactionId(made.transaction);
    const making = applySecond(state, { transactions: [made] });
    const [transaction] = making.transactions;
    assert.equal(transaction!.fee, 0n);
    assert.deepEqual([...transaction!.addresses].sort(), [...new Set([OWNER, ...owners])].sort());
    assert.deepEqual([...transaction!.tokens], []);
    const utxo = state.utxos.get(outpointKey(id, 0));
    assert.deepEqual(
      utxo ? [utxo.owner, utxo.refundOwner ?? utxo.owner] : [],
      owners.length === 1 ? [OTHER, OTHER] : owners,
    );
    assert.equal(utxo?.unlockHeight ?? null, output.type === 'LockThenTransfer' ? 3 : null);

    const spending = owners.length === 0 ? [] : [signed([spend(id, 0)])];
    const [spent] = applyThird(state, { transactions: spending }).transactions;
    if (spent)
      assert.deepEqual([[...spent.addresses].sort(), [...spent.tokens], spent.fee], [[...owners].sort(), [], 0n]);
    const ofOther = [...state.balances.rows()].filter(({ owner }) => owner === OTHER);
    assert.deepEqual(ofOther, []);
    assert.deepEqual([...state.nfts.rows()], []);
    const remaining = [...state.tokens.rows()].map(({ tokenId }) => tokenId);
    assert.deepEqual(remaining, [TOKEN]);
    assert.deepEqual(state.statistics.get(''), before);
    assert.equal(state.statistics.get(TOKEN), null);
    assert.deepEqual([...state.tickerFragments.rows()], []);
  });
}

it('a legacy token makes no order of an order that names it', () => {
  const state = smallWorld();
  const orders = [...state.orders.rows()];
  const order = { concludeKey: OWNER, ask: coins(1n), give: legacy.pay };
  const made = signed([FREE], [{ type: 'CreateOrder', order }]);
  applySecond(state, { transactions: [made] });
  assert.deepEqual([...state.orders.rows()], orders);
});
