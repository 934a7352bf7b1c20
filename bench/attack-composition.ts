/** Composes the attacks that happen at the same time, from a seed. */
import type { Attack } from './attack-definition.ts';
import type { AttackKinds } from './attack-kinds.ts';
import { SeededRandom } from './seeded-random.ts';

const MIB = 1024 * 1024;
const MEMORY_BYTES = [512 * MIB, 1024 * MIB] as const;
/** Besides the first. */
const MORE_ATTACKERS = [0, 1, 1, 2, 2, 3] as const;
/** The most connections of all attackers of a seed, divided evenly among them. */
const MAX_CONNECTIONS = 1_500;

export interface Attacker {
  /** Name of its kind of attack. */
  readonly kind: string;
  readonly attack: Attack;
  /** The attacker's own address in the loopback network. */
  readonly localAddress: string;
  readonly seed: number;
}

export interface Composition {
  readonly seed: number;
  /** `--max-memory` of the web server. */
  readonly memoryBytes: number;
  readonly attackers: readonly Attacker[];
}

/** Composes attacks, the same for the same seed and kinds. At least one is of a kind that once harmed others. */
export function compose(seed: number, { harmful, usual }: AttackKinds): Composition {
  const random = new SeededRandom(seed);
  const memoryBytes = random.pick(MEMORY_BYTES);
  const first = random.pick([...harmful]);
  const others = [...harmful, ...usual].filter(([kind]) => kind !== first[0]);
  const chosen = [first, ...random.some(others, random.pick(MORE_ATTACKERS))];
  const maxConnections = Math.floor(MAX_CONNECTIONS / chosen.length);
  const attackers = chosen.map(([kind, full], place) => {
    const varied = varyAttack(full, random);
    const attack = { ...varied, connections: Math.min(varied.connections, maxConnections) };
    return { kind, attack, localAddress: attackerAddress(place, random), seed: random.whole(1, 2 ** 31) };
  });
  return { seed, memoryBytes, attackers };
}

/** Returns a single kind of attack at its full strength. */
export function alone(kind: string, attack: Attack): Composition {
  const localAddress = attackerAddress(0, new SeededRandom(1));
  return { seed: 1, memoryBytes: MEMORY_BYTES[1], attackers: [{ kind, attack, localAddress, seed: 1 }] };
}

/** Another one for each seed: nothing is left of an earlier attack of the same address. */
function attackerAddress(place: number, random: SeededRandom): string {
  return `127.${16 + place}.${random.whole(0, 255)}.${random.whole(1, 254)}`;
}

/** Varies the number of connections, the headers, the pace and the moment to leave. */
function varyAttack(attack: Attack, random: SeededRandom): Attack {
  const connections = Math.max(1, Math.round((attack.connections * random.whole(50, 130)) / 100));
  const pipeline = attack.pipeline === 1 ? 1 : Math.max(1, Math.round((attack.pipeline * random.whole(50, 150)) / 100));
  const moreHeaders = {
    ...(random.isTrue(0.4) && { 'accept-encoding': random.pick(['br', 'gzip', 'gzip, br']) }),
    ...(random.isTrue(0.2) && { accept: random.pick(['text/html', '*/*', 'application/json']) }),
  };
  const first = random.whole(0, attack.requests.length - 1);
  return {
    ...attack,
    connections,
    pipeline,
    headers: { ...moreHeaders, ...attack.headers },
    requests: [...attack.requests.slice(first), ...attack.requests.slice(0, first)],
    again:
      'everyMs' in attack.again
        ? { everyMs: Math.round((attack.again.everyMs * random.whole(50, 150)) / 100) }
        : { afterResponsesMs: attack.again.afterResponsesMs + random.pick([0, 0, 0, 10, 50]) },
    leaves: leavesOf(attack, random),
    returnsAfterMs: Math.min(attack.returnsAfterMs, random.pick([50, 200, 1_000])),
  };
}

/** Most stay if theirs is an attack that stays. */
function leavesOf({ leaves }: Attack, random: SeededRandom): Attack['leaves'] {
  const isEarly = random.isTrue(0.25);
  const earliestMs = random.pick([30, 100, 300]);
  const latestMs = earliestMs + random.pick([0, 100, 1_000]);
  return isEarly ? { earliestMs, latestMs } : leaves;
}
