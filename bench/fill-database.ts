/** A database with the first blocks of a chain. */
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import type { BenchChain } from './measured-chain.ts';
import type { Bed } from './test-bed.ts';
import { watchTip } from './watch-database-tip.ts';

/** Syncs the first blocks into a new database. */
export async function fillDatabase(
  bed: Bed,
  chain: BenchChain,
  name: string,
  height: number,
): Promise<PostgresOptions> {
  const postgres = await bed.createDatabase(name);
  const client = await bed.connect(postgres);
  const devnet = await bed.startDevnet([`--replay=${chain.file}`, `--upto=${chain.lines[height]}`]);
  const scanner = bed.startScanner({ network: chain.networkArgument, node: devnet.address, postgres });
  await scanner.orEnd(watchTip(client, (tip) => tip.isReady && tip.height >= height));
  await bed.stop(scanner);
  await bed.stop(devnet.program);
  await bed.disconnect(client);
  return postgres;
}
