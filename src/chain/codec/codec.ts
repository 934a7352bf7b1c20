/** The encoding of types (docs/protocol.md#scale-encoding): a type's codec is composed of those of its parts. */
import { EncodeError } from '../scale/codec-errors.ts';
import type { ScaleReader } from '../scale/reader.ts';
import type { ScaleWriter } from '../scale/writer.ts';
import type { Atoms, Hex, Id } from '../types.ts';

export interface Codec<T> {
  /** Throws DecodeError. */
  readonly read: (reader: ScaleReader) => T;
  /** Throws EncodeError. */
  readonly write: (writer: ScaleWriter, value: T) => void;
}

/** The codec of each field, in the order of their bytes. */
type Fields<T> = { readonly [Name in keyof T]: Codec<T[Name]> };

/** Makes the codec of an object: its fields, one after the other. */
export function struct<T extends object>(fields: Fields<T>): Codec<T> {
  const names = Object.keys(fields) as (keyof T)[];
  const codecs = names.map((name) => fields[name]);
  return {
    read(reader) {
      const value: Partial<T> = {};
      for (let i = 0; i < names.length; i++) value[names[i]!] = codecs[i]!.read(reader);
      return value as T;
    },
    write(writer, value) {
      for (let i = 0; i < names.length; i++) codecs[i]!.write(writer, value[names[i]!]);
    },
  };
}

/**
 * A kind of a union: the byte that stands first, and what follows it. Kinds that blocks are full of have a codec of their own:
 * code that names the fields is faster than a loop over them.
 */
type Kind<T> = { readonly index: number } & ({ readonly fields: Fields<Omit<T, 'type'>> } | Codec<T>);

/** The values of a union. `what`: 'an output'. */
export function union<T extends { readonly type: string }>(
  what: string,
  kinds: { readonly [Type in T['type']]: Kind<Extract<T, { readonly type: Type }>> },
): Codec<T> {
  const byType: Record<string, { readonly index: number; readonly write: Codec<T>['write'] }> = {};
  const byIndex: Codec<T>['read'][] = [];
  for (const [type, kind] of Object.entries(kinds as unknown as Readonly<Record<string, Kind<T>>>)) {
    const { read, write } = 'fields' in kind ? struct<T>({ type: constant(type), ...kind.fields } as Fields<T>) : kind;
    byType[type] = { index: kind.index, write };
    byIndex[kind.index] = read;
  }
  const indexes = Object.keys(byIndex);
  const expected = `the kind of ${what}: ${indexes[0]} ${indexes.length === 2 ? 'or' : 'to'} ${indexes.at(-1)}`;
  return {
    read(reader) {
      const index = reader.u8(what);
      const read = byIndex[index];
      return read === undefined ? reader.fail(expected, `${index}`, reader.position - 1) : read(reader);
    },
    write(writer, value) {
      const kind = byType[value.type];
      if (kind === undefined) throw new EncodeError(`a value of unknown kind: ${value.type}`);
      writer.u8(kind.index);
      kind.write(writer, value);
    },
  };
}

/** A value that is encoded as no bytes. */
function constant<T>(value: T): Codec<T> {
  return { read: () => value, write() {} };
}

/** A value behind the byte of its version, the only one there is. */
export function behindVersion<T>(version: number, what: string, codec: Codec<T>): Codec<T> {
  return {
    read(reader) {
      const found = reader.u8(what);
      if (found !== version) reader.fail(`the version of ${what}: ${version}`, `${found}`, reader.position - 1);
      return codec.read(reader);
    },
    write(writer, value) {
      writer.u8(version);
      codec.write(writer, value);
    },
  };
}

/** A value behind a 1, or a 0 for null. */
export function optional<T>(what: string, codec: Codec<T>, choice: string = what): Codec<T | null> {
  const isThere = bool(what, choice);
  return {
    read: (reader) => (isThere.read(reader) ? codec.read(reader) : null),
    write(writer, value) {
      isThere.write(writer, value !== null);
      if (value !== null) codec.write(writer, value);
    },
  };
}

export function vector<T>(what: string, codec: Codec<T>): Codec<readonly T[]> {
  return {
    read: (reader) => reader.vector(codec.read, what),
    write: (writer, values) => writer.vector(values, codec.write),
  };
}

/** An enum of No and Yes. */
export function bool(what: string, choice: string = what): Codec<boolean> {
  return {
    read(reader) {
      const tag = reader.u8(what);
      if (tag > 1) reader.fail(`${choice}: 0 or 1`, `${tag}`, reader.position - 1);
      return tag === 1;
    },
    write: (writer, value) => writer.u8(value ? 1 : 0),
  };
}

export function u8(what: string): Codec<number> {
  return { read: (reader) => reader.u8(what), write: (writer, value) => writer.u8(value) };
}

export function u32(what: string): Codec<number> {
  return { read: (reader) => reader.u32(what), write: (writer, value) => writer.u32(value) };
}

/** A fixed number of bytes. */
export function bytes(length: number, what: string): Codec<Hex> {
  return { read: (reader) => reader.hex(length, what), write: (writer, value) => writer.hex(value, length) };
}

/** Makes the codec of a fixed number of bytes. The first byte is a kind, which must be 0. */
export function bytesAfterKindZero(length: number, what: string): Codec<Hex> {
  return {
    read(reader) {
      const start = reader.position;
      const value = reader.hex(length, what);
      if (reader.bytes[start] !== 0) reader.fail(`the kind of ${what}: 0`, `${reader.bytes[start]}`, start);
      return value;
    },
    write(writer, value) {
      if (!value.startsWith('00')) throw new EncodeError(`kind byte 00 missing: "${value}"`);
      writer.hex(value, length);
    },
  };
}

export function id(what: string): Codec<Id> {
  return bytes(32, what);
}

export function byteVector(what: string): Codec<Hex> {
  return { read: (reader) => reader.byteVector(what), write: (writer, value) => writer.byteVector(value) };
}

export const AMOUNT_CODEC: Codec<Atoms> = {
  read: (reader) => reader.compact(16, 'an amount'),
  write: (writer, amount) => writer.compact(amount, 128),
};

/** A nonce, or the value of a time lock. */
export function compact64(what: string): Codec<bigint> {
  return { read: (reader) => reader.compact(8, what), write: (writer, value) => writer.compact(value, 64) };
}
