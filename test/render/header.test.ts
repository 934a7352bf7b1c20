import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConsensusData } from '../../src/chain/types.ts';
import { renderHeader } from '../../src/render/header.ts';

const [PREVIOUS, ROOT, WITNESS_ROOT] = ['11', '22', '33'].map((byte) => byte.repeat(32)) as [string, string, string];

/** What a header says of its consensus; the rest is checked. */
function consensusText(consensus: ConsensusData): string {
  const header = {
    prevBlockId: PREVIOUS,
    txMerkleRoot: ROOT,
    witnessMerkleRoot: WITNESS_ROOT,
    timestamp: 5,
    consensus,
  };
  const text = renderHeader(header);
  const { consensus_data, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    previous_block_id: PREVIOUS,
    timestamp: { timestamp: 5 },
    merkle_root: ROOT,
    witness_merkle_root: WITNESS_ROOT,
  });
  assert.notEqual(consensus_data, undefined);
  return /"consensus_data":(.*),"merkle_root"/.exec(text)![1]!;
}

// docs/api.md#headers-in-json, docs/protocol.md#compact-targets
it('the consensus data of a header are null where there are none', () =>
  assert.equal(consensusText({ type: 'None' }), 'null'));

it('the consensus data of a header are bits and nonce of a proof of work, to the last of 128 bits', () => {
  const nonce = (1n << 128n) - 1n;
  assert.equal(
    consensusText({ type: 'PoW', bits: 0xffffffff, nonce }),
    '{"bits":4294967295,"nonce":340282366920938463463374607431768211455}',
  );
});

it('the consensus data of a header are the whole target of a proof of stake', () => {
  const data = { kernelInputs: [], kernelWitness: [], stakePoolId: ROOT, vrfData: '', compactTarget: 0x1d00ffff };
  assert.equal(consensusText({ type: 'PoS', data }), `{"target":"0x00000000ffff${'0'.repeat(52)}"}`);
});
