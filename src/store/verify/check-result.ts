/** The result of a check of the index's consistency. */
export interface CheckResult {
  /** The checked statement, as a sentence. */
  readonly name: string;
  /** Number of things checked. */
  readonly checked: number;
  /** Number of differences found. */
  readonly differences: number;
  /** The first differences, a line each. */
  readonly examples: readonly string[];
}

/** Maximum number of examples per check. */
export const MAX_CHECK_EXAMPLES = 5;

/** Collects the findings of a check that goes row by row. */
export class CheckFindings implements CheckResult {
  readonly name: string;
  checked = 0;
  differences = 0;
  readonly examples: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Counts one checked thing; `difference` says what is wrong with it. */
  add(difference?: string): void {
    this.checked++;
    if (difference === undefined) return;
    this.differences++;
    if (this.examples.length < MAX_CHECK_EXAMPLES) this.examples.push(difference);
  }
}

/** A check that is a query. */
export interface TableCheck {
  readonly name: string;
  /** The things that are counted as checked. */
  readonly of: string;
  /** SQL that returns a line (`what`) for each difference. */
  readonly differences: string;
}
