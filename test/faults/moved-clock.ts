/**
 * Loaded into a program before itself: its wall clock is off by as many milliseconds as the file `MOVED_CLOCK` says, as
 * after somebody has set the machine's. Timers and monotonic clocks go on as always.
 */
import { readFileSync } from 'node:fs';

const LOOK_MS = 20;
const realNow = Date.now;
let lookedAt = Number.NEGATIVE_INFINITY;
let offMs = 0;

function now(): number {
  if (performance.now() - lookedAt > LOOK_MS) {
    lookedAt = performance.now();
    offMs = Number(readFileSync(process.env.MOVED_CLOCK!, 'utf8'));
  }
  return realNow() + offMs;
}

globalThis.Date = new Proxy(Date, {
  construct: (date, args, newTarget) => Reflect.construct(date, args.length === 0 ? [now()] : args, newTarget),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
});
