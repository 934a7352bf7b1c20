#!/usr/bin/env bash
# scale-ts 1.6.1
# Expected: the fields of a Struct are encoded, and the variants of an Enum numbered, in the order in which they are written.
# Seen:     names that look like numbers, such as years, come first and sorted, because the order is the one of a JavaScript object.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --ignore-scripts --no-audit --no-fund scale-ts@1.6.1 >> npm.log
cat > finding.mjs <<'JS'
import assert from 'node:assert/strict';
import { Enum, Struct, u8 } from 'scale-ts';

const struct = Struct({ total: u8, 2025: u8, 2024: u8 });
assert.deepEqual([...struct.enc({ total: 1, 2025: 2, 2024: 3 })], [3, 2, 1]);
const choice = Enum({ first: u8, 7: u8 });
assert.deepEqual([...choice.enc({ tag: 'first', value: 9 })], [1, 9]);
console.log('total, 2025, 2024 was encoded as 2024, 2025, total; the first variant has the index 1');
JS
node finding.mjs
