/** Rules of a real node that were found missing; test/faults/real-node/submit-simulation.ts compares all with one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex, InputWitness, OutputValue, SignedTransaction, TxInput, TxOutput } from '../../../src/chain/types.ts';
import { type SimulatedTransactionKind, TRANSACTION_MAKERS } from '../../../src/devnet/sim/kinds/transaction-makers.ts';
import { checkSubmission } from '../../../src/devnet/sim/mempool-policy.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { TransactionMakerContext } from '../../../src/devnet/sim/transaction-maker-context.ts';
import { regtestPos } from './networks.ts';

function grown(): Simulation {
  const simulation = new Simulation({ network: regtestPos, mix: 'dense', seed: 'rules' });
  simulation.mine(25);
  return simulation;
}

/** A valid transaction of this kind with an output for which `accepts` holds, for the next block. */
function made(
  simulation: Simulation,
  kind: SimulatedTransactionKind,
  accepts: (output: TxOutput) => boolean = () => true,
): SignedTransaction {
  const { world, random, mix } = simulation;
  simulation.begin(true);
  const maker = new TransactionMakerContext(world, random, mix, world.userKeys.destinations[0]!);
  for (let tries = 0; tries < 1_000; tries++) {
    const signed = TRANSACTION_MAKERS[kind](maker);
    if (signed?.transaction.outputs.some(accepts)) return signed;
  }
  throw new Error(`No transaction of kind ${kind} was made`);
}

/** As the node does it with what it is sent. */
function submit(simulation: Simulation, signed: SignedTransaction): void {
  simulation.submit(signed, () => checkSubmission(simulation.world, signed, 1_000));
}

/** Changes the outputs of a transaction. */
function withOutputs(signed: SignedTransaction, change: (output: TxOutput) => TxOutput): SignedTransaction {
  const { transaction } = signed;
  return { ...signed, transaction: { ...transaction, outputs: transaction.outputs.map(change) } };
}

/** Changes the inputs of a transaction. */
function withInputs(signed: SignedTransaction, change: (input: TxInput) => TxInput): SignedTransaction {
  const { transaction } = signed;
  return { ...signed, transaction: { ...transaction, inputs: transaction.inputs.map(change) } };
}

/** The same with another amount that is minted or withdrawn. */
function withAmount(signed: SignedTransaction, amount: bigint): SignedTransaction {
  return withInputs(signed, (input) => {
    if (input.type === 'Account') return { ...input, amount };
    if (input.type !== 'AccountCommand' || input.command.type !== 'MintTokens') return input;
    return { ...input, command: { ...input.command, amount } };
  });
}

const hasTokens = (output: TxOutput) => 'value' in output && output.value.type === 'TokenV1';

/** The same without any tokens in its outputs. */
function emptied(signed: SignedTransaction): SignedTransaction {
  return withOutputs(signed, (output) =>
    hasTokens(output)
      ? ({ ...output, value: { ...(output as { value: OutputValue }).value, amount: 0n } } as TxOutput)
      : output,
  );
}

for (const [kind, type] of [
  ['tokenTransfer', 'Transfer'],
  ['lock', 'LockThenTransfer'],
  ['tokenBurn', 'Burn'],
  ['htlcCreate', 'Htlc'],
] as const) {
  test(`a simulated node takes no ${type} of no tokens`, () => {
    const simulation = grown();
    const signed = made(simulation, kind, (output) => output.type === type && hasTokens(output));
    assert.throws(
      () => submit(simulation, emptied(signed)),
      /^TransactionRefusal: Zero amount token transfers are not allowed/,
    );
    submit(simulation, signed);
  });
}

test('a simulated node takes a transfer of no coins', () => {
  const simulation = grown();
  const signed = made(simulation, 'transfer');
  const none = { type: 'Coin', amount: 0n } as const;
  submit(
    simulation,
    withOutputs(signed, (output) => (output.type === 'Transfer' ? { ...output, value: none } : output)),
  );
});

test('a simulated node takes no order that asks or gives nothing', () => {
  const simulation = grown();
  const signed = made(simulation, 'orderCreate');
  for (const side of ['ask', 'give'] as const) {
    const changed = withOutputs(signed, (output) => {
      if (output.type !== 'CreateOrder') return output;
      return { ...output, order: { ...output.order, [side]: { ...output.order[side], amount: 0n } } };
    });
    assert.throws(() => submit(simulation, changed), /^TransactionRefusal: Order with zero exchange value/);
  }
  submit(simulation, signed);
});

test('a simulated node takes an order that asks for a token that does not exist, but none that gives it', () => {
  const simulation = grown();
  const signed = made(simulation, 'orderCreate', ({ type }) => type === 'CreateOrder');
  const unknown = { type: 'TokenV1', tokenId: '22'.repeat(32), amount: 1n } as const;
  const withSide = (side: 'ask' | 'give') =>
    withOutputs(signed, (output) =>
      output.type === 'CreateOrder' ? { ...output, order: { ...output.order, [side]: unknown } } : output,
    );
  assert.throws(() => submit(simulation, withSide('give')), /^TransactionRefusal: Token 22+ does not exist/);
  submit(simulation, withSide('ask'));
});

const hexOf = (text: string): Hex => Buffer.from(text, 'utf8').toString('hex');
const NO_URIS: readonly Hex[] = [
  hexOf('https://a b'),
  hexOf('"'),
  hexOf('a\n'),
  hexOf('→'),
  'ff',
  hexOf('a'.repeat(1025)),
];
const URIS: readonly Hex[] = ['', hexOf("%:/?#[]@!$&'()*+,;=-._~"), hexOf('Zürich1'), hexOf('a'.repeat(1024))];

test('a simulated node takes no URI that is too long, has other letters, or is no text: of a token, an NFT, or in a command', () => {
  const simulation = grown();
  const token = made(simulation, 'tokenIssue');
  const nft = made(simulation, 'nftIssue');
  const command = made(simulation, 'tokenMetadataChange');
  const changes: readonly ((uri: Hex) => SignedTransaction)[] = [
    (metadataUri) =>
      withOutputs(token, (output) =>
        output.type === 'IssueFungibleToken' ? { ...output, issuance: { ...output.issuance, metadataUri } } : output,
      ),
    ...(['iconUri', 'additionalMetadataUri', 'mediaUri'] as const).map((name) => (uri: Hex) => {
      return withOutputs(nft, (output) =>
        output.type === 'IssueNft' ? { ...output, metadata: { ...output.metadata, [name]: uri } } : output,
      );
    }),
    (metadataUri) =>
      withInputs(command, (input) =>
        input.type === 'AccountCommand' && input.command.type === 'ChangeTokenMetadataUri'
          ? { ...input, command: { ...input.command, metadataUri } }
          : input,
      ),
  ];
  for (const change of changes) {
    for (const uri of NO_URIS)
      assert.throws(() => submit(simulation, change(uri)), /^TransactionRefusal: Invalid token parameters/);
    for (const uri of URIS) {
      submit(simulation, change(uri));
      // Its inputs can be spent again.
      simulation.drop(() => true);
      simulation.begin(true);
    }
  }
});

test('a simulated node takes a mint of nothing, an unmint of nothing and a withdrawal of nothing', () => {
  const simulation = grown();
  const withNothing = (signed: SignedTransaction): SignedTransaction => {
    const { transaction, signatures } = withAmount(signed, 0n);
    const outputs = transaction.outputs.filter((output) => !hasTokens(output) && output.type !== 'LockThenTransfer');
    return { transaction: { ...transaction, outputs }, signatures };
  };
  submit(simulation, withNothing(made(simulation, 'tokenMint')));
  const isPaid = ({ transaction }: SignedTransaction) => transaction.inputs.some(({ type }) => type === 'Utxo');
  let withdrawal = made(simulation, 'withdraw');
  while (!isPaid(withdrawal)) withdrawal = made(simulation, 'withdraw');
  submit(simulation, withNothing(withdrawal));
  submit(
    simulation,
    withOutputs(made(simulation, 'tokenUnmint'), (output) =>
      output.type === 'Burn' ? { ...output, type: 'Transfer', destination: '00' } : output,
    ),
  );
});

test('a simulated node takes no mint beyond the bits that a node counts supplies in', () => {
  const simulation = grown();
  const mint = made(simulation, 'tokenMint');
  const [command] = mint.transaction.inputs;
  assert.ok(command?.type === 'AccountCommand' && command.command.type === 'MintTokens');
  const { supply, issuance } = simulation.world.tokens.get(command.command.tokenId)!;
  const most = issuance.totalSupply.type === 'Fixed' ? issuance.totalSupply.amount : 2n ** 127n - 1n;
  assert.throws(() => submit(simulation, withAmount(mint, most - supply + 1n)), /^TransactionRefusal: Cannot mint/);
  submit(simulation, withAmount(mint, most - supply));
});

for (const kind of ['tokenFreeze', 'tokenUnfreeze'] as const) {
  test(`a simulated node asks whether tokens moved before the block when ${kind} is in the same transaction`, () => {
    const simulation = grown();
    for (let count = 0; count < 3; count++) simulation.mineTransactions(['tokenFreeze']);
    const signed = made(simulation, kind);
    const [command] = signed.transaction.inputs;
    assert.ok(command?.type === 'AccountCommand' && 'tokenId' in command.command);
    const { tokenId } = command.command;
    const utxo = simulation.world.tokens.get(tokenId)!.utxos.pick(simulation.random)!;
    const value = { type: 'TokenV1', tokenId, amount: utxo.amount } as const;
    const { inputs, outputs } = signed.transaction;
    const moved: SignedTransaction = {
      transaction: {
        ...signed.transaction,
        inputs: [...inputs, { type: 'Utxo', outpoint: utxo.outpoint }],
        outputs: [...outputs, { type: 'Transfer', value, destination: '00' }],
      },
      signatures: [...signed.signatures, simulation.world.userKeys.witness(utxo.destination)],
    };
    if (kind === 'tokenFreeze') submit(simulation, moved);
    else assert.throws(() => submit(simulation, moved), /^TransactionRefusal: Token \w+ is frozen/);
    simulation.drop(() => true);
    simulation.begin(true);
    submit(simulation, signed);
  });
}

test('a simulated node takes only the signature of an HTLC in the form of one that opens it', () => {
  const simulation = grown();
  const signed = made(simulation, 'transfer', ({ type }) => type === 'Transfer');
  const signatures = signed.signatures.map(
    (witness): InputWitness =>
      witness.type === 'Standard' ? { ...witness, rawSignature: `01${'08'}${witness.rawSignature}` } : witness,
  );
  assert.throws(
    () => submit(simulation, { ...signed, signatures }),
    /^TransactionRefusal: Signature verification failed/,
  );
});
