/** The types of the client package: as the OpenAPI documents are. `npm run client:types` writes them. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { it } from 'node:test';
import { typesOf } from '../../packages/client/generate-types.ts';
import { sharedStack } from '../support/whole-stack.ts';

const stack = sharedStack();
const MODULES = { described: 'Described', 'mintlayer-core': 'MintlayerCore' } as const;

for (const [contract, name] of Object.entries(MODULES) as [keyof typeof MODULES, string][]) {
  it(`the client package has the types of the ${contract} contract's OpenAPI document`, async () => {
    const file = new URL(`../../packages/client/src/${contract}.ts`, import.meta.url);
    const types = typesOf(await stack().servers[contract].document(), name);
    if (process.env.UPDATE_CLIENT_TYPES) await writeFile(file, types);
    const committed = await readFile(file, 'utf8');
    assert.equal(committed, types, 'the types are not those of the document: npm run client:types writes them anew');
  });
}
