#!/usr/bin/env node
import { runProgram } from '../src/config/run-program.ts';
import { DEVNET_PREFIX, devnetOptions, readDevnetSettings } from '../src/devnet/options.ts';
import { runDevnet } from '../src/devnet/run-devnet.ts';

await runProgram({
  name: 'devnet',
  about: `A Mintlayer node for development: serves a recorded (--replay) or a simulated chain (--preset) over the node's JSON-RPC.
When it is listening it prints one line of JSON: {"msg":"devnet is listening","address":"127.0.0.1:3030", ...}`,
  options: devnetOptions,
  prefix: DEVNET_PREFIX,
  main: (argv, stop) => runDevnet(readDevnetSettings(argv, process.env), stop),
});
