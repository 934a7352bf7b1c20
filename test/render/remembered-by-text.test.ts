import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { RememberedByText } from '../../src/render/remembered-by-text.ts';

const [one, other] = [networkByName('regtest'), networkByName('testnet')];

it('a value is made once for a text, a height and a network', () => {
  const remembered = new RememberedByText<number>(100);
  let made = 0;
  const of = (text: string, height = 1, network = one) => remembered.of(network, text, height, () => ++made);
  assert.deepEqual([of('a'), of('b'), of('a'), of('a', 2), of('a', 2), of('a', 2, other)], [1, 2, 1, 3, 3, 4]);
});

it('the texts that were used last are remembered, and the others make room for new ones', () => {
  const remembered = new RememberedByText<string>(10);
  let made: string[] = [];
  const use = (...texts: string[]) => {
    made = [];
    for (const text of texts) {
      remembered.of(one, text, 1, () => {
        made.push(text);
        return text;
      });
    }
    return made;
  };
  assert.deepEqual(use('aaaa', 'bbbb', 'cccc'), ['aaaa', 'bbbb', 'cccc']);
  assert.deepEqual(use('aaaa', 'bbbb', 'dddd', 'eeee'), ['dddd', 'eeee']);
  assert.deepEqual(use('ffff', 'gggg', 'hhhh', 'aaaa'), ['ffff', 'gggg', 'hhhh', 'aaaa']);
});
