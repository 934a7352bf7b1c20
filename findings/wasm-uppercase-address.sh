#!/usr/bin/env bash
# @mintlayer/wasm-lib 0.1.0
# Expected: an address all in upper case is the same address: BIP 350 wants decoders to take it, and QR codes are smaller with it.
# Seen:     'Invalid addressable' for the upper-case form of an address that the library has just made itself.
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
const key = wasm.public_key_from_private_key(wasm.make_private_key());
const address = wasm.pubkey_to_pubkeyhash_address(key, network);
const pay = (text) => wasm.encode_output_transfer(wasm.Amount.from_atoms('1'), text, network);
assert.ok(pay(address).length > 20);
assert.throws(
  () => pay(address.toUpperCase()),
  (thrown) => /^Invalid addressable: MTC1/.test(String(thrown)),
);
console.log('lower case: encoded; upper case: Invalid addressable');
JS
node finding.mjs
