import { DESCRIBED_PROFILE } from './described-profile.ts';
import { MINTLAYER_CORE_PROFILE } from './mintlayer-core-profile.ts';
import type { ResponseProfile, ResponseProfileName } from './profile.ts';

/** Returns the response profile that the option `--contract` names. */
export function responseProfileByName(name: ResponseProfileName): ResponseProfile {
  switch (name) {
    case 'described':
      return DESCRIBED_PROFILE;
    case 'mintlayer-core':
      return MINTLAYER_CORE_PROFILE;
    default:
      return name satisfies never;
  }
}
