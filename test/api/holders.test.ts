/** Who holds a currency, and what an address holds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokenAddress } from '../../src/chain/address.ts';
import { busy, filledServers, network, SIZES } from '../support/filled-servers.ts';

const filled = filledServers();

describe('the tokens of an address', () => {
  it('are the ids of the fungible ones, in order', async () => {
    const { tokens } = await filled.server.json(`/address/${busy}`);
    assert.deepEqual(tokens, (await filled.server.pages('/token?items=100')).flat().slice(0, SIZES.tokens));
  });

  it('are objects of both kinds in the contract of mintlayer-core', async () => {
    const { tokens } = await filled.core.json(`/address/${busy}`);
    assert.equal(tokens.length, SIZES.tokens + SIZES.nfts);
    assert.deepEqual(Object.keys(tokens[0]).sort(), ['amount', 'token_id']);
    const oneToken = await filled.firstToken();
    const first = tokens.find((entry: { token_id: string }) => entry.token_id === oneToken);
    assert.deepEqual(first.amount, { atoms: '1', decimal: '0.1' });
  });
});

describe('holders', () => {
  it('hold shares of what is in circulation, the largest first', async () => {
    const holders = (await filled.server.pages('/statistics/coin/holders?items=10')).flat();
    assert.deepEqual(holders[0], {
      address: busy,
      amount: { atoms: '168', decimal: '0.00000000168' },
      share_per_million: 168,
    });
    const atoms = holders.map((holder) => Number(holder.amount.atoms));
    assert.deepEqual(
      atoms,
      atoms.toSorted((a, b) => b - a),
    );
  });

  it('of an unknown token are not found', async () => {
    const answer = await filled.server.get(`/token/${tokenAddress(network, 'ee'.repeat(32))}/holders`);
    assert.deepEqual([answer.status, answer.body], [404, { error: 'Token not found' }]);
  });
});
