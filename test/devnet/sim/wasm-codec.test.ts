/**
 * Simulated chains against the protocol's own codec, compiled to WebAssembly from the node's sources: it must decode
 * every transaction, hash it to the same id, and encode each input and output to the same bytes from addresses.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import * as wasm from '@mintlayer/wasm-lib';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
  vrfKeyAddress,
} from '../../../src/chain/address.ts';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { writeInput } from '../../../src/chain/codec/input.ts';
import { writeOutput } from '../../../src/chain/codec/output.ts';
import { encodeSignedTransaction, encodeTransaction } from '../../../src/chain/codec/transaction.ts';
import { writeWitness } from '../../../src/chain/codec/witness.ts';
import { deriveTokenId } from '../../../src/chain/derive-ids.ts';
import { networkFromObject } from '../../../src/chain/networks/custom-network.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import type { Network } from '../../../src/chain/networks/network.ts';
import { ScaleWriter } from '../../../src/chain/scale/writer.ts';
import type {
  AccountCommand,
  Hex,
  IdentifiedBlock,
  OutputValue,
  SignedTransaction,
  TimeLock,
  TxInput,
  TxOutput,
} from '../../../src/chain/types.ts';
import { KeySequence } from '../../../src/devnet/sim/user-keys.ts';
import { buildChain } from '../../support/chain-with-branches.ts';

const REGTEST = wasm.Network.Regtest;
const network: Network = networkByName('regtest-pos');
/** Orders by the commands that this version of the codec has. */
const withOldOrders = networkFromObject(
  { base: 'regtest', genesis: network.genesis, upgrades: { orders_v1: 100_000 } },
  'orders V0',
);

const bytesOf = (hex: Hex) => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const textOf = (hex: Hex) => bytesOf(hex).toString('utf8');
const amountOf = (atoms: bigint) => wasm.Amount.from_atoms(`${atoms}`);
const address = (destination: Hex) => destinationAddress(network, destination);

let blocks: IdentifiedBlock[] = [];
let transactions: SignedTransaction[] = [];

before(() => {
  const file = new URL(import.meta.resolve('@mintlayer/wasm-lib/wasm_wrappers_bg.wasm'));
  wasm.initSync({ module: readFileSync(file) });
  const chains = [withOldOrders, network].map((of, index) =>
    buildChain({ network: of, mix: 'dense', seed: `wasm ${index}`, blocks: 60 }),
  );
  blocks = chains.flatMap((chain) => chain.blocks.map(({ bytes }) => identifyBlock(bytes)));
  transactions = blocks.flatMap(({ block }) => block.transactions);
});

/** The codec is of a version before the order commands V1. */
const isKnown = ({ transaction }: SignedTransaction) =>
  transaction.inputs.every(({ type }) => type !== 'OrderAccountCommand');

test('the node’s own codec decodes every transaction and hashes it to the id in the block', () => {
  let checked = 0;
  for (const { block, transactionIds } of blocks) {
    block.transactions.forEach((signed, index) => {
      if (!isKnown(signed)) return;
      checked++;
      const encoded = encodeTransaction(signed.transaction);
      assert.equal(wasm.get_transaction_id(encoded, true), transactionIds[index]);
    });
  }
  assert.ok(checked > 1_000);
});

test('the node’s own codec decodes all witnesses and joins them with their transaction to the bytes in the block', () => {
  for (const signed of transactions.filter(isKnown)) {
    const witnesses = new ScaleWriter();
    for (const witness of signed.signatures) writeWitness(witnesses, witness);
    const joined = wasm.encode_signed_transaction(encodeTransaction(signed.transaction), witnesses.finish());
    assert.equal(hexOf(joined), hexOf(encodeSignedTransaction(signed)));
  }
});

test('the node’s own codec encodes each kind of output to the same bytes', () => {
  const kinds = new Set<string>();
  for (const output of transactions.flatMap(({ transaction }) => transaction.outputs)) {
    kinds.add(output.type);
    const writer = new ScaleWriter();
    writeOutput(writer, output);
    assert.equal(hexOf(outputByCodec(output)), hexOf(writer.finish()), output.type);
  }
  assert.equal(kinds.size, 11, 'all kinds but the one that only blocks have');
});

test('the node’s own codec encodes each kind of input to the same bytes', () => {
  const kinds = new Set<string>();
  for (const input of transactions.flatMap(({ transaction }) => transaction.inputs)) {
    const byCodec = inputByCodec(input);
    if (byCodec === null) continue;
    kinds.add(input.type === 'AccountCommand' ? input.command.type : input.type);
    const writer = new ScaleWriter();
    writeInput(writer, input);
    assert.equal(hexOf(byCodec), hexOf(writer.finish()), input.type);
  }
  assert.equal(kinds.size, 11, 'outpoints, withdrawals and nine commands');
});

test('the node’s own codec derives the same token ids', () => {
  const issuing = transactions.filter(
    ({ transaction }) =>
      transaction.inputs[0]?.type === 'Utxo' && transaction.outputs.some(({ type }) => type === 'IssueFungibleToken'),
  );
  assert.ok(issuing.length > 10);
  for (const { transaction } of issuing) {
    const writer = new ScaleWriter();
    for (const input of transaction.inputs) writeInput(writer, input);
    const id = deriveTokenId(transaction.inputs, 1)!;
    assert.equal(wasm.get_token_id(writer.finish(), REGTEST), tokenAddress(network, id));
  }
});

test('the node’s own codec finds the secret of every claimed HTLC', () => {
  let claimed = 0;
  for (const signed of transactions.filter(isKnown)) {
    signed.signatures.forEach((witness, index) => {
      const input = signed.transaction.inputs[index]!;
      if (witness.type !== 'Standard' || input.type !== 'Utxo') return;
      const htlc = createdContracts().get(`${input.outpoint.sourceId}${input.outpoint.index}`);
      if (htlc === undefined || !witness.rawSignature.startsWith('00')) return;
      claimed++;
      const source = wasm.encode_outpoint_source_id(bytesOf(input.outpoint.sourceId), wasm.SourceId.Transaction);
      const encoded = encodeSignedTransaction(signed);
      const secret = wasm.extract_htlc_secret(encoded, true, source, input.outpoint.index);
      const sha = createHash('sha256').update(secret).digest();
      assert.equal(createHash('ripemd160').update(sha).digest('hex'), htlc);
    });
  }
  assert.ok(claimed > 10);
});

test('the node’s own codec derives the public keys of neighbouring secrets as the wallet does', () => {
  const keys = new KeySequence('neighbours');
  const secret = BigInt(`0x${createHash('sha256').update('neighbours').digest('hex')}`);
  for (let step = 0n; step < 100n; step++) {
    const encoded = `00${(secret + step).toString(16).padStart(64, '0')}`;
    assert.equal(keys.next(), hexOf(wasm.public_key_from_private_key(bytesOf(encoded))));
  }
});

/** Secret hash by the outpoint of the HTLC. */
function createdContracts(): Map<string, Hex> {
  const found = new Map<string, Hex>();
  for (const { block, transactionIds } of blocks) {
    block.transactions.forEach(({ transaction }, position) => {
      transaction.outputs.forEach((output, index) => {
        if (output.type === 'Htlc') found.set(`${transactionIds[position]}${index}`, output.contract.secretHash);
      });
    });
  }
  return found;
}

function lockByCodec({ type, value }: TimeLock): Uint8Array {
  switch (type) {
    case 'UntilHeight':
      return wasm.encode_lock_until_height(value);
    case 'UntilTime':
      return wasm.encode_lock_until_time(value);
    case 'ForBlockCount':
      return wasm.encode_lock_for_block_count(value);
    case 'ForSeconds':
      return wasm.encode_lock_for_seconds(value);
  }
}

function amountAndToken(value: OutputValue): { amount: wasm.Amount; token: string | null } {
  if (value.type === 'TokenV0') throw new Error('No tokens V0 here');
  return { amount: amountOf(value.amount), token: value.type === 'Coin' ? null : tokenAddress(network, value.tokenId) };
}

function outputByCodec(output: TxOutput): Uint8Array {
  switch (output.type) {
    case 'Transfer': {
      const { amount, token } = amountAndToken(output.value);
      const to = address(output.destination);
      return token === null
        ? wasm.encode_output_transfer(amount, to, REGTEST)
        : wasm.encode_output_token_transfer(amount, to, token, REGTEST);
    }
    case 'LockThenTransfer': {
      const { amount, token } = amountAndToken(output.value);
      const to = address(output.destination);
      const lock = lockByCodec(output.lock);
      return token === null
        ? wasm.encode_output_lock_then_transfer(amount, to, lock, REGTEST)
        : wasm.encode_output_token_lock_then_transfer(amount, to, token, lock, REGTEST);
    }
    case 'Burn': {
      const { amount, token } = amountAndToken(output.value);
      return token === null
        ? wasm.encode_output_coin_burn(amount)
        : wasm.encode_output_token_burn(amount, token, REGTEST);
    }
    case 'CreateStakePool': {
      const { pledge, staker, vrfPublicKey, decommissionKey, marginRatioPerThousand, costPerBlock } = output.data;
      const data = wasm.encode_stake_pool_data(
        amountOf(pledge),
        address(staker),
        vrfKeyAddress(network, vrfPublicKey),
        address(decommissionKey),
        marginRatioPerThousand,
        amountOf(costPerBlock),
        REGTEST,
      );
      return wasm.encode_output_create_stake_pool(poolAddress(network, output.poolId), data, REGTEST);
    }
    case 'CreateDelegationId':
      return wasm.encode_output_create_delegation(
        poolAddress(network, output.poolId),
        address(output.destination),
        REGTEST,
      );
    case 'DelegateStaking':
      return wasm.encode_output_delegate_staking(
        amountOf(output.amount),
        delegationAddress(network, output.delegationId),
        REGTEST,
      );
    case 'IssueFungibleToken': {
      const { authority, ticker, metadataUri, numberOfDecimals, totalSupply, isFreezable } = output.issuance;
      return wasm.encode_output_issue_fungible_token(
        address(authority),
        textOf(ticker),
        textOf(metadataUri),
        numberOfDecimals,
        wasm.TotalSupply[totalSupply.type],
        totalSupply.type === 'Fixed' ? amountOf(totalSupply.amount) : null,
        isFreezable ? wasm.FreezableToken.Yes : wasm.FreezableToken.No,
        1n,
        REGTEST,
      );
    }
    case 'IssueNft': {
      const { creator, name, description, ticker, iconUri, additionalMetadataUri, mediaUri, mediaHash } =
        output.metadata;
      const optional = (uri: Hex) => (uri === '' ? null : textOf(uri));
      return wasm.encode_output_issue_nft(
        tokenAddress(network, output.tokenId),
        address(output.destination),
        textOf(name),
        textOf(ticker),
        textOf(description),
        bytesOf(mediaHash),
        creator === null ? null : bytesOf(creator),
        optional(mediaUri),
        optional(iconUri),
        optional(additionalMetadataUri),
        1n,
        REGTEST,
      );
    }
    case 'DataDeposit':
      return wasm.encode_output_data_deposit(bytesOf(output.data));
    case 'Htlc': {
      const { amount, token } = amountAndToken(output.value);
      const { secretHash, spendKey, refundTimelock, refundKey } = output.contract;
      return wasm.encode_output_htlc(
        amount,
        token,
        secretHash,
        address(spendKey),
        address(refundKey),
        lockByCodec(refundTimelock),
        REGTEST,
      );
    }
    case 'CreateOrder': {
      const { ask, give, concludeKey } = output.order;
      const [asked, given] = [amountAndToken(ask), amountAndToken(give)];
      const conclude = address(concludeKey);
      return wasm.encode_create_order_output(asked.amount, asked.token, given.amount, given.token, conclude, REGTEST);
    }
    case 'ProduceBlockFromStake':
      throw new Error('Not in a transaction');
  }
}

/** Null for what this version of the codec cannot write. */
function inputByCodec(input: TxInput): Uint8Array | null {
  switch (input.type) {
    case 'Utxo': {
      const { sourceType, sourceId, index } = input.outpoint;
      const source = wasm.encode_outpoint_source_id(bytesOf(sourceId), wasm.SourceId[sourceType]);
      return wasm.encode_input_for_utxo(source, index);
    }
    case 'Account': {
      const delegation = delegationAddress(network, input.delegationId);
      return wasm.encode_input_for_withdraw_from_delegation(delegation, amountOf(input.amount), input.nonce, REGTEST);
    }
    case 'AccountCommand':
      return commandByCodec(input.command, input.nonce);
    case 'OrderAccountCommand':
      return null;
  }
}

function commandByCodec(command: AccountCommand, nonce: bigint): Uint8Array {
  if (command.type === 'FillOrder' || command.type === 'ConcludeOrder') {
    const order = orderAddress(network, command.orderId);
    if (command.type === 'ConcludeOrder') return wasm.encode_input_for_conclude_order(order, nonce, REGTEST);
    const to = address(command.destination);
    return wasm.encode_input_for_fill_order(order, amountOf(command.fillAmount), to, nonce, REGTEST);
  }
  const token = tokenAddress(network, command.tokenId);
  switch (command.type) {
    case 'MintTokens':
      return wasm.encode_input_for_mint_tokens(token, amountOf(command.amount), nonce, REGTEST);
    case 'UnmintTokens':
      return wasm.encode_input_for_unmint_tokens(token, nonce, REGTEST);
    case 'LockTokenSupply':
      return wasm.encode_input_for_lock_token_supply(token, nonce, REGTEST);
    case 'FreezeToken': {
      const unfreezable = command.isUnfreezable ? wasm.TokenUnfreezable.Yes : wasm.TokenUnfreezable.No;
      return wasm.encode_input_for_freeze_token(token, unfreezable, nonce, REGTEST);
    }
    case 'UnfreezeToken':
      return wasm.encode_input_for_unfreeze_token(token, nonce, REGTEST);
    case 'ChangeTokenAuthority':
      return wasm.encode_input_for_change_token_authority(token, address(command.newAuthority), nonce, REGTEST);
    case 'ChangeTokenMetadataUri':
      return wasm.encode_input_for_change_token_metadata_uri(token, textOf(command.metadataUri), nonce, REGTEST);
  }
}
