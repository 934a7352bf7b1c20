import type { Id } from '../chain/types.ts';
import { type RpcError, rpcInvalidParams } from './rpc-error.ts';

/**
 * The parameters of a call: an array by position, or an object by name in snake or camel case
 * (docs/protocol.md#rpc-transport). Every method throws the node's "Invalid params" when the parameter is missing or is
 * something else.
 */
export class RpcParams {
  readonly #values: object;
  readonly #requestText: string;

  /** `requestText` is what the client sent: errors tell a position in it. */
  constructor(values: unknown, requestText: string) {
    if (values !== undefined && (typeof values !== 'object' || values === null))
      throw rpcInvalidParams('expected an array or an object');
    this.#values = values ?? [];
    this.#requestText = requestText;
  }

  /** 32 bytes: hex in either case, with or without `0x` (docs/protocol.md#rpc-transport). */
  id(position: number, name: string): Id {
    const text = this.text(position, name);
    const digits = text.replace(/^0x/, '');
    const wrong = /[^0-9a-f]/i.exec(digits);
    if (wrong !== null) throw this.#wrong(text, `invalid character: ${wrong[0]} at index ${wrong.index}`);
    if (digits.length !== 64) throw this.#wrong(text, `invalid length: expected 64 hex digits, got ${digits.length}`);
    return digits.toLowerCase();
  }

  /** A whole number from 0 on. */
  count(position: number, name: string): number {
    const value = this.#required(position, name);
    if (!Number.isSafeInteger(value) || (value as number) < 0)
      throw this.#wrong(value, `invalid value: ${JSON.stringify(value)}, expected u64`);
    return value as number;
  }

  text(position: number, name: string): string {
    const value = this.#required(position, name);
    if (typeof value !== 'string')
      throw this.#wrong(value, `invalid type: ${JSON.stringify(value)}, expected a string`);
    return value;
  }

  /**
   * Bytes as hex in either case, without `0x` (docs/protocol.md#rpc-transport), decoded with `decode`, whose errors are
   * the client's.
   */
  encoded<T>(position: number, name: string, decode: (bytes: Uint8Array) => T): { value: T; bytes: Uint8Array } {
    const text = this.text(position, name);
    const wrong = /[^0-9a-f]/i.exec(text);
    if (wrong !== null)
      throw this.#wrong(text, `Hex decode error: Invalid character '${wrong[0]}' at position ${wrong.index}`);
    if (text.length % 2 !== 0) throw this.#wrong(text, 'Hex decode error: Odd number of digits');
    const bytes = Buffer.from(text, 'hex');
    try {
      return { value: decode(bytes), bytes };
    } catch (error) {
      throw this.#wrong(text, `Scale codec decode error: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** The options of a submission; only their shape matters here (docs/protocol.md#rpc-methods). */
  submitOptions(position: number, name: string): void {
    const value = this.#required(position, name);
    if (typeof value !== 'object' || value === null)
      throw this.#wrong(value, `invalid type: ${JSON.stringify(value)}, expected a map`);
    const policy = (value as { trust_policy?: unknown }).trust_policy ?? null;
    if (policy !== null && policy !== 'Untrusted' && policy !== 'Trusted')
      throw this.#wrong(value, `unknown variant: ${JSON.stringify(policy)}, expected \`Untrusted\` or \`Trusted\``);
  }

  #required(position: number, name: string): unknown {
    const values = this.#values;
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const key = Array.isArray(values) ? position : Object.hasOwn(values, name) ? name : camel;
    const value = Object.hasOwn(values, key) ? (values as Record<string | number, unknown>)[key] : undefined;
    if (value === undefined) throw rpcInvalidParams(`missing field \`${name}\``);
    return value;
  }

  /** Uses the node's words, with the position just after the wrong value, counted from the start of the parameters. */
  #wrong(value: unknown, reason: string): RpcError {
    const text = this.#requestText;
    const start = /"params"\s*:\s*/.exec(text);
    const from = start === null ? -1 : start.index + start[0].length;
    const valueText = JSON.stringify(value);
    const at = from < 0 ? -1 : text.indexOf(valueText, from);
    if (at < 0) return rpcInvalidParams(reason);
    const before = text.slice(from, at + valueText.length);
    const line = before.split('\n').length;
    return rpcInvalidParams(`${reason} at line ${line} column ${before.length - (before.lastIndexOf('\n') + 1)}`);
  }
}
