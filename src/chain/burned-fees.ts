/** The fees that a transaction burns, by the rules of its height (docs/protocol.md#burned-fees). Pure. */
import {
  COMMAND_FEES,
  type CommandKind,
  isCommandInput,
  type OutputKind,
  outputKindProperties,
} from './input-and-output-kinds.ts';
import { type BurnedFees, burnedFeesAt, type Network } from './networks/network.ts';
import type { Atoms, Transaction } from './types.ts';

/** `height`: of its block, or of the next one. */
export function burnedFees(network: Network, height: number, { inputs, outputs }: Transaction): Atoms {
  const fees = burnedFeesAt(network, height);
  let sum = 0n;
  for (const input of inputs) if (isCommandInput(input)) sum += commandFee(fees, input.command.type);
  for (const { type } of outputs) sum += outputFee(fees, type);
  return sum;
}

/** Returns the burned fee of a command. */
export function commandFee(fees: BurnedFees, kind: CommandKind): Atoms {
  const fee = COMMAND_FEES[kind];
  return fee === null ? 0n : fees[fee];
}

/** Returns the burned fee of an output. */
export function outputFee(fees: BurnedFees, kind: OutputKind): Atoms {
  const { fee } = outputKindProperties(kind);
  return fee === null ? 0n : fees[fee];
}
