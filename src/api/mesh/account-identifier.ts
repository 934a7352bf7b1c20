/** The accounts of the Mesh API: addresses, pools, delegations, orders and HTLCs (docs/mesh.md#accounts). */
import { AddressError, parseDelegationId, parseDestination, parseOrderId, parsePoolId } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Id } from '../../chain/types.ts';
import { MeshError } from './errors.ts';
import type { AccountIdentifier } from './schemas.ts';

/** The part of an address's account under time locks. */
export const LOCKED_SUB_ACCOUNT = { sub_account: { address: 'locked' } } as const;

export type ParsedAccount =
  | { readonly kind: 'address'; readonly id: Destination; readonly isLocked: boolean }
  | { readonly kind: 'pool' | 'delegation' | 'order'; readonly id: Id }
  | { readonly kind: 'htlc'; readonly id: Id; readonly outputIndex: number };

/** An HTLC has the identifier of its coin. */
const OUTPOINT = /^([0-9a-f]{64}):(0|[1-9]\d{0,8})$/;

const PARSERS = { pool: parsePoolId, delegation: parseDelegationId, order: parseOrderId } as const;
const KINDS = Object.keys(PARSERS) as (keyof typeof PARSERS)[];

/** Parses the account of a request. Throws a MeshError. */
export function parseMeshAccount(
  network: Network,
  { address, sub_account: sub }: Pick<AccountIdentifier, 'address'> & { readonly sub_account?: { address: string } },
): ParsedAccount {
  const isLocked = sub?.address === LOCKED_SUB_ACCOUNT.sub_account.address;
  const owner = parsedIdOrNull(() => parseDestination(network, address));
  if (owner !== null && (isLocked || sub === undefined)) return { kind: 'address', id: owner, isLocked };
  if (sub !== undefined) throw new MeshError('invalid account', 'Only addresses have a sub-account, `locked`');
  const [, txId, index] = OUTPOINT.exec(address) ?? [];
  if (txId !== undefined) return { kind: 'htlc', id: txId, outputIndex: Number(index) };
  for (const kind of KINDS) {
    const id = parsedIdOrNull(() => PARSERS[kind](network, address));
    if (id !== null) return { kind, id };
  }
  throw new MeshError('invalid account', `${address} is no address, pool, delegation, order or HTLC of this network`);
}

/** Returns what a parser of addresses returns, and null if it refuses the text. */
export function parsedIdOrNull(parse: () => Id): Id | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AddressError) return null;
    throw error;
  }
}
