#!/usr/bin/env node
/**
 * Runs Node with the given arguments. It is the installed Node, or the one that came with `npm install` if the
 * installed one is too old for the program (TypeScript in the repository, JavaScript in the npm package) or no longer
 * gets security updates. It is JavaScript for Node 18, because an old Node runs it first.
 */
import { spawn } from 'node:child_process';
import * as nodeModule from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const args = process.argv.slice(2);
const isProgram = /\.[jt]s$/.test(args[0] ?? '');
const isCompiled = args[0]?.endsWith('.js') ?? false;

/** Node strips types from version 24 on; the compiled code needs the JavaScript of Node 22. */
const OLDEST_MAJOR = isCompiled ? 22 : 24;
/**
 * The end of security updates for the supported releases (github.com/nodejs/Release); all later releases are supported,
 * too.
 */
const SUPPORTED_UNTIL = { 22: '2027-04-30', 24: '2028-04-30', 26: '2029-04-30' };
const NEWEST_MAJOR = 26;
const own = Number(process.versions.node.split('.')[0]);
const isSupported = own > NEWEST_MAJOR || Date.now() < Date.parse(SUPPORTED_UNTIL[own] ?? '1970-01-01');

function bundledNode() {
  const { resolve } = nodeModule.createRequire(import.meta.url);
  // The two naming schemes of the packages that contain Node.
  for (const prefix of ['node', 'node-bin']) {
    try {
      return resolve(`${prefix}-${process.platform}-${process.arch}/bin/node`);
    } catch {}
  }
  return undefined;
}

// Compiled code is cached between starts, also for threads and children, which halves the time of a start. If the
// directory is not writable (another user installed the program), everything works without it.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));

// glibc reads these when a process starts: from this size on a buffer has pages of its own, which go back to the machine with
// it. Otherwise glibc soon takes buffers of up to 32 MB from its heaps, which keep what is freed.
process.env.MALLOC_MMAP_THRESHOLD_ ??= '262144';
process.env.MALLOC_ARENA_MAX ??= '2';

// Source maps make stack traces readable. The option also applies to the processes that a program starts.
if (isCompiled) process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trimStart();

const installedNode = own >= OLDEST_MAJOR ? process.execPath : undefined;
const node = (isSupported ? installedNode : undefined) ?? bundledNode() ?? installedNode;

if (node === undefined) {
  process.stderr.write(
    `chain-indexer needs Node ${OLDEST_MAJOR} or newer, this is Node ${process.versions.node}, and the one that \`npm install\` ` +
      'brings is missing. Run `npm install` again (with optional dependencies), or install a newer Node.\n',
  );
  process.exitCode = 2;
} else if (node === process.execPath && isProgram) {
  nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
  if (isCompiled) process.setSourceMapsEnabled(true);
  process.argv.splice(1, 2, resolve(args[0]));
  await import(pathToFileURL(resolve(args[0])).href);
} else {
  const child = spawn(node, args, {
    // Our programs end by themselves when the channel closes because we were killed.
    stdio: isProgram ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // Exits with the child's status or signal, so that our parent sees the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
