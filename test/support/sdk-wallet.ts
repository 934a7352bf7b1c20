/** A wallet for the SDK: keys from a mnemonic, signing with the SDK's own signer, and a way to fill it with coins. */
import { readFileSync } from 'node:fs';
import type { AccountProvider } from '@mintlayer/sdk';
import * as wasm from '@mintlayer/wasm-lib';
import { parseDestination } from '../../src/chain/address.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { networkFromObject } from '../../src/chain/networks/custom-network.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import type { SignedTransaction } from '../../src/chain/types.ts';
import type { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { sdk } from './client-checkouts.ts';
import type { Scope } from './file-scope.ts';
import { WholeStack } from './whole-stack.ts';

const TESTNET = wasm.Network.Testnet;
const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
export const ATOMS_PER_COIN = 10n ** 11n;

// The SDK would fetch the codec by its file's URL, which Node's fetch cannot.
wasm.initSync({ module: readFileSync(new URL(import.meta.resolve('@mintlayer/wasm-lib/wasm_wrappers_bg.wasm'))) });

const { prefixes } = networkByName('testnet');

/** A chain of its own with the addresses of the testnet, and with the order commands that the SDK knows. */
const customNetwork = networkFromObject(
  {
    base: 'regtest',
    name: 'sdk-testnet',
    genesis: networkByName('regtest-pos').genesis,
    coin_ticker: 'TML',
    prefixes: {
      anyone_can_spend: prefixes.anyoneCanSpend,
      public_key_hash: prefixes.publicKeyHash,
      public_key: prefixes.publicKey,
      script_hash: prefixes.scriptHash,
      classic_multisig: prefixes.classicMultisig,
      pool_id: prefixes.poolId,
      delegation_id: prefixes.delegationId,
      token_id: prefixes.tokenId,
      order_id: prefixes.orderId,
      vrf_public_key: prefixes.vrfPublicKey,
    },
    upgrades: { orders_v1: 1_000_000 },
  },
  'the network of the SDK',
);
/** Its name, which the number of the network in a batch stands for, is taken. */
export const SDK_NETWORK = { ...customNetwork, name: 'testnet' };

/** Each test file moves its own on. */
export const startSdkStack = (scope: Scope): Promise<WholeStack> =>
  WholeStack.start(scope, { network: SDK_NETWORK, seed: 'sdk', blocks: 60 });

export interface SdkWallet {
  readonly receiving: string;
  readonly change: string;
  readonly provider: AccountProvider;
}

export function sdkWallet(): SdkWallet {
  const account = wasm.make_default_account_privkey(MNEMONIC, TESTNET);
  const keys = [wasm.make_receiving_address(account, 0), wasm.make_change_address(account, 0)];
  const addresses = keys.map((key) =>
    wasm.pubkey_to_pubkeyhash_address(wasm.public_key_from_private_key(key), TESTNET),
  );
  const [receiving, change] = addresses as [string, string];
  const signer = new sdk.Signer(Object.fromEntries(addresses.map((address, i) => [address, keys[i]!])));
  const connected = {
    addressesByChain: {
      mintlayer: { receiving: [receiving], change: [change], publicKeys: { receiving: [], change: [] } },
    },
  };
  const provider: AccountProvider = {
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's type says less than it reads
    connect: async () => connected as any,
    restore: async () => ({}),
    disconnect: async () => {},
    request: async (method, { txData }) => {
      if (method !== 'signTransaction') throw new Error(`the wallet does not know ${method}`);
      return signer.sign(txData);
    },
  };
  return { receiving, change, provider };
}

/** A transaction of somebody on the chain who pays an address so many coins, each payment an output of its own. */
export function payment({ network, simulation }: SimulatedNode, address: string, coins: readonly bigint[]): Buffer {
  const { world } = simulation;
  const destination = parseDestination(network, address);
  const total = coins.reduce((sum, each) => sum + each, 0n) * ATOMS_PER_COIN;
  const fee = ATOMS_PER_COIN;
  const source = world.coins.items.find(({ amount }) => amount > total + fee);
  if (source === undefined) throw new Error('nobody on the chain has so much');
  const outputs = coins.map(
    (each) => ({ type: 'Transfer', value: { type: 'Coin', amount: each * ATOMS_PER_COIN }, destination }) as const,
  );
  const signed: SignedTransaction = {
    transaction: {
      flags: 0n,
      inputs: [{ type: 'Utxo', outpoint: source.outpoint }],
      outputs: [
        ...outputs,
        {
          type: 'Transfer',
          value: { type: 'Coin', amount: source.amount - total - fee },
          destination: source.destination,
        },
      ],
    },
    signatures: [world.userKeys.witness(source.destination)],
  };
  return encodeSignedTransaction(signed);
}
