/** Several nodes: which one is used, what happens to calls and events at a change, and submissions, which go to all. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import type { SubmitResult } from '../../src/devnet/served-node-interface.ts';
import { NodeClient } from '../../src/node/client.ts';
import { NodeError } from '../../src/node/node-error.ts';
import { NodeInUse } from '../../src/node/node-in-use.ts';
import { NodeSelection, type NodeState, nodeToUse, statesAfterProbe } from '../../src/node/node-selection.ts';
import { NodeTipEvents } from '../../src/node/tip-events.ts';
import { encodeGenesis } from '../support/encode-blocks.ts';
import { ScriptedNode } from '../support/scripted-node.ts';
import { deposit, SmallChain } from '../support/small-chain.ts';
import { until } from '../support/until.ts';

const SECOND = 1_000;
const chain = new SmallChain().grow(6);
const network = { ...regtest, genesis: encodeGenesis(chain.genesis).toString('hex'), genesisId: chain.genesisId };
const auth = { type: 'none' } as const;

/** Nodes whose probes a test makes, with a clock that it moves. */
class Probes {
  nodes: readonly NodeState[];
  inUse = 0;
  now = 0;
  indexHeight: number | null = null;

  constructor(count: number) {
    this.nodes = Array(count).fill({ height: null, answeredAt: 0, isAnswering: false, aheadSince: null });
  }

  /** Probes all nodes once a second; gives the node that is used at the end. */
  run(seconds: number, ...heights: readonly (number | null)[]): number {
    for (let i = 0; i < seconds; i++) {
      this.now += SECOND;
      for (const [node, height] of heights.entries()) {
        this.nodes = statesAfterProbe(this.nodes, node, height, this.inUse, this.now);
        const next = nodeToUse(this.nodes, this.inUse, this.indexHeight, this.now);
        if (next === this.inUse) continue;
        this.inUse = next;
        this.nodes = this.nodes.map((state) => ({ ...state, aheadSince: null }));
      }
    }
    return this.inUse;
  }
}

it('the node in use stays while it answers, also if another one is a little ahead or comes first in the list', () => {
  const probes = new Probes(2);
  assert.equal(probes.run(600, 100, 102), 0);
  assert.equal(probes.run(11, null, 102), 1);
  assert.equal(probes.run(600, 102, 102), 1);
});

it('a node is left after ten seconds without an answer, and not before', () => {
  const probes = new Probes(2);
  probes.run(5, 100, 100);
  assert.equal(probes.run(9, null, 100), 0);
  assert.equal(probes.run(1, null, 100), 1);
});

it('a node is left for one that is three blocks ahead for a minute without a break', () => {
  const probes = new Probes(2);
  probes.run(5, 100, 100);
  assert.equal(probes.run(59, 100, 103), 0);
  probes.run(1, 101, 103);
  assert.equal(probes.run(60, 101, 104), 0);
  assert.equal(probes.run(1, 101, 104), 1);
});

it('a node that is three blocks below the index is left after ten seconds, as at the start of a program', () => {
  const probes = new Probes(2);
  probes.indexHeight = 100;
  assert.equal(probes.run(10, 97, 100), 0);
  assert.equal(probes.run(1, 97, 100), 1);
  assert.equal(probes.run(30, 97, 100), 1);
});

it('no node below the index is changed to while another one has reached the index; otherwise any is better than none', () => {
  const probes = new Probes(3);
  probes.indexHeight = 100;
  probes.run(5, 100, 90, 100);
  assert.equal(probes.run(11, null, 90, 100), 2);
  assert.equal(probes.run(11, null, 90, null), 1);
  const behind = new Probes(2);
  behind.indexHeight = 100;
  // The node in use is below the index, as is the one ahead of it.
  assert.equal(behind.run(62, 50, 60), 1);
});

it('of several nodes the first of those that are not behind is taken', () => {
  const probes = new Probes(4);
  assert.equal(probes.run(11, null, 90, 98, 100), 2);
});

it('while no node answers, the node in use stays', () => {
  assert.equal(new Probes(3).run(60, null, null, null), 0);
});

async function twoNodes(t: TestContext) {
  const [first, second] = [await ScriptedNode.start(t, network), await ScriptedNode.start(t, network)];
  for (const node of [first, second]) node.grow(chain.blocks.slice(0, 3));
  const inUse = new NodeInUse();
  const options = { address: first.address, auth, others: [{ address: second.address, auth }], inUse };
  const client = new NodeClient(options);
  t.after(() => client.close());
  return { first, second, inUse, options, client };
}

it('at a change calls go to the other node, those under way end, and events come from the other node', async (t) => {
  const { first, second, inUse, client } = await twoNodes(t);
  second.grow(chain.blocks.slice(3, 5));
  const tips: number[] = [];
  const events = new NodeTipEvents(client, {
    pauses: { firstMs: 1, maxMs: 10 },
    onTip: ({ height }) => tips.push(height),
  });
  t.after(() => events.close());
  await until(() => events.connected && tips.includes(3), 'the tip of the first node');
  first.faults = ({ method }) => (method === 'chainstate_get_block' ? { type: 'delay', ms: 20_000 } : undefined);
  const hanging = client.block(chain.blocks[0]!.id);
  await until(() => client.usage[first.address] === 1, 'the first node is used');
  inUse.change(1);
  await assert.rejects(hanging, (error) => error instanceof NodeError && error.retryable);
  assert.equal((await client.chainInfo()).bestBlock.height, 5);
  assert.deepEqual(client.usage, { [first.address]: 0, [second.address]: 1 });
  await until(() => events.connected && tips.at(-1) === 5, 'the tip of the second node');
  second.grow(chain.blocks.slice(5, 6));
  await until(() => tips.at(-1) === 6, 'an event of the second node');
});

it('a node that is away is left, with a line in the log; one of another network is never used', async (t) => {
  const { first, second, options, client } = await twoNodes(t);
  const foreign = await ScriptedNode.start(t, regtest);
  const lines: string[] = [];
  const others = [{ address: foreign.address, auth }, ...options.others];
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`),
  };
  const all = { ...options, others, network };
  new NodeClient(all).logProblems(logger);
  const selection = new NodeSelection({ node: all, indexHeight: () => 3, logger });
  t.after(() => selection.close());
  await until(
    () => lines.some((line) => /of another network: expected regtest /.test(line) && line.includes(foreign.address)),
    'a line about the foreign node',
  );
  await first.stop();
  await until(() => all.inUse.index === 2, 'the second node is used');
  assert.ok(lines.some((line) => line.startsWith('another node is used') && line.includes(second.address)));
  assert.equal(client.usage[first.address], 0);
});

it('a submission goes to all nodes: one that takes it is enough, and errors are those of the node in use', async (t) => {
  const { first, second, inUse, client } = await twoNodes(t);
  const taken: string[] = [];
  const take = (node: ScriptedNode, name: string, answer: SubmitResult) => {
    node.submitTransaction = () => {
      taken.push(name);
      return answer;
    };
  };
  const refused = (reason: string) => ({ type: 'Refused', reason }) as const;
  take(first, 'first', refused('no, says the first'));
  const signed = deposit(10);
  take(second, 'second', { type: 'Accepted', transactionId: transactionId(signed.transaction) });
  const hex = Buffer.from(encodeSignedTransaction(signed)).toString('hex');
  await client.submitTransaction(hex);
  await until(() => taken.length === 2, 'both were asked');
  take(second, 'second', refused('no, says the second'));
  const says = (text: RegExp) => (error: unknown) => error instanceof NodeError && text.test(error.message);
  await assert.rejects(client.submitTransaction(hex), says(/says the first/));
  inUse.change(1);
  await assert.rejects(client.submitTransaction(hex), says(/says the second/));
  inUse.change(0);
  await first.stop();
  await assert.rejects(client.submitTransaction(hex), says(/says the second/));
  await second.stop();
  await assert.rejects(client.submitTransaction(hex), (error) => (error as NodeError).kind === 'unreachable');
});
