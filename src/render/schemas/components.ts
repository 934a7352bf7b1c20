/** The schemas that others refer to by name (`schemaRef`): components of the OpenAPI document. */
import { BLOCK_HEADER_SCHEMA } from './block-header-and-genesis.ts';
import * as common from './common.ts';
import * as output from './output.ts';
import { INPUT_ENTRY_SCHEMA, INPUT_SCHEMA } from './transaction.ts';
import { ACTION_SCHEMA } from './transaction-summary.ts';

export const SCHEMA_COMPONENTS = {
  Action: ACTION_SCHEMA,
  Amount: common.AMOUNT_SCHEMA,
  BlockHeader: BLOCK_HEADER_SCHEMA,
  Bytes: output.BYTE_ARRAY_SCHEMA,
  Created: common.CREATION_BLOCK_SCHEMA,
  Currency: common.CURRENCY_SCHEMA,
  Error: common.ERROR_BODY_SCHEMA,
  HashedTimelockContract: output.HASHED_TIMELOCK_CONTRACT_SCHEMA,
  Input: INPUT_SCHEMA,
  InputEntry: INPUT_ENTRY_SCHEMA,
  Lock: common.LOCK_SCHEMA,
  NftIssuance: output.NFT_ISSUANCE_SCHEMA,
  Outpoint: common.OUTPOINT_SCHEMA,
  Output: output.OUTPUT_SCHEMA,
  SignedAmount: common.SIGNED_AMOUNT_SCHEMA,
  StakePoolData: output.STAKE_POOL_DATA_SCHEMA,
  StringOrHex: common.STRING_OR_HEX_SCHEMA,
  UnixTime: common.TIMESTAMP_SCHEMA,
  Value: common.VALUE_SCHEMA,
};
