/** Who holds a currency, and what an address holds. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../src/chain/address.ts';
import { busy, FIRST_TOKEN, filledServers, network, SIZES } from '../support/filled-servers.ts';

const filled = filledServers();

it('the tokens of an address are the ids of the fungible ones, in order', async () => {
  const { tokens } = await filled.server.json(`/address/${busy}`);
  assert.deepEqual(tokens, (await filled.server.pages('/token?items=100')).flat().slice(0, SIZES.tokens));
});

it('the tokens of an address are objects of both kinds in the contract of mintlayer-core', async () => {
  const { tokens } = await filled.core.json(`/address/${busy}`);
  assert.equal(tokens.length, SIZES.tokens + SIZES.nfts);
  assert.deepEqual(Object.keys(tokens[0]).sort(), ['amount', 'token_id']);
  const first = tokens.find((entry: { token_id: string }) => entry.token_id === FIRST_TOKEN);
  assert.deepEqual(first.amount, { atoms: '1', decimal: '0.1' });
});

it('holders are ordered by what they can spend, the largest first, ties by owner', async () => {
  const holders = (await filled.server.pages('/statistics/coin/holders?items=10')).flat();
  assert.deepEqual(holders[0], {
    address: busy,
    amount: { atoms: '123', decimal: '0.00000000123' },
    locked: { atoms: '45', decimal: '0.00000000045' },
    total: { atoms: '168', decimal: '0.00000000168' },
    share_per_million: 123,
  });
  const { rows } = await filled.index.query(
    `select owner from balances where currency = '' and amount > 0 order by amount desc, owner`,
  );
  assert.deepEqual(
    holders.map(({ address }) => address),
    rows.map(({ owner }) => destinationAddress(network, owner)),
  );
});

it('an NFT has one holder, with no decimals and all of it', async () => {
  const nft = (await filled.server.pages('/token?items=100')).flat().at(-1);
  const { items } = await filled.server.json(`/statistics/token/${nft}/holders`);
  assert.deepEqual(items[0].amount, { atoms: '1', decimal: '1' });
  assert.equal(items.length, 1);
});

it('holders of an unknown token are not found, whatever else is wrong', async () => {
  const path = `/statistics/token/${tokenAddress(network, 'ee'.repeat(32))}/holders`;
  for (const query of ['', '?items=0', '?offset=x', '?cursor=x', '?sort=x']) {
    await filled.server.refuses(path + query, 404, 'Token not found');
  }
  await filled.server.refuses('/statistics/token/x/holders?items=0', 400, 'Invalid token Id');
  assert.equal((await filled.server.get(`/token/${tokenAddress(network, 'ee'.repeat(32))}/holders`)).status, 400);
});

it('holders of one sort order are not walked with the cursor of the other', async () => {
  const { next_cursor } = await filled.server.json('/statistics/coin/holders?items=5');
  await filled.server.refuses(`/statistics/coin/holders?sort=total&cursor=${next_cursor}`, 400, 'Invalid cursor');
  await filled.server.refuses('/statistics/coin/holders?sort=by_luck', 400, 'Invalid holders sort order');
});
