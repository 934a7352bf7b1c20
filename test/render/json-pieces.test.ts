import assert from 'node:assert/strict';
import { it } from 'node:test';
import { byteArrayJson, stringOrHexJson } from '../../src/render/common-values.ts';
import { renderHeader } from '../../src/render/header.ts';

const hex = (text: string) => Buffer.from(text).toString('hex');

// docs/api.md#formats
it('bytes in JSON are hex, and a text where they are one', () => {
  assert.equal(stringOrHexJson(hex('XXX')), '{"hex":"585858","string":"XXX"}');
  assert.equal(stringOrHexJson(''), '{"hex":"","string":""}');
});

it('bytes in JSON are a text of any characters, escaped as JSON has them', () => {
  for (const text of ['"\\', '\0\n\x1f', 'ß🦀', '\u2028', '\ufeffBOM', '\ufffd']) {
    const shown = stringOrHexJson(hex(text));
    assert.deepEqual(JSON.parse(shown), { hex: hex(text), string: text });
    // A list of outputs comes line by line.
    assert.doesNotMatch(shown, /[\n\t]/);
  }
});

it('bytes in JSON are no text when they are not UTF-8: cut, too long, half of a pair, or no start of anything', () => {
  for (const bytes of ['ff', '61c3', 'c080', 'eda080', '80']) {
    assert.equal(stringOrHexJson(bytes), `{"hex":"${bytes}","string":null}`);
  }
});

it('bytes in JSON are numbers in an array where no text is meant', () => {
  assert.equal(byteArrayJson('00ff80'), '[0,255,128]');
  assert.equal(byteArrayJson(''), '[]');
});

// docs/api.md#headers-in-json, docs/protocol.md#compact-targets
it('the consensus data of a header are the whole target of a proof of stake', () => {
  const data = { kernelInputs: [], kernelWitness: [], stakePoolId: '', vrfData: '', compactTarget: 0x1d00ffff };
  const header = { prevBlockId: '', txMerkleRoot: '', witnessMerkleRoot: '', timestamp: 5 };
  const text = renderHeader({ ...header, consensus: { type: 'PoS', data } });
  assert.deepEqual(JSON.parse(text).consensus_data, { target: `0x00000000ffff${'0'.repeat(52)}` });
});
