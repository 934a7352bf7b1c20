#!/usr/bin/env node
/**
 * The entry point of the container: `chain-indexer COMMAND …`, or a name of mintlayer-core's programs. It applies the
 * environment of mintlayer-core's container example (ML_USER_ID, ML_GROUP_ID, RUST_LOG, ML_LOG_STYLE), or says that it cannot; then
 * it runs the program in its place.
 */
import { fileURLToPath } from 'node:url';

/** The user and group of the image, and of mintlayer-core's containers. */
const DEFAULT_ID = 10001;
const LEVELS = { error: 'error', warn: 'warn', info: 'info', debug: 'debug', trace: 'trace', off: 'fatal' };
const FORMATS = { json: 'json', text: 'text', 'text-colored': 'text', 'text-uncolored': 'text' };
const PREFIXES = ['ML_API_SCANNER_DAEMON_', 'ML_API_WEB_SRV_'];

const warn = (text) => void process.stderr.write(`container: ${text}\n`);

/** Returns a user or group id from the environment; `undefined` if there is none. */
function idOf(name) {
  const text = process.env[name] ?? '';
  if (text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  warn(`${name} must be a number, not "${text}"; it is not used.`);
  return undefined;
}

/** Switches from root to the requested user; any other user stays. */
function takeUser() {
  const [user, group] = [idOf('ML_USER_ID'), idOf('ML_GROUP_ID')];
  if (process.getuid() === 0) {
    const [uid, gid] = [user ?? DEFAULT_ID, group ?? user ?? DEFAULT_ID];
    process.setgroups([]);
    process.setgid(gid);
    process.setuid(uid);
    if (uid === 0) warn('ML_USER_ID=0: the program runs as root, which it does not need.');
    return;
  }
  for (const [name, wanted, is] of [
    ['ML_USER_ID', user, process.getuid()],
    ['ML_GROUP_ID', group, process.getgid()],
  ]) {
    if (wanted === undefined || wanted === is) continue;
    warn(
      `${name}=${wanted} is not used, the program runs as ${is}: only root could change that. It writes no files; when ` +
        `it has to read a cookie file of ${wanted}, start the container with user: "${user ?? is}:${group ?? process.getgid()}".`,
    );
  }
}

/**
 * Parses `RUST_LOG=info,some_crate=debug`: only the general level is used; the levels of mintlayer-core's crates mean
 * nothing here.
 */
function takeLogSettings() {
  const parts = (process.env.RUST_LOG ?? '').split(',').map((part) => part.trim().toLowerCase());
  const known = parts.filter((part) => Object.hasOwn(LEVELS, part));
  const others = parts.filter((part) => part !== '' && !Object.hasOwn(LEVELS, part));
  if (others.length > 0) warn(`RUST_LOG: "${others.join(',')}" says nothing here, only one level for everything does.`);
  const level = known.at(-1);
  if (level !== undefined) setOption('LOG_LEVEL', LEVELS[level]);
  const style = process.env.ML_LOG_STYLE ?? '';
  const format = FORMATS[style.toLowerCase()];
  if (format !== undefined) setOption('LOG_FORMAT', format);
  else if (style !== '') warn(`ML_LOG_STYLE must be json or text, not "${style}"; it is not used.`);
}

/** Sets an option of the programs, unless the environment has it. */
function setOption(name, value) {
  for (const prefix of PREFIXES) process.env[prefix + name] ||= value;
}

takeUser();
takeLogSettings();
const args = process.argv.slice(2);
const program = fileURLToPath(new URL('./chain-indexer.mjs', import.meta.url));
process.argv.splice(1, process.argv.length - 1, program, ...(args[0] === 'chain-indexer' ? args.slice(1) : args));
await import('./chain-indexer.mjs');
