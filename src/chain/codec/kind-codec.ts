import { unknownKind } from '../kind-facts.ts';
import type { Reader } from '../scale/reader.ts';
import type { Writer } from '../scale/writer.ts';

/** How values of one kind are encoded: the byte that stands first, and what follows it. */
interface Codec<T> {
  readonly index: number;
  read(reader: Reader): T;
  write(writer: Writer, value: T): void;
}

/** Every kind of a union, with its index. */
type KindCodecs<T extends { readonly type: string }> = {
  readonly [Kind in T['type']]: Codec<Extract<T, { readonly type: Kind }>>;
};

/** Reads and writes the values of a union. Reading throws a DecodeError for a kind that there is not. `what`: 'an output'. */
export function kindCodec<T extends { readonly type: string }>(what: string, codecs: KindCodecs<T>) {
  const byKind = codecs as Readonly<Record<string, Codec<T>>>;
  const byIndex: Codec<T>[] = [];
  for (const codec of Object.values(byKind)) byIndex[codec.index] = codec;
  const expected = `the kind of ${what}: 0 to ${byIndex.length - 1}`;
  return {
    read(reader: Reader): T {
      const index = reader.u8(what);
      const codec = byIndex[index];
      return codec === undefined ? reader.fail(expected, `${index}`, reader.position - 1) : codec.read(reader);
    },
    write(writer: Writer, value: T): void {
      const codec = byKind[value.type] ?? unknownKind(value as never);
      writer.u8(codec.index);
      codec.write(writer, value);
    },
  };
}
