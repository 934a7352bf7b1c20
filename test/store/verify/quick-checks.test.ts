/** `verify --quick`: what a restored index must have before it is served. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import type { MainChain } from '../../../src/store/verify/quick-checks.ts';
import { checkQuickly } from '../../../src/store/verify/quick-checks.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const scope = fileScope();
const blocks = lightChain(110, 12).map(({ bytes }) => bytes);
let index: TestIndex;

before(async () => {
  index = await TestIndex.create(scope, SIMULATED_NETWORK);
  await index.followBytes(blocks);
});

/** A node with these blocks, which gives at most seven at a time. */
const nodeWith = (chain: readonly Buffer[]): MainChain => ({
  mainchainBlocks: async (from, maxCount) => chain.slice(from - 1, from - 1 + Math.min(7, maxCount)),
});

/** The results of the checks after the SQL, by their names. */
async function check(node: MainChain, sql?: string) {
  const { writer } = index.session;
  await writer.query('begin');
  try {
    if (sql !== undefined) assert.notEqual((await writer.query(sql)).rowCount, 0, 'nothing was changed');
    return await Array.fromAsync(checkQuickly(writer, node));
  } finally {
    await writer.query('rollback');
  }
}

const wrongOf = async (...args: Parameters<typeof check>) => {
  const wrong = (await check(...args)).filter(({ differences }) => differences > 0);
  return wrong.map(({ name, examples }) => `${name}: ${examples.join(', ')}`).join('\n');
};

it('the quick checks find nothing wrong with an index of the chain of the node, and compare every block', async () => {
  const results = await check(nodeWith(blocks));
  assert.deepEqual(
    results.map(({ differences }) => differences),
    [0, 0, 0, 0],
  );
  assert.equal(results.at(-1)!.checked, blocks.length);
});

it('the quick checks take a node that is ahead, or behind in part', async () => {
  assert.equal(await wrongOf(nodeWith(lightChain(120, 12).map(({ bytes }) => bytes))), '');
  const behind = await check(nodeWith(blocks.slice(0, 100)));
  assert.deepEqual([behind.at(-1)!.differences, behind.at(-1)!.checked], [0, 100]);
});

it('a node without any of the blocks cannot be compared with', async () => {
  await assert.rejects(check(nodeWith([])), (error: unknown) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /the node has no block at height 1 yet, and the index is at 110/);
    return true;
  });
});

it('the quick checks name blocks that the node does not have', async () => {
  const branch = [
    ...blocks.slice(0, 60),
    ...lightChain(110, 13)
      .map(({ bytes }) => bytes)
      .slice(60),
  ];
  assert.match(await wrongOf(nodeWith(branch)), /newest blocks.*block 61: the index has \w{64}, the node \w{64}/);
  const damaged = blocks.with(80, Buffer.from('damaged'));
  assert.match(await wrongOf(nodeWith(damaged)), /block 81: what the node gave is no block/);
});

for (const [sql, expected] of [
  ['update chain_tip set height = height - 1', /tip is the newest/],
  ['update chain_tip set transaction_count = transaction_count - 1', /as many blocks and transactions/],
  ['delete from blocks where height = 3', /as many blocks and transactions/],
  [
    'delete from transactions where tx_index = 40',
    /as many blocks and transactions(.|\n)*are not the \d+ of the index/,
  ],
  [`update transactions set tx_id = sha256('x') where tx_index = 40`, /its \d+ transactions at the node/],
  ['drop index utxos_owner', /utxos_owner is missing/],
] as const) {
  it(`the quick checks find what this does: ${sql}`, async () => {
    assert.match(await wrongOf(nodeWith(blocks), sql), expected);
  });
}
