/** A node's requirements for transactions in its mempool, in addition to the rules of blocks. */

import { decimalText } from '../../chain/decimal-text.ts';
import { hash } from '../../chain/hash.ts';
import { isContractOutput, isUtxoInput } from '../../chain/input-and-output-kinds.ts';
import type {
  Atoms,
  Destination,
  Hex,
  InputWitness,
  OrderCommand,
  SignedTransaction,
  Transaction,
} from '../../chain/types.ts';
import { MIN_ATOMS_PER_KILOBYTE } from '../fee-rates.ts';
import { checkUri } from './rules/issuance.ts';
import { PolicyRefusal, refuseTransaction } from './rules/refusal.ts';
import { type SimulatedWorld, worldOutpointKey } from './world.ts';

const SIGNATURE_DIGITS = 2 * 65;
const PUBLIC_KEY_DIGITS = 2 * 34;
/** Clusters of transactions may be this long; so may one. */
const MAX_TRANSACTION_BYTES = 100_000;

/**
 * Throws TransactionRefusal when the transaction is too long, has no outputs, or has an input that is not signed in the
 * form that its owner must use.
 */
export function checkSubmission(world: SimulatedWorld, signed: SignedTransaction, sizeBytes: number): void {
  if (sizeBytes > MAX_TRANSACTION_BYTES) {
    throw new PolicyRefusal(
      `Transaction of ${sizeBytes} bytes exceeds the cluster limit of ${MAX_TRANSACTION_BYTES} bytes`,
    );
  }
  if (signed.transaction.outputs.length === 0) throw new PolicyRefusal('Transaction has no outputs');
  checkNewestRules(signed.transaction);
  const seen = new Set<string>();
  signed.transaction.inputs.forEach((input, index) => {
    const destination = authorityOf(world, signed, index);
    let isContract = false;
    if (isUtxoInput(input)) {
      const key = worldOutpointKey(input.outpoint);
      if (seen.has(key)) refuseTransaction(`Duplicate input in transaction: ${key.slice(1)}`);
      seen.add(key);
      const output = world.utxos.get(key)?.output;
      isContract = output !== undefined && isContractOutput(output);
    }
    const signature = (isContract ? contractSignature : plainSignature)(signed.signatures[index]!);
    if (destination !== null && !fits(signature, destination, isContract))
      refuseTransaction(`Signature verification failed: input ${index} is not signed for its destination`);
  });
}

/**
 * Throws TransactionRefusal for what only the newest upgrade forbids in blocks. Recorded chains may have it, so `rules`
 * take it; a transaction that is submitted is checked as on a network that has all upgrades.
 */
function checkNewestRules({ inputs, outputs }: Transaction): void {
  for (const input of inputs) {
    if (input.type === 'AccountCommand' && input.command.type === 'ChangeTokenMetadataUri')
      checkUri('token metadata URI', input.command.metadataUri);
  }
  for (const output of outputs) {
    if ('value' in output && output.value.type === 'TokenV1' && output.value.amount === 0n)
      refuseTransaction(`Zero amount token transfers are not allowed (token id = ${output.value.tokenId})`);
  }
}

/** Throws PolicyRefusal when the fee is below the relay minimum; the coin's decimals are for its text. */
export function checkRelayFee(fee: Atoms, sizeBytes: number, coinDecimals: number): void {
  const least = (BigInt(sizeBytes) * MIN_ATOMS_PER_KILOBYTE + 999n) / 1000n;
  if (fee >= least) return;
  const [paid, needed] = [fee, least].map((atoms) => fixedPoint(atoms, coinDecimals));
  throw new PolicyRefusal(
    `Transaction does not pay sufficient fees to be relayed (tx_fee: ${paid}, min_relay_fee: ${needed})`,
  );
}

/** Writes an amount as the node does in its texts: with all decimals. */
function fixedPoint(atoms: Atoms, decimals: number): string {
  const [whole, fraction = ''] = decimalText(atoms, decimals).split('.');
  return decimals === 0 ? whole! : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

/** The required signer of an input; null if there is none, or if another rule refuses the input anyway. */
function authorityOf(
  world: SimulatedWorld,
  { transaction, signatures }: SignedTransaction,
  index: number,
): Destination | null {
  const input = transaction.inputs[index]!;
  switch (input.type) {
    case 'Utxo': {
      const utxo = world.utxos.get(worldOutpointKey(input.outpoint));
      if (utxo === undefined) return null;
      if (!isContractOutput(utxo.output)) return utxo.destination;
      const witness = signatures[index]!;
      if (witness.type !== 'Standard' || contractSignature(witness) === null) return null;
      const { spendKey, refundKey } = utxo.output.contract;
      return witness.rawSignature.startsWith('01') ? refundKey : spendKey;
    }
    case 'Account':
      return world.delegations.get(input.delegationId)?.owner ?? null;
    case 'AccountCommand': {
      const { command } = input;
      if ('orderId' in command) return ownerOfOrder(world, command);
      return world.tokens.get(command.tokenId)?.authority ?? null;
    }
    case 'OrderAccountCommand':
      return ownerOfOrder(world, input.command);
  }
}

/** The required signer of a command to an order: anybody may fill it. */
function ownerOfOrder(world: SimulatedWorld, command: OrderCommand): Destination | null {
  return command.type === 'FillOrder' ? null : (world.orders.get(command.orderId)?.concludeKey ?? null);
}

/** The signature in an HTLC's witness; null if it is none. */
function contractSignature(witness: InputWitness): Hex | null {
  if (witness.type !== 'Standard') return null;
  const rest = witness.rawSignature.slice(witness.rawSignature.startsWith('00') ? 2 + 64 : 2);
  const first = Number.parseInt(rest.slice(0, 2), 16);
  if (Number.isNaN(first) || (first & 3) > 2) return null;
  return rest.slice([2, 4, 8][first & 3]);
}

/** The witness of an output that is no contract. */
function plainSignature(witness: InputWitness): Hex | null {
  return witness.type === 'Standard' ? witness.rawSignature : null;
}

/** Does a signature (null: there is none) have the form for this destination? Signatures themselves are not verified. */
function fits(raw: Hex | null, destination: Destination, isContract: boolean): boolean {
  const kind = destination.slice(0, 2);
  if (kind === '00') return isContract || raw === null;
  if (raw === null) return false;
  if (kind === '02') return raw.length === SIGNATURE_DIGITS;
  if (kind === '01') {
    const isLong = raw.length === PUBLIC_KEY_DIGITS + SIGNATURE_DIGITS;
    return isLong && hashedTo(raw.slice(0, PUBLIC_KEY_DIGITS), destination);
  }
  if (kind === '04') {
    // The challenge ends the witness: its length follows from how many keys it has.
    for (let keys = 1; keys <= 32; keys++) {
      const digits = 2 * (2 + 34 * keys);
      if (raw.length > digits && hashedTo(raw.slice(-digits), destination)) return true;
    }
  }
  return false;
}

function hashedTo(preimage: Hex, destination: Destination): boolean {
  return hash(Buffer.from(preimage, 'hex')).slice(0, 40) === destination.slice(2);
}
