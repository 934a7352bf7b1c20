/** What the sentence of a transaction says of several actions of a kind, and of who received or did something. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NO_LABEL } from '../../src/answers/token-label.ts';
import { summaryOf } from '../../src/answers/transaction-outline.ts';
import { poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { nftMetadataToHex } from '../../src/chain/codec/nft.ts';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { shortId } from '../../src/explorer/parts/id-links.ts';
import type { SentenceNames } from '../../src/explorer/parts/transaction-actors.ts';
import { sentenceHtml, sentenceText, summaryHtml } from '../../src/explorer/parts/transaction-sentence.ts';
import { transactionTable } from '../../src/explorer/parts/transaction-table.ts';
import { Site } from '../../src/explorer/site.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import type { Action } from '../../src/render/actions.ts';
import type { NetChange } from '../../src/render/net-changes.ts';
import type { ParsedOutput } from '../../src/render/stored-json.ts';
import type { DelegationRow } from '../../src/store/queries/pools/delegations.ts';

const site = new Site(regtest, '', '', new StaticFiles());
const NFT = '09'.repeat(32);
const ORCHID = {
  ...{ creator: null, name: '4f7263686964', description: '', ticker: '4d494d49', iconUri: '' },
  ...{ additionalMetadataUri: '', mediaUri: '', mediaHash: '' },
};
const NAMES = {
  labels: new Map([[NFT, { ...NO_LABEL, metadata: nftMetadataToHex(ORCHID) }]]),
  pools: new Map(),
  delegations: new Map(),
};
const TOKEN = tokenAddress(regtest, '07'.repeat(32));
const FILL = { type: 'order_fill' as const, order_ids: ['rordr1order00000'] };
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

function outlined(actions: readonly Action[], spent: readonly ParsedOutput[], outputs: readonly ParsedOutput[]) {
  const outpoint = { input_type: 'UTXO', source_type: 'Transaction', source_id: 'ab'.repeat(32), index: 0 } as const;
  return summaryOf(
    { inputs: spent.map((utxo) => ({ input: outpoint, utxo })), outputs: [...outputs] },
    { actions, netChanges: null },
  );
}

function said(
  actions: readonly Action[],
  spent: readonly ParsedOutput[],
  outputs: readonly ParsedOutput[],
  names: SentenceNames = NAMES,
) {
  const summary = outlined(actions, spent, outputs);
  const { text } = summaryHtml(site, names, summary);
  const textOf = (html: string) => html.replace(/<[^>]*>/g, '').replaceAll('&#183;', '·');
  const by = /<p class="by">(.*)<\/p>/.exec(text)?.[1];
  const items = [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => textOf(item!));
  return [sentenceText(site, names, summary), by && textOf(by), ...items];
}

it('withdrawals from several delegations are told as one, with the sum and who received it', () => {
  const both = [move('delegation_withdraw', 1, 5), move('delegation_withdraw', 2, 7)];
  const [one, two] = [payment(11, OWNER), payment(1, OTHER)];
  assert.deepEqual(said(both, [], [one])[0], 'Withdrew 12 RML from 2 delegations to rmt1qowner…000000, minus the fee');
  assert.deepEqual(said(both, [], [one, two])[0], 'Withdrew 12 RML from 2 delegations to 2 addresses, minus the fee');
  const again = [both[0]!, both[0]!];
  assert.deepEqual(
    said(again, [], [one])[0],
    'Withdrew 10 RML from rdelg1firs…000001 to rmt1qowner…000000, minus the fee',
  );
  // Coins beside what is withdrawn cannot be told from it.
  assert.deepEqual(said(both, [two], [one]).slice(0, 2), ['Withdrew 12 RML from 2 delegations', `Paid by ${OTHER}`]);
});

it('what a decommissioned pool gave is more than its receiver has, by the fee', () => {
  const end: Action = {
    type: 'pool_decommission',
    pool_id: 'rpool1pool000001',
    returned: [{ type: 'Coin', amount: amount(9) }],
  };
  const stake: ParsedOutput = { type: 'ProduceBlockFromStake', pool_id: 'rpool1pool000001', destination: OWNER };
  const [told] = said([end], [stake], [payment(8, OTHER)]);
  assert.equal(told, 'Decommissioned pool rpool1pool…000001: 9 RML to rmt1qother…111111, minus the fee');
  assert.equal(said([end], [stake, payment(3, OWNER)], [payment(11, OTHER)])[0], `${told!.split(' to ')[0]}`);
});

it('delegations are told as one, apart from what else a transaction did', () => {
  const actions = [move('delegate', 1, 5), move('delegate', 2, 7), move('delegation_withdraw', 1, 1)];
  assert.deepEqual(said(actions, [payment(20, OWNER)], []), [
    'Delegated 12 RML to 2 delegations, and 1 other change',
    `Paid by ${OWNER}`,
    'Delegated 5 RML to rdelg1first000001',
    'Delegated 7 RML to rdelg1first000002',
    'Withdrew 1 RML from rdelg1first000001',
  ]);
});

it('what the sentence only counts is named below it, with who did it, up to twenty actions', () => {
  const claim: Action = { type: 'htlc_claim', value: { type: 'Coin', amount: amount(2) }, spend_key: OTHER };
  const burn: Action = { type: 'burn', value: { type: 'Coin', amount: amount(3) } };
  assert.deepEqual(said([{ type: 'data_deposit', size: 1 }, burn, claim], [payment(9, OWNER)], []), [
    'Stored 1 byte, and 2 other changes',
    `Paid by ${OWNER}`,
    'Burned 3 RML',
    `Claimed 2 RML from an HTLC · Claimed by ${OTHER}`,
  ]);
  assert.equal(
    said(
      Array.from({ length: 30 }, () => burn),
      [payment(9, OWNER)],
      [],
    ).length,
    2 + 20,
  );
  const { text } = summaryHtml(
    site,
    NAMES,
    summaryOf({ inputs: [], outputs: [] }, { actions: Array(30).fill(burn), netChanges: null }),
  );
  assert.match(text, /and 9 more, all in the JSON/);
});

it('whom an output gives a right is named: an authority, a creator, an owner, a staker, who may conclude or is refunded', () => {
  const text = { string: 'RO', hex: '524f' };
  const value = { type: 'Coin', amount: amount(3) } as const;
  const [lock, none] = [{ type: 'UntilHeight', content: 9 } as const, amount(0)];
  const keys = { staker: 'rpmt1staker', decommission_key: OTHER, vrf_public_key: 'rvrfpk1x' };
  const margin = { margin_ratio_per_thousand: 0, margin_ratio_decimal: '0', margin_ratio_percentage: '0%' };
  const nft = { name: text, description: text, ticker: text, media_hash: text, icon_uri: null, media_uri: null };
  const secret = { secret: null, secret_hash: text };
  const byOutput: readonly (readonly [ParsedOutput, Action, string])[] = [
    [
      {
        ...{ type: 'IssueFungibleToken', token_ticker: text, number_of_decimals: 1, metadata_uri: text },
        ...{ total_supply: { type: 'Lockable' }, authority: OTHER, is_freezable: 'No' },
      } as ParsedOutput,
      { type: 'token_issue', token_id: null, ticker: text, total_supply: 'Lockable' },
      `Authority ${OTHER}`,
    ],
    [
      {
        ...{ type: 'IssueNft', token_id: 'rmltk1x', destination: OWNER },
        data: { ...nft, creator: OTHER, additional_metadata_uri: null },
      },
      { type: 'nft_issue', token_id: 'rmltk1x', name: text, to: OWNER },
      `Creator ${OTHER}`,
    ],
    [
      { type: 'CreateStakePool', pool_id: 'rpool1x', data: { ...keys, ...margin, amount: none, cost_per_block: none } },
      { type: 'pool_create', pool_id: 'rpool1x', pledge: none },
      `Staker rpmt1staker · Decommission key ${OTHER}`,
    ],
    [
      { type: 'CreateDelegationId', pool_id: 'rpool1x', destination: OTHER },
      { type: 'delegation_create', delegation_id: null, pool_id: 'rpool1x', owner: OTHER },
      `Owner ${OTHER}`,
    ],
    [
      { type: 'CreateOrder', conclude_key: OTHER, ask_value: value, give_value: value },
      { type: 'order_create', order_id: null, ask: value, give: value },
      `Can be closed by ${OTHER}`,
    ],
  ];
  for (const [output, action, named] of byOutput) {
    assert.equal(
      said([action], [payment(9, OWNER)], [output])[1],
      `${action.type === 'order_create' ? 'By' : 'Paid by'} ${OWNER} · ${named}`,
    );
  }
  const htlc = { ...secret, spend_key: OWNER, refund_key: OTHER, refund_timelock: lock };
  const create: Action = { type: 'htlc_create', value, spend_key: OWNER, refund_key: OTHER };
  const locked = said([create], [payment(9, OWNER)], [{ type: 'Htlc', value, htlc }]);
  assert.equal(locked[1], `Locked by ${OWNER} · Refundable to ${OTHER}`);
});

it('who fills orders is told from who pays the fee, where they have different currencies', () => {
  const [coins, tokens] = [
    { type: 'Coin', amount: amount(3) },
    { type: 'TokenV1', token_id: TOKEN, amount: amount(2) },
  ] as const;
  const held: ParsedOutput = { type: 'Transfer', value: tokens, destination: OWNER };
  const sale: Action = { type: 'order_fill', order_ids: ['rordr1x'], paid: [tokens], received: [coins] };
  assert.equal(said([sale], [held, payment(1, OTHER)], [])[1], `By ${OWNER} · Fee paid by ${OTHER}`);
  const purchase: Action = { type: 'order_fill', order_ids: ['rordr1x'], paid: [coins], received: [tokens] };
  assert.equal(said([purchase], [payment(3, OWNER), payment(1, OTHER)], [])[1], `Paid by ${OWNER}, ${OTHER}`);
});

it('up to three addresses that pay are named', () => {
  const burn: Action = { type: 'burn', value: { type: 'Coin', amount: amount(3) } };
  const paidBy = (...payers: string[]) =>
    said(
      [burn],
      payers.map((payer) => payment(1, payer)),
      [],
    )[1];
  assert.equal(paidBy(OWNER, OTHER, 'rmt1third'), `Paid by ${OWNER}, ${OTHER}, rmt1third`);
  assert.equal(paidBy(OWNER, OTHER, 'rmt1third', 'rmt1fourth'), 'Paid by 4 addresses');
});

it('who sends a token is named apart from who pays the fee', () => {
  const value = { type: 'TokenV1', token_id: TOKEN, amount: amount(3) } as const;
  const sent: Action = { type: 'transfer', value, to: OTHER, is_to_sender: false };
  const held = (owner: string) => [payment(1, OWNER), { ...payment(5, owner), value }];
  assert.equal(said([sent], held(OTHER), [])[1], `From ${OTHER} · Fee paid by ${OWNER}`);
  assert.equal(said([sent], held(OWNER), [])[1], `From ${OWNER}`);
});

it('one payment beside something else is told whole, more are counted', () => {
  const paid = (coins: number): Action => ({
    ...{ type: 'transfer', value: { type: 'Coin', amount: amount(coins) }, to: OTHER, is_to_sender: false },
  });
  const tell = (...actions: Action[]) => said(actions, [payment(9, OWNER)], [])[0];
  assert.equal(
    tell(move('delegate', 1, 5), paid(3)),
    'Delegated 5 RML to rdelg1firs…000001, and sent 3 RML to rmt1qother…111111',
  );
  assert.equal(tell(paid(4), paid(3)), 'Sent 4 RML to rmt1qother…111111, and 3 RML to rmt1qother…111111');
  assert.equal(tell(paid(4), paid(3), paid(2)), 'Sent 4 RML to rmt1qother…111111, and 2 other payments');
});

it('an NFT that is bought or sold has its own name, and no price for each', () => {
  const nft = { type: 'TokenV1', token_id: tokenAddress(regtest, NFT), amount: { atoms: '1', decimal: '1' } } as const;
  const price = { type: 'Coin', amount: amount(24) } as const;
  const named = `NFT Orchid (${nft.token_id.slice(0, 10)}…${nft.token_id.slice(-6)})`;
  const bought = said([{ ...FILL, received: [nft], paid: [price] }], [payment(25, OWNER)], []);
  assert.equal(bought[0], `Bought ${named} for 24 RML`);
  const sold = said([{ ...FILL, received: [price], paid: [nft] }], [payment(25, OWNER)], []);
  assert.equal(sold[0], `Sold ${named} for 24 RML`);
  const sent = said([{ type: 'transfer', value: nft, to: OTHER, is_to_sender: false }], [payment(1, OWNER)], []);
  assert.equal(sent[0], `Sent ${named} to rmt1qother…111111`);
});

it('the page of an NFT does not name it again in each sentence', () => {
  const token_id = tokenAddress(regtest, NFT);
  const value = { type: 'TokenV1', token_id, amount: { atoms: '1', decimal: '1' } } as const;
  const names = { ...NAMES, ownNft: token_id };
  const tell = (action: Action) =>
    sentenceHtml(site, names, outlined([action], [payment(1, OWNER)], [])).text.replace(/<.*?>/g, '');
  const name = { hex: ORCHID.name, string: 'Orchid' };
  assert.equal(tell({ type: 'transfer', value, to: OTHER, is_to_sender: false }), 'Sent the NFT to rmt1qother111111');
  assert.equal(tell({ type: 'nft_issue', token_id, name, to: OTHER }), 'Issued to rmt1qother111111');
});

it('who delegates is told the pool first, and the delegation beside who paid', () => {
  const id = 'rdelg1first000001';
  const known = { pool_id: '0b'.repeat(32), spend_destination: `01${'ab'.repeat(20)}` } as DelegationRow;
  const pool = shortId(poolAddress(regtest, known.pool_id));
  const names = { ...NAMES, delegations: new Map([[id, known]]) };
  const told = (action: Action) => said([action], [], [], names);
  assert.match(told(move('delegate', 1, 5))[0]!, new RegExp(`^Delegated 5 RML to pool ${pool}`));
  const [withdrawal, by] = told(move('delegation_withdraw', 1, 5));
  assert.equal(withdrawal, `Withdrew 5 RML from pool ${pool}`);
  assert.match(by!, new RegExp(` · Delegation ${id}$`));
});

it('of a trade that another address is paid for, it is said which', () => {
  const received = { type: 'Coin', amount: amount(5) } as const;
  const paid = { type: 'TokenV1', token_id: TOKEN, amount: amount(3) } as const;
  const sale: Action = { ...FILL, paid: [paid], received: [received] };
  const spent = [{ ...payment(3, OWNER), value: paid } as ParsedOutput];
  const told = (receiver: string) => {
    const changes = [
      { account: { type: 'address', id: OWNER } as const, currency: { token: TOKEN, decimals: 11 }, atoms: -3n },
      { account: { type: 'address', id: receiver } as const, currency: { token: '', decimals: 11 }, atoms: 5n },
    ];
    const outpoint = { input_type: 'UTXO', source_type: 'Transaction', source_id: 'ab'.repeat(32), index: 0 } as const;
    const transaction = { inputs: spent.map((utxo) => ({ input: outpoint, utxo })), outputs: [] };
    return sentenceText(site, NAMES, summaryOf(transaction, { actions: [sale], netChanges: changes }));
  };
  assert.match(told(OTHER), /^Sold .*, received by rmt1qother/);
  assert.doesNotMatch(told(OWNER), /received by/);
});

it('the list of an address says what the address only had a part in, and what only its fee paid for', () => {
  const value = { type: 'TokenV1', token_id: TOKEN, amount: amount(3) } as const;
  const sent: Action = { type: 'transfer', value, to: 'rmt1third', is_to_sender: false };
  const tokens = { token: TOKEN, decimals: 0 };
  const change = (id: string, atoms: bigint, currency = { token: '', decimals: 11 }) => ({
    ...{ account: { type: 'address', id } as const, currency, atoms },
  });
  const listed = (address: string, spent: readonly ParsedOutput[], ...netChanges: NetChange[]) => {
    const summary = outlined([sent], spent, []);
    const fee = 2n;
    const transaction = { id: 'ab'.repeat(32), fee, inputCount: 1, outputCount: 1, summary, commands: [], netChanges };
    const table = transactionTable(
      site,
      { listed: [{ transaction, size: null, place: null }], names: NAMES },
      { caption: 'Transactions', address },
    );
    const text = table.text.replaceAll('</td>', '\n').replaceAll(/<(?!span class="summary)[^>]*>/g, '');
    return /class="summary">(.*?)(?= 3 |$)/m.exec(text)![1];
  };
  const held = (owner: string, coins: number): ParsedOutput => ({ ...payment(coins, owner), value }) as ParsedOutput;
  const both = [held(OWNER, 1), held(OTHER, 2)];
  const shares = [change(OWNER, -1n, tokens), change(OTHER, -2n, tokens)];
  assert.equal(listed(OWNER, both, ...shares), 'Jointly with others: Sent');
  const third = change('rmt1third', 3n, tokens);
  assert.match(listed(OTHER, both, ...shares, third)!, /^Contributed 2 .* of$/);
  const payer = [held(OWNER, 3), payment(1, OTHER)];
  const changes = [change(OWNER, -3n, tokens), change(OTHER, -2n)];
  assert.equal(listed(OWNER, payer, ...changes), 'Sent', 'only the fee is of another');
  assert.equal(listed(OTHER, payer, ...changes), 'Paid the fee for others: Sent');
  const paid = [change(OWNER, -7n), change('rmt1fourth', 5n)];
  const withOther = [change(OTHER, -3n, tokens), change('rmt1third', 3n, tokens)];
  const mixed = [held(OTHER, 3), payment(9, OWNER)];
  assert.equal(listed(OWNER, mixed, ...paid, ...withOther), 'Sent 0.00000000005 RML to rmt1fourth');
  const more = [...paid, change('rmt1fifth', 5n), ...withOther];
  assert.match(listed(OWNER, mixed, ...more)!, /to 2 addresses$/);
  const other = [...mixed, payment(1, OTHER)];
  assert.equal(listed(OWNER, other, ...paid, ...withOther), 'Jointly with others: Sent', 'who paid the fee?');
  assert.equal(listed('rmt1third', [held(OWNER, 3)], change('rmt1third', 3n, tokens)), 'Received');
  const feePayer = [held(OWNER, 3), payment(1, 'rmt1third')];
  const ofFeePayer = [change(OWNER, -3n, tokens), change('rmt1third', 3n, tokens), change('rmt1third', -2n)];
  assert.equal(listed('rmt1third', feePayer, ...ofFeePayer), 'Received', 'who is paid pays the fee');
});

it('of a pool whose coins another address got, the list of who decommissioned it says what came from the pool', () => {
  const returned = [{ type: 'Coin', amount: amount(9) }] as const;
  const end: Action = { type: 'pool_decommission', pool_id: 'rpool1x', returned: [...returned] };
  const coins = { token: '', decimals: 11 };
  const netChanges: NetChange[] = [
    { account: { type: 'address', id: OTHER }, currency: coins, atoms: 8n },
    { account: { type: 'pool', id: 'rpool1x' }, currency: coins, atoms: -9n },
  ];
  const transaction = {
    ...{ id: 'ab'.repeat(32), fee: 1n, inputCount: 1, outputCount: 1 },
    ...{ summary: outlined([end], [], []), commands: [], netChanges },
  };
  const listed = [{ transaction, size: null, place: null }];
  const changeOf = (address: string) =>
    transactionTable(site, { listed, names: NAMES }, { caption: 'Transactions', address })
      .text.split('</td>')[3]!
      .replaceAll(/<[^>]*>/g, '')
      .replace('&#8722;', '−');
  assert.equal(changeOf(OWNER), '−0.00000000009 RML from its pool');
  assert.equal(changeOf(OTHER), '+0.00000000008 RML');
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
