/** The known networks (docs/protocol.md#known-networks). */
import { hash } from '../hash.ts';
import type { Hex } from '../types.ts';
import type { AddressPrefixes, ConsensusUpgrade, Network, SubsidyStep } from './network.ts';
import { ATOMS_PER_COIN, finalSupplyOf, NetworkError } from './network.ts';

const BLOCKS_PER_YEAR = 262_800;
/** Coins per block in the first year, the second, … */
const SUBSIDY_BY_YEAR = [202n, 151n, 113n, 85n, 64n, 48n, 36n, 27n, 20n, 15n, 0n];

/** A year's subsidy starts one block after the multiple of the blocks of a year. */
const SUBSIDY: readonly SubsidyStep[] = SUBSIDY_BY_YEAR.map((coins, year) => ({
  height: year * BLOCKS_PER_YEAR + 1,
  atoms: coins * ATOMS_PER_COIN,
}));

const NO_CONSENSUS: ConsensusUpgrade = { height: 0, type: 'None', maturity: 0 };

const MAINNET_GENESIS = [
  '9104496e206120667265652d6d61726b65742065636f6e6f6d792c20657665727920696e646976696475616c2073686f756c6420',
  '6265206672656520746f2070726f647563652c2073746f72652c2065786368616e67652061737365747320616e64206163636573',
  '732066696e616e6369616c206d61726b65747320776974686f757420616e7920636f6e73747261696e74733b0a20202020202020',
  '20363737376562383666303536346361653131363432383632386661383036363137663636356338373739636438373166353032',
  '363739346238313631393839653b2038323738303020303030303030303030303030303030303030303362336634306133633666',
  '353264666464363063306662303932616362393764333036353862323566303533630330a4b665080000170000dfb71f05f92a02',
  '017b5de99b602eeaae0fe02615eb624169edec1f9203000000000000000000000000000000000000000000000000000000000000',
  '00000f0000c16ff286230200026c8621e9b0cbe2a9fd6ed86a45969191e45dd8c59b8e1a55bf0983f56a0ecc6c006ed44aeacbc2',
  'e2a87edd4862863b0c3dec29a33cf6e3edd2049545d547dedb7601add92ee6e5b953e13c112260a7daf7f8f1c4ffd2320000',
].join('');

const TESTNET_GENESIS = [
  '0003d0d0c4640800001700006e5badd9b90e14020003e9d79eb6487c28dad9679461faa1ffcdbc52a10033e1ad625101a97db1ba',
  '8edd0300000000000000000000000000000000000000000000000000000000000000000f00001a93fa350e0200039d905e919a49',
  'd42af16daf8719bde9a8745624affe299ddc7c5ce8091b60e41e002895247c82f904ce01b13c89f17fecb7b670b4f3271a7f0459',
  'ad32056734757b02000290acefad24844c5ac7ac2fef3e4df86a089f37df8abf39c6c41a3517287855f2e80300',
].join('');

/** The genesis of signet and of regtest without staking. */
const PLAIN_GENESIS = '0003240ac061040000170000a027128c1c2b0200';

const REGTEST_POS_GENESIS = [
  '0003240ac061080000170000a027128c1c2b020003123c4c600097c513e088b9be62069f0c74c7671c523c8e3469a1c3f14b7ea2',
  'c40f00001a93fa350e020003c53526caf73cd990148e127cb57249a5e266d78df23968642c976a532197fdaa00fa2f59dc7a7e17',
  '6058e4f2d155cfa03ee007340e0285447892158823d332f744020003c53526caf73cd990148e127cb57249a5e266d78df2396864',
  '2c976a532197fdaae80300',
].join('');

/**
 * The premine that the emission is added to. The genesis of testnet and of regtest-pos pays out more, which the node does not
 * count.
 */
export const PREMINE = 400_000_000n * ATOMS_PER_COIN;

/** The parts that all networks share. */
const COMMON = { coinDecimals: 11, subsidy: SUBSIDY, finalSupply: finalSupplyOf(PREMINE, SUBSIDY) };

const ALL_FROM_START = {
  rewardDistributionV1: 0,
  tokensFeeV1: 0,
  dataDepositFeeV1: 0,
  ordersV1: 0,
  tokenIdGenerationV1: 0,
  kernelOfOwnPool: 0,
};

export const mainnet: Network = {
  ...COMMON,
  name: 'mainnet',
  coinTicker: 'ML',
  magic: 'b0075fa0',
  rpcPort: 3030,
  p2pPort: 3031,
  prefixes: prefixes('m', 'mtc', 'mptc', 'mstc', 'mmtc'),
  ...genesis(MAINNET_GENESIS),
  consensus: [NO_CONSENSUS, { height: 1, type: 'PoS', maturity: 7200 }],
  upgrades: {
    rewardDistributionV1: 0,
    tokensFeeV1: 0,
    dataDepositFeeV1: 254_740,
    ordersV1: 517_700,
    tokenIdGenerationV1: 517_700,
    kernelOfOwnPool: 999_999_999,
  },
};

export const testnet: Network = {
  ...COMMON,
  name: 'testnet',
  coinTicker: 'TML',
  magic: '2b7e19f8',
  rpcPort: 13030,
  p2pPort: 13031,
  prefixes: prefixes('t', 'tmt', 'tpmt', 'tstc', 'tmtc'),
  ...genesis(TESTNET_GENESIS),
  consensus: [
    NO_CONSENSUS,
    { height: 1, type: 'PoS', maturity: 2000 },
    { height: 78_440, type: 'PoS', maturity: 7200 },
  ],
  upgrades: {
    rewardDistributionV1: 138_244,
    tokensFeeV1: 138_244,
    dataDepositFeeV1: 297_550,
    ordersV1: 566_060,
    tokenIdGenerationV1: 566_060,
    kernelOfOwnPool: 787_640,
  },
};

/** Regtest as a node starts it without options. */
export const regtest: Network = {
  ...COMMON,
  name: 'regtest',
  coinTicker: 'RML',
  magic: 'aabbccdd',
  rpcPort: 23030,
  p2pPort: 23031,
  prefixes: prefixes('r', 'rmt', 'rpmt', 'rstc', 'rmtc'),
  ...genesis(PLAIN_GENESIS),
  consensus: [NO_CONSENSUS, { height: 1, type: 'PoW', maturity: 0 }],
  upgrades: ALL_FROM_START,
};

/** Regtest with proof of stake from height 1 (the node's `--chain-pos-netupgrades=1`). */
export const regtestPos: Network = {
  ...regtest,
  name: 'regtest-pos',
  ...genesis(REGTEST_POS_GENESIS),
  consensus: [NO_CONSENSUS, { height: 1, type: 'PoS', maturity: 2000 }],
};

export const signet: Network = {
  ...COMMON,
  name: 'signet',
  coinTicker: 'SML',
  magic: 'f3f77b45',
  rpcPort: 33030,
  p2pPort: 33031,
  prefixes: prefixes('s', 'smt', 'spmt', 'sstc', 'smtc'),
  ...genesis(PLAIN_GENESIS),
  consensus: [NO_CONSENSUS],
  upgrades: ALL_FROM_START,
};

/**
 * The known networks in the order in which a genesis is looked up: plain regtest before signet, which has the same
 * genesis.
 */
export const KNOWN_NETWORKS: readonly Network[] = [mainnet, testnet, regtest, regtestPos, signet];

/** The network of that name. Throws NetworkError. */
export function networkByName(name: string): Network {
  const network = KNOWN_NETWORKS.find((known) => known.name === name);
  if (network) return network;
  const names = KNOWN_NETWORKS.map((known) => known.name).join(', ');
  throw new NetworkError(`there is no network "${name}". Known are ${names}`);
}

function genesis(encoded: Hex): Pick<Network, 'genesis' | 'genesisId'> {
  return { genesis: encoded, genesisId: hash(Buffer.from(encoded, 'hex')) };
}

/** The prefixes of most kinds differ by their first letter only. */
function prefixes(
  letter: string,
  publicKeyHash: string,
  publicKey: string,
  scriptHash: string,
  classicMultisig: string,
): AddressPrefixes {
  return {
    anyoneCanSpend: `${letter}xanyonecanspend`,
    publicKeyHash,
    publicKey,
    scriptHash,
    classicMultisig,
    poolId: `${letter}pool`,
    delegationId: `${letter}delg`,
    tokenId: `${letter}mltk`,
    orderId: `${letter}ordr`,
    vrfPublicKey: `${letter}vrfpk`,
  };
}
