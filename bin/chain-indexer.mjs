#!/usr/bin/env node
/**
 * The command of the npm package: `chain-indexer COMMAND [options]`. It is JavaScript for Node 18, because an old Node
 * runs it first; `run.mjs` finds a Node that is new enough.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMANDS = {
  up: 'PostgreSQL, a simulated chain (or your node), scanner and web server: everything, to try it',
  scanner: 'follow a node and write the index into PostgreSQL',
  'web-server': 'serve the REST API from the index',
  verify: 'check the consistency of an index',
  upgrade: 'fill a second database with this release while the first is served',
  devnet: 'a node for development: a recorded or a simulated chain',
};
/** The names of mintlayer-core's programs: links of these names lead here in the container image. */
const ALIASES = { 'api-blockchain-scanner-daemon': 'scanner', 'api-web-server': 'web-server' };

const HELP = `Indexes a Mintlayer chain into PostgreSQL and serves it over a REST API.

Usage: chain-indexer COMMAND [options]

${Object.entries(COMMANDS)
  .map(([name, about]) => `  ${name.padEnd(12)}${about}`)
  .join('\n')}

  chain-indexer COMMAND --help prints the options of a command; --version prints the version.
`;

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const alias = ALIASES[basename(process.argv[1])];
const args = [...(alias === undefined ? [] : [alias]), ...process.argv.slice(2)];
const [first = 'help', ...rest] = args;
const command = Object.hasOwn(ALIASES, first) ? ALIASES[first] : first;
// A program that is started by mintlayer-core's name responds as mintlayer-core by default.
if (first === 'api-web-server' || alias === 'web-server') process.env.ML_API_WEB_SRV_CONTRACT ||= 'mintlayer-core';

if (Object.hasOwn(COMMANDS, command)) {
  // The repository has the sources, the package has the compiled files.
  const source = at(`./${command}.ts`);
  const program = existsSync(source) ? source : at(`../dist/bin/${command}.js`);
  process.argv.splice(1, process.argv.length - 1, at('./run.mjs'), program, ...rest);
  await import('./run.mjs');
} else if (['help', '--help', '-h'].includes(command)) {
  process.stdout.write(HELP);
} else if (['version', '--version', '-v'].includes(command)) {
  const packaged = at('../dist/package.json');
  const { version, commit } = JSON.parse(readFileSync(existsSync(packaged) ? packaged : at('../package.json'), 'utf8'));
  process.stdout.write(`${version}${commit ? ` (${commit})` : ''}\n`);
} else {
  process.stderr.write(`chain-indexer: there is no command "${command}". See chain-indexer --help.\n`);
  process.exitCode = 2;
}
