import { encodeOutput, outputFromHex } from '../../../chain/codec/output.ts';
import type { Utxo } from '../../../ledger/rows.ts';
import { stateTable } from './spec.ts';

export const utxoTable = stateTable<Utxo>()({
  table: 'utxos',
  key: { outpoint: 'bytea' },
  fixed: {
    height: 'integer',
    position: 'integer',
    output_index: 'integer',
    owner: 'bytea',
    refund_owner: 'bytea | null',
    refund_height: 'bigint | null',
    refund_time: 'bigint | null',
    is_reward: 'boolean',
    output: 'bytea',
  },
  changing: { unlock_height: 'bigint | null', unlock_time: 'bigint | null' },
  encoders: { output: (row) => encodeOutput(row.output) },
  decoders: { output: (record) => outputFromHex(record.output) },
  keyOf: (row) => row.outpoint,
});
