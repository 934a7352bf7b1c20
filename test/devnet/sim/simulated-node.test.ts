import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeBlock, identifyBlock } from '../../../src/chain/codec/block.ts';
import { decodeSignedTransaction, encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import type { SignedTransaction, TxOutput } from '../../../src/chain/types.ts';
import type { ChainEvent } from '../../../src/devnet/chain-source.ts';
import { MIN_ATOMS_PER_KILOBYTE } from '../../../src/devnet/fee-rates.ts';
import { ReplayNode } from '../../../src/devnet/replay.ts';
import { serveRpc } from '../../../src/devnet/rpc-server.ts';
import { arrivals, chainLines } from '../../../src/devnet/sim/build-chain.ts';
import { writeLines } from '../../../src/devnet/sim/chain-lines.ts';
import { transfer } from '../../../src/devnet/sim/kinds/transfers.ts';
import { presetByName } from '../../../src/devnet/sim/mix.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { imbalances } from '../../../src/devnet/sim/totals.ts';
import { outpointKey } from '../../../src/devnet/sim/world.ts';
import { regtestPos, upgrading } from './networks.ts';

const demo = { network: regtestPos, mix: 'demo', seed: 'node' } as const;
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulated-node-'));
});
after(() => rm(folder, { recursive: true }));

/** A transfer that somebody's wallet sends: valid on top of all that waits. */
function made(node: SimulatedNode): SignedTransaction {
  const { world, random } = node.simulation;
  const treasury = world.wallet.destinations[0]!;
  for (;;) {
    const signed = transfer({ world, random, habits: presetByName('demo')!, treasury });
    if (signed !== null) return signed;
  }
}

function submit(node: SimulatedNode, signed: SignedTransaction) {
  return node.submitTransaction(signed, encodeSignedTransaction(signed));
}

/** The text of the refusal. */
function refusal(node: SimulatedNode, signed: SignedTransaction): string {
  const pending = node.mempoolTransactions().length;
  const result = submit(node, signed);
  assert.ok(result.type === 'Refused');
  assert.equal(node.mempoolTransactions().length, pending);
  return result.reason;
}

describe('a simulated node', () => {
  test('grows the chain that a file of the same seed has', async () => {
    const options = { ...demo, reorganisationProbability: 0.1 };
    const node = await SimulatedNode.open(options);
    // A file has no reorganisation that would lead beyond its end: the chains part there, not before.
    const tips = [...arrivals({ ...options, blocks: 60 })].filter(({ isTip }) => isTip).map(({ block }) => block.id);
    for (const height of [1, 20, 40, 55]) {
      node.growTo(height);
      assert.ok(tips.includes(node.tip().id), `height ${height}`);
    }
  });

  test('tells of each new tip and answers for all of its blocks', async () => {
    const node = await SimulatedNode.open(demo);
    const events: ChainEvent[] = [];
    const stop = node.listen((event) => events.push(event));
    node.growTo(5);
    stop();
    node.grow();
    assert.deepEqual(
      events.map((event) => event.type === 'NewTip' && event.height),
      [1, 2, 3, 4, 5],
    );
    for (let height = 1; height <= 6; height++) {
      const id = node.mainChainId(height)!;
      assert.equal(node.mainChainHeight(id), height);
      assert.equal(decodeBlock(node.blockBytes(id)!).header.prevBlockId, node.mainChainId(height - 1));
    }
  });

  test('has the next block’s transactions in its mempool, with plausible fee rates', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(20);
    const waiting = node.mempoolTransactions().map(({ id }) => id);
    const points = node.feeRatePoints();
    assert.ok(points.length > 1 && points.length <= 10);
    for (const { atomsPerKilobyte } of points) {
      assert.ok(atomsPerKilobyte >= MIN_ATOMS_PER_KILOBYTE && atomsPerKilobyte < 3n * MIN_ATOMS_PER_KILOBYTE);
    }
    const next = node.tip().height + 1;
    node.grow();
    const { transactions } = decodeBlock(node.blockBytes(node.mainChainId(next)!)!);
    assert.ok(waiting.length > 0);
    assert.equal(transactions.length, waiting.length);
  });

  test('replaces a branch as one step, shorter ones included', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(30);
    const left = node.tip().id;
    const heights: number[] = [];
    node.listen((event) => event.type === 'NewTip' && heights.push(event.height));
    node.reorganise(10, 4);
    assert.deepEqual(heights, [24]);
    assert.equal(node.lastCommonAncestor(left, node.tip().id)?.height, 20);
    assert.equal(node.mainChainHeight(left), undefined);
    assert.ok(node.blockBytes(left) !== undefined);
  });

  test('forgets the branches that it left, when asked to', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(10);
    const left = node.tip().id;
    node.reorganise(3, 4);
    node.forgetLeftBranches();
    assert.equal(node.lastCommonAncestor(left, node.tip().id), undefined);
    assert.equal(node.blockBytes(left), undefined);
    assert.equal(node.lastCommonAncestor(node.mainChainId(2)!, node.tip().id)?.height, 2);
  });

  test('goes back in time, when asked to, and on from there', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(20);
    const ancestor = node.mainChainId(12)!;
    node.rewind(8);
    assert.equal(node.tip().id, ancestor);
    assert.equal(node.mainChainId(13), undefined);
    node.growTo(22);
    assert.equal(node.mainChainId(12), ancestor);
  });
});

describe('its mempool', () => {
  test('takes a valid transaction and mines it in the next block', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const result = submit(node, made(node));
    assert.ok(result.type === 'Accepted');
    assert.ok(node.mempoolTransaction(result.transactionId));
    node.grow();
    assert.equal(node.mempoolTransaction(result.transactionId), undefined);
    const { transactionIds } = identifyBlock(node.blockBytes(node.tip().id)!);
    assert.ok(transactionIds.includes(result.transactionId));
  });

  test('takes the same transaction twice', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const signed = made(node);
    assert.deepEqual(submit(node, signed), submit(node, signed));
  });

  test('takes a transaction that spends one that still waits', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const first = submit(node, made(node));
    assert.ok(first.type === 'Accepted');
    const { world } = node.simulation;
    const utxo = world.coins.items.find(({ outpoint }) => outpoint.sourceId === first.transactionId)!;
    const output: TxOutput = {
      type: 'Transfer',
      value: { type: 'Coin', amount: utxo.amount - 100_000_000_000n },
      destination: utxo.destination,
    };
    const second: SignedTransaction = {
      transaction: { flags: 0n, inputs: [{ type: 'Utxo', outpoint: utxo.outpoint }], outputs: [output] },
      signatures: [world.wallet.witness(utxo.destination)],
    };
    assert.equal(submit(node, second).type, 'Accepted');
    node.grow();
    const { transactionIds } = identifyBlock(node.blockBytes(node.tip().id)!);
    assert.equal(transactionIds.at(-2), first.transactionId);
  });

  test('refuses what a node refuses, and says why', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const good = made(node);
    const { transaction, signatures } = good;
    const [input] = transaction.inputs;
    assert.ok(input?.type === 'Utxo');
    const changed = (change: Partial<SignedTransaction['transaction']>): SignedTransaction => ({
      transaction: { ...transaction, ...change },
      signatures,
    });
    const unknown = { ...input.outpoint, sourceId: '11'.repeat(32) };
    assert.match(
      refusal(node, changed({ inputs: [{ type: 'Utxo', outpoint: unknown }, ...transaction.inputs.slice(1)] })),
      /Missing output or already spent/,
    );
    const [output, ...others] = transaction.outputs;
    assert.ok(output?.type === 'Transfer' && output.value.type === 'Coin');
    const amount = output.value.amount + 10n ** 20n;
    assert.match(
      refusal(node, changed({ outputs: [{ ...output, value: { type: 'Coin', amount } }, ...others] })),
      /Insufficient inputs/,
    );
    const token = { type: 'TokenV1' as const, tokenId: '22'.repeat(32), amount: 1n };
    assert.match(refusal(node, changed({ outputs: [{ ...output, value: token }] })), /Token 22+ does not exist/);
    const other = { type: 'NoSignature', data: null } as const;
    assert.match(
      refusal(node, { transaction, signatures: signatures.map(() => other) }),
      /Signature verification failed: input 0/,
    );
    const nothing = { transaction: { ...transaction, inputs: [] }, signatures: [] };
    assert.match(refusal(node, nothing), /no inputs/);
    // All of it to the receivers, nothing for the miner.
    const spent = transaction.inputs.map((each) => {
      assert.ok(each.type === 'Utxo');
      return node.simulation.world.utxos.get(outpointKey(each.outpoint))!;
    });
    assert.ok(spent.every(({ currency }) => currency === 'coin'));
    const coins = spent.reduce((sum, utxo) => sum + utxo.amount, 0n);
    assert.match(
      refusal(node, changed({ outputs: [{ ...output, value: { type: 'Coin', amount: coins } }] })),
      /does not pay the minimum relay fee: 0 atoms/,
    );
    assert.equal(submit(node, good).type, 'Accepted');
    assert.match(refusal(node, changed({ flags: 1n - transaction.flags })), /already spent/);
  });

  test('tells its listeners what it took and what it refused', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const told: unknown[] = [];
    node.listen((event) => event.type === 'TransactionProcessed' && told.push(event.accepted));
    const signed = made(node);
    submit(node, signed);
    refusal(node, { ...signed, transaction: { ...signed.transaction, flags: 1n - signed.transaction.flags } });
    assert.deepEqual(told, [true, false]);
  });

  test('keeps its books balanced whatever was refused', async () => {
    const node = await SimulatedNode.open(demo);
    node.growTo(30);
    for (let round = 0; round < 200; round++) {
      const bytes = encodeSignedTransaction(made(node));
      const place = 2 + node.simulation.random.below(bytes.length - 2);
      bytes[place]! ^= 1 << node.simulation.random.below(8);
      try {
        node.submitTransaction(decodeSignedTransaction(bytes), bytes);
      } catch (error) {
        assert.equal((error as Error).name, 'DecodeError');
      }
    }
    node.grow();
    const { simulation } = node;
    simulation.rewind(0);
    assert.deepEqual(imbalances(simulation.world), []);
  });

  test('answers over JSON-RPC as a node does', async (t) => {
    const node = await SimulatedNode.open(demo);
    node.growTo(15);
    const server = await serveRpc(node);
    t.after(() => server.close());
    const call = async (method: string, params: unknown[]) => {
      const response = await fetch(`http://${server.address}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
    };
    const good = encodeSignedTransaction(made(node)).toString('hex');
    assert.equal((await call('p2p_submit_transaction', [good, {}])).result, null);
    const spent = decodeBlock(node.blockBytes(node.mainChainId(10)!)!).transactions[0]!;
    const again = encodeSignedTransaction(spent).toString('hex');
    const { error } = await call('p2p_submit_transaction', [again, {}]);
    assert.equal(error?.code, -32000);
    assert.match(error!.message, /^Mempool error: /);
    const blocks = (await call('chainstate_get_mainchain_blocks', [1, 100])).result as string[];
    assert.equal(blocks.length, 15);
  });
});

describe('a chain that is kept in a file', () => {
  test('is gone on with after a restart, also when the last line is cut off', async () => {
    const chainFile = join(folder, 'kept.ndjson');
    const options = { ...demo, seed: 'kept', chainFile, reorganisationProbability: 0.1 };
    const first = await SimulatedNode.open(options);
    first.growTo(40);
    await appendFile(chainFile, '{"height":41,"id":"ab');
    const second = await SimulatedNode.open(options);
    assert.equal(second.tip().id, first.tip().id);
    second.growTo(80);
    const third = await SimulatedNode.open(options);
    assert.equal(third.tip().id, second.tip().id);
    third.growTo(90);
    for (let height = 1; height <= 90; height++) {
      const id = third.mainChainId(height)!;
      assert.equal(identifyBlock(third.blockBytes(id)!).id, id);
    }
    third.simulation.rewind(0);
    assert.deepEqual(imbalances(third.simulation.world), []);
    const { world } = third.simulation;
    assert.ok(world.contracts.size + world.coins.size > 100, 'it found the keys of what can be spent');
  });

  test('is refused when it is of another network or damaged', async () => {
    const chainFile = join(folder, 'other.ndjson');
    await writeFile(chainFile, '{"genesis":"00"}\n');
    await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /line 1/);
    await writeFile(chainFile, 'no line of it is whole');
    assert.equal((await SimulatedNode.open({ ...demo, chainFile })).tip().height, 0);
    const kept = join(folder, 'kept.ndjson');
    const lines = (await readFile(kept, 'utf8')).split('\n');
    await writeFile(chainFile, `${[lines[0], lines[2]].join('\n')}\n`);
    await assert.rejects(SimulatedNode.open({ ...demo, chainFile }), /has not come before/);
  });
});

describe('a chain that is written to a file', () => {
  for (const name of ['chain.ndjson', 'chain.ndjson.gz']) {
    test(`is replayed from ${name} as it was made, on a network of its own`, async () => {
      const path = join(folder, name);
      const options = {
        network: upgrading,
        mix: 'dense',
        seed: 5,
        blocks: 50,
        reorganisationProbability: 0.1,
      } as const;
      await writeLines(path, chainLines(options));
      const node = await ReplayNode.open(path);
      await node.replay();
      let tip = '';
      for (const { block, isTip } of arrivals(options)) if (isTip) tip = block.id;
      assert.equal(node.tip().id, tip);
      const described = node.head.line.network as { upgrades: unknown; name: string };
      assert.equal(described.name, 'upgrading');
      assert.deepEqual(described.upgrades, {
        reward_distribution_v1: 30,
        tokens_fee_v1: 30,
        data_deposit_fee_v1: 30,
        orders_v1: 60,
        token_id_generation_v1: 60,
      });
      await node.close();
    });
  }

  test('is made no faster than it is written', async () => {
    const path = join(folder, 'long.ndjson');
    const line = 'x'.repeat(1_000_000);
    let made = 0;
    let mostAhead = 0;
    const lines = function* () {
      for (let count = 0; count < 60; count++) {
        yield line;
        made += line.length + 1;
        mostAhead = Math.max(mostAhead, made - (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
      }
    };
    await writeLines(path, lines());
    assert.equal(statSync(path).size, made);
    assert.ok(mostAhead < 8_000_000, `${mostAhead} bytes ahead of the file`);
  });

  test('says when the file cannot be written', async () => {
    const path = join(folder, 'no-such-folder', 'chain.ndjson');
    await assert.rejects(
      writeLines(path, chainLines({ network: regtestPos, mix: 'demo', seed: 1, blocks: 3 })),
      /ENOENT/,
    );
  });
});
