/** The addresses of a wallet as one parameter: a parameter has one value for each caller. */
import type { Destination } from '../../chain/types.ts';

/** The parameter `owners` as a table `w`. */
export const WALLET_OWNERS_SQL = `(select decode(hex, 'hex') as owner from string_to_table(q.owners, ',') as hex) w`;

/** The value of the parameter. */
export function walletOwnersText(owners: readonly Destination[]): string {
  return owners.join(',');
}
