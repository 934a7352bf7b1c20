/** Networks for simulated chains. */
import { networkFromObject } from '../../../src/chain/networks/custom-network.ts';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';

export const regtestPos = networkByName('regtest-pos');

/** Old fees and rewards hold below height 30, old orders and token ids below 60. */
export const UPGRADES = {
  reward_distribution_v1: 30,
  tokens_fee_v1: 30,
  data_deposit_fee_v1: 30,
  orders_v1: 60,
  token_id_generation_v1: 60,
};

const UPGRADING = {
  base: 'regtest',
  name: 'upgrading',
  genesis: regtestPos.genesis,
  upgrades: UPGRADES,
  // Short enough to see what comes out of pools and delegations move again.
  consensus: [
    { height: 0, type: 'None' },
    { height: 1, type: 'PoS', maturity: 25 },
  ],
};
export const upgrading = networkFromObject(UPGRADING, 'the network of this test');

/** Below height 70, kernels may also be of another pool than the one that makes the block. */
export const foreignKernels = networkFromObject(
  { ...UPGRADING, upgrades: { ...UPGRADES, kernel_of_own_pool: 70 } },
  'the network of this test',
);
