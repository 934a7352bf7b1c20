/** What the API says of what a search finds, beside names and times: its labels and details. */
import type { Message } from './catalogue.ts';

export const SEARCH_RESULT_MESSAGES = [
  ...(['Block {height}', 'Transaction', 'Stake pool', 'Delegation', 'Order', 'Address', 'Token'] as const),
  ...(['NFT {ticker}, issued in block {height}', 'Token, issued in block {height}', 'NFT {name}'] as const),
  ...(['In block {height}', 'Created in block {height}', 'Pending', 'With transactions'] as const),
  ...(['Without transactions', '{trades} trades, {orders} open orders'] as const),
  ...(['Named by {source}', 'Marked verified by {source}', 'Marked warning by {source}'] as const),
  ...(['Of {name}', 'This id or address belongs to {name}; this site shows {network}.', 'Mistyped'] as const),
  'This looks like an id or address, but its checksum is wrong.',
] as const satisfies readonly Message[];
