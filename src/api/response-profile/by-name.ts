import type { Contract, ContractName } from './profile.ts';
import { described } from './api-description.ts';
import { mintlayerCore } from './mintlayer-core.ts';

/** The contract that a name stands for. */
export function contractByName(name: ContractName): Contract {
  switch (name) {
    case 'described':
      return described;
    case 'mintlayer-core':
      return mintlayerCore;
    default:
      return name satisfies never;
  }
}
