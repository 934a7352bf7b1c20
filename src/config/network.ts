/** The option `--network`: a known network, or a file that defines one. */
import { readFileSync, statSync } from 'node:fs';
import { networkFromObject } from '../chain/networks/custom-network.ts';
import { networkByName } from '../chain/networks/known-networks.ts';
import { type Network, NetworkError } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Option } from './option.ts';

/** The largest file: far more than a genesis of thousands of outputs. It guards against endless devices. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** `--network`: a known network or the path of a network file. */
export const networkOption: Option<Network> = {
  placeholder: 'NAME|FILE',
  help: 'Network: mainnet, testnet, regtest, regtest-pos, signet, or a JSON file that describes your own',
  fallback: loadNetwork('mainnet'),
  fallbackText: 'mainnet',
  read: parseNetworkOption,
};

/** Returns the network of that name or file. Throws an `OperatorError`, as options do. */
export function parseNetworkOption(nameOrFile: string): Network {
  try {
    return loadNetwork(nameOrFile);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const orFile = isNetworkFile(nameOrFile) ? '' : '; or give a JSON file (docs/protocol.md)';
    throw new OperatorError(`${error.message}${orFile}`, { cause: error });
  }
}

/** Is this the path of a file rather than a name? */
export function isNetworkFile(nameOrPath: string): boolean {
  return nameOrPath.includes('/') || nameOrPath.endsWith('.json');
}

/**
 * Returns the known network of that name or, for a text with a `/` or with `.json` at its end, that of the file. Throws
 * NetworkError.
 */
export function loadNetwork(nameOrPath: string): Network {
  if (!isNetworkFile(nameOrPath)) return networkByName(nameOrPath);
  let json: string;
  try {
    const file = statSync(nameOrPath);
    if (!file.isFile() || file.size > MAX_FILE_BYTES) throw new Error('it is no file of a network');
    json = readFileSync(nameOrPath, 'utf8');
  } catch (error) {
    throw new NetworkError(`network file ${nameOrPath} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  let description: unknown;
  try {
    description = JSON.parse(json);
  } catch (error) {
    throw new NetworkError(`network file ${nameOrPath} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return networkFromObject(description, `network file ${nameOrPath}`);
}
