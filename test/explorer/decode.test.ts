/** `/decode`: transactions and blocks that are pasted, against what the chain's own pages and the API say of them. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { encodeSignedTransaction, encodeTransaction } from '../../src/chain/codec/transaction.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import type { IdentifiedBlock, TxOutput } from '../../src/chain/types.ts';
import { encodeBlock } from '../support/encode-blocks.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage, type PageElement, postForm } from '../support/html-page.ts';
import { goldenChain } from '../support/recorded-chain.ts';

const golden = goldenServers();
let blocks: readonly IdentifiedBlock[];
before(async () => {
  blocks = (await goldenChain('regtest-8-reorganisations')).mainChain;
});

const server = () => golden.described;

const post = (hex: string, status = 200) => postForm(server(), '/decode', { hex }, status);

/** Sends a body as it is. */
async function postBody(body: string | Buffer): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server().url}/decode`, { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

const transactions = () =>
  blocks.flatMap(({ block, transactionIds }) =>
    block.transactions.map((signed, i) => ({ signed, id: transactionIds[i]! })),
  );

it('a pasted transaction of a recorded chain is explained as its own page does, with the fee that the API answers', async () => {
  let fees = 0;
  for (const [i, { signed, id }] of transactions().entries()) {
    const isLarge = signed.transaction.outputs.length > 90 || signed.transaction.inputs.length > 90;
    if (isLarge || i % 6 !== 0) continue;
    const [{ main }, own, json] = await Promise.all([
      post(encodeSignedTransaction(signed).toString('hex')),
      getPage(server(), `/tx/${id}`),
      server().json(`/transaction/${id}`),
    ]);
    assert.ok(main.text.includes(id));
    assert.deepEqual(main.one('.banner').links(), [`/tx/${id}`]);
    assert.equal(main.fact('Inputs').text, String(json.inputs.length));
    assert.equal(main.fact('Outputs').text, String(json.outputs.length));
    assert.equal(main.fact('Size').text, `${json.size} bytes`);
    assert.deepEqual(main.fact('Fee').atoms(), [BigInt(json.fee.atoms)], id);
    fees++;
    for (const name of ['input', 'output']) {
      const [shown, expected] = [main.items(name), own.main.items(name)];
      assert.deepEqual(
        shown.map((entry) => entry.atoms()),
        expected.map((entry) => entry.atoms()),
        `${name}s of ${id}`,
      );
      if (name === 'input') {
        assert.deepEqual(
          shown.map(({ text }) => text),
          expected.map(({ text }) => text),
        );
      } else {
        // Its own page knows the block, with which locks begin, and what spends it.
        const words = (entry: PageElement) => entry.one('.what').text.replace(/(?:Locked|, locked) .*$/, '');
        for (const [place, entry] of shown.entries()) {
          assert.ok(words(expected[place]!).startsWith(words(entry)), words(entry));
          assert.equal(entry.one('.sum').text, expected[place]!.one('.sum').text);
        }
      }
    }
  }
  assert.ok(fees > 10);
});

it('amounts of tokens in a pasted transaction have the decimals of their tokens', async () => {
  const token = await golden.one(
    `select encode(token_id, 'hex') as id, decimals from tokens where decimals > 3 limit 1`,
  );
  const value = { type: 'TokenV1', tokenId: token.id!, amount: 233_769n } as const;
  const { transaction } = transactions()[0]!.signed;
  const outputs: TxOutput[] = [
    { type: 'Transfer', value, destination: '00' },
    { type: 'Burn', value },
  ];
  const { main } = await post(encodeTransaction({ ...transaction, outputs }).toString('hex'));
  const shown = decimalText(value.amount, Number(token.decimals));
  for (const entry of main.items('output')) {
    assert.deepEqual(entry.atoms(), [value.amount]);
    assert.equal(entry.one('.sum').text.split(' ')[0], shown);
  }
  assert.equal(main.items('output').length, 2);
});

it('a pasted transaction may stand in quotation marks, with white space, capitals and 0x, and be without its signatures', async () => {
  const { signed, id } = transactions()[0]!;
  const hex = encodeSignedTransaction(signed).toString('hex');
  for (const text of [`"${hex}"`, ` ${hex.slice(0, 20)}\n${hex.slice(20)}\r\n`, `0x${hex.toUpperCase()}`]) {
    assert.ok((await post(text)).main.text.includes(id), text.slice(0, 30));
  }
  const { main } = await post(encodeTransaction(signed.transaction).toString('hex'));
  assert.ok(main.text.includes(id));
  assert.equal(main.fact('Signatures').text, 'not included');
});

it('a pasted transaction that is in no block says so, and which of its inputs another one has spent', async () => {
  const { signed, id } = transactions().find(({ signed: { transaction } }) =>
    transaction.inputs.every((input) => input.type === 'Utxo' && input.outpoint.sourceType === 'Transaction'),
  )!;
  const other = { ...signed, transaction: { ...signed.transaction, flags: signed.transaction.flags ^ 1n } };
  const { main } = await post(encodeSignedTransaction(other).toString('hex'));
  assert.ok(!main.text.includes(id));
  assert.match(main.one('.banner').text, /is not in the chain/);
  const { block_id } = await server().json(`/transaction/${id}`);
  const { height } = await server().json(`/block/${block_id}`);
  for (const entry of main.items('input')) assert.ok(entry.links().includes(`/block/${height}`), entry.text);
});

it('a pasted transaction that is very long is explained in part, and says so', async () => {
  const { signed } = transactions()[0]!;
  const output = signed.transaction.outputs[0]!;
  const outputs = Array.from({ length: 5_000 }, () => output);
  const hex = encodeSignedTransaction({ ...signed, transaction: { ...signed.transaction, outputs } }).toString('hex');
  const { main, html } = await post(hex);
  assert.equal(main.items('output').length, 100);
  assert.match(main.text, /Showing the first 100 of 5000/);
  assert.ok(html.length < 200_000);
});

it('a pasted block of a recorded chain is explained with its reward and its transactions', async () => {
  for (const [i, { block, id, transactionIds, size }] of blocks.entries()) {
    if (i % 8 !== 0) continue;
    const { main } = await post(encodeBlock(block).toString('hex'));
    const own = await getPage(server(), `/block/${id}`);
    assert.ok(main.text.includes(id));
    assert.deepEqual(main.one('.banner').links(), [`/block/${id}`]);
    assert.equal(main.fact('Size').text, `${size} bytes`);
    for (const name of ['Previous block', 'Merkle root', 'Witness Merkle root']) {
      assert.equal(main.fact(name).text, own.main.fact(name).text, name);
    }
    const reward = (page: PageElement) => page.items('reward').map((entry) => entry.one('.what').text);
    assert.deepEqual(reward(main), reward(own.main));
    const listed = main.rows().map(([transaction]) => transaction!.text);
    assert.deepEqual(listed, transactionIds);
  }
});

it('a pasted block with other contents than its header commits to is explained, with a warning', async () => {
  const { block } = blocks.find((each) => each.block.transactions.length > 0)!;
  const other = { ...block, transactions: block.transactions.slice(1) };
  const { main } = await post(encodeBlock(other).toString('hex'));
  assert.match(main.text, /The header does not match the contents: expected the merkle root/);
  assert.equal(main.rows().length, other.transactions.length);
});

const empty = { transaction: { flags: 0n, inputs: [], outputs: [] }, signatures: [] };

it('a block of more transactions than fit into one is not decoded', async () => {
  const { block } = blocks[0]!;
  const text = encodeBlock({ ...block, transactions: Array.from({ length: 10_001 }, () => empty) }).toString('hex');
  const { main } = await post(text, 400);
  assert.match(main.one('.banner').text, /A block of 10001 transactions is not decoded here: the most are 10000/);
});

/** A transaction of many outputs. */
function largeText(): string {
  const output = transactions()[0]!.signed.transaction.outputs[0]!;
  const outputs = Array.from({ length: 3_000 }, () => output);
  return encodeTransaction({ flags: 0n, inputs: [], outputs }).toString('hex');
}

it('large texts are decoded one after the other, and others are answered in between', async () => {
  const text = largeText();
  const large = Array.from({ length: 6 }, () => post(text));
  const tips = await Promise.all(Array.from({ length: 6 }, () => server().json('/chain/tip')));
  assert.equal(tips.length, 6);
  for (const { main } of await Promise.all(large)) assert.match(main.text, /Showing the first 100 of 3000/);
});

it('of many texts at once, those that would have to wait long are told to come again', async () => {
  const body = new URLSearchParams({ hex: largeText() }).toString();
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const { status, text } = await postBody(body);
      return [status, /Many texts are being decoded|Too much of this client at a time/.test(text)] as const;
    }),
  );
  // 429: this client, which other tests use as well, has more than its share.
  for (const [status, isBusy] of answers)
    assert.deepEqual([status, isBusy], status === 200 ? [200, false] : [status === 429 ? 429 : 503, true]);
  assert.ok(answers.some(([status]) => status === 200));
});

it('a text that is neither a transaction nor a block is the error 400, which says what is wrong with it, and stands in the form again', async () => {
  const { signed } = transactions()[0]!;
  const hex = encodeSignedTransaction(signed).toString('hex');
  for (const [text, words] of [
    ['', /Nothing was pasted/],
    ['   ', /Nothing was pasted/],
    ['012', /two characters for each byte; these are 3/],
    ['01<script>', /character 3 is "<"/],
    ['01é', /character 3 is "é"/],
    ['ff', /As a transaction: expected the version of a transaction: 1 at byte 0, found 255/],
    [hex.slice(0, -2), /As a transaction: expected .* at byte \d+/],
    [`${hex}00`, /As a transaction: expected .* at byte \d+/],
  ] as const) {
    const { main } = await post(text, 400);
    assert.match(main.one('.banner').text, words, text.slice(0, 40));
    assert.equal(main.one('textarea').text, text.trim());
    assert.equal(main.all('script').length, 0);
  }
});

/** What the API says of a text. */
async function decoded(text: string, status = 200) {
  const answer = await server().request('/api/v2/decode', { method: 'POST', body: text });
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

it('the API decodes what the page decodes: a signed and an unsigned transaction, with what its own endpoint says', async () => {
  let compared = 0;
  for (const [i, { signed, id }] of transactions().entries()) {
    if (i % 9 !== 0 || signed.transaction.outputs.length > 90 || signed.transaction.inputs.length > 90) continue;
    const hex = encodeSignedTransaction(signed).toString('hex');
    const [json, own] = await Promise.all([decoded(hex), server().json(`/transaction/${id}?expand=true`)]);
    assert.deepEqual([json.kind, json.id, json.state, json.form], ['transaction', id, 'confirmed', 'signed']);
    assert.deepEqual(
      [json.size, json.input_count, json.output_count],
      [own.size, own.inputs.length, own.outputs.length],
    );
    const { fee, flags, inputs, is_replaceable, outputs, version_byte } = own;
    assert.deepEqual(json.transaction, { fee, flags, id, inputs, is_replaceable, outputs, version_byte });
    assert.deepEqual(json.actions, own.actions);
    assert.deepEqual([json.net_changes, json.protocol_fee], [own.net_changes, own.protocol_fee]);
    assert.deepEqual([json.missing_signatures, json.spent_inputs], [[], []]);
    const unsigned = await decoded(` 0x${encodeTransaction(signed.transaction).toString('hex')}\n`);
    assert.deepEqual([unsigned.id, unsigned.form, unsigned.signed_count], [id, 'unsigned', 0]);
    compared++;
  }
  assert.ok(compared > 10);
});

it('the API decodes a block, and refuses with the words of the page what is none', async () => {
  const { id, block } = blocks.find((each) => each.block.transactions.length > 2)!;
  const json = await decoded(encodeBlock(block).toString('hex'));
  const own = await server().json(`/block/${id}`);
  assert.deepEqual([json.kind, json.id, json.is_in_chain, json.mismatch], ['block', id, true, null]);
  assert.deepEqual([json.header, json.reward], [own.header, own.body.reward]);
  assert.deepEqual(
    json.transactions.map(({ transaction }: { transaction: { id: string } }) => transaction.id),
    own.body.transactions.map(({ id }: { id: string }) => id),
  );
  assert.match(
    (await decoded('zz', 400)).error,
    /^Invalid text: Hex has the characters 0 to 9 and a to f; character 1/,
  );
  assert.match((await decoded('ff', 400)).error, /^Invalid text: As a transaction: expected the version/);
});

const PARTIALLY_SIGNED =
  '0100040000f590bd98046cfa96c743322eacca1d4c7797c1ce5ab18426a1a23c5fa60e11bd000000000400000700743ba40b019d773d6552b1cc1a3490ef2543eea7880aab14ce040004010a000700e87648179fdff1730ba34fe7ceeff431cf87acef849bbe0b01bd4daba462c79bc9ab2cf47b5dc16162cd1b63100204019d773d6552b1cc1a3490ef2543eea7880aab14ce0401019d773d6552b1cc1a3490ef2543eea7880aab14ce04000000';

it("a wallet's partially signed transaction is decoded with whose signatures are missing, on the page and in the API", async () => {
  const id = '17f2a03651907282831b9f795b22d925f5f9f48616ee18fd8760ca4221a0126a';
  const { main } = await post(PARTIALLY_SIGNED);
  assert.ok(main.text.includes(id));
  assert.match(main.text, /Partially signed by a wallet: 1 of 1 signatures are missing/);
  assert.match(main.items('input')[0]!.text, /not signed by rmt1/);
  assert.deepEqual(main.fact('Fee').atoms(), [50_000_000_000n]);
  const json = await decoded(PARTIALLY_SIGNED);
  assert.deepEqual([json.id, json.form, json.signed_count, json.state], [id, 'partially_signed', 0, 'unknown']);
  assert.equal(json.missing_signatures.length, 1);
  assert.equal(json.missing_signatures[0].input_index, 0);
  assert.match(json.missing_signatures[0].address, /^rmt1/);
  assert.equal(json.transaction.inputs[0].utxo.type, 'Htlc');
  assert.equal(json.transaction.fee.atoms, '50000000000');
});

it('a text is refused in words where it is too long, and not read where it is longer still', async () => {
  const long = await post('00'.repeat(140_000), 400);
  assert.match(long.main.text, /Up to 131072 bytes are decoded; this has 140000/);
  assert.ok(long.html.length < 20_000, 'it is not sent back');
  const longer = await post('00'.repeat(200_000), 413);
  assert.match(longer.main.text, /Request too large/);
});

it('a body that is not the form is a text that is missing; one with other fields is refused before it is taken apart', async () => {
  for (const [words, ...bodies] of [
    [/Nothing was pasted/, '', 'x', '{"hex":"00"}', 'text=00', '%', Buffer.from([0xff, 0x00])],
    [/The form has one field/, 'a&'.repeat(160_000), 'hex=00&hex=01', 'x=1&hex=00'],
  ] as const) {
    for (const body of bodies) {
      const { status, text } = await postBody(body);
      assert.equal(status, 400);
      assert.match(text, words);
    }
  }
});

it('the form may be encoded in any way that a form is', async () => {
  const { signed, id } = transactions()[0]!;
  const hex = encodeSignedTransaction(signed).toString('hex');
  const every = hex.replace(/../g, (byte) => `%${byte.charCodeAt(0).toString(16)}%${byte.charCodeAt(1).toString(16)}`);
  for (const body of [`hex=++${hex}+%0D%0A`, `hex=${every}`]) {
    assert.ok((await postBody(body)).text.includes(id), body.slice(0, 40));
  }
  assert.match(
    (await postBody('hex=%zz%')).text,
    /character 1 is &quot;%&quot;|character 1 is &#34;%&#34;|character 1 is "%"/,
  );
});

it('the form is the page of `GET`, and sends nothing to the network', async () => {
  const { main } = await getPage(server(), '/decode');
  const form = main.one('form');
  assert.deepEqual([form.attribute('method'), form.attribute('action')], ['post', '/decode']);
  assert.match(main.text, /nothing is stored or broadcast/);
});

it('there is no way to send a transaction where the operator does not allow it', async () => {
  const { signed } = transactions()[0]!;
  const other = { ...signed, transaction: { ...signed.transaction, flags: signed.transaction.flags ^ 1n } };
  const hex = encodeSignedTransaction(other).toString('hex');
  const { main } = await post(hex);
  const actions = main.all('form').map((form) => form.attribute('action'));
  assert.deepEqual(actions, ['/decode']);
  const body = new URLSearchParams({ hex });
  const response = await fetch(`${server().url}/decode/send`, { method: 'POST', body });
  assert.ok(response.status >= 400 && response.status < 500);
});
