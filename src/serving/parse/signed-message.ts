/** Parses a message with its signature, as bodies and forms name them. */
import type { Network } from '../../chain/networks/network.ts';
import type { SignedMessage } from '../../chain/signed-message.ts';
import { badRequest } from '../errors/api-error.ts';
import { parseAddress } from './parameters.ts';

/** The largest body: the longest signature is one of 32 keys, and has 7 kB. */
export const MAX_SIGNED_MESSAGE_BYTES = 64 * 1024;

const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/**
 * Returns a {@link SignedMessage} as the body of the decoding task. `fields`: `address`, `message` or `message_hex`, `signature`, not
 * checked yet. Throws the error 400.
 */
export function parseSignedMessage(network: Network, fields: Readonly<Record<string, unknown>>): Buffer {
  const { address, message, message_hex, signature } = fields;
  const destination = parseAddress(network, typeof address === 'string' ? address : '');
  const isText = typeof message === 'string';
  if (isText ? message_hex !== undefined : !isHex(message_hex)) {
    throw badRequest('Invalid message: a text as `message`, or bytes in hex as `message_hex`, is expected');
  }
  if (!isHex(signature) || signature === '') throw badRequest('Invalid signature: it must be hexadecimal');
  const hex = isText ? Buffer.from(message).toString('hex') : (message_hex as string);
  return Buffer.from(JSON.stringify({ destination, message: hex, signature } satisfies SignedMessage));
}

/** Is it bytes in hex? They may be none. */
export function isHex(value: unknown): value is string {
  return typeof value === 'string' && HEX.test(value);
}
