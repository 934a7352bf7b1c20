/** Commands to tokens and orders that stand among a transaction's inputs (docs/protocol.md#inputs). */
import type { AccountCommand, OrderAccountCommand } from '../types.ts';
import { AMOUNT_CODEC, bool, byteVector, id, union } from './codec.ts';
import { DESTINATION_CODEC } from './destination.ts';

const TOKEN_ID = id('a token id');
const ORDER_ID = id('an order id');

export const ACCOUNT_COMMAND_CODEC = union<AccountCommand>('an account command', {
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

export const ORDER_ACCOUNT_COMMAND_CODEC = union<OrderAccountCommand>('an order command', {
  FillOrder: { index: 0, fields: { orderId: ORDER_ID, fillAmount: AMOUNT_CODEC } },
  FreezeOrder: { index: 1, fields: { orderId: ORDER_ID } },
  ConcludeOrder: { index: 2, fields: { orderId: ORDER_ID } },
});
