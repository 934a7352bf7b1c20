/** Where the contracts differ about transactions and outputs. */
import assert from 'node:assert/strict';
import { bothContracts } from './both-profiles.ts';

const { golden, differs, each, alike } = bothContracts();

const firstTransaction = () => golden.value('select tx_id from transactions order by tx_index limit 1');
const spentOutput = async () => {
  const row = await golden.one(`
    select x.tx_id, s.output_index from spends s
    join blocks b on b.height = s.height join transactions x on x.tx_index = b.first_tx_index + s.position limit 1`);
  return `/transaction/${row.tx_id}/output/${row.output_index}`;
};

differs('a transaction has a timestamp', async () => `/transaction/${await firstTransaction()}`, {
  described: (body) => assert.equal(typeof body.timestamp, 'number'),
  core: (body) => assert.match(body.timestamp, /^[0-9]+$/),
});

differs('the list of transactions has the global index', () => '/transaction?items=1', {
  described: ([first]) => assert.equal(typeof first.tx_global_index, 'number'),
  core: ([first]) => assert.match(first.tx_global_index, /^[0-9]+$/),
});

differs(
  'a single transaction has the global index, or has not',
  async () => `/transaction/${await firstTransaction()}`,
  {
    described: (body) => assert.equal(body.tx_global_index, 0),
    core: (body) => assert.ok(!('tx_global_index' in body)),
  },
);

each('a spent output', {
  described: async () => {
    await golden.described.refuses(await spentOutput(), 404, 'Transaction output already spent');
  },
  core: async () => assert.equal(typeof (await golden.core.json(await spentOutput())).spent_at_block_height, 'number'),
});

alike('a locked output exists', async (server) => {
  const row = await golden.one(`
    select x.tx_id, u.output_index from utxos u join blocks b on b.height = u.height
    join transactions x on x.tx_index = b.first_tx_index + u.position
    where u.unlock_height is not null and u.height > 0 limit 1`);
  const output = await server.json(`/transaction/${row.tx_id}/output/${row.output_index}`);
  assert.equal(output.spent_at_block_height, null);
  assert.ok('lock' in output);
});
