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
  return {
    cpuSeconds: found(() => readStat(pid).ownTicks / TICKS_PER_SECOND, Number.NaN),
    peakBytes: statusBytes(pid, 'VmHWM'),
  };
}

/** Resident bytes of a process by itself; NaN when it is gone or the system does not say. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

/** Resident bytes of a process and its descendants without files; what they share counts once. */
export function familyMemory(pid: number): number {
  const family = familyOf(pid);
  return (
    sum(family, (each) => statusBytes(each, 'RssAnon')) +
    Math.max(...family.map((each) => statusBytes(each, 'RssShmem') || 0))
  );
}

/** Resident bytes and open files of a process and all its descendants; nothing if they are unknown. */
export function familyHoldings(pid: number) {
  const family = familyOf(pid);
  const openFiles = (each: number) => found(() => readdirSync(`/proc/${each}/fd`).length, 0);
  return { residentBytes: sum(family, residentBytes), openFiles: sum(family, openFiles) };
}

/** A process and all its descendants. */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

/** Process ids of children. */
export function childrenOf(pid: number): number[] {
  const children = found(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'), '');
  return (children.match(/\d+/g) ?? []).map(Number);
}

/** CPU seconds of a process and of all its children, those that have ended included; NaN where nobody says. */
export function familyCpuSeconds(pid: number): number {
  const { ownTicks, endedChildrenTicks } = found(() => readStat(pid), { ownTicks: Number.NaN, endedChildrenTicks: 0 });
  return (
    (ownTicks + endedChildrenTicks) / TICKS_PER_SECOND + sum(childrenOf(pid), (child) => usageOf(child).cpuSeconds)
  );
}

/** Adds what is known. */
function sum(pids: readonly number[], value: (pid: number) => number): number {
  return pids.reduce((all, pid) => all + (value(pid) || 0), 0);
}

/** Returns what `read` finds in `/proc`, or `otherwise` if the process is gone or the system is another one. */
function found<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function statusBytes(pid: number, name: string): number {
  const status = found(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  return Number.parseInt(status.split(`\n${name}:`, 2)[1] ?? '', 10) * 1024;
}

function readStat(pid: number): { ownTicks: number; endedChildrenTicks: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The program's name, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
  return { ownTicks: ticks(11), endedChildrenTicks: ticks(13) };
}
