/** What a transaction would pay now for the next block, beside its fee. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { regtest } from '../../src/chain/networks/known-networks.ts';
import { feeNow } from '../../src/explorer/parts/fee-now.ts';
import { Site } from '../../src/explorer/site-urls.ts';
import { StaticFiles } from '../../src/explorer/static-files.ts';
import { fileScope } from '../support/file-scope.ts';
import { getPage } from '../support/html-page.ts';
import { paymentOf, submit } from '../support/payments.ts';
import { eventually } from '../support/until.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';
import type { Json } from './page-values.ts';

const scope = fileScope();
const stack = sharedStack();
const server = () => stack().servers.described;

const feeOnPage = async (of: TestServer, id: string) => (await getPage(of, `/tx/${id}`)).main.fact('Fee');
const fastestRate = async () => BigInt((await server().json('/feerate/recommended')).fastest);

/** The page of a transaction compares its fee with that of the same size at the rate for the next block. */
async function checkFeeNow({ id, fee, size }: Json): Promise<void> {
  const [rate, shown] = await eventually('a page with the newest fee rate', async () => {
    const before = await fastestRate();
    const shown = await feeOnPage(server(), id);
    return before === (await fastestRate()) ? ([before, shown] as const) : undefined;
  });
  const now = (BigInt(size) * rate + 999n) / 1_000n;
  const paid = BigInt(fee.atoms);
  assert.deepEqual(shown.atoms(), [paid, now]);
  const [, said, unit] = /next block: .* \((?:>|&gt;)?([\d.]+)(% more|% less| times as much)\)/.exec(shown.text) ?? [];
  const ratio = Number(now) / Number(paid);
  const told = { '% more': 1 + Number(said) / 100, '% less': 1 - Number(said) / 100, ' times as much': Number(said) };
  const expected = unit === undefined ? 1 : told[unit as keyof typeof told];
  assert.ok(Math.abs(ratio - expected) < Math.max(0.06, ratio / 10), `${said}${unit} for ${ratio}`);
}

it('a confirmed transaction shows what it paid, and nothing of today', async () => {
  for (const { id, fee } of await server().json('/transaction?items=5')) {
    const shown = await feeOnPage(server(), id);
    assert.deepEqual(shown.atoms(), [BigInt(fee.atoms)]);
    assert.doesNotMatch(shown.text, /next block/);
  }
});

it('a fee is compared in per cent below twice as much, by a factor from there on, and not where both are nearly the same', () => {
  const site = new Site(regtest, '', '', new StaticFiles());
  const compared = (paid: bigint, now: bigint) => /\((.+)\)/.exec(feeNow(site, paid, now).text)?.[1];
  const examples: [bigint, bigint, string | undefined][] = [
    [741n, 593n, '20% less'],
    [593n, 741n, '25% more'],
    [185_288n, 85_000n, '54% less'],
    [85_000n, 185_288n, '2.2 times as much'],
    [100n, 1_240n, '12 times as much'],
    [100n, 199n, '99% more'],
    [100_000n, 100n, '&gt;99% less'],
    [104n, 100n, undefined],
    [0n, 100n, undefined],
  ];
  for (const [paid, now, expected] of examples) assert.equal(compared(paid, now), expected);
});

it('the page of a confirmed transaction has an ETag, which names the rate that it shows', async () => {
  const [{ id }] = await server().json('/transaction?items=1');
  const ask = (headers = {}) => server().request(`/tx/${id}`, { headers: { accept: 'text/html', ...headers } });
  await eventually('an answer 304', async () => {
    const rate = await fastestRate();
    const etag = (await ask()).headers.get('etag')!;
    const { status } = await ask({ 'if-none-match': etag });
    if (rate !== (await fastestRate())) return undefined;
    assert.ok(etag.endsWith(`.${rate}"`), etag);
    // A block may have come between.
    return status === 304 || undefined;
  });
});

it('a pending transaction shows what its size costs at the rate for the next block, and how much more or less that is', async () => {
  const payment = paymentOf(stack().node);
  submit(stack().node, payment);
  const pending = await eventually('a transaction is pending', async () =>
    (await server().json('/mempool/transactions?items=100')).at(-1),
  );
  await checkFeeNow(pending);
});

it('a transaction shows only its fee while no node says the rate', async () => {
  const alone = await startTestWebServer(scope, { network: stack().network, postgres: stack().postgres });
  const [{ id, fee }] = await server().json('/transaction?items=1');
  const shown = await feeOnPage(alone, id);
  assert.deepEqual(shown.atoms(), [BigInt(fee.atoms)]);
  assert.doesNotMatch(shown.text, /next block/);
  assert.ok(shown.links().includes('/fees'));
});
