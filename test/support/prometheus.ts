/** The text that Prometheus reads, as a test asks it. */
import { setTimeout as sleep } from 'node:timers/promises';

export class Scrape {
  readonly text: string;
  readonly #values = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
    for (const line of text.split('\n')) {
      const end = line.lastIndexOf(' ');
      if (end > 0 && !line.startsWith('#')) this.#values.set(line.slice(0, end), Number(line.slice(end + 1)));
    }
  }

  /** `/metrics` of the server on this port; whatever it says, over a connection of its own. */
  static async of(port: number): Promise<Scrape> {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { connection: 'close' },
      // It may have come to a worker that hangs.
      signal: AbortSignal.timeout(20_000),
    });
    if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
    return new Scrape(await response.text());
  }

  /** The same, made after this was called: a text is given again for a second. */
  static async fresh(port: number): Promise<Scrape> {
    await sleep(1_050);
    return Scrape.of(port);
  }

  /** Returns the value of the sample with this name and labels, written as in the text; undefined if there is none. */
  value(sample: string): number | undefined {
    return this.#values.get(sample);
  }

  /** All samples whose name and labels begin like this. */
  samples(beginning: string): Map<string, number> {
    return new Map([...this.#values].filter(([sample]) => sample.startsWith(beginning)));
  }
}
