/**
 * The outputs of an address: the unspent ones, or all that were ever paid to it, in the order of the chain. These are the
 * longest lists; each comes as one row with a line of text per output, which costs a fraction of a row per output.
 */
import type { Destination, Id } from '../../../chain/types.ts';
import { defineQuery, type QueryRunner, type SnapshotRows } from '../../read/query.ts';
import { defineList, type OwnerSelection, type RowRange } from '../lists/define-list.ts';

/** An output and its sort key: height and position of the block and transaction that made it, and its index there. */
export interface UtxoRow {
  readonly height: number;
  readonly position: number;
  readonly output_index: number;
  /** `{"outpoint":…,"utxo":…`, without the last brace. */
  readonly entry: string;
  /** The fields of its block: `"block_id":…,"height":…,"timestamp":…`. */
  readonly block_reference: string;
}

export interface OutputRow extends UtxoRow {
  /** The block that spent the output, with the same fields; null while it is unspent. */
  readonly spent_block: string | null;
  /** The spending transaction; null also if a block's kernel spent the output. */
  readonly spent_tx_id: Id | null;
}

/** A list as one text; {@link parseOutputLines} reads it. */
export interface OutputLines {
  /** A line per output, tabs between its fields; the JSON in them holds neither line ends nor tabs. */
  readonly lines: string;
  /** If the list would exceed its limit in bytes: the number of outputs within the limit; the text is then empty. */
  readonly count: number;
}

/** The position of an output in the chain, as parameters of a query. */
export const OUTPUT_POSITION_PARAMETERS = { height: 'integer', position: 'integer', output_index: 'integer' } as const;

/** The columns of a list that is aggregated from `ordered`: `value` as `name` and the count, both within the limits. */
const withinBytes = (text: string, value: string, name: string) => `
      case when sum(octet_length(${text})) > :byte_limit then :row_limit else count(*) end as count,
      case when sum(octet_length(${text})) > :byte_limit then '' else ${value} end as ${name}`;

/**
 * The sort keys of unspent outputs after a key. `condition`: of those in the list. An output whose refund key is also its owner
 * is in the list once.
 */
const unspent = (condition: string) => `
  (select height, position, output_index from utxos
   where owner = :owner and (height, position, output_index) > (:height, :position, :output_index) and ${condition}
   order by height, position, output_index limit :row_limit)
  union all
  (select height, position, output_index from utxos
   where refund_owner = :owner and refund_owner <> owner
     and (height, position, output_index) > (:height, :position, :output_index) and ${condition}
     and (not :refund_waits_for_lock or refund_height <= (select height from chain_tip) + 1 or refund_time <= (select median_time from chain_tip)
          or (refund_height is null and refund_time is null))
   order by height, position, output_index limit :row_limit)
  order by height, position, output_index limit :row_limit`;

/** The lists of unspent outputs. That of the spendable ones has its own index, so that no locked output is passed over. */
const UNSPENT = {
  all: unspent('true'),
  spendable: unspent('unlock_height is null and unlock_time is null'),
} as const;
type UnspentList = keyof typeof UNSPENT;

/** Makes the queries of both lists. */
const ofBothLists = <Query>(make: (list: UnspentList) => Query) => ({ all: make('all'), spendable: make('spendable') });

type UnspentParameters = [
  owner: Destination,
  refundWaitsForLock: boolean,
  height: number,
  position: number,
  outputIndex: number,
  byteLimit: number,
  rowLimit: number,
];

const UNSPENT_PARAMETERS = {
  owner: 'bytea',
  refund_waits_for_lock: 'boolean',
  ...OUTPUT_POSITION_PARAMETERS,
  byte_limit: 'integer',
  row_limit: 'integer',
} as const;

/** The SQL of these outputs (`o`) in the order of the chain; with `BLOCKS` also of their blocks (`b`). */
const fromUnspent = (list: UnspentList, blocks = '') => `
      from (${UNSPENT[list]}) u
      join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
      ${blocks}
      order by u.height, u.position, u.output_index`;
const BLOCKS = 'join blocks b on b.height = u.height';

const UTXOS = ofBothLists((list) =>
  defineQuery<UnspentParameters, OutputLines>({
    name: `${list}_utxos`,
    parameters: UNSPENT_PARAMETERS,
    select: `
    select ${withinBytes('line', `coalesce(string_agg(line, E'\\n'), '')`, 'lines')}
    from (
      select concat_ws(E'\\t', u.height, u.position, u.output_index, o.entry, b.place) as line ${fromUnspent(list, BLOCKS)}
    ) ordered`,
  }),
);

/** A list as one text. */
interface UtxoListJson {
  /** A JSON array. */
  readonly list: string;
  readonly count: number;
}

/** `entry` is the SQL of an output's JSON without its last braces, `end` those braces. */
function utxoListsJson(name: string, { entry, end, blocks }: { entry: string; end: string; blocks?: string }) {
  return ofBothLists((list) =>
    defineQuery<UnspentParameters, UtxoListJson>({
      name: `${list}_${name}`,
      parameters: UNSPENT_PARAMETERS,
      select: `
    select ${withinBytes('entry', `'[' || coalesce(string_agg(entry, '${end},') || '${end}', '') || ']'`, 'list')}
    from (select ${entry} as entry ${fromUnspent(list, blocks)}) ordered`,
    }),
  );
}

/** `{"outpoint":…,"utxo":…}` each. */
const UTXO_LISTS = utxoListsJson('utxo_list', { entry: 'o.entry', end: '}' });

/**
 * The lists with the block of each output: `{"outpoint":…,"utxo":…,"block":{"block_id":…,"height":…,"timestamp":…}}`.
 */
const UTXO_LISTS_WITH_BLOCKS = utxoListsJson('utxo_list_with_blocks', {
  entry: `o.entry || ',"block":{' || b.place`,
  end: '}}',
  blocks: BLOCKS,
});

const OUTPUTS = defineQuery<
  [owner: Destination, height: number, position: number, outputIndex: number, byteLimit: number, rowLimit: number],
  OutputLines
>({
  name: 'outputs',
  parameters: {
    owner: 'bytea',
    ...OUTPUT_POSITION_PARAMETERS,
    byte_limit: 'integer',
    row_limit: 'integer',
  },
  select: `
    select ${withinBytes('line', `coalesce(string_agg(line, E'\\n'), '')`, 'lines')}
    from (
      select concat_ws(E'\\t', o.height, o.position, o.output_index, o.entry, b.place, sb.place,
                       encode(st.tx_id, 'hex')) as line
      from (
        (select height, position, output_index, entry from outputs
         where owner = :owner and (height, position, output_index) > (:height, :position, :output_index)
         order by height, position, output_index limit :row_limit)
        union all
        (select height, position, output_index, entry from outputs
         where refund_owner = :owner and refund_owner <> owner
           and (height, position, output_index) > (:height, :position, :output_index)
         order by height, position, output_index limit :row_limit)
        order by height, position, output_index limit :row_limit
      ) o
      join blocks b on b.height = o.height
      left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index
      left join blocks sb on sb.height = s.spent_height
      left join transactions st on st.tx_index = sb.first_tx_index + s.spent_position
      order by o.height, o.position, o.output_index
    ) ordered`,
});

/** The position of an output in the chain. */
export interface OutputSortKey {
  /** Height of the block that created it. */
  readonly height: number;
  /** Index of the transaction in the block; the reward has the one after the last transaction. */
  readonly position: number;
  readonly outputIndex: number;
}

/** The order of every list of outputs. */
export const OUTPUT_ORDER = {
  fields: { height: 'int32', position: 'int32', outputIndex: 'int32' },
  sortKey: ({ height, position, output_index: outputIndex }: UtxoRow): OutputSortKey => ({
    height,
    position,
    outputIndex,
  }),
} as const;

/** A position before every output of the chain. */
const BEFORE_ALL: OutputSortKey = { height: -1, position: -1, outputIndex: -1 };

/** Selects unspent outputs. An HTLC is in the lists of both its keys, the spend key and the refund key. */
export interface UtxoSelection {
  readonly owner: Destination;
  /** Leave out outputs under a time lock? */
  readonly spendableOnly: boolean;
  /**
   * Together with `spendableOnly`: leave out an HTLC for its refund key until a transaction in the block after the tip may
   * refund it? A height lock ends when that block has the height, a time lock when the tip's median time has reached it.
   */
  readonly refundWaitsForLock: boolean;
}

interface OutputPage extends RowRange<OutputSortKey> {
  /** The most bytes of their text; no limit unless given. */
  readonly byteLimit?: number;
}

/** PostgreSQL makes no text of so many. */
const ANY_BYTES = 2 ** 31 - 1;

/** The bytes of the shortest possible entry of a list of outputs. */
const MIN_ENTRY_BYTES = 128;

/** Returns a number of outputs whose list has more than these bytes. */
export const outputCountBeyond = (listBytes: number): number => Math.floor(listBytes / MIN_ENTRY_BYTES) + 1;

/** Unspent outputs: always one row. */
export function listUtxos(
  store: QueryRunner,
  selection: UtxoSelection & OutputPage,
): Promise<SnapshotRows<OutputLines>> {
  return store.query(UTXOS[listOf(selection)], ...unspentParameters(selection));
}

/**
 * Unspent outputs as JSON, `{"outpoint":…,"utxo":…}` each; with `withBlocks` also
 * `"block":{"block_id":…,"height":…,"timestamp":…}`. Always one row.
 */
export function listUtxosAsJson(
  store: QueryRunner,
  selection: UtxoSelection & OutputPage & { readonly withBlocks: boolean },
): Promise<SnapshotRows<UtxoListJson>> {
  const queries = selection.withBlocks ? UTXO_LISTS_WITH_BLOCKS : UTXO_LISTS;
  return store.query(queries[listOf(selection)], ...unspentParameters(selection));
}

const listOf = ({ spendableOnly }: UtxoSelection): UnspentList => (spendableOnly ? 'spendable' : 'all');

function unspentParameters({
  owner,
  spendableOnly,
  refundWaitsForLock,
  after,
  limit,
  byteLimit = ANY_BYTES,
}: UtxoSelection & OutputPage): UnspentParameters {
  const { height, position, outputIndex } = after ?? BEFORE_ALL;
  return [owner, spendableOnly && refundWaitsForLock, height, position, outputIndex, byteLimit, limit];
}

/** All outputs that were ever paid to an address, with what spent them: always one row. */
export function listPaidOutputs(
  store: QueryRunner,
  { owner, after, limit, byteLimit = ANY_BYTES }: { readonly owner: Destination } & OutputPage,
): Promise<SnapshotRows<OutputLines>> {
  const { height, position, outputIndex } = after ?? BEFORE_ALL;
  return store.query(OUTPUTS, owner, height, position, outputIndex, byteLimit, limit);
}

/** Parses the outputs of a list. Those of {@link listUtxos} have nulls in the fields about spending. */
export function parseOutputLines({ lines }: OutputLines): OutputRow[] {
  return lines === '' ? [] : lines.split('\n').map(readLine);
}

type LineFields = [string, string, string, string, string, string?, string?];

function readLine(line: string): OutputRow {
  const [height, position, index, entry, reference, spentBlock, spentTxId] = line.split('\t') as LineFields;
  return {
    height: Number(height),
    position: Number(position),
    output_index: Number(index),
    entry,
    block_reference: reference,
    spent_block: spentBlock ?? null,
    spent_tx_id: spentTxId ?? null,
  };
}

async function readUnspent(store: QueryRunner, page: UtxoSelection & OutputPage) {
  const { tip, rows } = await listUtxos(store, page);
  return { tip, rows: parseOutputLines(rows[0]!) };
}

/** The unspent outputs of an address that are under no time lock. {@link listUtxosAsJson} reads all of it faster. */
export const SPENDABLE_UTXO_LIST = defineList<Omit<UtxoSelection, 'spendableOnly'>, OutputSortKey, OutputRow>({
  name: ({ owner }) => `spendable-utxos ${owner}`,
  ...OUTPUT_ORDER,
  read: (store, page) => readUnspent(store, { ...page, spendableOnly: true }),
});

/** All unspent outputs of an address. */
export const ALL_UTXO_LIST = defineList<OwnerSelection, OutputSortKey, OutputRow>({
  name: ({ owner }) => `all-utxos ${owner}`,
  ...OUTPUT_ORDER,
  read: (store, page) => readUnspent(store, { ...page, spendableOnly: false, refundWaitsForLock: false }),
});
