import { DESCRIBED } from './described.ts';
import { MINTLAYER_CORE } from './mintlayer-core.ts';
import type { ContractName, ResponseProfile } from './profile.ts';

/** The response profile that the option `--contract` names. */
export function responseProfileByName(name: ContractName): ResponseProfile {
  switch (name) {
    case 'described':
      return DESCRIBED;
    case 'mintlayer-core':
      return MINTLAYER_CORE;
    default:
      return name satisfies never;
  }
}
