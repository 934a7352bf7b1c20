/** What the sentence of a transaction says of several actions of a kind, and of who received or did something. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { sentenceText, summaryHtml } from '../../src/explorer/parts/transaction-sentence.ts';
import { summaryOf } from '../../src/explorer/read/transaction-outline.ts';
import { Site } from '../../src/explorer/site-urls.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import type { Action } from '../../src/render/actions.ts';
import type { ParsedOutput } from '../../src/render/stored-json.ts';

const site = new Site(regtest, '', '', new StaticFiles());
const NAMES = { labels: new Map(), delegations: new Map() };
const [OWNER, OTHER] = ['rmt1qowner000000', 'rmt1qother111111'];

const amount = (coins: number) => ({ atoms: `${coins}00000000000`, decimal: `${coins}` });
const payment = (coins: number, destination: string): ParsedOutput => ({
  type: 'Transfer',
  value: { type: 'Coin', amount: amount(coins) },
  destination,
});
const move = (type: 'delegate' | 'delegation_withdraw', id: number, coins: number): Action => ({
  type,
  delegation_id: `rdelg1first00000${id}`,
  amount: amount(coins),
});

function said(actions: readonly Action[], spent: readonly ParsedOutput[], outputs: readonly ParsedOutput[]) {
  const outpoint = { input_type: 'UTXO', source_type: 'Transaction', source_id: 'ab'.repeat(32), index: 0 } as const;
  const inputs = spent.map((utxo) => ({ input: outpoint, utxo }));
  const summary = summaryOf({ inputs, outputs: [...outputs] }, actions);
  const by = /<p class="by">(.*)<\/p>/
    .exec(summaryHtml(site, NAMES, summary).text)?.[1]
    ?.replace(/<[^>]*>/g, '')
    .replace('&#183;', '·');
  return [sentenceText(site, NAMES, summary), by];
}

it('withdrawals from several delegations are told as one, with the sum and who received it', () => {
  const both = [move('delegation_withdraw', 1, 5), move('delegation_withdraw', 2, 7)];
  const [one, two] = [payment(11, OWNER), payment(1, OTHER)];
  assert.deepEqual(said(both, [], [one])[0], 'Withdrew 12 RML from 2 delegations to rmt1qowner…000000');
  assert.deepEqual(said(both, [], [one, two])[0], 'Withdrew 12 RML from 2 delegations to 2 addresses');
  const again = [both[0]!, both[0]!];
  assert.deepEqual(said(again, [], [one])[0], 'Withdrew 10 RML from rdelg1firs…000001 to rmt1qowner…000000');
  // Coins beside what is withdrawn cannot be told from it.
  assert.deepEqual(said(both, [two], [one]), ['Withdrew 12 RML from 2 delegations', `Paid by ${OTHER}`]);
});

it('delegations are told as one, apart from what else a transaction did', () => {
  const actions = [move('delegate', 1, 5), move('delegate', 2, 7), move('delegation_withdraw', 1, 1)];
  assert.deepEqual(said(actions, [payment(20, OWNER)], []), [
    'Delegated 12 RML to 2 delegations, and 1 other change',
    `Paid by ${OWNER}`,
  ]);
});

it('a new NFT names who received it, unless that is who paid', () => {
  const issue: Action = { type: 'nft_issue', token_id: 'rmltk1x', name: { string: 'Sun', hex: '53756e' }, to: OTHER };
  assert.equal(said([issue], [payment(9, OWNER)], [])[0], 'Issued NFT Sun to rmt1qother…111111');
  assert.equal(said([issue], [payment(9, OTHER)], [])[0], 'Issued NFT Sun');
});

it('who claims from an HTLC, or takes back, is named as that', () => {
  const value = { type: 'Coin', amount: amount(3) } as const;
  const claim: Action = { type: 'htlc_claim', value, spend_key: OTHER };
  const refund: Action = { type: 'htlc_refund', value, refund_key: OTHER };
  assert.equal(said([claim], [payment(3, OTHER)], [])[1], `Claimed by ${OTHER}`);
  assert.equal(said([refund], [payment(3, OTHER)], [])[1], `Refunded by ${OTHER}`);
  assert.equal(said([claim], [payment(3, OWNER)], [])[1], `Claimed by ${OTHER} · Fee paid by ${OWNER}`);
});
