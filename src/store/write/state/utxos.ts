import { encodeOutput, outputFromHex } from '../../../chain/codec/output.ts';
import type { Utxo } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const utxos = stateTable<Utxo>()({
  table: 'utxos',
  key: {
    outpoint: ['bytea', (row) => row.outpoint],
  },
  fixed: {
    height: ['integer', (row) => row.height],
    position: ['integer', (row) => row.position],
    output_index: ['integer', (row) => row.outputIndex],
    owner: ['bytea', (row) => row.owner],
    refund_owner: ['bytea | null', (row) => row.refundOwner],
    refund_height: ['bigint | null', (row) => row.refundHeight],
    refund_time: ['bigint | null', (row) => row.refundTime],
    is_reward: ['boolean', (row) => row.isReward],
    output: ['bytea', (row) => encodeOutput(row.output)],
  },
  changing: {
    unlock_height: ['bigint | null', (row) => row.unlockHeight],
    unlock_time: ['bigint | null', (row) => row.unlockTime],
  },
  fromRecord: (record) => ({
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
});
