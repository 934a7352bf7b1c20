/** The chain of a chain file that is indexed, and its network. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { networkFromChainFile } from '../chain/networks/custom-network.ts';
import { KNOWN_NETWORKS } from '../chain/networks/known-networks.ts';
import { type Network, NetworkError } from '../chain/networks/network.ts';
import { ChainFile, ChainFileError } from '../devnet/chain-file-reader.ts';
import { OperatorError } from '../errors/operator-error.ts';

export interface NetworkWithArgument {
  readonly network: Network;
  /** The value of `--network`: a known name, or the path of a file that was written for it. */
  readonly networkArgument: string;
}

/** Reads the network from the chain's first line. Throws an `OperatorError` that says what is wrong with the file. */
export async function readRecordedNetwork(path: string, dataDir: string): Promise<NetworkWithArgument> {
  try {
    await using file = await ChainFile.open(path);
    const { line, genesis } = file.head;
    const network = networkFromChainFile(line);
    if (KNOWN_NETWORKS.includes(network)) return { network, networkArgument: network.name };
    const networkFile = join(dataDir, 'network.json');
    await writeFile(networkFile, `${JSON.stringify({ genesis, ...(line.network as object) }, null, 2)}\n`);
    return { network, networkArgument: networkFile };
  } catch (error) {
    const remedy = 'Give another file with --replay.';
    if (error instanceof ChainFileError) throw new OperatorError(`${error.message}. ${remedy}`, { cause: error });
    if (error instanceof NetworkError)
      throw new OperatorError(`${path}: ${error.message}. ${remedy}`, { cause: error });
    throw error;
  }
}
