import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BlockTree } from '../../src/devnet/block-tree.ts';

/** Ids are words here; a block's timestamp is its height times ten. */
function tree(...branches: string[][]): BlockTree {
  const tree = new BlockTree({ id: 'genesis', timestamp: 0 });
  for (const [parent, ...ids] of branches) {
    let prev = parent!;
    for (const id of ids) {
      tree.add({ id, prev, timestamp: (tree.height(prev)! + 1) * 10, bytes: Buffer.from(id) });
      prev = id;
    }
  }
  return tree;
}

const mainChain = (tree: BlockTree) => {
  const ids: (string | undefined)[] = [];
  for (let height = 0; tree.mainChainId(height) !== undefined; height++) ids.push(tree.mainChainId(height));
  return ids;
};

it('a block tree is at its genesis at first', () => {
  assert.deepEqual(tree().tip(), { id: 'genesis', height: 0, timestamp: 0, medianTime: 0 });
});

it('a block tree keeps its tip when a block is added and moves it when told', () => {
  const blocks = tree(['genesis', 'a1', 'a2']);
  assert.deepEqual(mainChain(blocks), ['genesis']);
  blocks.setTip('a2');
  assert.deepEqual(mainChain(blocks), ['genesis', 'a1', 'a2']);
});

it('a block tree goes over to another branch, to a lower one too', () => {
  const blocks = tree(['genesis', 'a1', 'a2', 'a3', 'a4'], ['a1', 'b2', 'b3']);
  blocks.setTip('a4');
  blocks.setTip('b3');
  assert.deepEqual(mainChain(blocks), ['genesis', 'a1', 'b2', 'b3']);
  assert.equal(blocks.mainChainHeight('a2'), undefined);
  assert.equal(blocks.mainChainHeight('b2'), 2);
  blocks.setTip('a2');
  assert.deepEqual(mainChain(blocks), ['genesis', 'a1', 'a2']);
});

it('a block tree finds the last common ancestor of any two blocks', () => {
  const blocks = tree(['genesis', 'a1', 'a2', 'a3', 'a4'], ['a1', 'b2', 'b3'], ['b2', 'c3', 'c4', 'c5']);
  blocks.setTip('a4');
  const ancestor = (a: string, b: string) => blocks.lastCommonAncestor(a, b);
  for (const [a, b, id, height] of [
    ['a4', 'a2', 'a2', 2],
    ['a4', 'b3', 'a1', 1],
    ['b3', 'c5', 'b2', 2],
    ['c3', 'c5', 'c3', 3],
    ['genesis', 'c5', 'genesis', 0],
    ['a3', 'a3', 'a3', 3],
    ['b3', 'b3', 'b3', 3],
  ] as const) {
    assert.deepEqual(ancestor(a, b), { id, height }, `${a} and ${b}`);
    assert.deepEqual(ancestor(b, a), { id, height }, `${b} and ${a}`);
  }
  assert.equal(ancestor('a4', 'nowhere'), undefined);
});

it('a block tree takes the median time of the last eleven blocks', () => {
  const ids = Array.from({ length: 20 }, (_, i) => `a${i + 1}`);
  const blocks = tree(['genesis', ...ids]);
  blocks.setTip('a1');
  assert.equal(blocks.tip().medianTime, 10, 'of 0, 10: element 2/2');
  blocks.setTip('a20');
  assert.equal(blocks.tip().medianTime, 150, 'of 100 … 200');
});

it('a block tree refuses a block without a known parent', () => {
  assert.throws(() => tree(['nowhere', 'a1']), /is not known|undefined/);
  assert.throws(() => tree().add({ id: 'x', prev: 'y', timestamp: 1, bytes: Buffer.alloc(0) }), RangeError);
  assert.throws(() => tree().setTip('x'), RangeError);
});
