/** The recordings of a real node: beside the repository, or where the environment variable RECORDINGS says. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const BESIDE_US = fileURLToPath(new URL('../../../shared/golden', import.meta.url));

/** The folder of the chains and of the answers to them. */
export const RECORDINGS = resolve(process.env.RECORDINGS || BESIDE_US);
export const HAS_RECORDINGS = existsSync(RECORDINGS);

/** The path of a recording, there or not. */
export function recording(name: string): string {
  return join(RECORDINGS, name);
}
