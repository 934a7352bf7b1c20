/**
 * Inputs of transactions, commands to tokens and orders among them (docs/protocol.md#inputs), and the outpoints that inputs spend
 * (docs/protocol.md#outpoints).
 */
import type { AccountCommand, Id, OrderAccountCommand, Outpoint, TxInput } from '../types.ts';
import { AMOUNT_CODEC, bool, byteVector, type Codec, compact64, id, union } from './codec.ts';
import { DESTINATION_CODEC } from './destination.ts';

const TOKEN_ID = id('a token id');
const ORDER_ID = id('an order id');

const ACCOUNT_COMMAND_CODEC = union<AccountCommand>('an account command', {
  MintTokens: { index: 0, fields: { tokenId: TOKEN_ID, amount: AMOUNT_CODEC } },
  UnmintTokens: { index: 1, fields: { tokenId: TOKEN_ID } },
  LockTokenSupply: { index: 2, fields: { tokenId: TOKEN_ID } },
  FreezeToken: { index: 3, fields: { tokenId: TOKEN_ID, isUnfreezable: bool('whether a token can be unfrozen') } },
  UnfreezeToken: { index: 4, fields: { tokenId: TOKEN_ID } },
  ChangeTokenAuthority: { index: 5, fields: { tokenId: TOKEN_ID, newAuthority: DESTINATION_CODEC } },
  ConcludeOrder: { index: 6, fields: { orderId: ORDER_ID } },
  FillOrder: { index: 7, fields: { orderId: ORDER_ID, fillAmount: AMOUNT_CODEC, destination: DESTINATION_CODEC } },
  ChangeTokenMetadataUri: { index: 8, fields: { tokenId: TOKEN_ID, metadataUri: byteVector('a metadata URI') } },
});

const ORDER_ACCOUNT_COMMAND_CODEC = union<OrderAccountCommand>('an order command', {
  FillOrder: { index: 0, fields: { orderId: ORDER_ID, fillAmount: AMOUNT_CODEC } },
  FreezeOrder: { index: 1, fields: { orderId: ORDER_ID } },
  ConcludeOrder: { index: 2, fields: { orderId: ORDER_ID } },
});

/** Source tag, 32 bytes, index as u32. */
export const OUTPOINT_CODEC: Codec<Outpoint> = {
  read(reader) {
    const tag = reader.u8('the source of an outpoint');
    if (tag > 1) reader.fail('the source of an outpoint: 0 or 1', `${tag}`, reader.position - 1);
    const sourceId = reader.hex(32, 'the id in an outpoint');
    return { sourceType: tag === 0 ? 'Transaction' : 'BlockReward', sourceId, index: reader.u32('an output index') };
  },
  write(writer, outpoint) {
    writer.u8(outpoint.sourceType === 'Transaction' ? 0 : 1);
    writer.hex(outpoint.sourceId, 32);
    writer.u32(outpoint.index);
  },
};

const DELEGATION_ID = id('a delegation id');
/** The only kind of account that is spent from. */
const DELEGATION_BALANCE = 0;

/** The kind of the account, and the delegation's id. */
const DELEGATION_ACCOUNT: Codec<Id> = {
  read(reader) {
    const kind = reader.u8('the kind of an account');
    if (kind !== DELEGATION_BALANCE) reader.fail('the kind of an account: 0', `${kind}`, reader.position - 1);
    return DELEGATION_ID.read(reader);
  },
  write(writer, delegationId) {
    writer.u8(DELEGATION_BALANCE);
    DELEGATION_ID.write(writer, delegationId);
  },
};
const NONCE = compact64('a nonce');

export const INPUT_CODEC = union<TxInput>('an input', {
  Utxo: {
    index: 0,
    read: (reader) => ({ type: 'Utxo', outpoint: OUTPOINT_CODEC.read(reader) }),
    write: (writer, value) => OUTPOINT_CODEC.write(writer, value.outpoint),
  },
  Account: { index: 1, fields: { nonce: NONCE, delegationId: DELEGATION_ACCOUNT, amount: AMOUNT_CODEC } },
  AccountCommand: { index: 2, fields: { nonce: NONCE, command: ACCOUNT_COMMAND_CODEC } },
  OrderAccountCommand: { index: 3, fields: { command: ORDER_ACCOUNT_COMMAND_CODEC } },
});

export const { read: readInput, write: writeInput } = INPUT_CODEC;
