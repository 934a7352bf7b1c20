/** Common transactions with their real sizes, to tell their cost at a fee rate. Pure. */

import { burnedFees } from '../chain/burned-fees.ts';
import { encodeSignedTransaction } from '../chain/codec/transaction.ts';
import type { Network } from '../chain/networks/network.ts';
import type {
  Atoms,
  Hex,
  InputWitness,
  OutputValue,
  TokenCommand,
  Transaction,
  TxInput,
  TxOutput,
} from '../chain/types.ts';

export interface FeeExample {
  readonly kind: FeeExampleKind;
  /** The size with signatures. It varies by a few bytes with the size of the amounts. */
  readonly bytes: number;
  /** The fee of the protocol, which is burned, besides the fee for the block. */
  readonly burned: Atoms;
}

const bytes = (length: number): Hex => '7f'.repeat(length);
const ID = bytes(32);
/** The destination of a public key's hash, as in nearly all addresses. */
const DESTINATION = `01${bytes(20)}`;
/** A witness with a public key of 34 bytes and a signature of 65. */
const WITNESS: InputWitness = { type: 'Standard', sighashType: 1, rawSignature: bytes(99) };
/** An amount of eight bytes, as all from 0.01 to 184 million coins. */
const AMOUNT = 10n ** 15n;
const NONCE = 1_000n;
const TEXT = bytes(40);

const coin: OutputValue = { type: 'Coin', amount: AMOUNT };
const token: OutputValue = { type: 'TokenV1', tokenId: ID, amount: AMOUNT };
const spend: TxInput = { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: ID, index: 1 } };
const pay = (value: OutputValue): TxOutput => ({ type: 'Transfer', value, destination: DESTINATION });
const change = pay(coin);
const withdrawal: TxInput = { type: 'Account', nonce: NONCE, delegationId: ID, amount: AMOUNT };
const locked: TxOutput = {
  type: 'LockThenTransfer',
  value: coin,
  destination: DESTINATION,
  lock: { type: 'ForBlockCount', value: 7_200n },
};
const order: TxOutput = { type: 'CreateOrder', order: { concludeKey: DESTINATION, ask: coin, give: token } };
const fillCommand = { type: 'FillOrder', orderId: ID, fillAmount: AMOUNT } as const;
const fill: TxInput = { type: 'OrderAccountCommand', command: fillCommand };
/** A command of each kind to a token; a new kind needs an entry. */
const TOKEN_COMMANDS: Readonly<Record<TokenCommand['type'], TokenCommand>> = {
  MintTokens: { type: 'MintTokens', tokenId: ID, amount: AMOUNT },
  UnmintTokens: { type: 'UnmintTokens', tokenId: ID },
  LockTokenSupply: { type: 'LockTokenSupply', tokenId: ID },
  FreezeToken: { type: 'FreezeToken', tokenId: ID, isUnfreezable: true },
  UnfreezeToken: { type: 'UnfreezeToken', tokenId: ID },
  ChangeTokenAuthority: { type: 'ChangeTokenAuthority', tokenId: ID, newAuthority: DESTINATION },
  ChangeTokenMetadataUri: { type: 'ChangeTokenMetadataUri', tokenId: ID, metadataUri: TEXT },
};
const issuance: TxOutput = {
  type: 'IssueFungibleToken',
  issuance: {
    ticker: bytes(4),
    numberOfDecimals: 8,
    metadataUri: TEXT,
    totalSupply: { type: 'Fixed', amount: AMOUNT },
    authority: DESTINATION,
    isFreezable: true,
  },
};
const nft: TxOutput = {
  type: 'IssueNft',
  tokenId: ID,
  metadata: {
    creator: null,
    name: bytes(10),
    description: TEXT,
    ticker: bytes(4),
    iconUri: TEXT,
    additionalMetadataUri: TEXT,
    mediaUri: TEXT,
    mediaHash: bytes(32),
  },
  destination: DESTINATION,
};

function usual<Kind extends string>(kind: Kind, inputs: TxInput[], outputs: TxOutput[]) {
  const transaction: Transaction = { flags: 0n, inputs, outputs };
  const signed = { transaction, signatures: inputs.map(() => WITNESS) };
  return { kind, bytes: encodeSignedTransaction(signed).length, transaction };
}

const orderFill = usual('FillOrder', [spend, fill], [pay(token), change]);
export const FILL_BYTES = orderFill.bytes;

const USUAL = [
  usual('SendCoins', [spend], [change, change]),
  usual('SendCoinsOfTenOutputs', Array(10).fill(spend), [change, change]),
  usual('SendTokens', [spend, spend], [pay(token), pay(token), change]),
  usual('Delegate', [spend], [{ type: 'DelegateStaking', amount: AMOUNT, delegationId: ID }, change]),
  usual('Withdraw', [withdrawal], [locked]),
  usual('CreateOrder', [spend, spend], [order, pay(token), change]),
  orderFill,
  usual('IssueToken', [spend], [issuance, change]),
  ...Object.values(TOKEN_COMMANDS).map((command) =>
    usual(
      command.type,
      [spend, { type: 'AccountCommand', nonce: NONCE, command }],
      command.type === 'MintTokens' ? [pay(token), change] : [change],
    ),
  ),
  usual('IssueNft', [spend], [nft, change]),
  usual('DepositData', [spend], [{ type: 'DataDeposit', data: bytes(100) }, change]),
];

export type FeeExampleKind = (typeof USUAL)[number]['kind'];

/** Returns the transactions as they would be in a block at this height. */
export function feeExamples(network: Network, height: number): FeeExample[] {
  return USUAL.map(({ kind, bytes, transaction }) => ({
    kind,
    bytes,
    burned: burnedFees(network, height, transaction),
  }));
}

/** Returns the minimum fee of a transaction, in atoms, rounded up. */
export function minimumFee(sizeBytes: number, atomsPerKilobyte: Atoms): Atoms {
  return (BigInt(sizeBytes) * atomsPerKilobyte + 999n) / 1_000n;
}
