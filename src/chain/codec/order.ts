/** Orders (docs/protocol.md#order-data). */
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';
import type { OrderData } from '../types.ts';
import { readDestination, writeDestination } from './destination.ts';
import { readOutputValue, writeOutputValue } from './value.ts';

export function readOrderData(reader: Reader): OrderData {
  return { concludeKey: readDestination(reader), ask: readOutputValue(reader), give: readOutputValue(reader) };
}

export function writeOrderData(writer: Writer, order: OrderData): void {
  writeDestination(writer, order.concludeKey);
  writeOutputValue(writer, order.ask);
  writeOutputValue(writer, order.give);
}
