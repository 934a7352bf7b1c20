/** What can go wrong around the programs. Each fault begins, lasts, and is mended: no process needs a hand. */
import type { SeededRandom } from '../../bench/seeded-random.ts';
import type { FaultHook } from '../support/faulty-rpc-server.ts';
import { query } from '../support/running-scanner.ts';
import { lightSimulation } from '../support/simulated-chain.ts';
import { until } from '../support/until.ts';
import { type Link, OTHER_NETWORK, type ProgramName, type Stack } from './stack.ts';

/** Begins; gives what ends it. */
// biome-ignore lint/suspicious/noConfusingVoidType: a fault that ends by itself returns nothing
type Begin = (stack: Stack, random: SeededRandom) => Promise<End | void> | End | void;
type End = () => Promise<void> | void;

const anyLink = (stack: Stack, random: SeededRandom) => stack.links[random.pick(Object.keys(stack.links) as Link[])];
export const HOUR_MS = 3_600_000;
export const MAX_CLOCK_MOVE_HOURS = 1_000;
/** How long a fault waits at most to be met. */
const MET = { withinMs: 10_000 };
/** The same for what programs notice only when a call's time is over. */
const SILENCE_MET = { withinMs: 30_000 };
/** Timestamp and consensus data: bytes of the newest block that nothing but its id on the node's chain confirms. */
const UNCONFIRMED = { from: 97, to: 300 };
const CHUNKS = ['drop', 'truncate', 'unauthorized'] as const;

/** What faults that last have set, by object and property, below what it is without faults. */
const setBy = new WeakMap<object, Map<PropertyKey, unknown[]>>();

/** Sets a property until the end. Faults of a kind may overlap: then it has the value of the newest that lasts. */
function during<T extends object, Key extends keyof T>(object: T, key: Key, value: T[Key], usual: T[Key]): End {
  const properties = setBy.getOrInsertComputed(object, () => new Map());
  const values = properties.getOrInsertComputed(key, () => [usual]) as T[Key][];
  values.push(value);
  object[key] = value;
  return () => {
    values.splice(values.lastIndexOf(value), 1);
    object[key] = values.at(-1)!;
  };
}

/** From now on each so manieth message of the node goes wrong. */
function faultyAnswers({ node }: Stack, every: number, fault: FaultHook): End {
  let count = 0;
  return during(
    node,
    'faults',
    (call) => (count++ % every === 0 ? fault(call) : undefined),
    () => undefined,
  );
}

/** Ends a fault of the node once a program has logged why the node cannot be used. */
function onceLogged({ log }: Stack, reason: RegExp, end: End, patience = MET): End {
  const since = log.length;
  const isMet = () => log.slice(since).some(({ msg, text }) => msg === 'the node cannot be used' && reason.test(text));
  return async () => {
    // Another fault may keep the programs from the node.
    await until(isMet, `the node cannot be used: ${reason}`, patience).catch(() => {});
    await end();
  };
}

const nodeLinks = ({ links }: Stack) => [links['scanner to node'], links['web server to node']];

/** From now on blocks are given as others. */
function falsified({ node }: Stack, change: (bytes: Buffer, height: number) => Buffer): End {
  return during(
    node,
    'falsify',
    (id, bytes) => change(bytes, node.mainChainHeight(id) ?? 0),
    (_id, bytes) => bytes,
  );
}

/** The bytes with a bit changed, which is in a part of them. */
function damaged(bytes: Buffer, from: number, to: number, random: SeededRandom): Buffer {
  const copy = Buffer.from(bytes);
  copy[random.whole(from, to - 1)]! ^= 1 << random.whole(0, 7);
  return copy;
}

export const FAULT_KINDS: Readonly<Record<string, Begin>> = {
  'connections are cut': (stack, random) => anyLink(stack, random).cut(),
  'PostgreSQL is cut off within statements': ({ links }, random) => {
    const link = links[random.pick(['scanner to PostgreSQL', 'web server to PostgreSQL'] as const)];
    return during(link, 'bytesPerCut', random.whole(1, 50_000), Number.POSITIVE_INFINITY);
  },
  'connections are slow': (stack, random) => during(anyLink(stack, random), 'delayMs', random.whole(20, 200), 0),
  'connections are silent': (stack, random) => {
    const link = anyLink(stack, random);
    link.freeze();
    return () => link.thaw();
  },
  'connections are half-closed': (stack, random) =>
    anyLink(stack, random).halfClose(random.pick(['client', 'target'] as const)),
  'connections are refused': async (stack, random) => {
    const link = anyLink(stack, random);
    await link.close();
    return () => link.reopen();
  },
  'the node answers wrongly': (stack, random) =>
    faultyAnswers(stack, random.whole(1, 4), () =>
      random.pick([
        ...CHUNKS.map((type) => ({ type })),
        { type: 'garbage', text: '<html>It works!</html>' },
        { type: 'garbage', text: '{"jsonrpc":"2.0","id":1,"result":["0102","zz"]}' },
        { type: 'garbage', text: '{"jsonrpc":"2.0","id":1,"result":null}' },
        { type: 'status', status: 502 },
        { type: 'rpc', code: -32603, message: 'Internal error' },
        { type: 'delay', ms: 500 },
      ]),
    ),
  'the node answers without end': (stack, random) => {
    const bytes = random.pick([40_000_000, Number.POSITIVE_INFINITY]);
    return faultyAnswers(stack, random.whole(2, 5), () => ({ type: 'flood', bytes }));
  },
  'the node restarts': (stack, random) => stack.node.restart(random.whole(0, 1_500)),
  'the node is silent for longer than a call waits': (stack) => {
    for (const link of nodeLinks(stack)) link.freeze();
    const thaw = () => {
      for (const link of nodeLinks(stack)) link.thaw();
    };
    return onceLogged(stack, /did not answer/, thaw, SILENCE_MET);
  },
  'the node is of another network': async (stack, random) => {
    // A program that starts beside it has never seen the right one.
    if (random.isTrue(0.3)) await stack.kill(random.pick<ProgramName>(['scanner', 'web-server']));
    const ends = nodeLinks(stack).map((link) => during(link, 'target', stack.otherNode, stack.nodeAddress));
    const cut = () => {
      for (const link of nodeLinks(stack)) link.cut();
    };
    cut();
    return onceLogged(stack, OTHER_NETWORK, async () => {
      for (const end of ends) await end();
      cut();
    });
  },
  'the node refuses the credentials': (stack) =>
    onceLogged(
      stack,
      /credentials/,
      faultyAnswers(stack, 1, () => ({ type: 'unauthorized' })),
    ),
  'the node goes back': ({ node }, random) => {
    node.show(node.ancestor(random.whole(1, 30)));
    return () => node.showOwn();
  },
  'the node shows a removed branch': ({ node }, random) => {
    node.show(node.left(random));
    return () => node.showOwn();
  },
  'the node says that it is higher': ({ node }, random) =>
    during(node, 'boastedBlocks', random.pick([1, 50, 5_000, 2_000_000_000]), 0),
  'the node gives damaged blocks': (stack, random) =>
    falsified(stack, (bytes) => damaged(bytes, 0, bytes.length, random)),
  'the node gives its newest block damaged': (stack, random) => {
    let given = 0;
    const end = falsified(stack, (bytes, height) => {
      if (height !== stack.node.ownHeight) return bytes;
      given++;
      return damaged(bytes, UNCONFIRMED.from, Math.min(UNCONFIRMED.to, bytes.length), random);
    });
    return async () => {
      // Some of them cannot even be decoded.
      await until(() => given >= 4, 'damaged blocks are given', MET).catch(() => {});
      await end();
    };
  },
  'the node gives blocks of another chain': (stack, random) => {
    const other = lightSimulation(random.whole(1, 1_000_000)).mine(stack.node.ownHeight + 20);
    return falsified(stack, (bytes, height) => other[height - 1]?.bytes ?? bytes);
  },
  'PostgreSQL restarts': ({ postgres }, random) =>
    postgres.restart(random.pick(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)),
  'a process of PostgreSQL dies': ({ postgres }) => postgres.killBackend(),
  'PostgreSQL is read-only': async (stack) => {
    const { postgres, log } = stack;
    const set = (value: string) =>
      query(postgres.options('postgres'), `alter system set default_transaction_read_only = ${value}`).then(() =>
        query(postgres.options('postgres'), 'select pg_reload_conf()'),
      );
    // A scanner that starts while it is so is another matter: it ends, and is started again.
    await until(() => stack.isIndexOpen, 'a scanner that writes', MET);
    const since = log.length;
    // It may restart right now, and be read-only then.
    await set('on').catch(() => {});
    const isMet = () => log.slice(since).some(({ text }) => /is read-only: it is a/.test(text));
    return async () => {
      // Long enough that a scanner that could not write finds it so when it connects again.
      await until(isMet, 'a scanner that connects to it', MET).catch(() => {});
      await set('off');
    };
  },
  'the disk is full': async ({ postgres }) => {
    if (!postgres.hasDisk) return;
    await postgres.fillDisk();
    return () => postgres.emptyDisk();
  },
  'a program is killed': (stack, random) => stack.kill(random.pick<ProgramName>(['scanner', 'web-server'])),
  'a worker is killed': (stack) => stack.killWorker(),
  'the clock is moved': (stack, random) => {
    stack.moveClock(random.pick([-1, 1]) * random.whole(1, MAX_CLOCK_MOVE_HOURS) * HOUR_MS);
    return random.isTrue(0.5) ? () => stack.moveClock(0) : undefined;
  },
};
