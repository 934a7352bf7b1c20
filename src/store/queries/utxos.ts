/**
 * The outputs of an address: the unspent ones, and all that ever were. In the order of the chain. These are the longest
 * lists that there are; each comes in one piece, a line per output, which costs a fraction of what rows do.
 */
import type { Destination, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

/** An output and where it stands in the list. */
export interface UtxoRow {
  readonly height: number;
  readonly position: number;
  readonly output_index: number;
  /** `{"outpoint":…,"utxo":…`, without the last brace. */
  readonly entry: string;
  /** Of its block: `"block_id":…,"height":…,"timestamp":…`. */
  readonly place: string;
}

export interface OutputRow extends UtxoRow {
  /** The place of the block that spent it; null while it is unspent. */
  readonly spent_place: string | null;
  /** Null also where a block's kernel spent the output. */
  readonly spent_tx_id: Id | null;
}

/** A list in one piece. */
export interface Lines {
  /** A line each; JSON texts hold neither line ends nor tabs, which part the fields. */
  readonly lines: string;
  readonly count: number;
}

/**
 * The places of an address' unspent outputs, after a place. `spendable_only` leaves out those under a time lock;
 * `refund_waits` leaves HTLCs out for their refund key until a transaction in the block after the tip may refund them: a
 * height lock is over when that block has the height, a time lock when the tip's median time has passed it.
 */
const UNSPENT = `
  (select height, position, output_index from utxos
   where owner = q.owner and (height, position, output_index) > (q.height, q.position, q.output_index)
     and (not q.spendable_only or (unlock_height is null and unlock_time is null))
   order by height, position, output_index limit q.items)
  union all
  (select height, position, output_index from utxos
   where refund_owner = q.owner and owner <> q.owner
     and (height, position, output_index) > (q.height, q.position, q.output_index)
     and (not q.spendable_only or (unlock_height is null and unlock_time is null))
     and (not q.refund_waits or refund_height <= t.height + 1 or refund_time <= t.median_time
          or (refund_height is null and refund_time is null))
   order by height, position, output_index limit q.items)
  order by height, position, output_index limit q.items`;

type UnspentAsked = [
  owner: Destination,
  spendableOnly: boolean,
  refundWaits: boolean,
  height: number,
  position: number,
  outputIndex: number,
  items: number,
];

const UNSPENT_ASKED = {
  owner: 'bytea',
  spendable_only: 'boolean',
  refund_waits: 'boolean',
  height: 'integer',
  position: 'integer',
  output_index: 'integer',
  items: 'integer',
} as const;

/** Those outputs (`o`) in the order of the chain; with `BLOCKS` the block of each (`b`) as well. */
const fromUnspent = (blocks = '') => `
      from (${UNSPENT}) u
      join outputs o on o.height = u.height and o.position = u.position and o.output_index = u.output_index
      ${blocks}
      order by u.height, u.position, u.output_index`;
const BLOCKS = 'join blocks b on b.height = u.height';

/** Unspent outputs after a place. */
export const UTXOS = batchedQuery<UnspentAsked, Lines>({
  name: 'utxos',
  asked: UNSPENT_ASKED,
  key: 'lines',
  select: `
    select count(*) as count, coalesce(string_agg(line, E'\\n'), '') as lines
    from (
      select concat_ws(E'\\t', u.height, u.position, u.output_index, o.entry, b.place) as line ${fromUnspent(BLOCKS)}
    ) ordered`,
});

/** A list as its finished JSON array. */
export interface UtxoListJson {
  readonly list: string;
  readonly count: number;
}

/** Unspent outputs after a place, finished. `entry` is what each begins with, `end` the braces that it lacks. */
function finishedUtxos(name: string, { entry, end, blocks }: { entry: string; end: string; blocks?: string }) {
  return batchedQuery<UnspentAsked, UtxoListJson>({
    name,
    asked: UNSPENT_ASKED,
    key: 'list',
    select: `
    select count(*) as count, '[' || coalesce(string_agg(entry, '${end},') || '${end}', '') || ']' as list
    from (select ${entry} as entry ${fromUnspent(blocks)}) ordered`,
  });
}

/** `{"outpoint":…,"utxo":…}` each. */
export const UTXO_LIST = finishedUtxos('utxo_list', { entry: 'o.entry', end: '}' });

/** The same with the block of each: `{"outpoint":…,"utxo":…,"block":{"block_id":…,"height":…,"timestamp":…}}`. */
export const UTXO_LIST_WITH_BLOCKS = finishedUtxos('utxo_list_with_blocks', {
  entry: `o.entry || ',"block":{' || b.place`,
  end: '}}',
  blocks: BLOCKS,
});

/** All outputs that were ever paid to the address, after a place, with what spent them. */
export const OUTPUTS = batchedQuery<
  [owner: Destination, height: number, position: number, outputIndex: number, items: number],
  Lines
>({
  name: 'outputs',
  asked: { owner: 'bytea', height: 'integer', position: 'integer', output_index: 'integer', items: 'integer' },
  key: 'lines',
  select: `
    select count(*) as count, coalesce(string_agg(line, E'\\n'), '') as lines
    from (
      select concat_ws(E'\\t', o.height, o.position, o.output_index, o.entry, b.place, sb.place,
                       encode(st.tx_id, 'hex')) as line
      from (
        (select height, position, output_index, entry from outputs
         where owner = q.owner and (height, position, output_index) > (q.height, q.position, q.output_index)
         order by height, position, output_index limit q.items)
        union all
        (select height, position, output_index, entry from outputs
         where refund_owner = q.owner and owner <> q.owner
           and (height, position, output_index) > (q.height, q.position, q.output_index)
         order by height, position, output_index limit q.items)
        order by height, position, output_index limit q.items
      ) o
      join blocks b on b.height = o.height
      left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index
      left join blocks sb on sb.height = s.spent_height
      left join transactions st on st.tx_index = sb.first_tx_index + s.spent_position
      order by o.height, o.position, o.output_index
    ) ordered`,
});

/** The outputs of a list; those of {@link UTXOS} come without what spent them. */
export function parseLines({ lines }: Lines): OutputRow[] {
  return lines === '' ? [] : lines.split('\n').map(readLine);
}

function readLine(line: string): OutputRow {
  const [height, position, index, entry, place, spentPlace, spentTxId] = line.split('\t') as [
    string,
    string,
    string,
    string,
    string,
    string?,
    string?,
  ];
  return {
    height: Number(height),
    position: Number(position),
    output_index: Number(index),
    entry,
    place,
    spent_place: spentPlace ?? null,
    spent_tx_id: spentTxId ?? null,
  };
}
