#!/usr/bin/env node
/**
 * The health check of a container, which needs no shell: it requests `/health`, or the path in its argument, of the web server
 * or the scanner. A scanner without `--metrics-address`, and any other program, is healthy as long as it runs: the container
 * ends with it. Status 0 means healthy.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';

const TIMEOUT_MS = 4_000;
const WEB_SERVERS = ['web-server', 'api-web-server'];
const SCANNERS = ['scanner', 'api-blockchain-scanner-daemon'];

/** The arguments of the container's first process. */
const args = readFileSync('/proc/1/cmdline', 'utf8').split('\0');

/** Returns the value of an option, from the command line or else from the environment. */
function optionValue(option, variable) {
  const at = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  if (at < 0) return process.env[variable] || undefined;
  return args[at] === option ? args[at + 1] : args[at].slice(option.length + 1);
}

function addressToAsk() {
  if (args.some((arg) => WEB_SERVERS.includes(arg)))
    return optionValue('--bind-address', 'ML_API_WEB_SRV_BIND_ADDRESS') ?? '127.0.0.1:3000';
  if (args.some((arg) => SCANNERS.includes(arg)))
    return optionValue('--metrics-address', 'ML_API_SCANNER_DAEMON_METRICS_ADDRESS');
  return undefined;
}

function end(status, text) {
  process.stdout.write(`${text}\n`);
  process.exit(status);
}

const address = addressToAsk();
if (address === undefined) end(0, 'the process lives');
// A program that listens on all addresses is reached on the loopback address.
const here = address.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
const url = `http://${here}${process.argv[2] ?? '/health'}`;
get(url, { timeout: TIMEOUT_MS, agent: false }, (response) => {
  response.resume();
  end(response.statusCode === 200 ? 0 : 1, `${url} answers ${response.statusCode}`);
})
  .on('timeout', () => end(1, `${url} does not answer within ${TIMEOUT_MS} ms`))
  .on('error', (error) => end(1, `${url} does not answer: ${error.message}`));
