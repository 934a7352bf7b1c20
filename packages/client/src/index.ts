/** The package: see README.md. */
export { type AmountText, atomsOf, COIN_DECIMALS, formatAtoms, parseAtoms } from './amounts.ts';
export { Client, type ListOptions, type Operations } from './client.ts';
export type { Described, ServerStatus } from './described.ts';
export { ApiError, ConnectionError } from './errors.ts';
export type { EventOptions, StreamEvent } from './events.ts';
export type { ClientOptions, RequestOptions } from './http.ts';
export type { MintlayerCore } from './mintlayer-core.ts';
export { type Balance, Wallet, type WalletState, type WalletUpdate } from './wallet.ts';
