import { NetworkError } from './network.ts';

const MAX_ATOMS = (1n << 128n) - 1n;

/** Reads an object from a file field by field. Errors name the field; an absent field is undefined. */
export class FieldReader {
  readonly record: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #asked = new Set<string>();

  constructor(value: unknown, where: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new NetworkError(`${where}: expected an object`);
    }
    this.record = value as Record<string, unknown>;
    this.#where = where;
  }

  text(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') this.#refuse(key, 'a text');
    return value;
  }

  integer(key: string, max: number = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > max) {
      this.#refuse(key, `an integer from 0 to ${max}`);
    }
    return value as number;
  }

  /** Lower-cased; of exactly `bytes` bytes where that is given. */
  hex(key: string, bytes?: number): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const isHex = typeof value === 'string' && value.length % 2 === 0 && /^[0-9a-f]*$/i.test(value);
    if (!isHex || (bytes !== undefined && value.length !== bytes * 2)) {
      this.#refuse(key, bytes === undefined ? 'hex digits' : `${bytes * 2} hex digits`);
    }
    return value.toLowerCase();
  }

  /** Required; a decimal text, as JSON's numbers are not exact. */
  atoms(key: string): bigint {
    const value = this.#take(key);
    if (typeof value !== 'string' || !/^\d{1,39}$/.test(value) || BigInt(value) > MAX_ATOMS) {
      this.#refuse(key, 'atoms as a decimal text');
    }
    return BigInt(value);
  }

  optionalAtoms(key: string): bigint | undefined {
    return this.record[key] === undefined ? undefined : this.atoms(key);
  }

  /** Required. */
  oneOf<T extends string>(key: string, choices: readonly T[]): T {
    const value = this.#take(key);
    return choices.find((choice) => choice === value) ?? this.#refuse(key, `one of ${choices.join(', ')}`);
  }

  addressPrefix(key: string): string | undefined {
    const value = this.text(key);
    if (value !== undefined && !/^[!-@[-~]{1,83}$/.test(value)) {
      this.#refuse(key, 'at most 83 printable characters without upper-case letters');
    }
    return value;
  }

  object(key: string): FieldReader | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : new FieldReader(value, `${this.#where}: "${key}"`);
  }

  list(key: string): FieldReader[] | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length === 0) this.#refuse(key, 'a list that is not empty');
    return value.map((element, i) => new FieldReader(element, `${this.#where}: "${key}" at ${i}`));
  }

  /** Throws if there is an unknown field: a misspelt name must not pass unnoticed. */
  refuseOthers(): void {
    const other = Object.keys(this.record).find((key) => !this.#asked.has(key));
    if (other === undefined) return;
    throw new NetworkError(`${this.#where}: "${other}" is unknown; expected ${[...this.#asked].join(', ')}`);
  }

  #take(key: string): unknown {
    this.#asked.add(key);
    return Object.hasOwn(this.record, key) ? this.record[key] : undefined;
  }

  #refuse(key: string, expected: string): never {
    throw new NetworkError(`${this.#where}: "${key}" must be ${expected}, found ${JSON.stringify(this.record[key])}`);
  }
}
