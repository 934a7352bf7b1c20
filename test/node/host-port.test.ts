import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostPortText, parseNodeAddress } from '../../src/node/host-port.ts';

it('the address of a node is a host and a port, with or without a scheme', () => {
  for (const [text, host, port] of [
    ['127.0.0.1:3030', '127.0.0.1', 3030],
    ['http://node.example:13030', 'node.example', 13030],
    ['http://node.example:13030/', 'node.example', 13030],
    ['ws://localhost:1', 'localhost', 1],
    ['[::1]:65535', '::1', 65535],
  ] as const)
    assert.deepEqual(parseNodeAddress(text), { host, port }, text);
  assert.equal(hostPortText({ host: '::1', port: 5 }), '[::1]:5');
  assert.equal(hostPortText({ host: 'node', port: 5 }), 'node:5');
});

it('the address of a node is refused otherwise, with an example', () => {
  for (const text of ['', '3030', 'node', 'node:', 'node:0', 'node:65536', 'https://node:1', 'a b:1', '::1:5', 'u@h:1'])
    assert.throws(() => parseNodeAddress(text), /expected HOST:PORT, for example 127\.0\.0\.1:3030/, text);
});
