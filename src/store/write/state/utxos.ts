import { encodeOutput, outputFromHex } from '../../../chain/codec/output.ts';
import type { Utxo } from '../../../ledger/rows.ts';
import type { StateTableSpec } from './spec.ts';

export const utxos: StateTableSpec<Utxo> = {
  table: 'utxos',
  columns: {
    key: { outpoint: 'bytea' },
    fixed: {
      height: 'integer',
      position: 'integer',
      output_index: 'integer',
      owner: 'bytea',
      refund_owner: 'bytea',
      refund_height: 'bigint',
      refund_time: 'bigint',
      is_reward: 'boolean',
      output: 'bytea',
    },
    changing: { unlock_height: 'bigint', unlock_time: 'bigint' },
  },
  keyFields: (row) => [row.outpoint],
  fixedFields: (row) => [
    row.height,
    row.position,
    row.outputIndex,
    row.owner,
    row.refundOwner,
    row.refundHeight,
    row.refundTime,
    row.isReward,
    encodeOutput(row.output),
  ],
  changingFields: (row) => [row.unlockHeight, row.unlockTime],
  fromRecord: (record: UtxoRecord) => ({
    outpoint: record.outpoint,
    height: record.height,
    position: record.position,
    outputIndex: record.output_index,
    owner: record.owner,
    refundOwner: record.refund_owner,
    unlockHeight: record.unlock_height,
    unlockTime: record.unlock_time,
    refundHeight: record.refund_height,
    refundTime: record.refund_time,
    isReward: record.is_reward,
    output: outputFromHex(record.output),
  }),
  keyOf: (row) => row.outpoint,
};

interface UtxoRecord {
  outpoint: string;
  height: number;
  position: number;
  output_index: number;
  owner: string;
  refund_owner: string | null;
  unlock_height: number | null;
  unlock_time: number | null;
  refund_height: number | null;
  refund_time: number | null;
  is_reward: boolean;
  output: string;
}
