import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mainnet } from '../../src/chain/networks/known-networks.ts';
import type { TxOutput } from '../../src/chain/types.ts';
import { fillUnissuedDecimals, unissuedTokens } from '../../src/render/common-values.ts';
import { renderOutput } from '../../src/render/output.ts';

const TOKEN = 'ab'.repeat(32);
const VALUE = { type: 'TokenV1', tokenId: TOKEN, amount: 233_769n } as const;
const OUTPUTS: readonly TxOutput[] = [
  { type: 'Transfer', value: VALUE, destination: '00' },
  { type: 'Burn', value: VALUE },
];

for (const output of OUTPUTS) {
  it(`an amount of a token of which only the reader knows the decimals gets them later: ${output.type}`, () => {
    const text = renderOutput({ network: mainnet, decimalsOf: () => null }, output);
    assert.deepEqual(unissuedTokens(text), [TOKEN]);
    const amount = (decimals: ReadonlyMap<string, number>) =>
      JSON.parse(fillUnissuedDecimals(text, decimals)).value.amount;
    assert.deepEqual(amount(new Map([[TOKEN, 4]])), { atoms: '233769', decimal: '23.3769' });
    assert.deepEqual(amount(new Map()), { atoms: '233769', decimal: '233769' });
  });
}
