/** Transactions as they are stored, as far as `verify` reads them. */
import type { OutputKind } from '../../src/chain/input-and-output-kinds.ts';
import type { AccountCommand, OrderAccountCommand, Outpoint, TimeLock, TxInput } from '../../src/chain/types.ts';

/** Two kinds of commands, and inputs that spend an output, are shown by another name than `src/chain/types.ts` has. */
type CommandKind = (AccountCommand | OrderAccountCommand)['type'];
export type ShownCommand = Exclude<CommandKind, 'FreezeToken' | 'UnfreezeToken'> | 'FreezeTokens' | 'UnfreezeTokens';
type ShownInputKind = Exclude<TxInput['type'], 'Utxo'> | 'UTXO';

/** An amount, an output, an input and a transaction as the API shows them, as far as is asked here. */
interface ShownAmount {
  readonly atoms: string;
}
export interface ShownValue {
  readonly type: string;
  readonly amount: ShownAmount;
  readonly token_id?: string;
}
export interface ShownOutput {
  readonly type: OutputKind;
  readonly destination?: string;
  readonly value?: ShownValue;
  readonly lock?: { readonly type: TimeLock['type']; readonly content: number | { readonly timestamp: number } };
  readonly ask_value?: ShownValue;
  readonly give_value?: ShownValue;
  readonly conclude_key?: string;
  readonly authority?: string;
  readonly metadata_uri?: { readonly hex: string };
  readonly amount?: ShownAmount;
  readonly pool_id?: string;
  readonly delegation_id?: string;
  readonly token_id?: string;
  readonly data?: {
    readonly amount: ShownAmount;
    readonly cost_per_block: ShownAmount;
    readonly margin_ratio_per_thousand: number;
    readonly decommission_key: string;
  };
  readonly htlc?: {
    readonly secret: { readonly hex: string } | null;
    readonly spend_key: string;
    readonly refund_key: string;
  };
}
export interface ShownInput {
  readonly input: {
    readonly input_type: ShownInputKind;
    readonly index?: number;
    readonly source_id?: string;
    readonly source_type?: Outpoint['sourceType'];
    readonly command?: ShownCommand;
    readonly delegation_id?: string;
    readonly amount?: ShownAmount;
    readonly order_id?: string;
    readonly fill_atoms?: ShownAmount;
    readonly token_id?: string;
    readonly new_authority?: string;
    readonly metadata_uri?: readonly number[];
    readonly is_token_unfreezable?: boolean;
  };
  readonly utxo: ShownOutput | null;
}
export interface StoredTransactionJson {
  readonly id: string;
  readonly fee: ShownAmount;
  readonly inputs: readonly ShownInput[];
  readonly outputs: readonly ShownOutput[];
}
