/** An index that nobody disturbs, of the same node: what each tip's answers are, and what can be asked for. */
import { endpoints } from '../../bench/endpoint-urls.ts';
import { measuredPages } from '../../bench/explorer-page-paths.ts';
import { readSampleIds } from '../../bench/sample-ids.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { Id } from '../../src/chain/types.ts';
import { seesTip } from '../sim/patient-answers.ts';
import { TestIndex } from '../support/indexed-database.ts';
import type { SeedScope } from '../support/seeds.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { type Answer, ask } from './answer-clients.ts';
import type { FaultyNode } from './faulty-node.ts';
import { PUBLIC_URL } from './stack.ts';

/** As much of a tip's id as an ETag begins with. */
const ETAG_ID = /^W\/"([0-9a-f]{24})-/;
/** What depends on more than the tip: the reorganisations that this index saw. */
const OF_HISTORY = /reorganisations/;

export class QuietIndex {
  readonly #node: FaultyNode;
  readonly #index: TestIndex;
  readonly #server: TestServer;
  /** Of its chain, by height. */
  readonly #chain: Id[];

  private constructor(node: FaultyNode, index: TestIndex, server: TestServer) {
    this.#node = node;
    this.#index = index;
    this.#server = server;
    this.#chain = [node.network.genesisId];
  }

  /** At its genesis. */
  static async open(scope: SeedScope, node: FaultyNode): Promise<QuietIndex> {
    const { network } = node;
    const index = await TestIndex.create(scope, network);
    const server = await startTestWebServer(scope, { network, postgres: index.postgres, publicUrl: PUBLIC_URL });
    return new QuietIndex(node, index, server);
  }

  /** Of every endpoint and page that the node's chain has something for. */
  async urls(): Promise<string[]> {
    await this.#goTo(this.#node.tip().id);
    const samples = await readSampleIds(this.#index.session.reader, this.#node.network);
    const paths = endpoints(samples).flatMap(({ hot, cold }) => [hot, ...cold.slice(0, 2)]);
    const pages = measuredPages(samples).flatMap(({ hot, cold }) => [hot, ...cold.slice(0, 1)]);
    const urls = [...paths.map((path) => `/api/v2${path}`), ...pages];
    return [...new Set(urls)].filter((url) => !/undefined|NaN/.test(url));
  }

  /** Goes where the node went; gives what of the answers is not what is answered at the tip that they name. */
  async differences(answers: Iterable<Answer>): Promise<string[]> {
    const byTip = Map.groupBy(answers, ({ etag }) => ETAG_ID.exec(etag ?? '')?.[1] ?? '');
    // Errors do not name their tip: they must be those of any.
    const errors = new Set((byTip.get('') ?? []).filter(({ status }) => status !== 200));
    byTip.delete('');
    const differences: string[] = [];
    const atTip = async (id: Id) => {
      const given = byTip.get(id.slice(0, 24)) ?? [];
      byTip.delete(id.slice(0, 24));
      if (given.length + errors.size > 0) await seesTip(this.#server, id);
      for (const { url, status, text } of given) {
        const right = await ask(this.#server.port, url);
        if (right.status === status && (right.text === text || OF_HISTORY.test(url))) continue;
        differences.push(`${url} was answered with ${status}: ${differing(text, right.text)}`);
      }
      for (const error of errors) {
        if ((await ask(this.#server.port, error.url)).text === error.text) errors.delete(error);
      }
    };
    for (const id of this.#node.shown) await this.#goTo(id, atTip);
    for (const tip of byTip.keys()) differences.push(`an answer is of ${tip}, which the node never showed`);
    for (const { url, text } of errors) differences.push(`${url} was answered with ${text.slice(0, 200)}`);
    return differences;
  }

  /** Block by block, doing at each what is to be done there. */
  async #goTo(id: Id, atTip: (id: Id) => Promise<void> = async () => {}): Promise<void> {
    const branch: Id[] = [];
    const heights = new Map(this.#chain.map((known, height) => [known, height]));
    let ancestor = id;
    for (; !heights.has(ancestor); ancestor = this.#node.block(ancestor).prev) branch.unshift(ancestor);
    if (branch.length === 0) return;
    const isReorganised = heights.get(ancestor)! < this.#chain.length - 1;
    if (isReorganised) this.#chain.length = heights.get(ancestor)! + 1;
    for (const [place, next] of branch.entries()) {
      const block = identifyBlock(this.#node.block(next).bytes);
      if (place === 0 && isReorganised) await this.#index.reorganise(this.#chain.length - 1, [block]);
      else await this.#index.follow([block]);
      this.#chain.push(next);
      await atTip(next);
    }
  }
}

/** Where the first text differs from the second. */
function differing(text: string, right: string): string {
  let from = 0;
  while (from < text.length && text[from] === right[from]) from++;
  const excerpt = (whole: string) => whole.slice(Math.max(0, from - 60), from + 100);
  return `“${excerpt(text)}” instead of “${excerpt(right)}”`;
}
