/** An output with its position, as it is stored for lists of outputs; and the parts of this text. */
import type { Utxo } from '../ledger/state-rows.ts';
import { outpointJson } from './common-values.ts';

/**
 * Returns an entry of a list of outputs, without its closing brace, because some lists append fields. `utxoText`: the
 * result of `renderOutput`.
 */
export function outputEntryJson(sourceId: string, utxo: Utxo, utxoText: string): string {
  const sourceType = utxo.isReward ? 'BlockReward' : 'Transaction';
  return `{"outpoint":${outpointJson({ index: utxo.outputIndex, sourceId, sourceType })}${BEFORE_OUTPUT}${utxoText}`;
}

const BEFORE_OUTPUT = ',"utxo":';

/**
 * Returns the output in an {@link outputEntryJson}, as rendered by `renderOutput`. The outpoint before it has no field `utxo`.
 */
export function outputJsonOfEntry(entryText: string): string {
  return entryText.slice(entryText.indexOf(BEFORE_OUTPUT) + BEFORE_OUTPUT.length);
}

/** Quotation marks are escaped within JSON strings, so none of these patterns matches inside of a string. */
const OUTPOINT = /^\{"outpoint":(\{[^}]*\}),"utxo":/;
const LOCK = /"(?:lock|refund_timelock)":(\{"content":(?:\d+|\{"timestamp":\d+\}),"type":"\w+"\})/;
const VALUE = '"value":';

/** Returns the outpoint as JSON. */
export function outpointJsonOfEntry(entry: string): string {
  return OUTPOINT.exec(entry)![1]!;
}

/** Returns the value of a transfer, a time-locked transfer or an HTLC as JSON: the last field of each. */
export function valueJsonOfEntry(entry: string): string {
  return entry.slice(entry.lastIndexOf(VALUE) + VALUE.length, -1);
}

/** Returns the time lock, or that of an HTLC's refund, as JSON. */
export function lockJsonOfEntry(entry: string): string {
  return LOCK.exec(entry)![1]!;
}

/** Returns a field of an output that is an address, as JSON. */
export function addressJsonOfEntry(entry: string, field: 'destination' | 'spend_key' | 'refund_key'): string {
  const start = entry.indexOf(`"${field}":"`) + field.length + 3;
  return entry.slice(start, entry.indexOf('"', start + 1) + 1);
}
