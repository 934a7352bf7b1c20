/** Searching for a text in tickers and names: the first results, in their order, against a naive model. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { searchTokens } from '../../../src/store/queries/chain/search.ts';
import type { QueryRunner } from '../../../src/store/read/query.ts';
import { directStore } from '../../support/direct-store.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';

const scope = fileScope();
let index: TestIndex;
let store: QueryRunner;

before(async () => {
  index = await TestIndex.create(scope, networkByName('regtest'));
  store = await directStore(scope, index.postgres);
});

/** What a ticker or a name has of the searched text. */
type Match = 'whole' | 'part' | 'nothing';

interface NamedToken {
  readonly isNft: boolean;
  readonly ticker: Match;
  /** Of an NFT only. */
  readonly name: Match;
}

const MATCHES: readonly Match[] = ['whole', 'part', 'nothing'];
const KINDS: readonly NamedToken[] = MATCHES.flatMap((ticker) => [
  { isNft: false, ticker, name: 'nothing' as const },
  ...MATCHES.map((name) => ({ isNft: true, ticker, name })),
]);
/** Of few kinds often: so it is seen where each walk ends. */
const TOKENS = fc
  .subarray([...KINDS], { minLength: 1 })
  .chain((kinds) => fc.array(fc.constantFrom(...kinds), { maxLength: 40, size: 'max' }));

const INSERT_TOKEN = `
  insert into tokens (token_id, creation_height, ticker, decimals, metadata_uri, total_supply_type, circulating_supply,
                      is_locked, is_frozen, is_freezable, authority, next_nonce)
  values ($1, 0, '', 0, '', 'Unlimited', 0, false, false, true, '', 0)`;
const INSERT_NFT = `insert into nfts (token_id, creation_height, metadata) values ($1, 0, '')`;

let searches = 0;

it('a search for a text gives each token once and as many as there may be: whole tickers, whole names, then parts of them', async () => {
  await fc.assert(
    fc.asyncProperty(TOKENS, fc.integer({ min: 1, max: 20 }), async (named, limit) => {
      const text = `text ${searches++}`;
      const tokens = named.map((token, i) => ({ ...token, id: `${searches * 1_000 + i}`.padStart(64, '0') }));
      for (const { id, isNft, ticker, name } of tokens) {
        await index.session.writer.query(isNft ? INSERT_NFT : INSERT_TOKEN, [`\\x${id}`]);
        await insert('ticker_fragments (fragment, is_nft, is_whole, token_id)', ticker, text, [isNft], id);
        await insert('name_fragments (fragment, is_whole, token_id)', name, text, [], id);
      }
      const of = (kind: 'ticker' | 'name', match: Match) =>
        tokens.filter((token) => token[kind] === match).sort((a, b) => Number(a.isNft) - Number(b.isNft));
      const expected = [of('ticker', 'whole'), of('name', 'whole'), of('ticker', 'part'), of('name', 'part')].flat();
      const ids = [...new Set(expected.map(({ id }) => id))].slice(0, limit);
      const { rows } = await searchTokens(store, text, limit);
      const foundIds = rows.map(({ id }) => id);
      assert.deepEqual(foundIds, ids);
    }),
    { numRuns: 100 },
  );
});

async function insert(into: string, match: Match, text: string, more: readonly boolean[], id: string): Promise<void> {
  if (match === 'nothing') return;
  const values = [text, ...more, match === 'whole', `\\x${id}`];
  const places = values.map((_, i) => `$${i + 1}`);
  await index.session.writer.query(`insert into ${into} values (${places.join(', ')})`, values);
}
