/** Every kind of transaction that people of a simulated chain make. */
import type { Make } from '../transaction-maker.ts';
import { htlcCreate, htlcRefund, htlcSpend } from './htlcs.ts';
import { nftBurn, nftIssue, nftTransfer } from './nfts.ts';
import { orderConclude, orderCreate, orderFill, orderFreeze } from './orders.ts';
import { delegate, delegationCreate, poolCreate, poolDecommission, withdraw } from './staking.ts';
import {
  tokenAuthority,
  tokenBurn,
  tokenFreeze,
  tokenIssue,
  tokenLock,
  tokenMetadataChange,
  tokenMint,
  tokenTransfer,
  tokenUnfreeze,
  tokenUnmint,
} from './tokens.ts';
import {
  burn,
  consolidation,
  dataDeposit,
  lock,
  manyCurrencies,
  payout,
  sameBlock,
  split,
  transfer,
} from './transfers.ts';

export const MAKES = {
  split,
  transfer,
  sameBlock,
  manyCurrencies,
  lock,
  burn,
  dataDeposit,
  payout,
  consolidation,
  poolCreate,
  poolDecommission,
  delegationCreate,
  delegate,
  withdraw,
  tokenIssue,
  tokenMint,
  tokenUnmint,
  tokenLock,
  tokenFreeze,
  tokenUnfreeze,
  tokenAuthority,
  tokenMetadataChange,
  tokenTransfer,
  tokenBurn,
  nftIssue,
  nftTransfer,
  nftBurn,
  orderCreate,
  orderFill,
  orderFreeze,
  orderConclude,
  htlcCreate,
  htlcSpend,
  htlcRefund,
} as const satisfies Record<string, Make>;

export type Kind = keyof typeof MAKES;
export const KINDS = Object.keys(MAKES) as readonly Kind[];
