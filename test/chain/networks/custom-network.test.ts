import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkFromChainFile, networkFromObject } from '../../../src/chain/networks/custom-network.ts';
import { KNOWN_NETWORKS, mainnet, regtest, regtestPos, signet } from '../../../src/chain/networks/known-networks.ts';
import {
  maturityAt,
  ordersVersionAt,
  rewardDistributionVersionAt,
  subsidyAt,
} from '../../../src/chain/networks/network.ts';
import { atHeights } from './at-heights.ts';

const UPGRADES = {
  reward_distribution_v1: 60,
  tokens_fee_v1: 60,
  data_deposit_fee_v1: 60,
  orders_v1: 100,
  token_id_generation_v1: 100,
};
const parse = (description: unknown) => networkFromObject(description, 'here');

test('the network of a chain file is the known one that starts from the same genesis', () => {
  for (const network of KNOWN_NETWORKS) {
    const { genesis, genesisId: id } = network;
    assert.equal(networkFromChainFile({ genesis, id }), network === signet ? regtest : network);
  }
});

test('the network of a chain file is what its first line says, with the rest from the base', () => {
  const network = networkFromChainFile({
    genesis: regtestPos.genesis,
    id: regtestPos.genesisId,
    network: { base: 'regtest', upgrades: UPGRADES },
  });
  assert.deepEqual(atHeights(rewardDistributionVersionAt, network, [59, 60]), [0, 1]);
  assert.deepEqual(atHeights(ordersVersionAt, network, [99, 100]), [0, 1]);
  assert.equal(network.genesisId, regtestPos.genesisId);
  assert.equal(network.name, 'regtest');
  assert.equal(maturityAt(network, 1), 2000);
});

test('the network of a chain file is regtest when the genesis is one of its own', () => {
  const plain = networkFromChainFile({ genesis: '000000' });
  assert.deepEqual(plain, { ...regtest, genesis: '000000', genesisId: plain.genesisId });
  const genesis = regtestPos.genesis.replace('0003240ac061', '0003250ac061');
  const withPool = networkFromChainFile({ genesis });
  assert.deepEqual(withPool, { ...regtestPos, name: 'regtest', genesis, genesisId: withPool.genesisId });
  assert.notEqual(withPool.genesisId, regtestPos.genesisId);
});

test('the network of a chain file is not there without a genesis', () => {
  assert.throws(() => networkFromChainFile({}), /"genesis" is missing/);
  assert.throws(() => networkFromChainFile({ genesis: '00' }), /"genesis" is not a genesis/);
  assert.throws(() => networkFromChainFile({ block: '01' }), /"genesis" is missing/);
  assert.throws(() => networkFromChainFile(null), /expected an object/);
});

test("a network of one's own is its base where it says nothing", () => {
  assert.deepEqual(parse({ base: 'mainnet' }), mainnet);
  assert.deepEqual(parse({ base: 'regtest' }), regtest);
});

test("a network of one's own differs from its base in what it says", () => {
  const network = parse({
    base: 'mainnet',
    name: 'ours',
    genesis: '000000',
    coin_ticker: 'OUR',
    coin_decimals: 8,
    magic: 'AABBCC00',
    rpc_port: 1,
    p2p_port: 2,
    prefixes: { pool_id: 'opool', public_key_hash: 'our' },
    upgrades: { orders_v1: 7 },
    consensus: [
      { height: 0, type: 'None' },
      { height: 3, type: 'PoS', maturity: 9 },
    ],
    subsidy: [
      { height: 1, atoms: '500' },
      { height: 10, atoms: '0' },
    ],
    final_supply: '5000',
  });
  assert.deepEqual(network, {
    ...mainnet,
    name: 'ours',
    genesis: '000000',
    genesisId: network.genesisId,
    coinTicker: 'OUR',
    coinDecimals: 8,
    magic: 'aabbcc00',
    rpcPort: 1,
    p2pPort: 2,
    prefixes: { ...mainnet.prefixes, poolId: 'opool', publicKeyHash: 'our' },
    upgrades: { ...mainnet.upgrades, ordersV1: 7 },
    consensus: [
      { height: 0, type: 'None', maturity: 0 },
      { height: 3, type: 'PoS', maturity: 9 },
    ],
    subsidy: [
      { height: 1, atoms: 500n },
      { height: 10, atoms: 0n },
    ],
    finalSupply: 5_000n,
  });
  assert.deepEqual(atHeights(subsidyAt, network, [0, 1, 9, 10]), [0n, 500n, 500n, 0n]);
  assert.deepEqual(atHeights(maturityAt, network, [2, 3]), [0, 9]);
  assert.equal(mainnet.upgrades.ordersV1, 517_700);
});

test("a network of one's own has the final supply that its premine and its subsidy add up to", () => {
  const subsidy = [
    { height: 1, atoms: '500' },
    { height: 10, atoms: '7' },
    { height: 13, atoms: '0' },
  ];
  const premine = 400_000_000n * 10n ** 11n;
  const emitted = 9n * 500n + 3n * 7n;
  assert.equal(parse({ base: 'regtest', subsidy }).finalSupply, premine + emitted);
  assert.equal(parse({ base: 'testnet', subsidy }).finalSupply, premine + emitted, 'what the node does not count');
  assert.equal(parse({ base: 'regtest', genesis: '000000', subsidy }).finalSupply, emitted);
  assert.equal(parse({ base: 'regtest', genesis: '000000', subsidy, final_supply: '5000' }).finalSupply, 5_000n);
  // Without a subsidy of its own the emission is the base's, premine included, whatever the genesis pays out.
  assert.equal(parse({ base: 'regtest', genesis: '000000' }).finalSupply, 599_990_800n * 10n ** 11n);
  const genesis = regtestPos.genesis.replace('0003240ac061', '0003250ac061');
  const pledge = 40_000n * 10n ** 11n;
  assert.equal(parse({ base: 'regtest', genesis, subsidy }).finalSupply, premine + pledge + emitted);
  // An emission without an end counts until its last step, and one from height 0 from the first block.
  const fromZero = { height: 0, atoms: '5' };
  assert.equal(parse({ base: 'regtest', subsidy: [fromZero] }).finalSupply, premine);
  const ending = [fromZero, { height: 3, atoms: '0' }];
  assert.equal(parse({ base: 'regtest', subsidy: ending }).finalSupply, premine + 10n);
});

const REFUSED: [unknown, RegExp][] = [
  [[], /here: expected an object/],
  [{}, /"base" is missing/],
  [{ base: 'moonnet' }, /no network "moonnet"/],
  [{ base: 'regtest', upgrade: {} }, /"upgrade" is unknown; expected base, /],
  [{ base: 'regtest', upgrades: { orders_v2: 1 } }, /"upgrades": "orders_v2" is unknown/],
  [{ base: 'regtest', upgrades: { orders_v1: '1' } }, /"orders_v1" must be an integer from 0 to \d+, found "1"/],
  [{ base: 'regtest', upgrades: { orders_v1: -1 } }, /"orders_v1" must be an integer/],
  [{ base: 'regtest', upgrades: 3 }, /"upgrades": expected an object/],
  [{ base: 'regtest', name: '' }, /"name" must be a text, found ""/],
  [{ base: 'regtest', genesis: '0' }, /"genesis" must be hex digits/],
  [{ base: 'regtest', genesis: '00' }, /"genesis" is not a genesis: expected a timestamp at byte 1/],
  [{ base: 'regtest', magic: 'aabb' }, /"magic" must be 8 hex digits/],
  [{ base: 'regtest', rpc_port: 70_000 }, /"rpc_port" must be an integer from 0 to 65535/],
  [{ base: 'regtest', prefixes: { pool_id: 'POOL' } }, /"pool_id" must be at most 83 printable characters/],
  [{ base: 'regtest', prefixes: { pool_id: 'rmltk' } }, /two kinds of addresses have the prefix "rmltk"/],
  [{ base: 'regtest', consensus: [] }, /"consensus" must be a list that is not empty/],
  [
    { base: 'regtest', consensus: [{ type: 'PoX' }] },
    /"consensus" at 0: "type" must be one of None, PoW, PoS, found "PoX"/,
  ],
  [{ base: 'regtest', subsidy: [{ height: 1, atoms: 5 }] }, /"atoms" must be atoms as a decimal text, found 5/],
  [{ base: 'regtest', final_supply: 5 }, /"final_supply" must be atoms as a decimal text, found 5/],
  [{ base: 'regtest', subsidy: [{ height: 1, atoms: '9'.repeat(39) }] }, /"atoms" must be/],
  [
    {
      base: 'regtest',
      subsidy: [
        { height: 2, atoms: '1' },
        { height: 2, atoms: '1' },
      ],
    },
    /"subsidy": heights must ascend/,
  ],
];
for (const [description, message] of REFUSED) {
  test(`a network of one's own is refused with ${JSON.stringify(description)}`, () => {
    assert.throws(
      () => parse(description),
      (error: Error) => error.name === 'NetworkError' && message.test(error.message),
    );
  });
}
