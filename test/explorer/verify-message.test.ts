/** `/verify-message`: the page and the endpoint. What is valid is in `test/chain/signed-message.test.ts`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SIGNED_MESSAGE_EXAMPLE } from '../../src/api/present/signed-message.ts';
import { mainnet } from '../../src/chain/networks/known-networks.ts';
import { signatureFault } from '../../src/chain/signed-message.ts';
import { parseJsonObject } from '../../src/serving/parse/json-object.ts';
import { parseSignedMessage } from '../../src/serving/parse/signed-message.ts';
import { goldenServers } from '../support/golden-servers.ts';
import { getPage, postForm } from '../support/html-page.ts';

const golden = goldenServers();
const server = () => golden.described;

/** The example has the address of the same key on the mainnet. */
const VALID = { ...SIGNED_MESSAGE_EXAMPLE, address: 'rmt1qxtlh84a7fflmeem9g4wtmyp2px42gnxwqprnjlw' };
const HEX = Buffer.from(VALID.message).toString('hex');

async function verify(body: unknown) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { status, body: json } = await server().request('/api/v2/verify-message', { method: 'POST', body: text });
  return status === 200 ? json : [status, json.error];
}

it('the endpoint says whether a message is signed, and why it is not', async () => {
  const { message: _, ...rest } = VALID;
  assert.deepEqual(await verify(VALID), { valid: true, reason: null });
  assert.deepEqual(await verify({ ...rest, message_hex: HEX.toUpperCase() }), { valid: true, reason: null });
  assert.deepEqual(await verify({ ...VALID, message: 'another' }), { valid: false, reason: 'mismatch' });
  assert.deepEqual(await verify({ ...VALID, signature: 'ab' }), { valid: false, reason: 'malformed' });
});

it('a bare signature, as Trezor and Ledger return it, is told apart, with what is missing', async () => {
  const signature = VALID.signature.slice(-128);
  assert.deepEqual(await verify({ ...VALID, signature }), { valid: false, reason: 'bare_signature' });
  assert.deepEqual(await verify({ ...VALID, signature: `00${signature}` }), { valid: false, reason: 'malformed' });
  const { main } = await postForm(server(), '/verify-message', { ...VALID, signature });
  assert.match(main.text, /bare signature that Trezor and Ledger return \(64 bytes\)/);
});

it('the example of the OpenAPI document is valid', () => {
  const body = Buffer.from(JSON.stringify(SIGNED_MESSAGE_EXAMPLE));
  assert.equal(
    signatureFault(JSON.parse(parseSignedMessage(mainnet, parseJsonObject('example', body)).toString())),
    null,
  );
});

it('the endpoint refuses what is no address, message or signature', async () => {
  const mistakes: readonly (readonly [object, RegExp])[] = [
    [{ address: 'mtc1q95nhwph0a9ekg7xh08qk602guhypg7r95l7erhx' }, /^Invalid address/],
    [{ address: 7 }, /^Invalid address/],
    [{ message: undefined }, /^Invalid message: a text as `message`, or bytes in hex/],
    [{ message_hex: '00' }, /^Invalid message: /],
    [{ message: undefined, message_hex: '0' }, /^Invalid message: /],
    [{ message: ['a'] }, /^Invalid message: /],
    [{ signature: '' }, /^Invalid signature: it must be hexadecimal/],
    [{ signature: 'xy' }, /^Invalid signature: /],
    [{ signature: null }, /^Invalid signature: /],
  ];
  for (const [mistake, expected] of mistakes) {
    const [status, error] = await verify({ ...VALID, ...mistake });
    assert.equal(status, 400);
    assert.match(error, expected);
  }
  assert.deepEqual(await verify('[]'), [400, 'Invalid signed message: the body is no JSON object']);
  const { status } = await server().request('/api/v2/verify-message', { method: 'POST', body: ' '.repeat(70_000) });
  assert.equal(status, 413);
});

it('the page checks what is typed, also with spaces around it, and shows it again', async () => {
  const form = await getPage(server(), '/verify-message');
  assert.equal(form.main.one('form').attribute('method'), 'post');
  const typed = { ...VALID, address: ` ${VALID.address} `, signature: VALID.signature.replace(/(.{20})/g, '$1\r\n') };
  const { main } = await postForm(server(), '/verify-message', typed);
  assert.match(main.one('.banner').text, /^valid The owner of rmt1q/);
  assert.equal(main.one('#message').text, VALID.message);
  const inHex = await postForm(server(), '/verify-message', { ...VALID, message: HEX, hex: '1' });
  assert.match(inHex.main.one('.banner').text, /^valid/);
  const other = await postForm(server(), '/verify-message', { ...VALID, message: `${VALID.message}\r\n` });
  assert.match(
    other.main.one('.banner').text,
    /^invalid The signature does not match this message and address\. Check/,
  );
  const wrong = await postForm(server(), '/verify-message', { ...VALID, signature: 'xy' }, 400);
  assert.match(wrong.main.one('.banner').text, /^Invalid signature: /);
  const short = await postForm(server(), '/verify-message', { ...VALID, signature: 'ab'.repeat(7) });
  assert.match(
    short.main.one('.banner').text,
    /^invalid This signature has 7 bytes\. A signature for this address has 99 bytes: .*\.$/,
  );
  const address = VALID.address.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'));
  const mistyped = await postForm(server(), '/verify-message', { ...VALID, address }, 400);
  const visited = await getPage(server(), `/address/${address}`, 400);
  assert.match(mistyped.main.one('.banner').text, /not a wallet address: it is incomplete/);
  assert.ok(visited.main.text.includes(mistyped.main.one('.banner').text), 'as the page of the address says');
});
