/** Entries: JSON as JSON.stringify writes it, columns of exports, schemas; and what does not compile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { appendedFields, defineEntry, type Fields, kind } from '../../../src/api/entry/define-entry.ts';
import {
  amountsIn,
  bech32,
  choice,
  coins,
  count,
  flag,
  integerText,
  listOf,
  nested,
  text,
  time,
  utcDay,
} from '../../../src/api/entry/kinds.ts';
import { decimalText } from '../../../src/chain/decimal-text.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { csvLine } from '../../../src/serving/route/csv.ts';

const network = networkByName('regtest');

interface Row {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly isNew: boolean;
  readonly owner: string | null;
  readonly amount: bigint;
  readonly decimals: number;
  readonly seen: number | undefined;
}

const amounts = amountsIn<Row>(({ decimals }) => decimals);
const FIELDS: Fields<Row> = {
  id: bech32(({ id }) => id, 'Of the thing'),
  owner: bech32.orNull(({ owner }) => owner),
  name: text(({ name }) => name),
  seen: count.optional(({ seen }) => seen),
  also: bech32(({ id }) => id),
  size: count(({ size }) => size),
  isNew: flag(({ isNew }) => isNew),
  change: amounts.signed(({ amount }) => -amount),
  held: amounts.orNull(({ amount }) => (amount === 0n ? null : amount)),
  number: integerText(({ amount }) => amount),
};

const rows = fc.record({
  id: fc.stringMatching(/^[a-z0-9]*$/),
  name: fc.string(),
  size: fc.nat(),
  isNew: fc.boolean(),
  owner: fc.option(fc.stringMatching(/^[a-z0-9]+$/), { nil: null }),
  amount: fc.bigInt({ min: 0n, max: 1n << 130n }),
  decimals: fc.nat({ max: 30 }),
  seen: fc.option(fc.nat(), { nil: undefined }),
});

const amountOf = (atoms: bigint, decimals: number) => ({ atoms: `${atoms}`, decimal: decimalText(atoms, decimals) });

function expected({ id, owner, name, seen, size, isNew, amount, decimals }: Row): Record<string, unknown> {
  return {
    id,
    owner,
    name,
    ...(seen === undefined ? {} : { seen }),
    also: id,
    size,
    isNew,
    change: amountOf(-amount, decimals),
    held: amount === 0n ? null : amountOf(amount, decimals),
    number: `${amount}`,
  };
}

it('an entry with any number of its fields is what JSON.stringify writes of its values, whatever these are', () => {
  for (let length = 1; length <= Object.keys(FIELDS).length; length++) {
    const names = Object.keys(FIELDS).slice(0, length);
    const entry = defineEntry(Object.fromEntries(names.map((name) => [name, FIELDS[name]!])));
    fc.assert(
      fc.property(rows, (row) => {
        const kept = Object.entries(expected(row)).filter(([name]) => names.includes(name));
        assert.equal(entry.json(network, row), JSON.stringify(Object.fromEntries(kept)));
      }),
    );
  }
});

it('fields to append stand behind a comma; no field is no text', () => {
  const row = { id: 'a', size: 1 };
  const appended = appendedFields<typeof row>({ id: bech32(({ id }) => id), size: count((each) => each.size) });
  assert.equal(appended.text(row, network), ',"id":"a","size":1');
  assert.equal(appendedFields({}).text({}, network), '');
});

it('entries and lists of them are values of fields, described by their schema or by a component', () => {
  const inner = defineEntry<number>({ n: count((n) => n) }, { title: 'Inner' });
  const outer = defineEntry<readonly number[]>({
    first: nested(inner)((all) => all[0]!, 'The first'),
    all: listOf(nested(inner, 'Inner'))((all) => all, 'All'),
    none: nested(inner, 'Inner').orNull(() => null),
  });
  assert.equal(outer.json(network, [1, 2]), '{"first":{"n":1},"all":[{"n":1},{"n":2}],"none":null}');
  const { first, all, none } = JSON.parse(JSON.stringify(outer.schema.properties));
  assert.deepEqual([first.title, first.description], ['Inner', 'The first']);
  assert.deepEqual([all.items, all.description], [{ $ref: 'Inner#' }, 'All']);
  assert.deepEqual(none.anyOf, [{ $ref: 'Inner#' }, { type: 'null' }]);
  assert.deepEqual(outer.csv(network).columns, []);
});

it('the schema of an entry has its fields, all required but the optional ones, with their descriptions', () => {
  const { properties, required, additionalProperties } = JSON.parse(JSON.stringify(defineEntry(FIELDS).schema));
  assert.deepEqual(Object.keys(properties), Object.keys(FIELDS));
  assert.deepEqual(
    required,
    Object.keys(FIELDS).filter((name) => name !== 'seen'),
  );
  assert.equal(additionalProperties, false);
  assert.equal(properties.id.description, 'Of the thing');
  const { balance } = JSON.parse(
    JSON.stringify(defineEntry<bigint>({ balance: coins((n) => n, 'Now') }).schema),
  ).properties;
  assert.deepEqual(balance, { allOf: [{ $ref: 'Amount#' }], description: 'Now' });
});

it('a field is a column of exports by its name, or by that of its kind; null is empty; the columns may have their own order', () => {
  const fields: Fields<Row> = {
    day: utcDay(({ size }) => size),
    at: time(({ size }) => size),
    kind: choice(['old', 'new'])(({ isNew }) => (isNew ? 'new' : 'old')),
    owner: bech32.orNull(({ owner }) => owner),
    amount: amounts(({ amount }) => amount),
    fresh: flag(({ isNew }) => isNew),
    hidden: kind<string>({ schema: {} })(() => '{}'),
  };
  const row = { id: '', name: '', size: 2, isNew: true, owner: null, amount: 1234n, decimals: 2, seen: undefined };
  const { columns, fields: valuesOf } = defineEntry(fields).csv(network);
  assert.deepEqual(columns, ['day_utc', 'time_utc', 'kind', 'owner', 'amount', 'fresh']);
  assert.equal(csvLine(valuesOf(row), ';', ','), '1970-01-03;1970-01-01 00:00:02;new;;12,34;true\r\n');
  const ordered = defineEntry(fields, { columns: ['amount', 'kind'] }).csv(network);
  assert.deepEqual(
    [ordered.columns, ordered.fields(row)],
    [
      ['amount', 'kind'],
      [{ atoms: 1234n, decimals: 2 }, 'new'],
    ],
  );
});

it('a getter that reads another field, or one of another type, does not compile', () => {
  // Is compiled and not run.
  const refused = () => [
    // @ts-expect-error: no such field
    defineEntry<Row>({ weight: count(({ weight }) => weight) }),
    // @ts-expect-error: a text is no number
    defineEntry<Row>({ size: count(({ name }) => name) }),
    // @ts-expect-error: may be null
    defineEntry<Row>({ owner: bech32(({ owner }) => owner) }),
    // @ts-expect-error: not one of the texts
    defineEntry<Row>({ kind: choice(['old', 'new'])(() => 'other') }),
  ];
  assert.equal(typeof refused, 'function');
});
