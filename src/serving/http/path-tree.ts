/** What stands at the paths of the server: values at patterns such as `/pool/:id/block-stats`. */

interface Branch<Value> {
  readonly literals: Map<string, Branch<Value>>;
  parameter: Branch<Value> | null;
  leaf: Leaf<Value> | null;
}

interface Leaf<Value> {
  readonly value: Value;
  readonly names: readonly string[];
}

interface Found<Value> {
  readonly value: Value;
  /** Decodes the parameters of the path. Throws {@link UndecodableParameter}. */
  readonly params: () => Record<string, string>;
}

/** A parameter of a path that is not percent-encoded UTF-8. */
export class UndecodableParameter extends Error {
  readonly parameter: string;

  constructor(parameter: string) {
    super(`the parameter ${parameter} of the path is not percent-encoded UTF-8`);
    this.parameter = parameter;
  }
}

export class PathTree<Value> {
  readonly #root: Branch<Value> = newBranch();

  /** Puts a value at a pattern, where none may stand yet. A segment that begins with a colon is a parameter. */
  add(pattern: string, value: Value): void {
    const names: string[] = [];
    let branch = this.#root;
    for (const segment of segmentsOf(pattern)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        branch = branch.parameter ??= newBranch();
      } else {
        const next = branch.literals.get(segment) ?? newBranch();
        branch.literals.set(segment, next);
        branch = next;
      }
    }
    if (branch.leaf !== null) throw new Error(`two values at ${pattern}`);
    branch.leaf = { value, names };
  }

  /** Returns what stands at a path; null: nothing. A literal segment comes before a parameter, and no parameter at the end is empty. */
  find(path: string): Found<Value> | null {
    const texts: string[] = [];
    const leaf = leafAt(this.#root, segmentsOf(path), 0, texts);
    return leaf && { value: leaf.value, params: () => decoded(leaf.names, texts) };
  }
}

const newBranch = <Value>(): Branch<Value> => ({ literals: new Map(), parameter: null, leaf: null });

/** The segments after the slash with which every path begins. */
const segmentsOf = (path: string): string[] => path.slice(1).split('/');

/** Fills `texts` with the parameters of the path, still encoded. */
function leafAt<Value>(
  branch: Branch<Value>,
  segments: readonly string[],
  depth: number,
  texts: string[],
): Leaf<Value> | null {
  if (depth === segments.length) return branch.leaf;
  const segment = segments[depth]!;
  const literal = branch.literals.get(segment);
  const leaf = literal === undefined ? null : leafAt(literal, segments, depth + 1, texts);
  const isEmptyEnd = segment === '' && depth === segments.length - 1;
  if (leaf !== null || branch.parameter === null || isEmptyEnd) return leaf;
  texts.push(segment);
  const below = leafAt(branch.parameter, segments, depth + 1, texts);
  if (below === null) texts.pop();
  return below;
}

function decoded(names: readonly string[], texts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    try {
      params[name] = decodeURIComponent(texts[i]!);
    } catch {
      throw new UndecodableParameter(name);
    }
  }
  return params;
}
