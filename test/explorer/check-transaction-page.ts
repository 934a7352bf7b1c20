/** What the page of a transaction must show, by the answers of the API. */
import assert from 'node:assert/strict';
import { getPage, type PageElement, type TestPage } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import { assertText, type Json, secondsOf } from './page-values.ts';

/** Fields that hold an id or address, which must be in the page as it is. */
const IDS = new Set(
  'destination pool_id delegation_id token_id order_id conclude_key authority staker decommission_key vrf_public_key'
    .concat(' spend_key refund_key creator new_authority')
    .split(' '),
);
/** As a part of every output's or input's text. */
const WORDS: Readonly<Record<string, RegExp>> = {
  Transfer: /^To /,
  LockThenTransfer: /^To \w+(?! *,).*(?:Locked (?:until|for)|Unlocked since) /,
  Burn: /^Burned/,
  CreateStakePool: /^Creates the pool .*Margin: \d+(\.\d)?%/,
  ProduceBlockFromStake: /^Stake of the pool/,
  CreateDelegationId: /^Creates the delegation .* to the pool /,
  DelegateStaking: /^Delegates to /,
  IssueFungibleToken: /^Issues the token .*Decimals: \d+ ?Supply: /,
  IssueNft: /^Issues the NFT /,
  DataDeposit: /^Data of \d+ byte/,
  Htlc: /^HTLC .* with the secret.*Refundable to .*(?:, locked (?:until|for)| since) /,
  CreateOrder: /^Offered in the order .*In return for /,
  MintTokens: /^Mints the token/,
  UnmintTokens: /^Unmints the token/,
  FreezeTokens: /^Freezes the token .*(?:It can be unfrozen|Permanent)/,
  UnfreezeTokens: /^Unfreezes the token/,
  LockTokenSupply: /^Locks the supply/,
  ChangeTokenAuthority: /^Transfers the authority/,
  ChangeTokenMetadataUri: /^Changes the metadata.*New URI/,
  FillOrder: /^Payment into order /,
  FreezeOrder: /^Freezes the order/,
  ConcludeOrder: /^Closes the order/,
  Account: /^Withdraws from the delegation/,
};

/** Compares a page with the API, and tells which kinds of inputs and outputs there were. */
export async function checkTransactionPage(server: TestServer, id: string): Promise<string[]> {
  const [json, outspends] = [
    await server.json(`/transaction/${id}?expand=true`),
    await server.get(`/transaction/${id}/outspends`),
  ];
  const page = await getPage(server, `/tx/${id}`);
  await checkFacts(server, page, json, id);
  const kinds = [
    ...checkInputs(page, json),
    ...checkOutputs(page, json, outspends.status === 200 ? outspends.body : null),
  ];
  checkSums(page, json);
  checkNetChanges(page, json);
  await checkSubject(server, page, json);
  return kinds;
}

/** It says whether these are enough, and when a block cannot be taken back any more: the numbers are those of the documents. */
export async function checkConfirmations(
  server: TestServer,
  fact: PageElement,
  count: number,
  title?: PageElement,
): Promise<void> {
  const depth = (await server.json('/chain/reorganisations/deepest'))?.removed.length ?? 0;
  const enough = Math.max(10, depth + 1);
  assert.equal(fact.all('.meter').length, count < enough ? 1 : 0);
  const few = count === 0 ? `in the newest block, ${enough} recommended` : `${count} of ${enough} recommended`;
  const verdict = count < enough ? few : `${count}, usually enough`;
  if (title !== undefined) {
    const isEnough = count >= enough && (count < 1_000 ? 'confirmed' : 'final');
    assert.equal(title.text, isEnough || (count === 0 ? 'in the newest block' : `${count} of ${enough} confirmations`));
    assert.equal(title.attribute('class')?.includes('good'), isEnough !== false);
  }
  assert.equal(fact.text, count < 1_000 ? `${verdict} · final after 1000` : `${count} · final, cannot be undone`);
}

async function checkFacts(server: TestServer, { main, whole }: TestPage, json: Json, id: string): Promise<void> {
  assert.ok(main.text.includes(id), 'the whole id is in the page');
  const [fee, rate] = main.fact('Fee').atoms();
  if (json.fee !== undefined) assert.equal(fee, BigInt(json.fee.atoms));
  assert.deepEqual(main.fact('Fee').links(), []);
  if (json.fee_rate !== undefined) assert.equal(rate, BigInt(json.fee_rate));
  if (json.size !== undefined) assert.ok(main.fact('Fee').text.endsWith(` · ${json.size} bytes`));
  const burned = BigInt(json.protocol_fee.atoms);
  assert.deepEqual(main.facts().get('Protocol fee (burned)')?.atoms() ?? [], burned === 0n ? [] : [burned]);
  if (json.block_id === null) {
    assert.match(main.one('h1').text, /pending/);
    assert.match(main.fact('Block').text, /not in a block yet/);
  } else {
    assert.ok(main.fact('Block').links().includes(`/block/${json.block_id}`));
    await checkConfirmations(
      server,
      main.fact('Confirmations'),
      Number(json.confirmations),
      main.one('h1').one('.badge'),
    );
    assert.equal(main.fact('Time').one('time').attribute('data-relative'), 'after');
    const { timestamp } = typeof json.timestamp === 'object' ? json.timestamp : { timestamp: json.timestamp };
    assert.equal(secondsOf(main.fact('Time')), Number(timestamp));
  }
  assert.equal(whole.one('a.json').attribute('href'), `/api/v2/transaction/${id}?expand=true`);
}

function entriesOf(page: TestPage, name: 'input' | 'output', length: number): PageElement[] {
  const entries = page.main.items(name);
  assert.equal(entries.length, Math.min(length, 100));
  return entries;
}

function checkInputs(page: TestPage, { inputs }: Json): string[] {
  return entriesOf(page, 'input', inputs.length).map((entry, i) => {
    const { input, utxo } = inputs[i];
    const words = entry.one('.what').text;
    if (input.input_type !== 'UTXO') {
      const kind = input.command ?? input.input_type;
      assert.match(words, WORDS[kind]!, kind);
      assertShows(entry, input);
      if (input.metadata_uri) assertText(entry, Buffer.from(input.metadata_uri).toString());
      return `in ${kind}`;
    }
    assert.ok(words.includes(`Spends ${input.source_id}:${input.index}`), words);
    if (utxo === null) return 'in unknown';
    const { type } = utxo;
    const secret = utxo.htlc?.secret;
    const expected =
      type === 'Htlc'
        ? secret
          ? /^HTLC claim by/
          : /^HTLC refund to/
        : /Pool|Stake/.test(type)
          ? /^Decommissions the pool/
          : type === 'IssueNft'
            ? /^NFT .* from /
            : /^From /;
    assert.match(words, expected, type);
    if (secret) assertText(entry, secret.hex);
    const { destination, pool_id, value } = utxo;
    assertShows(entry, type === 'ProduceBlockFromStake' ? { pool_id } : { destination, pool_id, value });
    return `in UTXO ${type}${type === 'Htlc' ? (secret ? ' claim' : ' refund') : ''}`;
  });
}

function checkOutputs(page: TestPage, { outputs }: Json, outspends: Json): string[] {
  return entriesOf(page, 'output', outputs.length).map((entry, i) => {
    const output = outputs[i];
    const words = entry.one('.what').text;
    assert.match(words, WORDS[output.type]!, output.type);
    assertShows(entry, output);
    const spend = outspends?.[i];
    if (spend) {
      const links = entry.links();
      assert.ok(links.includes(`/block/${spend.height}`), words);
      if (spend.tx_id === null) assert.match(words, /Spent by staking in block/);
      else {
        assert.ok(links.includes(`/tx/${spend.tx_id}`));
        assert.match(words, new RegExp(`input ${spend.input_index}$`));
      }
    } else assert.doesNotMatch(words, /Spent by/);
    const neverSpent = /Burn|CreateDelegationId|DelegateStaking|IssueFungibleToken|DataDeposit|CreateOrder/.test(
      output.type,
    );
    assert.equal(/Unspent/.test(words), outspends !== null && !spend && !neverSpent, words);
    return `out ${output.type}`;
  });
}

/** Every id, amount and text that is anywhere in a part of the JSON is in the element. */
function assertShows(entry: PageElement, json: Json): void {
  const atoms = entry.atoms();
  const visit = (value: Json, name: string): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'string') {
      if (IDS.has(name))
        assert.ok(
          entry.links().some((link) => link.includes(value)) || entry.text.includes(value),
          `${name} ${value} in ${entry.text}`,
        );
      return;
    }
    if (Array.isArray(value)) {
      if (name === 'data') assertText(entry, Buffer.from(value).toString('utf8'));
      return;
    }
    if (typeof value !== 'object') return;
    if ('atoms' in value) assert.ok(atoms.includes(BigInt(value.atoms)), `${name} ${value.atoms} in ${entry.text}`);
    else if ('hex' in value) {
      if (value.string) assertText(entry, value.string);
    } else for (const key in value) visit(value[key], key);
  };
  visit(json, '');
}

/** Totals of what inputs and outputs say, counted anew. */
function checkSums({ main }: TestPage, { inputs, outputs, protocol_fee }: Json): void {
  const sums = new Map<string, [bigint, bigint, bigint]>();
  const add = (side: 0 | 1 | 2, currency: string, atoms: string) => {
    const sum = sums.get(currency) ?? [0n, 0n, 0n];
    sum[side] += BigInt(atoms);
    sums.set(currency, sum);
  };
  const addOutput = (side: 0 | 1, output: Json) => {
    const value = output.value ?? output.give_value;
    const isBurned = output.type === 'Burn' && side === 1;
    if (value?.amount) add(isBurned ? 2 : side, value.token_id ?? '', value.amount.atoms);
    if (output.type === 'CreateStakePool') add(side, '', output.data.amount.atoms);
    if (output.type === 'DelegateStaking') add(side, '', output.amount.atoms);
    if (output.type === 'IssueNft') add(side, output.token_id, '1');
  };
  for (const { input, utxo } of inputs) {
    if (utxo !== null) addOutput(0, utxo);
    if (input.input_type === 'Account') add(0, '', input.amount.atoms);
    if (input.command === 'MintTokens') add(0, input.token_id, input.amount.atoms);
  }
  for (const output of outputs) addOutput(1, output);
  const rows = main.table('totals-by-currency');
  const shown = rows.map(
    ([currency, ...cells]) =>
      [currency!.all('a')[0]?.attribute('title') ?? '', cells.map((cell) => cell.atoms()[0])] as const,
  );
  const burned = BigInt(protocol_fee.atoms);
  const expected = [...sums].map(([currency, sides]) => {
    return [currency, burned === 0n ? sides : [...sides, currency === '' ? burned : undefined]] as const;
  });
  assert.deepEqual(new Map(shown), new Map<string, (bigint | undefined)[]>(expected as never));
}

/** The first sentence names what the first action names, and the table has all net changes, each account once. */
function checkNetChanges({ main }: TestPage, { actions, net_changes: changes }: Json): void {
  const sentence = main.one('p.summary');
  const [first] = actions;
  for (const value of [first.value, first.ask, first.give, ...(first.paid ?? []), ...(first.received ?? [])]) {
    if (value?.amount) assert.ok(sentence.atoms().includes(BigInt(value.amount.atoms)), sentence.text);
  }
  assert.match(sentence.text, SENTENCES[first.type]!, first.type);
  const isJoined = ({ type }: Json) => type === first.type && /^delegat/.test(type) && 'amount' in first;
  const joined: Json[] = actions.filter(isJoined);
  const others = actions.length - Math.max(1, joined.length);
  const sum = joined.reduce((all: bigint, { amount }) => all + BigInt(amount.atoms), 0n);
  assert.ok(joined.length === 0 || sentence.atoms().includes(sum), sentence.text);
  const [other] = actions.slice(1).filter((action: Json) => !isJoined(action));
  if (others === 0) assert.doesNotMatch(sentence.text, /, and \d+ /);
  else if (others === 1 && other.type === 'transfer' && !other.is_to_sender) {
    assert.match(sentence.text, / to \S+$/);
    assert.equal(sentence.atoms().at(-1), BigInt(other.value.amount.atoms));
    assert.ok(sentence.links().at(-1)!.endsWith(other.to));
  } else assert.match(sentence.text, new RegExp(`, and ${others} (other )?(change|payment)s?$`));
  if (changes === null) return;
  const shown = main.table('net-changes').map(([account, own]) => {
    const changes = own!.all('div').map((each) => [each.all('a')[0]?.attribute('title') ?? '', each.atoms()[0]]);
    return [decodeURIComponent(account!.links()[0] ?? ''), changes];
  });
  const linkOf = ({ account_type: type, account }: Json) =>
    type === 'htlc' ? `/tx/${account.replace(':', '#output-')}` : `/${type}/${account}`;
  const expected = new Map<string, Json[]>();
  for (const each of changes) {
    const own = [...(expected.get(linkOf(each)) ?? []), [each.currency.token_id ?? '', BigInt(each.change.atoms)]];
    expected.set(linkOf(each), own);
  }
  assert.deepEqual(shown, [...expected]);
}

/** The addresses that pay: the owners of what is spent who have less afterwards, unless an owner is unknown. */
export const payersOf = (json: Json): string[] => withLess(json, ownersOf(json), () => true);

/** Those of some owners who have less of a currency than before; all if none has. */
function withLess(
  { net_changes: changes }: Json,
  owners: readonly string[],
  isIt: (currency: Json) => boolean,
): string[] {
  const lost = new Set<string>(
    (changes ?? [])
      .filter(({ currency, change }: Json) => isIt(currency) && change.atoms.startsWith('-'))
      .map(({ account }: Json) => account),
  );
  const less = owners.filter((owner) => lost.has(owner));
  return less.length === 0 ? [...owners] : less;
}

function ownersOf({ inputs }: Json): string[] {
  const spent = inputs.flatMap(({ input, utxo }: Json) => (input.input_type === 'UTXO' ? [utxo] : []));
  if (spent.includes(null)) return [];
  const owners = spent.map(({ type, destination, htlc }: Json) => {
    if (type === 'Htlc') return htlc.secret === null ? htlc.refund_key : htlc.spend_key;
    return type === 'ProduceBlockFromStake' ? undefined : destination;
  });
  return [...new Set<string>(owners.filter((owner: string | undefined) => owner !== undefined))];
}

/** The addresses that receive what is minted or withdrawn, if the transaction spends nothing of the currency. */
export function receiversOf({ inputs, outputs }: Json, { type, token_id, amount, to }: Json): string[] {
  if (type === 'delegation_withdraw' || type === 'pool_decommission') {
    const isCoin = (output: Json) => output?.value?.type === 'Coin' || output?.type === 'CreateStakePool';
    const isStake = (output: Json) => type === 'pool_decommission' && output?.type === 'CreateStakePool';
    if (inputs.some(({ utxo }: Json) => isCoin(utxo) && !isStake(utxo))) return [];
    const paid = outputs.filter((output: Json) => isCoin(output) && /Transfer$/.test(output.type));
    return [...new Set<string>(paid.map(({ destination }: Json) => destination))];
  }
  const isOfToken = (output: Json) => output?.value?.token_id === token_id;
  const paid = outputs.filter((output: Json) => isOfToken(output) && /Transfer$/.test(output.type));
  const sum = paid.reduce((all: bigint, { value }: Json) => all + BigInt(value.amount.atoms), 0n);
  const isTold = !inputs.some(({ utxo }: Json) => isOfToken(utxo)) && sum === BigInt(amount.atoms);
  if (!isTold) return to === null ? [] : [to];
  return [...new Set<string>(paid.map(({ destination }: Json) => destination))];
}

/** The owners of what an action sends, locks or burns, puts into an HTLC or an order, or fills orders with. */
export function giversOf(json: Json, { type, value, give, paid }: Json): string[] {
  const isOfValue = ['transfer', 'lock', 'burn', 'htlc_create'].includes(type);
  const taken: Json[] = isOfValue ? [value] : ({ order_create: [give], order_fill: paid ?? [] }[type as string] ?? []);
  const isTaken = ({ utxo }: Json) =>
    taken.some((each) =>
      utxo?.type === 'IssueNft'
        ? utxo.token_id === each.token_id
        : utxo?.value?.type === each.type && utxo.value.token_id === each.token_id,
    );
  const isOfTaken = (currency: Json) =>
    taken.some(
      (each) => each.type === (currency.type === 'Coin' ? 'Coin' : 'TokenV1') && each.token_id === currency.token_id,
    );
  return withLess(json, ownersOf({ inputs: json.inputs.filter(isTaken) }), isOfTaken);
}

/** How pages name addresses: the only one, or how many. */
export const addressesText = (addresses: readonly string[]): string | undefined =>
  addresses.length > 1 ? `${addresses.length} addresses` : addresses[0];

const BY: Readonly<Record<string, string>> = {
  token_mint: 'Minted by the authority',
  token_unmint: 'Unminted by the authority',
  token_lock: 'Supply locked by the authority',
  token_freeze: 'Frozen by the authority',
  token_unfreeze: 'Unfrozen by the authority',
  token_authority: 'Given by the former authority',
  token_metadata: 'Changed by the authority',
  order_freeze: 'Frozen by',
  order_conclude: 'Closed by',
  burn: 'By',
  htlc_create: 'Locked by',
  order_create: 'By',
  order_fill: 'By',
  htlc_claim: 'Claimed by',
  htlc_refund: 'Refunded by',
  pool_decommission: 'Decommissioned by',
  delegation_withdraw: 'Withdrawn by',
};

/** Who did what the first action of a transaction says; who paid if that is not known. */
export async function doersOf(server: TestServer, json: Json): Promise<string[]> {
  const actor = await actorOf(server, json);
  return actor === undefined ? payersOrOwners(server, json) : [actor];
}

/** Who sent it: a command names an authority, but they pay. */
export async function sendersOf(server: TestServer, json: Json): Promise<string[]> {
  const payers = json.actions[0]?.by === undefined ? [] : await payersOrOwners(server, json);
  return payers.length > 0 ? payers : doersOf(server, json);
}

async function actorOf(server: TestServer, json: Json): Promise<string | undefined> {
  const [first] = json.actions;
  const givers = giversOf(json, first);
  if (first.type === 'pool_decommission') {
    return (await server.json(`/pool/${first.pool_id}`)).decommission_destination;
  }
  if (first.type === 'delegation_withdraw') {
    const alike = json.actions.filter(({ type }: Json) => type === first.type);
    if (new Set(alike.map(({ delegation_id: id }: Json) => id)).size > 1) return undefined;
    return (await server.json(`/delegation/${first.delegation_id}`)).spend_destination;
  }
  const keyOf: Json = { htlc_claim: first.spend_key, htlc_refund: first.refund_key };
  const isPayment = ['transfer', 'lock'].includes(first.type);
  return keyOf[first.type] ?? first.by ?? (givers.length === 1 && !isPayment ? givers[0] : undefined);
}

/** Where only delegations pay, their owners do. */
async function payersOrOwners(server: TestServer, json: Json): Promise<string[]> {
  const payers = payersOf(json);
  if (payers.length > 0 || json.inputs.some(({ input, utxo }: Json) => input.input_type === 'UTXO' && utxo === null))
    return payers;
  const withdrawals = json.actions.filter(({ type }: Json) => type === 'delegation_withdraw');
  const ids = [...new Set<string>(withdrawals.map(({ delegation_id: id }: Json) => id))];
  const owners = await Promise.all(ids.map(async (id) => (await server.json(`/delegation/${id}`)).spend_destination));
  return [...new Set<string>(owners)];
}

/** Up to three addresses are named on the page of a transaction. */
const namedText = (addresses: readonly string[]): string =>
  addresses.length > 3 ? `${addresses.length} addresses` : addresses.join(', ');

/** The addresses that have a right in what a transaction makes, as the page tells them. */
function partiesOf({ outputs }: Json): string[] {
  const told = outputs.flatMap(({ type, destination, authority, conclude_key, data, htlc }: Json) => {
    if (type === 'IssueFungibleToken') return [`Authority ${authority}`];
    if (type === 'IssueNft') return data.creator ? [`Creator ${data.creator}`] : [];
    if (type === 'CreateStakePool') return [`Staker ${data.staker}`, `Decommission key ${data.decommission_key}`];
    if (type === 'CreateDelegationId') return [`Owner ${destination}`];
    if (type === 'CreateOrder') return [`Can be closed by ${conclude_key}`];
    return type === 'Htlc' ? [`Refundable to ${htlc.refund_key}`] : [];
  });
  return [...new Set<string>(told)].slice(0, 8);
}

/** It says who did it, and who paid, if that is known and another; who received what was minted; and whose a delegation is, if others paid. */
async function checkSubject(server: TestServer, { main }: TestPage, json: Json): Promise<void> {
  const [first] = json.actions;
  const { text } = main.one('p.summary');
  const payers = payersOf(json);
  const paying = await payersOrOwners(server, json);
  const isWithdrawn = first.type === 'delegation_withdraw' && payers.length === 0;
  const delegation: string[] = [];
  if (first.delegation_id && first.type.startsWith('delegat') && 'amount' in first) {
    const { status, body } = await server.get(`/delegation/${first.delegation_id}`);
    const owner = status === 200 ? body.spend_destination : undefined;
    const isOther = owner !== undefined && payers.some((payer) => payer !== owner);
    const alike = json.actions.filter(({ type }: Json) => type === first.type);
    const { size } = new Set(alike.map(({ delegation_id: id }: Json) => id));
    assert.equal(text.includes(` for ${owner}`), isOther && size === 1 && first.type === 'delegate', text);
    assert.equal(text.includes(` ${size} delegations`), size > 1, text);
    if (size === 1 && owner !== undefined) delegation.push(`Delegation ${first.delegation_id}`);
  }
  if (first.type === 'nft_issue') {
    assert.equal(text.includes(` to ${first.to}`), payers.length !== 1 || payers[0] !== first.to, text);
  }
  const isReturned = first.type === 'pool_decommission' && first.returned?.length > 0;
  if (first.type === 'token_mint' || first.type === 'delegation_withdraw' || isReturned) {
    const to = addressesText(receiversOf(json, first));
    assert.ok(to === undefined ? !/ to (\d|rp?mt)/.test(text) : text.includes(` to ${to}`), `${text}: to ${to}`);
  }
  const actorId = await actorOf(server, json);
  const actor = actorId && `${BY[first.type]} ${actorId}`;
  const isOfToken = ({ utxo }: Json) => utxo?.value?.type === 'TokenV1' || utxo?.type === 'IssueNft';
  const coinOwners = ownersOf({ inputs: json.inputs.filter((each: Json) => !isOfToken(each)) });
  const coinPayers = payers.length === 0 ? [] : withLess(json, coinOwners, ({ type }) => type === 'Coin');
  const isPayment = first.type === 'transfer' || first.type === 'lock';
  const senders = isPayment && json.actions.length === 1 ? giversOf(json, first) : [];
  const feePayers = coinPayers.filter((payer) => !senders.includes(payer));
  const isPaidByOther = feePayers.some((payer) => payer !== actorId);
  const verb = isWithdrawn ? 'Withdrawn by' : isPayment ? 'From' : 'Paid by';
  const by = paying.length === 0 ? [] : [`${verb} ${namedText(senders.length > 0 ? senders : paying)}`];
  const isSaid = actor ? isPaidByOther : senders.length > 0 && feePayers.length > 0;
  const paid = isSaid ? [`Fee paid by ${namedText(feePayers)}`] : [];
  const said = [...(actor ? [actor] : by), ...paid, ...delegation, ...partiesOf(json)];
  assert.equal(main.all('.by')[0]?.text ?? '', said.join(' · '));
  assert.ok(first.by !== null && (actorId !== undefined || !('by' in first)), JSON.stringify(first));
  checkUntold({ main }, json, actorId === undefined ? paying : [actorId]);
}

/** What the sentence only counts is below it, action by action. */
function checkUntold({ main }: Pick<TestPage, 'main'>, { actions }: Json, doers: readonly string[]): void {
  const [first] = actions;
  const isJoined = 'amount' in first && /^delegat/.test(first.type);
  const delegations = actions.flatMap(({ type, delegation_id: id }: Json) => (type === first.type ? [id] : []));
  const rest = isJoined && new Set(delegations).size > 1 ? actions : actions.slice(1);
  const isToldWhole = rest.length === 1 && rest[0].type === 'transfer' && !rest[0].is_to_sender;
  const told = isToldWhole ? [] : rest;
  const items = main.all('ul.summary').flatMap((list) => list.all('li'));
  assert.equal(items.length, Math.min(told.length, 20));
  for (const [i, item] of items.entries()) {
    const { type, by, ...named } = told[i];
    assert.match(item.text, SENTENCES[type]!, type);
    const isOther = by && (doers.length !== 1 || doers[0] !== by);
    if (by) assert.equal(item.text.endsWith(` · ${BY[type]} ${by}`), isOther, item.text);
    assertShows(item, { value: named.value, amount: named.amount, destination: named.to });
  }
  assert.equal(/… and \d+ more, all in the JSON/.test(main.text), told.length > 20);
}

/** The sentence of each action. */
export const SENTENCES: Readonly<Record<string, RegExp>> = {
  token_issue: /^Issued token .+ with (a maximum supply|a supply that can be locked|an unlimited supply)/,
  nft_issue: /^Issued NFT ./,
  token_mint: /^Minted [<\d., ]+ /,
  token_unmint: /^Unminted [<\d., ]+ /,
  token_lock: /^Locked the supply of ./,
  token_freeze: /^Froze ./,
  token_unfreeze: /^Unfroze ./,
  token_authority: /^Transferred the authority over .+ to ./,
  token_metadata: /^Changed the metadata of ./,
  pool_create: /^Created pool .+ with [<\d., ]+ /,
  pool_decommission: /^Decommissioned pool .+: [<\d., ]+ /,
  delegation_create: /^Opened a delegation in pool \wpool/,
  delegate: /^Delegated [<\d., ]+ \w+ to ((pool \wpool)|\wdelg|\d+ delegations)/,
  delegation_withdraw: /^Withdrew [<\d., ]+ \w+ from ((pool \wpool)|\wdelg|\d+ delegations)/,
  order_create: /^Offered (NFT|[<\d., ]+) .+ for (NFT|[<\d., ]+) ./,
  order_fill: /^(Bought|Sold) (NFT|[<\d., ]+) .+ for (NFT|[<\d., ]+) .+|^Filled order /,
  order_freeze: /^Froze order /,
  order_conclude: /^Received (NFT|[<\d., ]+) .+ by closing order .|^Closed order /,
  htlc_create: /^Locked (NFT|[<\d., ]+) .+ in an HTLC for /,
  htlc_claim: /^Claimed (NFT|[<\d., ]+) .+ from an HTLC/,
  htlc_refund: /^Refunded (NFT|[<\d., ]+) .+ from an HTLC/,
  data_deposit: /^Stored \d+ bytes?/,
  burn: /^Burned ./,
  lock: /^Sent .+ to .+, time-locked/,
  transfer: /^(Sent|Moved) ./,
};
