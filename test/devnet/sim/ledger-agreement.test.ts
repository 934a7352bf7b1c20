/**
 * The simulation keeps an account of its own. At every height it and the ledger must agree on everything: balances,
 * locked balances, pools, delegations, tokens, orders, statistics, unspent outputs, and what each transaction pays.
 */
import assert from 'node:assert/strict';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { LedgerTwin } from './ledger-agreement.ts';
import { regtestPos, upgrading } from './networks.ts';

testOverSeeds('the simulation and the ledger agree at every height, across upgrades', (seed) => {
  const simulation = new Simulation({ network: upgrading, mix: 'dense', seed });
  const ledger = new LedgerTwin(upgrading);
  for (let height = 1; height <= 110; height++) {
    simulation.makeTransactions();
    const fees = simulation.pending.map(({ fee }) => fee);
    ledger.apply([simulation.mineBlock()]);
    assert.deepEqual(ledger.fees, fees, `height ${height}`);
    assert.deepEqual(ledger.disagreements(simulation.world), [], `height ${height}`);
  }
});

testOverSeeds('the simulation and the ledger agree on the last of several branches', (seed) => {
  const simulation = new Simulation({ network: regtestPos, mix: 'demo', seed });
  const main = simulation.mine(40);
  for (const [depth, length] of [
    [1, 2],
    [12, 13],
    [9, 4],
    [30, 20],
  ] as const) {
    main.splice(main.length - depth, depth, ...simulation.reorganise(depth, length));
  }
  const ledger = new LedgerTwin(regtestPos).apply(main);
  assert.deepEqual(ledger.disagreements(simulation.world), []);
});

testOverSeeds('the simulation and the ledger agree on a chain of the main network’s kind', (seed) => {
  const simulation = new Simulation({ network: regtestPos, mix: 'mainnet', seed, undoDepth: 0 });
  const ledger = new LedgerTwin(regtestPos).apply(simulation.mine(40));
  assert.deepEqual(ledger.disagreements(simulation.world), []);
});
