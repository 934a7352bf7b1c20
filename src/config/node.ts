/** The options that say where the node is, and how to authenticate with it. */
import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { NodeClientOptions, NodeEndpoint } from '../node/client.ts';
import { nodeAddressText, parseNodeAddress } from '../node/node-address.ts';
import { defaultCookieFile, type NodeAuth } from '../node/rpc-credentials.ts';
import { type Option, type OptionValues, textOption } from './option.ts';

const nodeAddress: Option<string | undefined> = {
  ...textOption(
    'ADDRESS,…',
    "The node's RPC address: HOST:PORT, or http(s)://HOST/PATH; several: one is used [default: 127.0.0.1 and the RPC port of the network]",
  ),
  read(value) {
    try {
      return value
        .split(',')
        .map((address) => nodeAddressText(parseNodeAddress(address)))
        .join(',');
    } catch (error) {
      if (/password/.test((error as Error).message)) throw new RangeError(`is refused: ${(error as Error).message}`);
      throw new RangeError('must be HOST:PORT or a URL, for example 127.0.0.1:3030 or https://node.example/rpc');
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
  'node-rpc-authorization-file': textOption(
    'FILE',
    'A file with the header authorization for what stands before the node, such as "Bearer TOKEN"',
  ),
  'node-rpc-username': textOption(
    'NAME',
    'User name for the node, together with the password instead of the cookie file',
  ),
  'node-rpc-password': textOption('TEXT', 'Password for the node'),
};

/**
 * Returns the options of the client for `network`. With several addresses, the other options are lists, too: one value for
 * each node, possibly empty, or one for all. Throws an `OperatorError` if the credentials do not fit together.
 */
export function nodeClientOptionsOf(values: OptionValues<typeof nodeOptions>, network: Network): NodeClientOptions {
  const addresses = values['node-rpc-address']?.split(',') ?? [`127.0.0.1:${network.rpcPort}`];
  const [first, ...others] = addresses.map((address, i): NodeEndpoint => {
    return { address, auth: authOf(valuesOfNode(values, addresses.length, i), network) };
  });
  if (new Set(addresses).size < addresses.length) throw new OperatorError('--node-rpc-address names a node twice.');
  return others.length === 0 ? first! : { ...first!, others };
}

const PER_NODE = [
  'node-rpc-cookie-file',
  'node-rpc-authorization-file',
  'node-rpc-username',
  'node-rpc-password',
] as const;
type CredentialValues = Pick<OptionValues<typeof nodeOptions>, (typeof PER_NODE)[number]>;

/** Returns the values of one node. With a single node, a comma is part of the value. */
function valuesOfNode(values: CredentialValues, nodes: number, node: number): CredentialValues {
  if (nodes === 1) return values;
  const own = PER_NODE.map((name) => {
    const list = values[name]?.split(',') ?? [];
    if (list.length > 1 && list.length !== nodes) {
      throw new OperatorError(
        `--${name} has ${list.length} values for ${nodes} nodes: give one for each, or one for all.`,
      );
    }
    const value = list.length > 1 ? list[node] : list[0];
    return [name, value === '' ? undefined : value] as const;
  });
  return Object.fromEntries(own) as CredentialValues;
}

function authOf(values: CredentialValues, network: Network): NodeAuth {
  const { 'node-rpc-cookie-file': file, 'node-rpc-username': username, 'node-rpc-password': password } = values;
  const header = values['node-rpc-authorization-file'];
  if (header !== undefined && (file ?? username ?? password) !== undefined)
    throw new OperatorError('Give the node either --node-rpc-authorization-file, or other credentials, not both.');
  if (header !== undefined) return { type: 'header', file: header };
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
