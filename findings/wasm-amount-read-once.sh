#!/usr/bin/env bash
# @mintlayer/wasm-lib 0.1.0
# Expected: an Amount is a value. Its atoms can be read, and it can be used, as often as one likes.
# Seen:     reading the atoms once uses the Amount up. The second read, and any later use, throws
#           'null pointer passed to rust', though nobody called free().
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --ignore-scripts --no-audit --no-fund @mintlayer/wasm-lib@0.1.0 >> npm.log
cat > finding.mjs <<'JS'
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Amount, encode_output_coin_burn, initSync } from '@mintlayer/wasm-lib';

initSync({ module: readFileSync('node_modules/@mintlayer/wasm-lib/wasm_wrappers_bg.wasm') });
const amount = Amount.from_atoms('7');
assert.equal(amount.atoms(), '7');
assert.throws(() => amount.atoms(), /null pointer passed to rust/);
assert.throws(() => encode_output_coin_burn(amount), /null pointer passed to rust/);
console.log('first read: 7; second read and use: null pointer passed to rust');
JS
node finding.mjs
