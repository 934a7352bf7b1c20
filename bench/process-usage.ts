/** The resources that processes use, from Linux; unknown on other systems. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  /** User and system time, in seconds. */
  readonly cpuSeconds: number;
  /** The most memory that the process ever had resident. */
  readonly peakBytes: number;
}

/** The kernel's unit of CPU time, the same on all systems. */
const TICKS_PER_SECOND = 100;

/** A process by itself; NaN when it is gone or the system does not say. */
export function usageOf(pid: number): Usage {
  try {
    const { ownTicks } = readStat(pid);
    return { cpuSeconds: ownTicks / TICKS_PER_SECOND, peakBytes: statusBytes(pid, 'VmHWM') };
  } catch {
    return { cpuSeconds: Number.NaN, peakBytes: Number.NaN };
  }
}

/** Resident bytes of a process and its descendants without files; what they share counts once. */
export function familyMemory(pid: number): number {
  const family = familyOf(pid).flatMap((each) => {
    try {
      return [{ own: statusBytes(each, 'RssAnon'), shared: statusBytes(each, 'RssShmem') }];
    } catch {
      return [];
    }
  });
  return family.reduce((sum, { own }) => sum + own, Math.max(0, ...family.map(({ shared }) => shared)));
}

function statusBytes(pid: number, name: string): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').split(`\n${name}:`, 2)[1] ?? '0';
  return Number.parseInt(line, 10) * 1024;
}

export interface Holdings {
  readonly residentBytes: number;
  readonly openFiles: number;
}

/** Returns the resources of a process; null if it has ended or the system does not say. */
export function holdingsOf(pid: number): Holdings | null {
  try {
    return { residentBytes: statusBytes(pid, 'VmRSS'), openFiles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return null;
  }
}

/** Returns the resources of a process and all its descendants; nothing if they are unknown. */
export function familyHoldings(pid: number): Holdings {
  const family = [holdingsOf(pid) ?? { residentBytes: 0, openFiles: 0 }, ...childrenOf(pid).map(familyHoldings)];
  const sum = (what: keyof Holdings) => family.reduce((all, each) => all + each[what], 0);
  return { residentBytes: sum('residentBytes'), openFiles: sum('openFiles') };
}

/** A process and all its descendants. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  try {
    return (readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? []).map(Number);
  } catch {
    return [];
  }
}

/** CPU seconds of a process and of all its children, those that have ended included; NaN where nobody says. */
export function familyCpuSeconds(pid: number): number {
  try {
    const { ownTicks, endedChildrenTicks } = readStat(pid);
    const children = childrenOf(pid).map((child) => usageOf(child).cpuSeconds || 0);
    return children.reduce((all, seconds) => all + seconds, (ownTicks + endedChildrenTicks) / TICKS_PER_SECOND);
  } catch {
    return Number.NaN;
  }
}

function readStat(pid: number): { ownTicks: number; endedChildrenTicks: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The program's name, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
  return { ownTicks: ticks(11), endedChildrenTicks: ticks(13) };
}
