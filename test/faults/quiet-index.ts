/** An index that nobody disturbs, of the same node: what each tip's answers are, and what can be asked for. */
import { endpointsAndLists } from '../../bench/endpoint-urls.ts';
import { measuredPages } from '../../bench/explorer-page-paths.ts';
import { readSampleIds, type SampleIds } from '../../bench/sample-ids.ts';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { Id } from '../../src/chain/types.ts';
import { seesTip } from '../sim/patient-answers.ts';
import { TestIndex } from '../support/indexed-database.ts';
import type { SeedScope } from '../support/seeds.ts';
import { eventually } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { type Answer, ask } from './answer-clients.ts';
import type { FaultyNode } from './faulty-node.ts';
import { PUBLIC_URL } from './stack.ts';

/** As much of a tip's id as an ETag begins with. */
const ETAG_ID = /^W\/"([0-9a-f]{24})-/;
/** What depends on more than the tip: the reorganisations that this index saw. */
const OF_HISTORY = /reorganisations/;

/** The fee of a transaction at the rate of the node, which this index does not have, and the link to the rate. */
const AT_RATE_OF_NODE =
  /<div class="muted">at today's rate for the next block: .*?<\/div>| <a href="\/api\/v2\/feerate\/recommended".*?<\/a>/g;
/** Whether confirmations are enough, by the deepest reorganisation that an index saw. */
const BY_HISTORY = /(?:Not yet enough|Enough) for most payments.*?<\/dd>/g;
const withoutRate = (text: string): string => text.replace(AT_RATE_OF_NODE, '').replace(BY_HISTORY, '');

export class QuietIndex {
  readonly #node: FaultyNode;
  readonly #index: TestIndex;
  readonly #server: TestServer;
  /** Where it is, by height. */
  readonly #chain: Id[];
  /** How many of these it has indexed. */
  #indexed = 1;
  /** How many of the tips that the node showed it has seen. */
  #seen = 0;
  /** What was not compared yet, by the beginning of the tip's id. */
  readonly #answers = new Map<string, Answer[]>();
  /** Errors do not name their tip: each is kept until it is right. */
  readonly #errors = new Set<Answer>();

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

  /** Of every endpoint and page that the chain has something for. */
  async urls(): Promise<string[]> {
    const samples = await this.samples();
    const all = await endpointsAndLists(samples, this.#server.port);
    const paths = all.flatMap(({ hot, cold }) => [hot, ...cold.slice(0, 2)]);
    const pages = measuredPages(samples).flatMap(({ hot, cold }) => [hot, ...cold.slice(0, 1)]);
    const urls = [...paths.map((path) => `/api/v2${path}`), ...pages];
    return [...new Set(urls)].filter((url) => !/undefined|NaN/.test(url));
  }

  /** What there is at its tip. */
  async samples(): Promise<SampleIds> {
    await this.#catchUp();
    return readSampleIds(this.#index.session.reader, this.#node.network);
  }

  /** Takes answers to compare, those of other tips than its own when it comes to them. */
  keep(answers: Iterable<Answer>): void {
    for (const answer of answers) {
      const tip = ETAG_ID.exec(answer.etag ?? '')?.[1];
      if (tip !== undefined) this.#answers.set(tip, [...(this.#answers.get(tip) ?? []), answer]);
      else if (answer.status !== 200) this.#errors.add(answer);
    }
  }

  /**
   * Goes where the node went, up to the `end`th tip that it showed; gives what of the answers is not what is answered at the
   * tip that they name. Errors must be those of any tip that was shown from `since` on.
   */
  async follow(end = this.#node.shown.length, since = this.#node.network.genesisId): Promise<string[]> {
    const differences: string[] = [];
    let isSince = this.#chain.includes(since);
    const visit = async (id: Id) => {
      isSince ||= id === since;
      const tip = id.slice(0, 24);
      const given = this.#answers.get(tip) ?? [];
      this.#answers.delete(tip);
      if (given.length === 0 && !(isSince && this.#errors.size > 0)) return;
      await this.#catchUp();
      await seesTip(this.#server, id);
      const checks = [...given, ...(isSince ? this.#errors : [])].map(async (answer) => {
        const { url, status, text } = answer;
        const right = await this.#ask(url);
        const isRight =
          withoutRate(right.text) === withoutRate(text) ||
          OF_HISTORY.test(url) ||
          (status === 404 && isSameError(right, answer));
        if (right.status === status && isRight) this.#errors.delete(answer);
        else if (status === 200)
          differences.push(`${url} was answered with ${differing(withoutRate(text), withoutRate(right.text))}`);
      });
      await Promise.all(checks);
    };
    if (this.#seen === 0) await visit(this.#node.network.genesisId);
    for (; this.#seen < end; this.#seen++) await this.#goTo(this.#node.shown[this.#seen]!, visit);
    return differences;
  }

  /** What of the answers was right at no tip where it has been. */
  leftOver(): string[] {
    const tips = [...this.#answers.keys()].map((tip) => `an answer is of ${tip}, which the node did not show then`);
    return [...tips, ...[...this.#errors].map(({ url, text }) => `${url} was answered with ${text.slice(0, 200)}`)];
  }

  /** So many requests at once may be refused, and on a busy machine there is a 503 now and then. */
  #ask(url: string): Promise<Answer> {
    return eventually(url, async () => {
      const answer = await ask(this.#server.port, url);
      return [429, 503].includes(answer.status) ? undefined : answer;
    });
  }

  /** Block by block; `visit` is called at each. */
  async #goTo(id: Id, visit: (id: Id) => Promise<void>): Promise<void> {
    const branch: Id[] = [];
    let ancestor = id;
    for (; !this.#chain.includes(ancestor); ancestor = this.#node.block(ancestor).prev) branch.unshift(ancestor);
    if (branch.length === 0) return;
    this.#chain.length = this.#chain.indexOf(ancestor) + 1;
    this.#indexed = Math.min(this.#indexed, this.#chain.length);
    for (const next of branch) {
      this.#chain.push(next);
      await visit(next);
    }
  }

  /** Indexes what the chain has more, or other. */
  async #catchUp(): Promise<void> {
    const ancestor = this.#indexed - 1;
    const blocks = this.#chain.slice(this.#indexed).map((id) => identifyBlock(this.#node.block(id).bytes));
    this.#indexed = this.#chain.length;
    if (blocks.length === 0) return;
    if (this.#index.applier.chain.height > ancestor) await this.#index.reorganise(ancestor, blocks);
    else await this.#index.follow(blocks, 100);
  }
}

/** This index knows no mempool, and says so with some errors. */
function isSameError(...answers: [Answer, Answer]): boolean {
  const [first, second] = answers.map(({ text }) => /"error":"[^"]*"|<title>[^<]*/.exec(text)?.[0]);
  return first === second;
}

/** Where the first text differs from the second. */
function differing(text: string, right: string): string {
  let from = 0;
  while (from < text.length && text[from] === right[from]) from++;
  const excerpt = (whole: string) => whole.slice(Math.max(0, from - 60), from + 100);
  return `“${excerpt(text)}” instead of “${excerpt(right)}”`;
}
