#!/usr/bin/env bash
# typebox 1.4.3
# Expected: an optional property stays optional when its schema is copied, for example to add a description to it.
# Seen:     the mark of Type.Optional is not enumerable: after {...schema, description} the property is required.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > npm.log
npm install --ignore-scripts --no-audit --no-fund typebox@1.4.3 >> npm.log
cat > finding.mjs <<'JS'
import assert from 'node:assert/strict';
import Type from 'typebox';

const plain = Type.Optional(Type.String());
const described = { ...plain, description: 'Why' };
assert.equal(Type.Object({ name: plain }).required, undefined);
assert.deepEqual(Type.Object({ name: described }).required, ['name']);
assert.deepEqual(Type.Object({ name: structuredClone(plain) }).required, ['name']);
assert.equal(Type.Object({ name: Type.Optional({ ...Type.String(), description: 'Why' }) }).required, undefined);
console.log('optional; copied: required');
JS
node finding.mjs
