import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBlock, identifyBlock, MerkleRootError } from '../../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import { merklePath, merkleTree } from '../../../src/chain/merkle.ts';
import { DecodeError } from '../../../src/chain/scale/codec-errors.ts';
import { encodeBlock } from '../../support/encode-blocks.ts';
import { blockId, signedTransactionHash } from '../../support/hashes.ts';
import { merkleVerify } from '../../support/merkle-path.ts';
import { block, sealed } from '../arbitrary.ts';
import { RECORDED_BLOCKS } from './recorded-blocks.ts';
import { SIGNED_TRANSACTION, SIGNED_TRANSACTION_HASH, TRANSACTION_ID } from './transaction-vectors.ts';

const EMPTY_REWARD_HASH = '2fa3f686df876995167e7c2e5d74c4c7b6e48f8068fe0e44208344d480f7904c';
const EMPTY_BLOCK =
  '01efcdf78d8c51794c01471e473bbfbd51db60559a63ece2a7b29114357672e8452fa3f686df876995167e7c2e5d74c4c7b6e48f8068fe0e44208344d480f7904c2fa3f686df876995167e7c2e5d74c4c7b6e48f8068fe0e44208344d480f7904c039c0ac06100000000';
const POW_HEADER =
  '01efcdf78d8c51794c01471e473bbfbd51db60559a63ece2a7b29114357672e845bbafdef782196d2f4dda2ce3767ece82928f3ec7e18a2d1052dcde65750bec2eb66ebe26676f7c54ff7fe035f6c97663197b5bc83544c979c48fe6c88189ff25039c0ac06101ffff7f2007000000000000000000000000000000';
const POW_BLOCK = `${POW_HEADER}000004${SIGNED_TRANSACTION}`;

const bytes = (hex: string) => Buffer.from(hex, 'hex');

test('the vector of an empty block is decoded and encoded', () => {
  const identified = identifyBlock(bytes(EMPTY_BLOCK));
  assert.deepEqual(identified, {
    id: '20385d465db40c103b7881b9f1de1fda935460e39389c05094b3c511da2f0d55',
    block: {
      header: {
        prevBlockId: 'efcdf78d8c51794c01471e473bbfbd51db60559a63ece2a7b29114357672e845',
        txMerkleRoot: EMPTY_REWARD_HASH,
        witnessMerkleRoot: EMPTY_REWARD_HASH,
        timestamp: 1639975580,
        consensus: { type: 'None' },
      },
      signature: null,
      reward: [],
      transactions: [],
    },
    transactionIds: [],
    transactionSizes: [],
    rewardHash: EMPTY_REWARD_HASH,
    size: 106,
  });
  assert.equal(encodeBlock(identified.block).toString('hex'), EMPTY_BLOCK);
});

test('the vector of a block with proof of work and a transaction is decoded and encoded', () => {
  const { id, block, transactionIds, transactionSizes, rewardHash } = identifyBlock(bytes(POW_BLOCK));
  const encodedSizes = block.transactions.map((transaction) => encodeSignedTransaction(transaction).length);
  assert.deepEqual(transactionSizes, encodedSizes);
  assert.equal(id, 'd0492337d19d59dd8dd28b591a86cb2f65914820b50349fb2843cf38cc8c33c3');
  assert.deepEqual(block.header.consensus, { type: 'PoW', bits: 0x207fffff, nonce: 7n });
  assert.deepEqual(transactionIds, [TRANSACTION_ID]);
  const path = merklePath(merkleTree([rewardHash, ...transactionIds]), 1);
  assert.deepEqual(path, [EMPTY_REWARD_HASH]);
  assert.ok(merkleVerify(TRANSACTION_ID, 1, path, block.header.txMerkleRoot));
  assert.ok(merkleVerify(SIGNED_TRANSACTION_HASH, 1, path, block.header.witnessMerkleRoot));
});

for (const { chain, height, id, bytes: recorded } of RECORDED_BLOCKS) {
  test(`a recorded block of ${chain} at height ${height} is identified and encoded to the same bytes`, () => {
    const identified = identifyBlock(recorded);
    assert.equal(identified.id, id);
    assert.equal(identified.size, recorded.length);
    assert.deepEqual(encodeBlock(identified.block), recorded);
    assert.deepEqual(decodeBlock(recorded), identified.block);
  });
}

test('a recorded block gives the ids that its parts hash to when they are encoded again', () => {
  for (const { bytes: recorded } of RECORDED_BLOCKS) {
    const { id, block, transactionIds } = identifyBlock(recorded);
    assert.equal(blockId(block.header), id);
    const computedIds = block.transactions.map(({ transaction }) => transactionId(transaction));
    assert.deepEqual(computedIds, transactionIds);
  }
});

const other = 'ab'.repeat(32);
const { block: honest } = identifyBlock(bytes(POW_BLOCK));

test('a block whose header commits to other contents is refused for its transactions', () => {
  const wrong = encodeBlock({ ...honest, header: { ...honest.header, txMerkleRoot: other } });
  assert.throws(() => identifyBlock(wrong), { name: 'MerkleRootError', offset: 33, found: other });
});

test('a block whose header commits to other contents is refused for its witnesses', () => {
  const signatures = [{ type: 'NoSignature', data: null }] as const;
  const wrong = encodeBlock({ ...honest, transactions: [{ ...honest.transactions[0]!, signatures }] });
  assert.throws(() => identifyBlock(wrong), { name: 'MerkleRootError', offset: 65 });
});

test('a block whose header commits to other contents is refused for its reward', () => {
  const wrong = encodeBlock({ ...honest, reward: [{ type: 'DataDeposit', data: '' }] });
  assert.throws(() => identifyBlock(wrong), MerkleRootError);
});

test('a block whose header commits to other contents is still decoded', () => {
  const wrong = { ...honest, header: { ...honest.header, txMerkleRoot: other } };
  assert.deepEqual(decodeBlock(encodeBlock(wrong)), wrong);
});

const staked = {
  ...decodeBlock(bytes(EMPTY_BLOCK)),
  header: {
    ...decodeBlock(bytes(EMPTY_BLOCK)).header,
    consensus: {
      type: 'PoS',
      data: {
        kernelInputs: [],
        kernelWitness: [],
        stakePoolId: '11'.repeat(32),
        vrfData: '00'.repeat(97),
        compactTarget: 0x1d00ffff,
      },
    },
  },
} as const;

for (const [compactTarget, fault] of [
  [0x04923456, /negative/],
  [0x23000001, /256 bits/],
] as const) {
  test(`a block whose compact target stands for no number is damaged: ${compactTarget.toString(16)}`, () => {
    const consensus = { type: 'PoS', data: { ...staked.header.consensus.data, compactTarget } } as const;
    const wrong = encodeBlock({ ...staked, header: { ...staked.header, consensus } });
    assert.doesNotThrow(() => decodeBlock(encodeBlock(staked)));
    assert.throws(
      () => decodeBlock(wrong),
      (error) => error instanceof DecodeError && fault.test(error.message),
    );
  });
}

test('any block comes back from its bytes', () => {
  fc.assert(fc.property(block, (some) => assert.deepEqual(decodeBlock(encodeBlock(some)), some)));
});

test('any block is identified when its merkle roots are right', () => {
  fc.assert(
    fc.property(block.map(sealed), (some) => {
      const encoded = encodeBlock(some);
      const identified = identifyBlock(encoded);
      assert.deepEqual(identified.block, some);
      assert.equal(identified.id, blockId(some.header));
      const computedIds = some.transactions.map(({ transaction }) => transactionId(transaction));
      assert.deepEqual(identified.transactionIds, computedIds);
      const leaves = [identified.rewardHash, ...some.transactions.map(signedTransactionHash)];
      leaves.forEach((leaf, i) => {
        assert.ok(merkleVerify(leaf, i, merklePath(merkleTree(leaves), i), some.header.witnessMerkleRoot));
      });
    }),
  );
});

const samples = RECORDED_BLOCKS.filter(({ bytes: recorded }) => recorded.length < 1500);

test('bytes that are no block are refused wherever a block is cut', () => {
  for (const { bytes: recorded } of samples) {
    for (let length = 0; length < recorded.length; length++) {
      assert.throws(() => decodeBlock(recorded.subarray(0, length)), DecodeError);
    }
  }
});

test('bytes that are no block are refused when more bytes follow a block', () => {
  for (const { bytes: recorded } of RECORDED_BLOCKS) {
    assert.throws(() => decodeBlock(Buffer.concat([recorded, Buffer.of(0)])), DecodeError);
    assert.throws(() => identifyBlock(Buffer.concat([recorded, recorded])), DecodeError);
  }
});

test('a block with one byte changed is refused or is another block, never misread', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RECORDED_BLOCKS),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 30, maxLength: 30 }),
      ({ bytes: recorded }, changes) => {
        for (const [place, change] of changes) {
          const changed = Buffer.from(recorded);
          changed[place % recorded.length]! ^= change;
          refusedOrExact(changed);
          assertRefused(changed, recorded);
        }
      },
    ),
  );
});

test('random bytes are refused as a block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (random) => refusedOrExact(random)),
    { numRuns: 500 },
  );
});

test('bytes that announce four thousand million transactions are refused at once', () => {
  const endless = bytes(`${EMPTY_BLOCK.slice(0, -2)}03ffffffff`);
  const start = performance.now();
  assert.throws(() => decodeBlock(endless), DecodeError);
  assert.ok(performance.now() - start < 5_000);
});

for (const [what, hex] of [
  ['of another version', `02${EMPTY_BLOCK.slice(2)}`],
  ['of unknown consensus', `${EMPTY_BLOCK.slice(0, -8)}03000000`],
  ['with an unknown signature', `${EMPTY_BLOCK.slice(0, -6)}020000`],
  ['with a signature of an unknown kind', `${EMPTY_BLOCK.slice(0, -6)}0101${'00'.repeat(64)}0000`],
  ['with a timestamp above 2^53 - 1', EMPTY_BLOCK.replace('039c0ac061', '0f00000000000020')],
] as const) {
  test(`a block ${what} is refused`, () => assert.throws(() => decodeBlock(bytes(hex)), DecodeError));
}

function refusedOrExact(candidate: Uint8Array): void {
  try {
    assert.deepEqual(encodeBlock(decodeBlock(candidate)), Buffer.from(candidate));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
}

/** Only a change of the header, or of the signature that nothing commits to, leaves something identifiable. */
function assertRefused(changed: Buffer, recorded: Buffer): void {
  try {
    const { id, block } = identifyBlock(changed);
    const original = identifyBlock(recorded);
    assert.ok(id !== original.id || block.signature !== original.block.signature);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
}
