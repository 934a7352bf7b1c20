import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { NodeClientOptions } from '../node/client.ts';
import { hostPortText, parseNodeAddress } from '../node/rpc-address.ts';
import { defaultCookieFile, type NodeAuth } from '../node/rpc-credentials.ts';
import { type Option, type OptionValues, textOption } from './option.ts';

const nodeAddress: Option<string | undefined> = {
  ...textOption('HOST:PORT', "The node's RPC address [default: 127.0.0.1 and the RPC port of the network]"),
  read(value) {
    try {
      return hostPortText(parseNodeAddress(value));
    } catch {
      throw new RangeError('must be HOST:PORT, for example 127.0.0.1:3030');
    }
  },
};

/** The options for the node, named as in mintlayer-core's programs. */
export const nodeOptions = {
  'node-rpc-address': nodeAddress,
  'node-rpc-cookie-file': textOption(
    'FILE',
    "The node's cookie file [default: the one in the node's usual data directory]",
  ),
  'node-rpc-username': textOption(
    'NAME',
    'User name for the node, together with the password instead of the cookie file',
  ),
  'node-rpc-password': textOption('TEXT', 'Password for the node'),
};

/**
 * Returns the options of the client for `network`. Throws an `OperatorError` if the credentials do not fit together.
 */
export function nodeClientOptionsOf(values: OptionValues<typeof nodeOptions>, network: Network): NodeClientOptions {
  return { address: values['node-rpc-address'] ?? `127.0.0.1:${network.rpcPort}`, auth: authOf(values, network) };
}

function authOf(values: OptionValues<typeof nodeOptions>, network: Network): NodeAuth {
  const { 'node-rpc-cookie-file': file, 'node-rpc-username': username, 'node-rpc-password': password } = values;
  if (file !== undefined && (username !== undefined || password !== undefined))
    throw new OperatorError(
      'Give the node either --node-rpc-cookie-file, or --node-rpc-username and --node-rpc-password, not both.',
    );
  if (username !== undefined && password !== undefined) return { type: 'password', username, password };
  if (username !== undefined)
    throw new OperatorError('--node-rpc-username is given, but --node-rpc-password is missing.');
  if (password !== undefined)
    throw new OperatorError('--node-rpc-password is given, but --node-rpc-username is missing.');
  // The node has the same name for both regtests, whatever their upgrades.
  const nodesName = network.name === 'regtest-pos' ? 'regtest' : network.name;
  return { type: 'cookie', file: file ?? defaultCookieFile(nodesName) };
}
