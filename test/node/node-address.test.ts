import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostPortText } from '../../src/node/host-port.ts';
import { nodeAddressText, parseNodeAddress } from '../../src/node/node-address.ts';

it('the address of a node is a host and a port, with or without a scheme', () => {
  for (const [text, host, port] of [
    ['127.0.0.1:3030', '127.0.0.1', 3030],
    ['http://node.example:13030', 'node.example', 13030],
    ['http://node.example:13030/', 'node.example', 13030],
    ['ws://localhost:1', 'localhost', 1],
    ['[::1]:65535', '::1', 65535],
  ] as const)
    assert.deepEqual(parseNodeAddress(text), { host, port, isTls: false, path: '/' }, text);
  assert.equal(hostPortText({ host: '::1', port: 5 }), '[::1]:5');
  assert.equal(hostPortText({ host: 'node', port: 5 }), 'node:5');
});

it('the address of a node is refused otherwise, with an example', () => {
  for (const text of [
    '',
    '3030',
    'node',
    'node:',
    'node:0',
    'node:65536',
    'ftp://node:1',
    'https://node?x=1',
    'https://node/#a',
    'a b:1',
    '::1:5',
    'u@h:1',
  ])
    assert.throws(() => parseNodeAddress(text), /expected HOST:PORT or a URL, for example 127\.0\.0\.1:3030/, text);
});

it('the address of a node may be a URL with a path and TLS, and is written as it was', () => {
  for (const [text, host, port, isTls, path, written] of [
    ['https://node.example', 'node.example', 443, true, '/', 'https://node.example:443'],
    ['https://node.example/rpc/', 'node.example', 443, true, '/rpc/', 'https://node.example:443/rpc/'],
    ['wss://node.example:8443/rpc', 'node.example', 8443, true, '/rpc', 'https://node.example:8443/rpc'],
    ['http://node.example/rpc', 'node.example', 80, false, '/rpc', 'http://node.example:80/rpc'],
    ['https://[::1]:5/x', '::1', 5, true, '/x', 'https://[::1]:5/x'],
    ['http://node:3030', 'node', 3030, false, '/', 'node:3030'],
  ] as const) {
    const address = parseNodeAddress(text);
    assert.deepEqual(address, { host, port, isTls, path }, text);
    assert.equal(nodeAddressText(address), written);
    assert.deepEqual(parseNodeAddress(written), address);
  }
});

it('a user and a password in the address of a node are refused, and not repeated', () => {
  assert.throws(
    () => parseNodeAddress('https://user:hush@node/rpc'),
    (error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, /visible to others/);
      assert.doesNotMatch(error.message, /hush/);
      return true;
    },
  );
});
