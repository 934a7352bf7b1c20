/**
 * Custom networks: the contents of a JSON file, or of the `network` object in the first line of a recorded chain.
 *
 * ```json
 * {
 *   "base": "regtest",
 *   "name": "my-devnet",
 *   "genesis": "0003240ac061…",
 *   "coin_ticker": "DML", "coin_decimals": 11, "magic": "aabbccdd", "rpc_port": 23030, "p2p_port": 23031,
 *   "prefixes": { "public_key_hash": "dmt", "pool_id": "dpool" },
 *   "upgrades": { "reward_distribution_v1": 60, "tokens_fee_v1": 60, "data_deposit_fee_v1": 60,
 *                 "orders_v1": 100, "token_id_generation_v1": 100, "kernel_of_own_pool": 100 },
 *   "consensus": [{ "height": 0, "type": "None" }, { "height": 1, "type": "PoS", "maturity": 2000 }],
 *   "subsidy": [{ "height": 1, "atoms": "20200000000000" }, { "height": 262801, "atoms": "15100000000000" }],
 *   "final_supply": "59999080000000000000"
 * }
 * ```
 *
 * Only `base` is required, the name of a known network, which has the values of absent fields. `upgrades` names the heights from
 * which the newer rules hold, `consensus` and `subsidy` what holds from a height on. `final_supply`, the atoms there will be at
 * last, follows from the rest (docs/protocol.md#final-supply): it is for a node that counts otherwise. The further prefixes are
 * `anyone_can_spend`, `public_key`, `script_hash`, `classic_multisig`, `delegation_id`, `token_id`, `order_id` and
 * `vrf_public_key`. A genesis that creates a pool makes the base `regtest` one with proof of stake from height 1.
 */

import { decodeGenesis } from '../codec/genesis.ts';
import { hash } from '../hash.ts';
import { createsPool } from '../input-and-output-kinds.ts';
import { bytesFromHex } from '../scale/hex.ts';
import type { Atoms, Hex, TxOutput } from '../types.ts';
import { FieldReader } from './json-object-reader.ts';
import { KNOWN_NETWORKS, networkByName, PREMINE, regtest, regtestPos } from './known-networks.ts';
import { type ConsensusUpgrade, finalSupplyOf, type Network, NetworkError, type SubsidyStep } from './network.ts';

/**
 * The network of a recorded chain by its first line, `genesis` and `network`. Without `network` it is the known network
 * of that genesis (plain regtest rather than signet, which starts from the same one) or, with a genesis of its own,
 * regtest from that. Throws NetworkError.
 */
export function networkFromChainFile(firstLine: unknown): Network {
  const where = 'first line of the chain file';
  const line = new FieldReader(firstLine, where);
  const genesis = line.hex('genesis');
  if (genesis === undefined) throw new NetworkError(`${where}: "genesis" is missing`);
  const description = line.object('network');
  if (description) return networkFromObject({ genesis, ...description.record }, `${where}, "network"`);
  const known = KNOWN_NETWORKS.find((network) => network.genesis === genesis);
  return known ?? networkFromObject({ base: 'regtest', genesis }, where);
}

/** The network that the description stands for; `where` starts the message of a NetworkError. */
export function networkFromObject(description: unknown, where: string): Network {
  const fields = new FieldReader(description, where);
  const baseName = fields.text('base');
  if (baseName === undefined)
    throw new NetworkError(`${where}: "base" is missing, the known network that it differs from`);
  const named = networkByName(baseName);
  const genesis = genesisOf(fields, named, where);
  const base = named === regtest && decodeGenesis(genesis.genesis).outputs.some(createsPool) ? regtestPos : named;

  const upgrades = fields.object('upgrades');
  const prefixes = fields.object('prefixes');
  const network: Network = {
    name: fields.text('name') ?? named.name,
    coinTicker: fields.text('coin_ticker') ?? base.coinTicker,
    coinDecimals: fields.integer('coin_decimals', 255) ?? base.coinDecimals,
    magic: fields.hex('magic', 4) ?? base.magic,
    rpcPort: fields.integer('rpc_port', 0xffff) ?? base.rpcPort,
    p2pPort: fields.integer('p2p_port', 0xffff) ?? base.p2pPort,
    prefixes: overridden(base.prefixes, (key) => prefixes?.addressPrefix(key)),
    ...genesis,
    consensus: fields.list('consensus')?.map(consensusUpgrade) ?? base.consensus,
    ...emissionOf(fields, base, genesis.genesis),
    upgrades: overridden(base.upgrades, (key) => upgrades?.integer(key)),
  };
  upgrades?.refuseOthers();
  prefixes?.refuseOthers();
  fields.refuseOthers();
  checkPrefixesDiffer(network, where);
  checkAscending(network.consensus, `${where}: "consensus"`);
  checkAscending(network.subsidy, `${where}: "subsidy"`);
  return network;
}

/** The base's values, replaced where `read` finds one under the file's name of the key: `poolId` is `pool_id` there. */
function overridden<T extends object>(base: T, read: (name: string) => T[keyof T & string] | undefined): T {
  const result = { ...base };
  for (const key of Object.keys(base) as (keyof T & string)[]) {
    const value = read(key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    if (value !== undefined) result[key] = value;
  }
  return result;
}

function genesisOf(fields: FieldReader, base: Network, where: string): Pick<Network, 'genesis' | 'genesisId'> {
  const genesis = fields.hex('genesis');
  if (genesis === undefined) return { genesis: base.genesis, genesisId: base.genesisId };
  try {
    decodeGenesis(genesis);
  } catch (error) {
    throw new NetworkError(`${where}: "genesis" is not a genesis: ${(error as Error).message}`, { cause: error });
  }
  return { genesis, genesisId: hash(bytesFromHex(genesis)) };
}

/** The subsidy and what it adds up to. A node counts the base's premine unless it was given an emission of its own. */
function emissionOf(fields: FieldReader, base: Network, genesis: Hex): Pick<Network, 'subsidy' | 'finalSupply'> {
  const own = fields.list('subsidy')?.map(subsidyStep);
  const stated = fields.optionalAtoms('final_supply');
  if (own === undefined) return { subsidy: base.subsidy, finalSupply: stated ?? base.finalSupply };
  const premine = genesis === base.genesis ? PREMINE : coinsOf(decodeGenesis(genesis).outputs);
  return { subsidy: own, finalSupply: stated ?? finalSupplyOf(premine, own) };
}

/** The atoms of coins in these outputs, pledges included. */
function coinsOf(outputs: readonly TxOutput[]): Atoms {
  return outputs.reduce((sum, output) => {
    if (createsPool(output)) return sum + output.data.pledge;
    return 'value' in output && output.value.type === 'Coin' ? sum + output.value.amount : sum;
  }, 0n);
}

function consensusUpgrade(step: FieldReader): ConsensusUpgrade {
  const upgrade = {
    height: step.integer('height') ?? 0,
    type: step.oneOf('type', ['None', 'PoW', 'PoS'] as const),
    maturity: step.integer('maturity') ?? 0,
  };
  step.refuseOthers();
  return upgrade;
}

function subsidyStep(step: FieldReader): SubsidyStep {
  const subsidy = { height: step.integer('height') ?? 0, atoms: step.atoms('atoms') };
  step.refuseOthers();
  return subsidy;
}

function checkPrefixesDiffer({ prefixes }: Network, where: string): void {
  const seen = new Set<string>();
  for (const prefix of Object.values(prefixes)) {
    if (seen.has(prefix)) throw new NetworkError(`${where}: two kinds of addresses have the prefix "${prefix}"`);
    seen.add(prefix);
  }
}

function checkAscending(steps: readonly { readonly height: number }[], where: string): void {
  for (let i = 1; i < steps.length; i++) {
    if (steps[i]!.height <= steps[i - 1]!.height) throw new NetworkError(`${where}: heights must ascend`);
  }
}
