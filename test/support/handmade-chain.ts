/**
 * Chains of real, encoded blocks that a test makes by hand, for what neither the recordings nor the simulation hold; and
 * a web server of each contract over such a chain.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type {
  AccountCommand,
  ConsensusData,
  Hex,
  Id,
  IdentifiedBlock,
  SignedTransaction,
  TotalSupply,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { sealed } from '../chain/arbitrary.ts';
import { OWNER } from '../ledger/small-world.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { encodeBlock, encodeGenesis } from './encode-blocks.ts';
import { builtBefore } from './file-scope.ts';
import { genesisId } from './hashes.ts';
import { TestIndex } from './indexed-database.ts';
import { GENESIS_TIMESTAMP, SECONDS_PER_BLOCK } from './small-chain.ts';
import type { TestServer } from './web-server.ts';

export class HandmadeChain {
  readonly network: Network;
  readonly blocks: IdentifiedBlock[] = [];

  /** A chain whose genesis pays out `outputs`, by the rules of a network. */
  constructor(outputs: readonly TxOutput[], rules: Network = regtest, message = '') {
    const genesis = { message, timestamp: GENESIS_TIMESTAMP, outputs };
    this.network = { ...rules, genesis: encodeGenesis(genesis).toString('hex'), genesisId: genesisId(genesis) };
  }

  /** Adds a block: 120 seconds after the one before, and `secondsLater` more or fewer. */
  add(
    parts: {
      readonly transactions?: readonly SignedTransaction[];
      readonly reward?: readonly TxOutput[];
      readonly consensus?: ConsensusData;
      readonly secondsLater?: number;
    } = {},
  ): IdentifiedBlock {
    const { transactions = [], reward = [], consensus = { type: 'None' }, secondsLater = 0 } = parts;
    const prevBlockId = this.blocks.at(-1)?.id ?? this.network.genesisId;
    const timestamp = GENESIS_TIMESTAMP + (this.blocks.length + 1) * SECONDS_PER_BLOCK + secondsLater;
    const header = { prevBlockId, txMerkleRoot: '', witnessMerkleRoot: '', timestamp, consensus };
    const block = identifyBlock(encodeBlock(sealed({ header, signature: null, reward, transactions })));
    this.blocks.push(block);
    return block;
  }
}

/** The input of a command by the authority of a token. */
export const tokenCommand = (nonce: bigint, command: AccountCommand): TxInput => ({
  type: 'AccountCommand',
  nonce,
  command,
});

/** Issues a token of {@link OWNER}. */
export const issueToken = (ticker: Hex, metadataUri: Hex, numberOfDecimals: number, supply: TotalSupply): TxOutput => ({
  type: 'IssueFungibleToken',
  issuance: { ticker, metadataUri, numberOfDecimals, authority: OWNER, isFreezable: true, totalSupply: supply },
});

/** Issues an NFT to {@link OWNER}, with one text or the other in each of its fields. */
export const issueNft = (tokenId: Id, text: Hex, other = text): TxOutput => ({
  type: 'IssueNft',
  tokenId,
  destination: OWNER,
  metadata: {
    ...{ creator: null, name: text, description: other, ticker: text, mediaHash: text.slice(0, 64) },
    ...{ iconUri: other, additionalMetadataUri: text, mediaUri: other },
  },
});

/** The servers over a handmade chain. To be called at the top of a test file, with the whole chain. */
export function handmadeServers({ network, blocks }: HandmadeChain) {
  const served = builtBefore(async (scope) => {
    const index = await TestIndex.create(scope, network);
    // One by one, with nothing cached: every row has been in the database before it changes again.
    for (const block of blocks) {
      await index.follow([block]);
      await index.reopen();
    }
    return { index, ...(await index.serveBoth(scope)) };
  });

  it('the index of this chain fits together in itself', async () => {
    await requireRightIndex(served().index.postgres, network);
  });

  it('the index of this chain is the same in bulk, and what it was at its genesis when it is undone', async (t) => {
    const other = await TestIndex.create(t, network);
    const genesis = await other.dump({ undo: true });
    await other.bulk(blocks, 2, 2);
    assert.deepEqual(await other.dump(), await served().index.dump());
    const undone = await TestIndex.create(t, network);
    await undone.follow(blocks);
    await undone.reorganise(0, []);
    assert.deepEqual(await undone.dump({ undo: true }), genesis);
  });

  return {
    get described(): TestServer {
      return served().described;
    },
    get core(): TestServer {
      return served().core;
    },
    /** A test for each contract. */
    alike(item: string, check: (server: TestServer) => Promise<void>): void {
      it(`described: ${item}`, () => check(served().described));
      it(`mintlayer-core: ${item}`, () => check(served().core));
    },
  };
}
