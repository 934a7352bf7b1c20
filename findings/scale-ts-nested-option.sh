#!/usr/bin/env bash
# scale-ts 1.6.1
# Expected: an Option of an Option has three values, and bytes that are decoded and encoded again stay the same.
# Seen:     0x0100 (something, which is nothing) and 0x00 (nothing) are both undefined; encoded again, both are 0x00.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --ignore-scripts --no-audit --no-fund scale-ts@1.6.1 >> npm.log
cat > finding.mjs <<'JS'
import assert from 'node:assert/strict';
import { Option, u8 } from 'scale-ts';

const codec = Option(Option(u8));
const again = (bytes) => [...codec.enc(codec.dec(Uint8Array.from(bytes)))];
assert.equal(codec.dec(Uint8Array.from([1, 0])), undefined);
assert.deepEqual(again([1, 1, 7]), [1, 1, 7]);
assert.deepEqual(again([0]), [0]);
assert.deepEqual(again([1, 0]), [0]);
console.log('0x0100 is decoded as undefined, and encoded again as 0x00');
JS
node finding.mjs
