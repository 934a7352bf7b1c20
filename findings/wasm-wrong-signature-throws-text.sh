#!/usr/bin/env bash
# @mintlayer/wasm-lib 0.1.0
# Expected: verify_challenge, whose type is boolean, returns false for a signature by another key; what a library throws is an Error.
# Seen:     it throws for such a signature, and what it throws is a plain text: no Error, no message, no stack.
#           verify_signature_for_spending returns false in the same situation.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --ignore-scripts --no-audit --no-fund @mintlayer/wasm-lib@0.1.0 >> npm.log
cat > finding.mjs <<'JS'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as wasm from '@mintlayer/wasm-lib';

wasm.initSync({ module: readFileSync('node_modules/@mintlayer/wasm-lib/wasm_wrappers_bg.wasm') });
const network = wasm.Network.Mainnet;
const message = new TextEncoder().encode('a challenge');
const [own, other] = [wasm.make_private_key(), wasm.make_private_key()];
const publicKey = wasm.public_key_from_private_key(own);
const address = wasm.pubkey_to_pubkeyhash_address(publicKey, network);
assert.equal(wasm.verify_challenge(address, network, wasm.sign_challenge(own, message), message), true);
let thrown;
try {
  wasm.verify_challenge(address, network, wasm.sign_challenge(other, message), message);
} catch (error) {
  thrown = error;
}
assert.equal(typeof thrown, 'string');
assert.equal(wasm.verify_signature_for_spending(publicKey, wasm.sign_message_for_spending(other, message), message), false);
console.log('verify_challenge threw the text: ' + thrown + '; verify_signature_for_spending: false');
JS
node finding.mjs
