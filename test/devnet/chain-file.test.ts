import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ChainFile, type ChainFileBlock, ChainFileError } from '../../src/devnet/chain-file-reader.ts';
import { chainFile, SmallChain } from '../support/small-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function read(path: string, upto?: number): Promise<ChainFileBlock[]> {
  await using file = await ChainFile.open(path, upto);
  const blocks: ChainFileBlock[] = [];
  for (let block = await file.next(); block !== undefined; block = await file.next()) blocks.push(block);
  return blocks;
}

/** The lines of a chain of two blocks, after `change` has touched one of them (0 is the genesis). */
function linesWith(line: number, change: (object: Record<string, unknown>) => unknown): string {
  const lines = new SmallChain().grow(2).text().trim().split('\n');
  const changed = change(JSON.parse(lines[line]!));
  lines[line] = typeof changed === 'string' ? changed : JSON.stringify(changed);
  return lines.join('\n');
}

async function assertWrong(t: TestContext, content: string | Buffer, text: RegExp): Promise<void> {
  const path = await chainFile(t, content);
  await assert.rejects(read(path), (error: Error) => {
    assert.ok(error instanceof ChainFileError, String(error));
    assert.match(error.message, text);
    return true;
  });
}

it('a chain file gives its genesis and its blocks in order', async (t) => {
  const chain = new SmallChain().grow(3);
  const path = await chainFile(t, chain);
  await using file = await ChainFile.open(path);
  assert.equal(file.head.id, chain.genesisId);
  assert.equal(file.head.timestamp, chain.genesis.timestamp);
  const expected = chain.blocks.map((block, i) => ({ line: i + 2, tip: true, ...block }));
  assert.deepEqual(await read(path), expected);
});

it('a chain file may be compressed, whatever its name', async (t) => {
  const chain = new SmallChain().grow(3);
  assert.equal((await read(await chainFile(t, gzipSync(chain.text())))).length, 3);
});

it('a chain file takes the parent from the block where the line does not say it', async (t) => {
  const path = await chainFile(
    t,
    linesWith(2, ({ prev: _prev, height: _height, ...rest }) => rest),
  );
  const [first, second] = await read(path);
  assert.equal(second!.prev, first!.id);
  assert.equal(second!.height, undefined);
});

it('a chain file passes over blank lines and recorded answers', async (t) => {
  const text = new SmallChain().grow(2).text().replaceAll('\n', '\n\n{"url":"/api","status":200,"body":1}\r\n');
  assert.equal((await read(await chainFile(t, text))).length, 2);
});

it('a chain file ends after the line asked for', async (t) => {
  const path = await chainFile(t, new SmallChain().grow(5));
  assert.equal((await read(path, 4)).length, 3);
  assert.equal((await read(path, 1)).length, 0);
  assert.equal((await read(path, 100)).length, 5);
});

it('a chain file reads lines that are longer than what is read at once', async (t) => {
  const chain = new SmallChain().grow(1).grow(2, { dataBytes: 900_000 });
  const blocks = await read(await chainFile(t, chain));
  assert.deepEqual(
    blocks.map(({ bytes }) => bytes.length),
    chain.blocks.map(({ bytes }) => bytes.length),
  );
});

it('a chain file says what is wrong and in which line', async (t) => {
  for (const [content, text] of [
    ['', /line 1: the file is empty/],
    ['hello', /line 1: not JSON: hello/],
    ['{"url":"/"}', /line 1: this is not a chain file/],
    [linesWith(0, (head) => ({ ...head, id: '00' })), /line 1: "id" is not that of the genesis/],
    [linesWith(2, () => '[1'), /line 3: not JSON/],
    [linesWith(1, (line) => ({ ...line, block: 'zz' })), /line 2: "block" is not the hex/],
    [linesWith(1, (line) => ({ ...line, block: '0102' })), /line 2: "block" is not an encoded block: expected/],
    [linesWith(1, (line) => ({ ...line, tip: 1 })), /line 2: "tip" must be true or false/],
    [linesWith(1, (line) => ({ ...line, height: -1 })), /line 2: "height" must be/],
    [linesWith(2, (line) => ({ ...line, id: line.prev })), /line 3: "id" is not that of the block/],
    [linesWith(2, (line) => ({ ...line, prev: line.id })), /line 3: "prev" is not what the block says/],
  ] as const) {
    await assertWrong(t, content, text);
  }
  const compressed = gzipSync(new SmallChain().grow(3, { dataBytes: 9_999 }).text());
  await assertWrong(t, compressed.subarray(0, compressed.length - 20), /damaged or incomplete/);
});

it('a chain file says what is wrong when there is no file to read', async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'inner'));
  await assert.rejects(read(join(directory, 'none')), /There is no chain file/);
  await assert.rejects(read(join(directory, 'inner')), /is a directory/);
});
