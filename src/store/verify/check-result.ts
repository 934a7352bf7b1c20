/** What a check of the index's consistency found. */
export interface CheckResult {
  /** What should hold, as a sentence. */
  readonly name: string;
  /** How many things were looked at. */
  readonly checked: number;
  /** How many of them are otherwise. */
  readonly differences: number;
  /** The first of them, a line each. */
  readonly examples: readonly string[];
}

/** Maximum number of examples per check. */
export const MAX_EXAMPLES = 5;

/** Collects what a check that goes row by row finds. */
export class Findings implements CheckResult {
  readonly name: string;
  checked = 0;
  differences = 0;
  readonly examples: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Counts one thing that was looked at; `difference` says what is wrong with it. */
  add(difference?: string): void {
    this.checked++;
    if (difference === undefined) return;
    this.differences++;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(difference);
  }
}
