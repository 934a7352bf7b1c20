/** Every block of every recorded chain, where the recordings lie beside the project. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { networkFromChainFile } from '../../src/chain/networks/custom-network.ts';
import { encodeBlock } from '../support/encode-blocks.ts';
import { genesisId } from '../support/hashes.ts';
import { HAS_RECORDINGS, RECORDINGS, recording } from '../support/recordings.ts';

const CHAINS = HAS_RECORDINGS
  ? readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ndjson(\.gz)?$/.test(name))
      .sort()
      .map((name) => ({ name, lines: linesOf(name) }))
      .filter(({ lines }) => lines.some(({ block }) => typeof block === 'string'))
  : [];

interface Line {
  readonly block?: unknown;
  readonly genesis?: unknown;
  readonly network?: unknown;
  readonly id?: string;
}

function linesOf(name: string): Line[] {
  const raw = readFileSync(recording(name));
  const text = (name.endsWith('.gz') ? gunzipSync(raw) : raw).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('every recorded chain', { skip: HAS_RECORDINGS ? false : 'no recordings beside the project' }, () => {
  test('every recorded chain is found', () => assert.ok(CHAINS.length > 5, `${CHAINS.length} chains`));

  for (const { name, lines } of CHAINS) {
    test(`${name}: each block has its id and merkle roots, and is encoded to the same bytes`, () => {
      for (const { block, id } of lines) {
        if (typeof block !== 'string') continue;
        const identified = identifyBlock(Buffer.from(block, 'hex'));
        assert.equal(identified.id, id);
        assert.equal(encodeBlock(identified.block).toString('hex'), block);
      }
    });

    test(`${name}: the genesis has its id and names a network`, () => {
      const first = lines.find(({ genesis }) => typeof genesis === 'string');
      assert.ok(first);
      assert.equal(genesisId(decodeGenesis(first.genesis as string)), first.id);
      assert.equal(networkFromChainFile(first).genesisId, first.id);
    });
  }
});
