/** The rows of the ledger's state on their way into the tables and back, whatever they hold. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc, { type Arbitrary } from 'fast-check';
import type pg from 'pg';
import { LedgerState } from '../../../src/ledger/state.ts';
import type { StateTable } from '../../../src/ledger/state-table.ts';
import { closePostgresConnection } from '../../../src/store/postgres/connect.ts';
import { inDatabaseTransaction } from '../../../src/store/postgres/in-transaction.ts';
import { openLongStatementConnection } from '../../../src/store/postgres/long-statement-connection.ts';
import { columnNames, type StateTableDefinition } from '../../../src/store/write/state/define-state-table.ts';
import { STATE_TABLE_NAMES, STATE_TABLES, type StateTableName } from '../../../src/store/write/state/state-tables.ts';
import { stateStatements } from '../../../src/store/write/state/write-rows.ts';
import { runStatements } from '../../../src/store/write/transferable-statements.ts';
import {
  finishUndoRecord,
  restoreState,
  startUndoRecord,
  undoRecordStatements,
} from '../../../src/store/write/undo-log.ts';
import { amount, byteText, destination, hex, id, nftMetadata, nonce, output } from '../../chain/arbitrary.ts';
import { createTables } from '../../support/create-tables.ts';
import { fileScope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';

const height = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const time = fc.option(fc.maxSafeNat());
const flag = fc.boolean();
const currency = fc.oneof(id, fc.constant(''));
const fragment = fc.oneof(
  fc.constantFrom('\\', '"', "'", '{', '}', ',', '\\n', '\\N', 'null', ' ', '\\x00', '"\\"', 'ß', '🦀', '‮', '\u2028'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/\p{Cc}|\p{Cs}/u.test(text)),
);
const supply = fc.oneof(
  amount.map((atoms) => ({ type: 'Fixed', amount: atoms }) as const),
  fc.constantFrom({ type: 'Lockable' } as const, { type: 'Unlimited' } as const),
);

const record = <T extends Record<string, Arbitrary<unknown>>>(fields: T) =>
  fc.record(fields, { noNullPrototype: true });

/** Rows of any content, by table. */
const ROWS: Record<StateTableName, Arbitrary<object>> = {
  utxos: record({
    outpoint: hex(36),
    height,
    position: height,
    outputIndex: height,
    owner: destination,
    refundOwner: fc.option(destination),
    unlockHeight: time,
    unlockTime: time,
    refundHeight: time,
    refundTime: time,
    isReward: flag,
    output,
  }),
  balances: record({ owner: destination, currency, amount, locked: amount }),
  pools: record({
    poolId: id,
    creationHeight: height,
    pledge: amount,
    rewards: amount,
    delegationsBalance: amount,
    delegationCount: height,
    effectiveStake: amount,
    expectedBase: fc.oneof(
      amount,
      amount.map((value) => -value),
    ),
    blocksTotal: height,
    blocksDay: height,
    blocksMonth: height,
    monthRate: amount,
    stakerRewards: amount,
    delegationRewards: amount,
    decommissionedBy: fc.option(height),
    changedDay: height,
    staker: destination,
    decommissionDestination: destination,
    vrfPublicKey: hex(33),
    marginRatioPerThousand: fc.integer({ min: 0, max: 1000 }),
    costPerBlock: amount,
  }),
  delegations: record({
    delegationId: id,
    poolId: id,
    spendDestination: destination,
    balance: amount,
    deposited: amount,
    withdrawn: amount,
    nextNonce: nonce,
    creationHeight: height,
    changedDay: height,
  }),
  tokens: record({
    tokenId: id,
    creationHeight: height,
    ticker: byteText(),
    decimals: fc.integer({ min: 0, max: 255 }),
    metadataUri: byteText(),
    totalSupply: supply,
    circulatingSupply: amount,
    isLocked: flag,
    isFrozen: flag,
    isFreezable: flag,
    isUnfreezable: fc.option(flag),
    authority: destination,
    nextNonce: nonce,
  }),
  nfts: record({ tokenId: id, creationHeight: height, owner: fc.option(destination), metadata: nftMetadata }),
  hours: record({
    hour: height,
    firstHeight: height,
    height,
    timestamp: fc.maxSafeNat(),
    endsDay: flag,
    endsWeek: flag,
    endsMonth: flag,
    transactions: fc.maxSafeNat(),
    bytes: fc.maxSafeNat(),
    fees: amount,
    trades: fc.maxSafeNat(),
    circulatingSupply: amount,
    burned: amount,
    staked: amount,
    holders: height,
    expectedPerStake: amount,
    pools: height,
    delegations: height,
    tokens: height,
    nfts: height,
    openOrders: height,
  }),
  tickerFragments: record({ fragment, isNft: flag, tokenId: id, isWhole: flag }),
  nameFragments: record({ fragment, tokenId: id, isWhole: flag }),
  orders: record({
    orderId: id,
    creationHeight: height,
    concludeDestination: destination,
    askCurrency: currency,
    askDecimals: fc.integer({ min: 0, max: 255 }),
    initiallyAsked: amount,
    askBalance: amount,
    giveCurrency: currency,
    giveDecimals: fc.integer({ min: 0, max: 255 }),
    initiallyGiven: amount,
    giveBalance: amount,
    nextNonce: nonce,
    isFrozen: flag,
    concludedHeight: height,
  }),
  statistics: record({
    currency,
    circulatingSupply: amount,
    preminted: amount,
    burned: amount,
    staked: amount,
    holders: height,
    effectiveStake: amount,
  }),
};

const scope = fileScope();
let client: pg.Client;

before(async () => {
  const postgres = await testDatabase(scope);
  client = await openLongStatementConnection(postgres, 'test');
  scope.after(() => closePostgresConnection(client));
  await createTables(client);
});

const specOf = (name: StateTableName) => STATE_TABLES[name] as StateTableDefinition<object>;
const tableOf = (state: LedgerState, name: StateTableName) => state.tables[name] as StateTable<object>;

async function stored(name: StateTableName): Promise<Map<string, object>> {
  const spec = specOf(name);
  const { rows } = await client.query(`select ${columnNames(spec).join(', ')} from ${spec.table}`);
  return new Map(rows.map((row) => [spec.keyOf(spec.fromRecord(row as never)), spec.fromRecord(row as never)]));
}

function write(state: LedgerState): Promise<void> {
  return inDatabaseTransaction(client, () => runStatements(client, [...stateStatements(state.takeChanges())].flat()));
}

for (const name of STATE_TABLE_NAMES) {
  it(`a state row of ${name} is read back as it was written, changed, removed and undone`, async () => {
    const spec = specOf(name);
    const pair = fc.tuple(ROWS[name], ROWS[name]);
    const samples = fc.sample(pair, { numRuns: 60, seed: 7 });
    const state = new LedgerState({ isWhole: true });
    const table = tableOf(state, name);
    const expected = new Map<string, object>();
    for (const [row] of samples) {
      table.set(spec.keyOf(row), row);
      expected.set(spec.keyOf(row), row);
    }
    await write(state);
    assert.deepEqual(await stored(name), expected);

    // A block that changes some rows, removes some and makes some.
    startUndoRecord(state);
    const after = new Map(expected);
    for (const [i, [key, row]] of [...expected].entries()) {
      if (i % 3 === 0) {
        const changed = { ...row, ...changingPart(name, samples[i % samples.length]![1]) };
        table.set(key, changed);
        after.set(key, changed);
      } else if (i % 3 === 1) {
        table.set(key, null);
        after.delete(key);
      }
    }
    for (const row of fc.sample(ROWS[name], { numRuns: 20, seed: 8 })) {
      const key = spec.keyOf(row);
      if (expected.has(key)) continue;
      table.set(key, row);
      after.set(key, row);
    }
    const first = finishUndoRecord(state);
    // And one that removes, and changes again, some of what the first changed and made.
    startUndoRecord(state);
    for (const [i, [key, row]] of [...after].entries()) {
      const changed = i % 2 === 0 ? null : { ...row, ...changingPart(name, samples[i % samples.length]![0]) };
      table.set(key, changed);
      if (changed === null) after.delete(key);
      else after.set(key, changed);
    }
    const second = finishUndoRecord(state);
    await write(state);
    assert.deepEqual(await stored(name), after);

    const records = [
      [1, first],
      [2, second],
    ] as const;
    await inDatabaseTransaction(client, () => runStatements(client, undoRecordStatements(records)));
    await inDatabaseTransaction(client, () => restoreState(client, 0));
    assert.deepEqual(await stored(name), expected);
  });
}

/** What of a row may change while it exists. */
function changingPart(name: StateTableName, row: object): object {
  const changing: Record<StateTableName, readonly string[]> = {
    utxos: ['unlockHeight', 'unlockTime'],
    balances: ['amount', 'locked'],
    pools: [
      'pledge',
      'rewards',
      'delegationsBalance',
      'delegationCount',
      'effectiveStake',
      'expectedBase',
      'blocksTotal',
      'blocksDay',
      'blocksMonth',
      'monthRate',
      'stakerRewards',
      'delegationRewards',
      'decommissionedBy',
    ],
    delegations: ['balance', 'deposited', 'withdrawn', 'nextNonce'],
    tokens: [
      'metadataUri',
      'circulatingSupply',
      'isLocked',
      'isFrozen',
      'isFreezable',
      'isUnfreezable',
      'authority',
      'nextNonce',
    ],
    nfts: ['owner'],
    hours: [
      ...['height', 'timestamp', 'endsDay', 'endsWeek', 'endsMonth', 'transactions', 'bytes', 'fees', 'trades'],
      ...['circulatingSupply', 'burned', 'staked', 'holders', 'expectedPerStake', 'pools'],
      ...['delegations', 'tokens', 'nfts', 'openOrders'],
    ],
    tickerFragments: [],
    nameFragments: [],
    orders: ['askBalance', 'giveBalance', 'nextNonce', 'isFrozen', 'concludedHeight'],
    statistics: ['circulatingSupply', 'preminted', 'burned', 'staked', 'holders', 'effectiveStake'],
  };
  return Object.fromEntries(Object.entries(row).filter(([field]) => changing[name].includes(field)));
}
