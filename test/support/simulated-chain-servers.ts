/** A simulated chain with reorganisations behind a web server of each profile, and a naive model of its lists. */
import assert from 'node:assert/strict';
import { tokenAddress } from '../../src/chain/address.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory, take } from '../sim/history.ts';
import { NaiveChanges } from '../sim/naive-changes.ts';
import { NaiveFacts } from '../sim/naive-facts.ts';
import { TakingPart, tokenIds } from '../sim/naive-lists.ts';
import { sharedByFiles } from './file-scope.ts';
import { TestIndex } from './indexed-database.ts';
import type { TestServer } from './web-server.ts';

const BLOCKS = 90;
/** Many orders, so that an address has several. */
const MIX = { ...MONTHS, weights: { ...MONTHS.weights, orderCreate: 12, orderConclude: 1 } };
const OPTIONS = { network, seed: 'beyond', mix: MIX };

export { network };
export let facts: NaiveFacts;
export let taking: TakingPart;
export let past: NaiveChanges;
/** The index of the chain. */
export let index: TestIndex;
/** The servers of the described profile and of the other one. */
export let servers: readonly TestServer[];
/** The removed and added blocks of the reorganisations, oldest first. */
export const reorganisations: { ancestor: number; removed: string[]; added: string[] }[] = [];

const useSimulatedChain = sharedByFiles(async (scope) => {
  const history = simulatedHistory({ ...OPTIONS, blocks: BLOCKS, reorganisationProbability: 0.1 });
  index = await TestIndex.create(scope, network);
  let mainChain: IdentifiedBlock[] = [];
  reorganisations.length = 0;
  for (const step of history.steps) {
    if (step.ancestor < mainChain.length) {
      const removed = mainChain.slice(step.ancestor).map(({ id }) => id);
      reorganisations.push({ ancestor: step.ancestor, removed, added: step.blocks.map(({ id }) => id) });
    }
    await take(index, step);
    mainChain = [...mainChain.slice(0, step.ancestor), ...step.blocks];
  }
  taking = new TakingPart(network, mainChain);
  facts = new NaiveFacts(OPTIONS, mainChain, taking);
  past = new NaiveChanges(network, mainChain, taking);
  const { described, core } = await index.serveBoth(scope);
  servers = [described, core];
});

/** To be called at the top of a test file, which may not change what is served: other files read it too. */
export function serveSimulatedChain(): void {
  useSimulatedChain(() => {});
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
export type Json = any;

/** The entries of a list in both profiles, in one page and in short ones. `order-of-lists.test.ts` tries more sizes. */
export async function listed(path: string): Promise<Json[]> {
  const mark = path.includes('?') ? '&' : '?';
  const [described, core] = servers as [TestServer, TestServer];
  const whole = (await described.pages(`${path}${mark}items=100`)).flat();
  const size = whole.length <= 12 ? 2 : 7;
  const pages = await described.pages(`${path}${mark}items=${size}`);
  assert.deepEqual(pages.flat(), whole, `${path} in pages of ${size}`);
  assert.ok(pages.slice(0, -1).every((page) => page.length === size));
  assert.deepEqual((await core.pages(`${path}${mark}items=50`)).flat(), whole, `${path} in the other profile`);
  return whole;
}

/** Returns the response that both profiles give. */
export async function got(path: string): Promise<Json> {
  const [described, core] = servers as [TestServer, TestServer];
  const answer = await described.json(path);
  assert.deepEqual(await core.json(path), answer, path);
  return answer;
}

export async function error(path: string): Promise<[status: number, message: string]> {
  const [described, core] = servers as [TestServer, TestServer];
  const { status, body } = await described.get(path);
  const other = await core.get(path);
  assert.deepEqual([other.status, other.body], [status, body], path);
  return [status, body.error];
}

/** The error of a parameter that mintlayer-core does not know, whose profile ignores what is invalid. */
export async function errorOfOurParameter(path: string): Promise<[status: number, message: string]> {
  const { status, body } = await servers[0]!.get(path);
  return [status, body.error];
}

export const newestFirst = <T>(oldestFirst: readonly T[]): T[] => oldestFirst.toReversed();
export const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
export const coins = (atoms: bigint) => ({ atoms: `${atoms}`, decimal: decimalText(atoms, network.coinDecimals) });
export const timeOf = (height: number) => facts.blocks[height - 1]!.timestamp;
export const createdAt = (height: number) => ({ height, timestamp: timeOf(height) });
export const UNKNOWN = 'ab'.repeat(32);

/** The ticker and decimals of a token or NFT. */
export function labelOf(tokenId: string): { ticker: string; decimals: number } {
  const decimals = facts.world.tokens.get(tokenId)?.issuance.numberOfDecimals ?? 0;
  return { ticker: taking.tickers.get(tokenId)!, decimals };
}

/**
 * The value or currency as it stands elsewhere, with ticker and decimals beside a token's id. Gives how many tokens there
 * were. An order may name a token that was never issued.
 */
export function assertLabelled(value: Json, plain: Json, mayBeUnissued = false): number {
  const { ticker, decimals, ...rest } = value;
  assert.deepEqual(rest, plain);
  if (plain.token_id === undefined) return 0;
  const id = tokenIds(facts.world).find((token) => tokenAddress(network, token) === plain.token_id);
  const expected = id === undefined && mayBeUnissued ? { ticker: null, decimals: 0 } : labelOf(id!);
  assert.deepEqual({ ticker, decimals }, expected);
  return 1;
}
