/** Writes and parses sort keys of lists as texts, for cursors and offset anchors: the fields with dots between them. */

/** The kinds of fields by the range of their values. */
interface FieldTypes {
  /** 0 … 2^31 − 1. */
  readonly int32: number;
  /** 0 … 10^15 − 1. */
  readonly int53: number;
  /** 0 … 2 · 10^18 − 1. */
  readonly int64: bigint;
  /** −1 … 10^150 − 1. */
  readonly bigint: bigint;
  /** 32 bytes as hex. */
  readonly hash: string;
  /** The same, or nothing. */
  readonly optionalHash: string;
  /** 1 … 64 bytes as hex. */
  readonly bytes: string;
  readonly boolean: boolean;
}
type FieldKind = keyof FieldTypes;

/** The kinds whose values have a type. */
type KindOf<Value> = { [Kind in FieldKind]: FieldTypes[Kind] extends Value ? Kind : never }[FieldKind];

/** The fields of a sort key by name, in the order of their weight: `{ height: 'int32', poolId: 'hash' }`. */
export type SortFields<Key> = { readonly [Name in keyof Key]: KindOf<Key[Name]> };

const PATTERNS: Readonly<Record<FieldKind, RegExp>> = {
  int32: /^(?:0|[1-9][0-9]{0,9})$/,
  int53: /^(?:0|[1-9][0-9]{0,14})$/,
  int64: /^(?:0|[1-9][0-9]{0,17}|1[0-9]{18})$/,
  bigint: /^(?:-1|0|[1-9][0-9]{0,149})$/,
  hash: /^[0-9a-f]{64}$/,
  optionalHash: /^(?:[0-9a-f]{64})?$/,
  bytes: /^(?:[0-9a-f]{2}){1,64}$/,
  boolean: /^[01]$/,
};
const MAX_INT32 = 0x7fff_ffff;

/** Returns a sort key as text. */
export function sortKeyText<Key extends object>(fields: SortFields<Key>, key: Key): string {
  const names = Object.keys(fields) as (keyof Key)[];
  return names.map((name) => (typeof key[name] === 'boolean' ? Number(key[name]) : key[name])).join('.');
}

/** Parses a sort key; null if the text is not one with these fields. */
export function parseSortKey<Key extends object>(fields: SortFields<Key>, text: string): Key | null {
  const kinds = Object.entries(fields) as [name: string, kind: FieldKind][];
  const texts = text.split('.');
  if (texts.length !== kinds.length) return null;
  const values = kinds.map(([name, kind], i) => [name, parseField(kind, texts[i]!)] as const);
  return values.some(([, value]) => value === null) ? null : (Object.fromEntries(values) as Key);
}

function parseField(kind: FieldKind, text: string): FieldTypes[FieldKind] | null {
  if (!PATTERNS[kind].test(text)) return null;
  switch (kind) {
    case 'int32':
      return Number(text) > MAX_INT32 ? null : Number(text);
    case 'int53':
      return Number(text);
    case 'int64':
    case 'bigint':
      return BigInt(text);
    case 'boolean':
      return text === '1';
    case 'hash':
    case 'optionalHash':
    case 'bytes':
      return text;
  }
}
