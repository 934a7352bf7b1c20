/** The parts of an output's stored text (`{"outpoint":…,"utxo":…`, without the last brace), as they stand in it. */

/** Within texts of the JSON quotation marks are escaped: none of these finds anything in one. */
const OUTPOINT = /^\{"outpoint":(\{[^}]*\}),"utxo":/;
const LOCK = /"(?:lock|refund_timelock)":(\{"content":(?:\d+|\{"timestamp":\d+\}),"type":"\w+"\})/;
const VALUE = '"value":';

/** The outpoint as JSON. */
export function outpointJsonOf(entry: string): string {
  return OUTPOINT.exec(entry)![1]!;
}

/** The value of a transfer, a time-locked transfer or an HTLC as JSON: the last field of each. */
export function outputValueOf(entry: string): string {
  return entry.slice(entry.lastIndexOf(VALUE) + VALUE.length, -1);
}

/** The time lock, or that of an HTLC's refund, as JSON. */
export function lockOf(entry: string): string {
  return LOCK.exec(entry)![1]!;
}

/** A field of an output that is an address, as JSON. */
export function addressFieldOf(entry: string, field: 'destination' | 'spend_key' | 'refund_key'): string {
  const start = entry.indexOf(`"${field}":"`) + field.length + 3;
  return entry.slice(start, entry.indexOf('"', start + 1) + 1);
}
