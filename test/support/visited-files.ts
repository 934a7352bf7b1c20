/**
 * The files of `src` that a request or a block passes, found by breakpoints on their functions, which note the call and stop
 * nothing.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { type CallSiteObject, getCallSites } from 'node:util';

const ROOT = new URL('../../', import.meta.url).href;
const SOURCES = `${ROOT}src/`;
const MAX_FRAMES = 200;
/** Longer than any line. */
const LINE = 10_000;

/** A call of a file's function by another file, or by Node. */
export interface Visit {
  readonly file: string;
  /** Has it, in turn, called another file? */
  goesOn: boolean;
}

/** A function of `src`. Its ends are line × {@link LINE} + column, both from 1 on. */
interface SourceFunction {
  readonly file: string;
  readonly begin: number;
  readonly end: number;
}

declare global {
  /** The function that the breakpoints call. */
  var noteCall: ((called: number) => void) | undefined;
}

export class VisitRecorder {
  readonly #session = new Session();
  readonly #functions: SourceFunction[] = [];

  /** Knows the functions that are called in the rehearsal: work of the same kind. To be ended by {@link end}. */
  static async after(rehearsal: () => Promise<unknown>): Promise<VisitRecorder> {
    const recorder = new VisitRecorder();
    recorder.#session.connect();
    await recorder.#setBreakpoints(rehearsal);
    return recorder;
  }

  /** The visits while the work is done, in their order, without those that a timer makes. */
  async during(work: () => Promise<unknown>): Promise<Visit[]> {
    const visits: Visit[] = [];
    /** The visit in which a function was last called. */
    const latest = new Map<SourceFunction, Visit>();
    globalThis.noteCall = (called) => {
      const frames = getCallSites(MAX_FRAMES);
      if (frames.at(-1)!.functionName === 'processTimers') return;
      const [, callerFrame] = frames.filter(({ scriptName }) => scriptName.startsWith(SOURCES));
      const callee = this.#functions[called]!;
      // Coverage does not always know the functions that initialize an instance.
      if (callerFrame?.functionName.startsWith('<') && callerFrame.scriptName === ROOT + callee.file) return;
      // Coverage does not always know a callback either: it belongs to the function that has made it.
      const maker = callerFrame ? this.#functionAt(callerFrame) : this.#functionAround(callee);
      const caller = maker && latest.get(maker);
      if (caller?.file === callee.file) {
        latest.set(callee, caller);
        return;
      }
      if (caller) caller.goesOn = true;
      const visit = { file: callee.file, goesOn: false };
      latest.set(callee, visit);
      visits.push(visit);
    };
    await work();
    globalThis.noteCall = undefined;
    return visits;
  }

  end(): void {
    this.#session.disconnect();
  }

  async #setBreakpoints(rehearsal: () => Promise<unknown>): Promise<void> {
    const session = this.#session;
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await rehearsal();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.disable');
    for (const { url, scriptId, functions } of result) {
      if (!url.startsWith(SOURCES)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      for (const { functionName, ranges } of functions) {
        const { startOffset, endOffset, count } = ranges[0]!;
        // `<instance_members_initializer>` belongs to the constructor.
        if (count === 0 || functionName.startsWith('<')) continue;
        const body = placeOf(scriptSource, bodyOf(scriptSource, startOffset));
        await session.post('Debugger.setBreakpoint', {
          location: { scriptId, lineNumber: Math.floor(body / LINE) - 1, columnNumber: (body % LINE) - 1 },
          condition: `globalThis.noteCall?.(${this.#functions.length}), false`,
        });
        this.#functions.push({
          file: url.slice(ROOT.length),
          begin: placeOf(scriptSource, startOffset),
          end: placeOf(scriptSource, endOffset),
        });
      }
    }
  }

  /** The innermost function that a function is written in. */
  #functionAround({ file, begin, end }: SourceFunction): SourceFunction | undefined {
    return this.#functions
      .filter((other) => other.file === file && other.begin < begin && end <= other.end)
      .sort((a, b) => b.begin - a.begin)[0];
  }

  /** The innermost function that a frame of the stack is in. */
  #functionAt({ scriptName, lineNumber, columnNumber }: CallSiteObject): SourceFunction | undefined {
    const place = lineNumber * LINE + columnNumber;
    return this.#functions
      .filter(({ file, begin, end }) => ROOT + file === scriptName && begin <= place && place < end)
      .sort((a, b) => b.begin - a.begin)[0];
  }
}

function placeOf(source: string, offset: number): number {
  const lines = source.slice(0, offset).split('\n');
  return lines.length * LINE + lines.at(-1)!.length + 1;
}

/** Returns the start of a function's body, after its parameters, whose defaults are not always evaluated. */
function bodyOf(source: string, begin: number): number {
  let depth = 0;
  let at = source.indexOf('(', begin);
  do {
    if (source[at] === '(') depth++;
    if (source[at] === ')') depth--;
    at++;
  } while (depth > 0);
  return at;
}

/**
 * The files that the first numbered list of a section of ARCHITECTURE.md names, item by item. A name without a folder is in
 * the folder of the path before it.
 */
export function listedFiles(heading: string): string[][] {
  const text = readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8');
  const [, section] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [list] = /^1\. .*?(?=\n\n)/ms.exec(section!)!;
  return list.split(/\n(?=\d+\. )/).map((item) => {
    let folder = '';
    return [...item.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name]) => {
      const path = name!.includes('/') ? name! : folder + name;
      folder = path.slice(0, path.lastIndexOf('/') + 1);
      return path;
    });
  });
}

/** The listed files run, and no other goes on to the next file, except those that are left out. */
export function assertRunAsListed(visits: readonly Visit[], items: readonly string[][], leftOut: RegExp): void {
  const listed = new Set(items.flat());
  const run = new Set(visits.map(({ file }) => file));
  const notRun = [...listed].filter((file) => !run.has(file));
  const goingOn = new Set(visits.filter(({ goesOn }) => goesOn).map(({ file }) => file));
  const notListed = [...goingOn].filter((file) => !listed.has(file) && !leftOut.test(file));
  assert.deepEqual({ notRun, notListed }, { notRun: [], notListed: [] });
}
