/** `--max-memory`: how it is divided, and what is too little. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defaultMemory, divideMemory } from '../../src/config/process-limits.ts';
import { readScannerConfig } from '../../src/config/scanner.ts';
import { cacheBytesOf, indexBuildMegabytes, transactionBytesOf } from '../../src/scanner/scanner-memory.ts';
import { readUpConfig } from '../../src/up/options.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const megabytes = (shares: object) => Object.values(shares).map((bytes: number) => Math.floor(bytes / MIB));

it('npm start divides its memory among PostgreSQL, the scanner and the web server', () => {
  assert.deepEqual(megabytes(divideMemory(1280 * MIB, 1)), [400, 560, 320]);
  assert.deepEqual(megabytes(divideMemory(768 * MIB, 1)), [213, 298, 256]);
  assert.deepEqual(megabytes(divideMemory(2 * GIB, 4)), [426, 597, 1024]);
  assert.deepEqual(megabytes(readUpConfig(['--max-memory', '1G'], {}).memory), [320, 448, 256]);
});

it('npm start takes half of a machine by default, or what a container may use', () => {
  assert.deepEqual(divideMemory(undefined, 1, 4 * GIB, 0), divideMemory(2 * GIB, 1));
  assert.deepEqual(divideMemory(undefined, 1, 64 * GIB, GIB), divideMemory(GIB, 1));
  assert.deepEqual(divideMemory(undefined, 1, GIB, 0), divideMemory(768 * MIB, 1), 'the minimum');
});

it('too little memory is refused, with the minimum and what to do', () => {
  assert.throws(() => readUpConfig(['--max-memory', '767M'], {}), /at least 768M/);
  assert.throws(() => readUpConfig(['--max-memory', '1G', '--workers', '3'], {}), /3 workers: give at least 1280M/);
  assert.throws(() => readScannerConfig(['--max-memory', '255M'], {}), /at least 256M/);
  const container =
    /^The memory limit of this container is 512 MB, and at least 768 MB are needed\. Raise the limit\.$/;
  assert.throws(() => divideMemory(undefined, 1, 64 * GIB, GIB / 2), { name: 'OperatorError', message: container });
  assert.throws(() => defaultMemory(200 * MIB, 0), /memory of this machine is 200 MB, and at least 256 MB/);
});

it('a scanner divides what it has above 200 MB: a third for cached rows, a fifth for a transaction; a quarter of all for an index build', () => {
  assert.equal(readScannerConfig(['--max-memory', '512M'], {}).maxMemory, 512 * MIB);
  assert.deepEqual([cacheBytesOf(500 * MIB), cacheBytesOf(100 * MIB)], [100 * MIB, 0]);
  assert.deepEqual([indexBuildMegabytes(512 * MIB), indexBuildMegabytes(8 * GIB)], [128, 256]);
  assert.deepEqual([transactionBytesOf(300 * MIB), transactionBytesOf(8 * GIB)], [20 * MIB, 48 * MIB]);
});
