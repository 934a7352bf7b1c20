import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  KNOWN_NETWORKS,
  mainnet,
  networkByName,
  regtest,
  regtestPos,
  signet,
  testnet,
} from '../../../src/chain/networks/known-networks.ts';
import {
  burnedFeesAt,
  maturityAt,
  type Network,
  ordersVersionAt,
  rewardDistributionVersionAt,
  subsidyAt,
  tokenIdGenerationAt,
} from '../../../src/chain/networks/network.ts';
import { atHeights } from './at-heights.ts';

const dataDepositFeeAt = (network: Network, height: number) => burnedFeesAt(network, height).dataDeposit;

interface RecordedNetwork {
  readonly network: string;
  readonly genesis: string;
  readonly id: string;
  readonly ticker: string;
  readonly decimals: number;
  readonly magic: string;
  readonly subsidy: [number, string][];
}

const recorded = readFileSync(new URL('../../golden/genesis-of-each-network.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedNetwork);

for (const expected of recorded) {
  test(`${expected.network} is what a real node says of it`, () => {
    const network = networkByName(expected.network);
    assert.equal(network.genesis, expected.genesis);
    assert.equal(network.genesisId, expected.id);
    assert.equal(network.coinTicker, expected.ticker);
    assert.equal(network.coinDecimals, expected.decimals);
    assert.equal(network.magic, expected.magic);
    for (const [height, atoms] of expected.subsidy)
      assert.equal(subsidyAt(network, height), BigInt(atoms), `${height}`);
  });
}

test('every recorded network is known, and no other', () => {
  assert.deepEqual(KNOWN_NETWORKS.map(({ name }) => name).sort(), recorded.map(({ network }) => network).sort());
  assert.throws(() => networkByName('moonnet'), /there is no network "moonnet"\. Known are mainnet, testnet/);
});

test('the subsidy changes one block after a year is full', () => {
  const coins = [202n, 151n, 113n, 85n, 64n, 48n, 36n, 27n, 20n, 15n, 0n];
  coins.slice(1).forEach((next, year) => {
    const last = (year + 1) * 262_800;
    assert.equal(subsidyAt(mainnet, last), coins[year]! * 10n ** 11n);
    assert.equal(subsidyAt(mainnet, last + 1), next * 10n ** 11n);
  });
  assert.equal(subsidyAt(mainnet, 1_000_000_000), 0n);
});

test('the subsidy is nothing for the genesis', () => assert.equal(subsidyAt(mainnet, 0), 0n));

test('the subsidy adds up to 599,990,800 coins with the genesis', () => {
  let total = 400_000_000n * 10n ** 11n;
  for (let year = 0; year < 10; year++) total += 262_800n * subsidyAt(mainnet, year * 262_800 + 1);
  assert.equal(total, 599_990_800n * 10n ** 11n);
});

test('the rules change at their heights on mainnet', () => {
  assert.deepEqual(atHeights(maturityAt, mainnet, [0, 1]), [0, 7200]);
  assert.equal(rewardDistributionVersionAt(mainnet, 1), 1);
  assert.deepEqual(atHeights(ordersVersionAt, mainnet, [517_699, 517_700]), [0, 1]);
  assert.deepEqual(atHeights(tokenIdGenerationAt, mainnet, [517_699, 517_700]), [0, 1]);
  assert.deepEqual(atHeights(dataDepositFeeAt, mainnet, [254_739, 254_740]), [100n * 10n ** 11n, 20n * 10n ** 11n]);
});

test('the rules change at their heights on testnet', () => {
  assert.deepEqual(atHeights(maturityAt, testnet, [0, 1, 78_439, 78_440]), [0, 2000, 2000, 7200]);
  assert.deepEqual(atHeights(rewardDistributionVersionAt, testnet, [138_243, 138_244]), [0, 1]);
  assert.deepEqual(atHeights(ordersVersionAt, testnet, [566_059, 566_060]), [0, 1]);
  assert.deepEqual(atHeights(tokenIdGenerationAt, testnet, [566_059, 566_060]), [0, 1]);
  assert.deepEqual(atHeights(dataDepositFeeAt, testnet, [297_549, 297_550]), [100n * 10n ** 11n, 20n * 10n ** 11n]);
});

test('the rules change at their heights not at all on regtest and signet', () => {
  for (const network of [regtest, regtestPos, signet]) {
    assert.equal(ordersVersionAt(network, 0), 1);
    assert.equal(rewardDistributionVersionAt(network, 0), 1);
    assert.equal(tokenIdGenerationAt(network, 0), 1);
  }
  const maturities = [regtest, regtestPos, signet].map((network) => maturityAt(network, 10));
  assert.deepEqual(maturities, [0, 2000, 0]);
});

test('the rules change at their heights for the fees of tokens', () => {
  const coins = (count: bigint) => count * 10n ** 11n;
  assert.deepEqual(burnedFeesAt(testnet, 138_243), {
    issueFungibleToken: coins(100n),
    issueNft: coins(100n),
    tokenSupplyChange: coins(100n),
    tokenFreeze: coins(100n),
    tokenChangeAuthority: coins(100n),
    tokenChangeMetadataUri: coins(20n),
    dataDeposit: coins(100n),
  });
  assert.deepEqual(burnedFeesAt(testnet, 297_550), {
    issueFungibleToken: coins(100n),
    issueNft: coins(5n),
    tokenSupplyChange: coins(50n),
    tokenFreeze: coins(50n),
    tokenChangeAuthority: coins(20n),
    tokenChangeMetadataUri: coins(20n),
    dataDeposit: coins(20n),
  });
});
