/** Simulated chains as files in the recorded format: the genesis, then a block a line in the order of its arrival. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { KNOWN_NETWORKS } from '../../chain/networks/known-networks.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { SimulatedBlock } from './seal-block.ts';

/** Lines are gathered to about this many characters before they are written. */
const CHUNK_CHARACTERS = 256 * 1024;

/** The parts of a block in a line. */
export type FileBlock = Pick<SimulatedBlock, 'id' | 'height' | 'prev' | 'bytes'>;

/** The first line; a network that is not known by its genesis is described in it. */
export function genesisLine(network: Network): string {
  const { genesis, genesisId: id } = network;
  const known = KNOWN_NETWORKS.find((candidate) => candidate.genesis === genesis);
  return JSON.stringify(known === network ? { genesis, id } : { genesis, id, network: description(network) });
}

/** `isTip`: after this line the block is the node's best one. */
export function blockLine({ id, height, prev, bytes }: FileBlock, isTip: boolean): string {
  return `{"height":${height},"id":"${id}","prev":"${prev}","tip":${isTip},"block":"${bytes.toString('hex')}"}`;
}

/**
 * Writes lines to a file as they are made, gzipped if its name ends in .gz: they are asked for no faster than they can be
 * written, so memory stays bounded. Rejects when the file cannot be written.
 */
export async function writeLines(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  if (path.endsWith('.gz')) await pipeline(chunks(lines), createGzip({ level: 1 }), file);
  else await pipeline(chunks(lines), file);
}

function* chunks(lines: Iterable<string>): Generator<Buffer> {
  let gathered = '';
  for (const line of lines) {
    gathered += `${line}\n`;
    if (gathered.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(gathered, 'latin1');
    gathered = '';
  }
  if (gathered.length > 0) yield Buffer.from(gathered, 'latin1');
}

/** All that makes the network, in the form of a network file. */
function description(network: Network): unknown {
  const { name, coinTicker, coinDecimals, magic, rpcPort, p2pPort, prefixes, consensus, upgrades } = network;
  return {
    base: 'regtest',
    ...snakeCase({ name, coinTicker, coinDecimals, magic, rpcPort, p2pPort }),
    prefixes: snakeCase(prefixes),
    upgrades: snakeCase(upgrades),
    consensus,
    subsidy: network.subsidy.map(({ height, atoms }) => ({ height, atoms: `${atoms}` })),
  };
}

function snakeCase(fields: object): object {
  const renamed = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [renamed(key), value]));
}
