/** The rules and constants of the networks against the protocol's own code, compiled to WebAssembly from the node's sources. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import * as wasm from '@mintlayer/wasm-lib';
import fc from 'fast-check';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  parseDestination,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { effectiveStake } from '../../../src/chain/effective-stake.ts';
import { mainnet, regtest, regtestPos, signet, testnet } from '../../../src/chain/networks/known-networks.ts';
import { type BurnedFees, burnedFeesAt, maturityAt, type Network } from '../../../src/chain/networks/network.ts';

/** The networks with the library's numbers of them. It knows one regtest, which has no proof of stake. */
const NETWORKS: readonly (readonly [Network, wasm.Network])[] = [
  [mainnet, wasm.Network.Mainnet],
  [testnet, wasm.Network.Testnet],
  [regtest, wasm.Network.Regtest],
  [regtestPos, wasm.Network.Regtest],
  [signet, wasm.Network.Signet],
];

before(() => {
  wasm.initSync({ module: readFileSync(new URL(import.meta.resolve('@mintlayer/wasm-lib/wasm_wrappers_bg.wasm'))) });
});

function stakeOfNode(network: wasm.Network, pledge: bigint, total: bigint): bigint {
  const amounts = [pledge, total].map((atoms) => wasm.Amount.from_atoms(`${atoms}`)) as [wasm.Amount, wasm.Amount];
  return BigInt(wasm.effective_pool_balance(network, ...amounts).atoms());
}

for (const [network, number] of NETWORKS) {
  test(`the effective stakes of ${network.name} are the node's for 1,000 random pairs of pledge and total`, () => {
    const upTo = (max: bigint) => fc.bigInt({ min: 0n, max });
    const cap = network.finalSupply / 1_000n;
    const atCap = upTo(10n).map((n) => cap + n - 5n);
    const total = fc.oneof(upTo(2n * cap), upTo(network.finalSupply - 1n), upTo(10n ** 6n), atCap);
    const pair = total.chain((all) => fc.tuple(fc.oneof(upTo(all), fc.constant(all)), fc.constant(all)));
    fc.assert(
      fc.property(pair, ([pledge, all]) => {
        assert.equal(effectiveStake(network.finalSupply, pledge, all - pledge), stakeOfNode(number, pledge, all));
      }),
      { numRuns: 1_000 },
    );
  });

  test(`the final supply of ${network.name} is the least stake that the node has no weight for`, () => {
    const { finalSupply } = network;
    assert.equal(finalSupply, 599_990_800n * 10n ** 11n);
    assert.equal(stakeOfNode(number, finalSupply - 1n, finalSupply - 1n), finalSupply / 1_000n);
    const refused = (error: unknown) => `${error}`.includes('cannot be greater than total supply');
    assert.throws(() => stakeOfNode(number, finalSupply, finalSupply), refused);
  });

  test(`the burned fees and maturities of ${network.name} are the node's before and after each change`, () => {
    const changes = [...network.consensus.map(({ height }) => height), ...Object.values(network.upgrades)];
    for (const change of changes) {
      for (const height of [change - 1, change, change + 1]) {
        if (height < 1) continue;
        assert.deepEqual(burnedFeesAt(network, height), feesOfNode(BigInt(height), number), `${height}`);
        if (network === regtestPos) continue;
        const maturity = Number(wasm.staking_pool_spend_maturity_block_count(BigInt(height), number));
        assert.equal(maturityAt(network, height), maturity, `${height}`);
      }
    }
  });

  test(`the addresses of ${network.name} are the node's, and no other network's`, () => {
    const id = createHash('sha256').update(network.name).digest('hex');
    const secret = Buffer.concat([Buffer.of(0), Buffer.from(id, 'hex')]);
    const publicKey = Buffer.from(wasm.public_key_from_private_key(secret)).toString('hex');
    const amount = () => wasm.Amount.from_atoms('1');
    const pay = (to: string) => (on: wasm.Network) => wasm.encode_output_transfer(amount(), to, on);
    const destinations = ['00', `01${id.slice(24)}`, `02${publicKey}`, `03${id}`, `04${id.slice(24)}`];
    const uses: [encoded: string, use: (on: wasm.Network) => Uint8Array][] = [
      ...destinations.map((each): (typeof uses)[0] => [each, pay(destinationAddress(network, each))]),
      [id, (on) => wasm.encode_output_token_burn(amount(), tokenAddress(network, id), on)],
      [id, (on) => wasm.encode_output_delegate_staking(amount(), delegationAddress(network, id), on)],
      [id, (on) => wasm.encode_input_for_conclude_order(orderAddress(network, id), 0n, on)],
      [
        id,
        (on) => wasm.encode_output_create_delegation(poolAddress(network, id), destinationAddress(network, '00'), on),
      ],
    ];
    for (const [encoded, use] of uses) {
      assert.ok(Buffer.from(use(number)).toString('hex').includes(encoded), encoded);
      assert.throws(() => use((number + 1) % 4), encoded);
    }
    const keyHash = wasm.pubkey_to_pubkeyhash_address(Buffer.from(publicKey, 'hex'), number);
    assert.equal(destinationAddress(network, parseDestination(network, keyHash)), keyHash);
  });
}

function feesOfNode(height: bigint, network: wasm.Network): BurnedFees {
  const atoms = (amount: wasm.Amount) => BigInt(amount.atoms());
  return {
    issueFungibleToken: atoms(wasm.fungible_token_issuance_fee(height, network)),
    issueNft: atoms(wasm.nft_issuance_fee(height, network)),
    tokenSupplyChange: atoms(wasm.token_supply_change_fee(height, network)),
    tokenFreeze: atoms(wasm.token_freeze_fee(height, network)),
    tokenChangeAuthority: atoms(wasm.token_change_authority_fee(height, network)),
    // The library has no function for this one: 20 coins at all heights.
    tokenChangeMetadataUri: 20n * 10n ** 11n,
    dataDeposit: atoms(wasm.data_deposit_fee(height, network)),
  };
}
