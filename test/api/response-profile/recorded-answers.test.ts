/** The profile `mintlayer-core` answers byte for byte as the recorded mintlayer-core server, where docs/api.md names no difference. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { goldenServers } from '../../support/golden-servers.ts';

const golden = goldenServers();

/** Something of every kind; made by mintlayer-core 1.4.0 (test/golden/README.md). */
const file = new URL('../../golden/regtest-8-reorganisations.answers.ndjson.gz', import.meta.url);
const answers = gunzipSync(readFileSync(file))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line) => ({
    url: (JSON.parse(line) as { readonly url: string }).url,
    body: line.slice(line.indexOf('"body":') + '"body":'.length, -1),
  }));

it('mintlayer-core: answers are those of the recorded server to the byte, with keys in alphabetical order and tokens of amount 0', async () => {
  const differing: string[] = [];
  for (const { url, body } of answers) {
    const { text } = await golden.core.request(url);
    if (text !== body) differing.push(`${url}\n  here:     ${text.slice(0, 300)}\n  recorded: ${body.slice(0, 300)}`);
  }
  assert.deepEqual(differing, []);
  assert.ok(answers.length > 60);
  assert.ok(answers.some(({ url, body }) => url.includes('/address/') && body.includes('[{"amount":{"atoms":"0"')));
});

it('described: an address lists the tokens that it has, and not those that it had', async () => {
  const emptied = answers.filter(({ body }) => body.includes('"tokens":[{"amount":{"atoms":"0"'));
  assert.ok(emptied.length > 0);
  for (const { url, body } of emptied) {
    const { tokens } = (await golden.described.request(url)).body;
    type Held = { readonly token_id: string; readonly amount: { readonly atoms: string } };
    const core = (JSON.parse(body) as { readonly tokens: readonly Held[] }).tokens;
    for (const { token_id, amount } of core) if (amount.atoms === '0') assert.ok(!tokens.includes(token_id), url);
  }
});
