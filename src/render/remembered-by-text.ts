/** Remembers what was computed from texts that come again and again: a block changes few of the transactions that lists show. */
import type { Network } from '../chain/networks/network.ts';

interface Remembered<Value> {
  readonly network: Network;
  readonly height: number;
  readonly value: Value;
}

export class RememberedByText<Value> {
  readonly #maxLength: number;
  #recent = new Map<string, Remembered<Value>>();
  #older = new Map<string, Remembered<Value>>();
  #length = 0;

  /** The last texts are remembered, of `maxLength` to twice as many characters together. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Returns the value of a text at a height, which is made if it is not known. */
  of(network: Network, text: string, height: number, make: () => Value): Value {
    const recent = this.#recent.get(text);
    const known = recent ?? this.#older.get(text);
    const isSame = known?.height === height && known.network === network;
    const found = isSame ? known : { network, height, value: make() };
    if (found !== recent) this.#keep(text, found);
    return found.value;
  }

  #keep(text: string, found: Remembered<Value>): void {
    this.#recent.set(text, found);
    this.#length += text.length;
    if (this.#length <= this.#maxLength) return;
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#length = 0;
  }
}
