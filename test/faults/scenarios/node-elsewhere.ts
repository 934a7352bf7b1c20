/** The node of the web servers goes back, stays on a branch that was removed, or follows a chain of its own. */
import type { Id } from '../../../src/chain/types.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightSimulation } from '../../support/simulated-chain.ts';
import type { FaultyNode } from '../faulty-node.ts';
import type { FaultyPostgres } from '../faulty-postgres.ts';
import { FIRST_TIMELINE, type Scene, type Truth } from '../scene.ts';

/** Another node of the same network, with the same pending transactions. */
class OtherNode extends ScriptedNode {
  readonly #first: FaultyNode;

  constructor(first: FaultyNode) {
    super(first.network);
    this.#first = first;
    this.learn();
  }

  /** Learns all blocks of the first, and stays where it is. */
  learn(): void {
    this.add([...this.#first.known()]);
  }

  override mempoolTransactions() {
    return this.#first.mempoolTransactions();
  }

  override mempoolTransaction(id: Id) {
    return this.#first.mempoolTransaction(id);
  }
}

export async function nodeElsewhere(scene: Scene, postgres: FaultyPostgres): Promise<void> {
  const { random, scope, node } = scene;
  const name = `node_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const database = await postgres.createDatabase(name);
  scope.after(() => postgres.dropDatabase(name));
  /** Null: scanner and web servers ask the same one. */
  const other = random.isTrue(0.6) ? new OtherNode(node) : null;
  if (other !== null) {
    await other.start();
    scope.after(() => other.stop());
    scene.asked = other;
  }
  const show = (id: Id) => {
    other?.learn();
    if (other === null) node.show(id);
    else other.setTip(id);
  };
  const showOwn = () => (other === null ? node.showOwn() : show(node.ownTip));
  showOwn();
  scene.startScanner(database);
  await scene.indexed(database);
  await scene.startServer('one', [database]);
  if (random.isTrue(0.5)) await scene.startServer('another', [database]);

  const isServed: Truth = { database, timeline: FIRST_TIMELINE, notReady: null };
  const follow = async () => {
    scene.startScanner(database);
    scene.mine(1);
    showOwn();
    await scene.indexed(database);
    await scene.check('the node is where the index is', () => isServed);
  };
  const elsewhere: Readonly<Record<string, () => void | Promise<void>>> = {
    'the node goes back': () => show(node.ancestor(random.pick([1, 2, 5, 10, 11, 25]))),
    'the node stays on a removed branch': () => {
      const removed = node.ownTip;
      node.reorganise(random.whole(1, 6));
      show(removed);
    },
    'the node has a chain of its own': () => {
      const blocks = lightSimulation(`own ${random.whole(1, 1_000_000)}`).mine(
        random.pick([3, 20, node.ownHeight + 15]),
      );
      (other ?? node).add(blocks);
      show(blocks.at(-1)!.id);
    },
    'the node goes on, the scanner does not': async () => {
      await scene.stopScanner();
      scene.mine(random.pick([1, 2, 11, 15]));
      showOwn();
    },
  };
  await follow();
  for (const state of random.some(Object.keys(elsewhere), 2)) {
    await elsewhere[state]!();
    if (other !== null && scene.isScanning) {
      scene.mine(random.whole(0, 3));
      await scene.indexed(database);
    }
    await scene.check(state, () => isServed);
    await follow();
  }
}
