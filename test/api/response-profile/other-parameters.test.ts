/** Parameters that mintlayer-core does not know, and paths as it reads them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { goldenServers } from '../../support/golden-servers.ts';

const golden = goldenServers();

/** Paths with parameters of ours whose values are invalid, and the same without them. */
async function invalidExtensions(): Promise<[with_: string, without: string][]> {
  const address = await golden.address('address_transactions');
  const token = await golden.token();
  return [
    ['/token?sort=x', '/token'],
    ['/token?sort=', '/token'],
    ['/token?state=x&items=3', '/token?items=3'],
    ['/token?expand=1', '/token'],
    ['/order?sort=x', '/order'],
    ['/pool?expand=1&sort=by_pledge', '/pool?sort=by_pledge'],
    ['/transaction?kind=x&items=2', '/transaction?items=2'],
    ['/transaction?from=x', '/transaction'],
    [`/address/${address}?expand=x`, `/address/${address}`],
    [`/address/${address}?height=x`, `/address/${address}`],
    ['/statistics/coin?height=x', '/statistics/coin'],
    ['/statistics/coin/holders?height=x', '/statistics/coin/holders'],
    [`/statistics/token/${token}/holders?time=x&format=x`, `/statistics/token/${token}/holders`],
  ];
}

it('mintlayer-core: an invalid value of a parameter that mintlayer-core does not know changes nothing', async () => {
  for (const [path, plain] of await invalidExtensions()) {
    assert.equal((await golden.core.get(path)).text, (await golden.core.get(plain)).text, path);
  }
});

it('described: an invalid value of such a parameter is refused', async () => {
  for (const [path] of await invalidExtensions()) assert.equal((await golden.described.get(path)).status, 400, path);
});

it('mintlayer-core: mistakes in the parameters that it knows are refused with its messages, whatever else is wrong', async () => {
  await golden.core.refuses('/token?sort=x&items=101', 400, 'Invalid number of items');
  await golden.core.refuses('/order?sort=x&offset=-1', 400, 'Invalid offset');
  await golden.core.refuses('/pool?sort=x&expand=1', 400, 'Invalid pools sort order');
  await golden.core.refuses('/transaction?offset_mode=x&kind=y', 400, 'Invalid offset mode');
});

it('mintlayer-core: a valid value of such a parameter has its effect', async () => {
  assert.notEqual((await golden.core.get('/token?sort=by_height')).text, (await golden.core.get('/token')).text);
});

it('an empty segment within a path is an invalid id; at the end of a path it is an unknown path', async () => {
  for (const server of [golden.core, golden.described]) {
    await server.refuses('/block//header', 400, 'Invalid block Id');
    await server.refuses('/transaction//output/0', 400, 'Invalid transaction Id');
    await server.refuses('/address//delegations', 400, 'Invalid address');
    await server.refuses('/token//transactions', 400, 'Invalid token Id');
    await server.refuses('/pool//block-stats?from=0&to=1', 400, 'Invalid pool Id');
    await server.refuses('/%63hain/tip', 400, 'Bad request');
    for (const path of ['/block/', '/block//', '/address/', '/token/ticker/'])
      await server.refuses(path, 400, 'Bad request');
  }
});
