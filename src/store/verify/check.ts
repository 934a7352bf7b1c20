/** What a check of the index's consistency found. */
export interface CheckResult {
  /** What should hold, as a sentence. */
  readonly name: string;
  /** Items that were checked. */
  readonly checked: number;
  /** Items that violate it. */
  readonly differences: number;
  /** The first violations, one line each. */
  readonly examples: readonly string[];
}

/** Examples that are reported of one check. */
export const MOST_EXAMPLES = 5;

/** Collects the violations of a check that goes row by row. */
export class Findings {
  readonly #name: string;
  readonly #examples: string[] = [];
  #checked = 0;
  #differences = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Counts a checked item; `difference` describes its violation. */
  add(difference?: string): void {
    this.#checked++;
    if (difference === undefined) return;
    this.#differences++;
    if (this.#examples.length < MOST_EXAMPLES) this.#examples.push(difference);
  }

  result(): CheckResult {
    const { checked, differences, examples } = {
      checked: this.#checked,
      differences: this.#differences,
      examples: this.#examples,
    };
    return { name: this.#name, checked, differences, examples };
  }
}
