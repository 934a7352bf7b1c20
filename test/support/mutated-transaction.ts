/** Changes one thing of a transaction, at random: mostly it is no longer valid then. */
import type { AccountCommand, Hex, InputWitness, SignedTransaction, TxInput, TxOutput } from '../../src/chain/types.ts';
import type { Random } from '../../src/devnet/sim/random.ts';
import type { SimulatedWorld } from '../../src/devnet/sim/world.ts';

type Path = readonly (string | number)[];

/** Texts of all lengths that a rule has, with and without letters that are not allowed. */
const TEXT_BYTES = [0, 1, 3, 4, 10, 11, 12, 13, 32, 33, 100, 101, 384, 385, 1024, 1025];
const TEXT_LETTERS = ['a', 'Z', '0', ' ', '-', '/', '"', 'é', '\xff'];

/** Returns the transaction with a change of any kind. */
export function mutated(world: SimulatedWorld, random: Random, signed: SignedTransaction): SignedTransaction {
  const { transaction, signatures } = signed;
  const { inputs, outputs } = transaction;
  const withOutputs = (changed: readonly TxOutput[]) => ({
    ...signed,
    transaction: { ...transaction, outputs: changed },
  });
  const withInputs = (changed: readonly TxInput[], witnesses: readonly InputWitness[]) => ({
    transaction: { ...transaction, inputs: changed },
    signatures: witnesses,
  });
  const at = random.below(inputs.length);
  switch (random.below(14)) {
    case 0:
      return withOutputs([...outputs, random.pick([...outputs, ...someOutputs(world, random)])]);
    case 1:
      return withOutputs(outputs.filter((_, index) => index !== random.below(outputs.length)));
    case 2:
      return withInputs([...inputs, inputs[at]!], [...signatures, signatures[at]!]);
    case 3:
      return withInputs(inputs.toSpliced(at, 1), signatures.toSpliced(at, 1));
    case 4: {
      const added = someUnspent(world, random);
      return added === null ? signed : withInputs([...inputs, added.input], [...signatures, added.witness]);
    }
    case 5:
      return withInputs(inputs.toReversed(), signatures.toReversed());
    case 6:
      return { ...signed, transaction: { ...transaction, inputs: inputs.with(at, otherCommand(random, inputs[at]!)) } };
    case 7: {
      const added = commandedTokens(world, random, inputs);
      if (added === null) return signed;
      const { input, witness, output } = added;
      return {
        transaction: { ...transaction, inputs: [...inputs, input], outputs: [...outputs, output] },
        signatures: [...signatures, witness],
      };
    }
    default: {
      const paths = [...leaves({ inputs, outputs })];
      const path = random.pick(paths);
      const changed = replaced({ inputs, outputs }, path, (value) => otherValue(random, value, `${path.at(-1)}`));
      return { ...signed, transaction: { ...transaction, ...(changed as { inputs: TxInput[]; outputs: TxOutput[] }) } };
    }
  }
}

/** The paths to all values of a transaction. */
function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) {
    if (path.at(-1) !== 'type' && path.at(-1) !== 'sourceType') yield path;
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
}

function replaced(value: unknown, [first, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (first === undefined) return change(value);
  if (Array.isArray(value)) return value.map((each, i) => (`${i}` === first ? replaced(each, rest, change) : each));
  const fields = value as Record<string, unknown>;
  return { ...fields, [first]: replaced(fields[first], rest, change) };
}

function otherValue(random: Random, value: unknown, name: string): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'bigint') {
    const others = [0n, 1n, value + 1n, value - 1n, value * 2n, value / 2n, 2n ** 64n - 1n];
    return random.pick(others.filter((other) => other >= 0n && other < 2n ** 64n));
  }
  if (typeof value === 'number') {
    if (name === 'numberOfDecimals') return random.pick([0, 18, 19, 255]);
    return name === 'marginRatioPerThousand' ? random.pick([0, 1000]) : random.pick([0, value + 1]);
  }
  const isText = /uri|name|ticker|description|data|hash/i.test(name) && name !== 'secretHash';
  if (isText) return randomText(random);
  // Ids, keys and destinations.
  return typeof value === 'string' && /id$/i.test(name) ? random.hex(value.length / 2) : value;
}

function randomText(random: Random): Hex {
  const letter = random.chance(0.5) ? 'a' : random.pick(TEXT_LETTERS);
  const bytes = Buffer.from(letter, letter === '\xff' ? 'latin1' : 'utf8');
  const length = random.pick(TEXT_BYTES);
  return Buffer.alloc(length, bytes).toString('hex');
}

/** Another command to the same token or order. */
function otherCommand(random: Random, input: TxInput): TxInput {
  if (input.type === 'OrderAccountCommand') {
    const { orderId } = input.command;
    const type = random.pick(['FreezeOrder', 'ConcludeOrder'] as const);
    return { ...input, command: { type, orderId } };
  }
  if (input.type !== 'AccountCommand' || 'orderId' in input.command) return input;
  const { tokenId } = input.command;
  const commands: readonly AccountCommand[] = [
    { type: 'MintTokens', tokenId, amount: random.pick([0n, 1n, 10n ** 20n, 2n ** 127n]) },
    { type: 'UnmintTokens', tokenId },
    { type: 'LockTokenSupply', tokenId },
    { type: 'FreezeToken', tokenId, isUnfreezable: random.chance(0.5) },
    { type: 'UnfreezeToken', tokenId },
    { type: 'ChangeTokenAuthority', tokenId, newAuthority: '00' },
    { type: 'ChangeTokenMetadataUri', tokenId, metadataUri: randomText(random) },
  ];
  return { ...input, command: random.pick(commands) };
}

/** Moves of tokens beside a command to them. */
function commandedTokens({ tokens, userKeys }: SimulatedWorld, random: Random, inputs: readonly TxInput[]) {
  for (const input of inputs) {
    const command = input.type === 'AccountCommand' && 'tokenId' in input.command ? input.command : null;
    const token = command === null ? undefined : tokens.get(command.tokenId);
    const utxo = token?.utxos.pick(random);
    if (token === undefined || utxo === undefined) continue;
    const value = { type: 'TokenV1', tokenId: token.id, amount: utxo.amount } as const;
    const output: TxOutput = { type: 'Transfer', value, destination: '00' };
    return {
      input: { type: 'Utxo', outpoint: utxo.outpoint } as const,
      witness: userKeys.witness(utxo.destination),
      output,
    };
  }
  return null;
}

/** Outputs that create something, and one that only a block may have. */
function someOutputs({ livePools, delegationBag, tokenBag, stakers }: SimulatedWorld, random: Random): TxOutput[] {
  const [pool, delegation, token] = [livePools.pick(random)!, delegationBag.pick(random), tokenBag.pick(random)];
  const outputs: TxOutput[] = [
    { type: 'CreateDelegationId', destination: '00', poolId: pool.id },
    { type: 'ProduceBlockFromStake', destination: pool.staker, poolId: stakers!.producer.id },
  ];
  if (delegation !== undefined) {
    outputs.push({ type: 'DelegateStaking', amount: BigInt(random.below(2)), delegationId: delegation.id });
  }
  if (token !== undefined) {
    const value = { type: 'TokenV1', tokenId: token.id, amount: BigInt(random.below(2)) } as const;
    outputs.push({ type: 'Transfer', value, destination: '00' }, { type: 'Burn', value });
    const coin = { type: 'Coin', amount: 1n } as const;
    outputs.push({ type: 'CreateOrder', order: { concludeKey: '00', ask: value, give: coin } });
  }
  return outputs;
}

/** Any unspent output, also one that is locked, and how its owner would spend it. */
function someUnspent(
  { utxos, userKeys }: SimulatedWorld,
  random: Random,
): { input: TxInput; witness: InputWitness } | null {
  const keys = [...utxos.keys()];
  const found = utxos.get(keys[random.below(keys.length)]!)!;
  const { outpoint, output, destination } = found;
  if (!userKeys.owns(destination)) return null;
  const input = { type: 'Utxo', outpoint } as const;
  if (output.type !== 'Htlc') return { input, witness: userKeys.witness(destination) };
  const { refundKey, spendKey } = output.contract;
  if (!userKeys.owns(refundKey) || !userKeys.owns(spendKey)) return null;
  const isRefund = random.chance(0.6);
  return {
    input,
    witness: isRefund ? userKeys.refundWitness(refundKey) : userKeys.secretWitness(random.hex(32), spendKey),
  };
}
