/** Whatever is submitted: it is handed to the node, or refused as documented; nothing of it is a fault. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { builtBefore } from '../support/file-scope.ts';
import { RawClient } from '../support/raw-http.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { WholeStack } from '../support/whole-stack.ts';
import { fuzz } from './property.ts';

const PATH = '/api/v2/transaction';
const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'bodies', blocks: 60 }));
/** A server that takes no transactions. */
const closed = builtBefore((scope) =>
  startTestWebServer(scope, { network: stack().network, postgres: stack().postgres }),
);
/** What the chain holds: in the right form, though the node has no use for it any more. */
const mined = builtBefore(async () => {
  const { node } = stack();
  const blocks = Array.from({ length: node.tip().height }, (_, height) =>
    identifyBlock(node.blockBytes(node.mainChainId(height + 1)!)!),
  );
  return {
    encoded: blocks.flatMap(({ block }) => block.transactions.map(encodeSignedTransaction)),
    ids: new Set(blocks.flatMap(({ transactionIds }) => transactionIds)),
  };
});

interface Submission {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly isTransaction: boolean;
}

const hexText = (bytes: Buffer) => Buffer.from(bytes.toString('hex'));
const asJson = (bytes: Buffer) => Buffer.from(JSON.stringify({ transaction: bytes.toString('hex') }));

function damaged(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.nat(), fc.nat(255), fc.constantFrom('replace', 'insert', 'cut', 'append', 'remove'))
    .map(([whole, at, byte, how]) => {
      const place = at % whole.length;
      const [head, tail] = [whole.subarray(0, place), whole.subarray(place)];
      switch (how) {
        case 'replace':
          return Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
        case 'insert':
          return Buffer.concat([head, Buffer.of(byte), tail]);
        case 'cut':
          return Buffer.from(head);
        case 'append':
          return Buffer.concat([whole, Buffer.of(byte)]);
        default:
          return Buffer.concat([head, tail.subarray(1)]);
      }
    });
}

const NO_TRANSACTIONS = [
  '',
  '0',
  '{}',
  '{',
  '[]',
  'null',
  '{"transaction":1}',
  '{"transaction":{}}',
  '{"transaction":""}',
  '{"transaction":"zz"}',
  '{"__proto__":{"transaction":"00"}}',
  `{"transaction":${'['.repeat(5_000)}`,
  '\ufeff00',
  'ff'.repeat(5_120),
  'ff'.repeat(5_121),
  'f'.repeat(100_001),
  '00'.repeat(1_050_000),
  'ff'.repeat(1_100_000),
  ' 00',
  '00\n',
];

const encoded = (transactions: fc.Arbitrary<Buffer>, isTransaction: boolean) =>
  fc
    .tuple(transactions, fc.constantFrom(hexText, asJson))
    .map(([bytes, write]) => ({ body: write(bytes), isTransaction }));
const other = (bodies: fc.Arbitrary<string | Uint8Array>) =>
  bodies.map((body) => ({ body: Buffer.from(body as Uint8Array), isTransaction: false }));

function submission(): fc.Arbitrary<Submission> {
  const known = fc.constantFrom(...mined().encoded);
  const body = fc.oneof(
    { weight: 4, arbitrary: encoded(known, true) },
    { weight: 8, arbitrary: encoded(damaged(known), false) },
    { weight: 2, arbitrary: other(known) },
    { weight: 2, arbitrary: other(known.map((bytes) => gzipSync(hexText(bytes)))) },
    { weight: 2, arbitrary: other(fc.uint8Array({ maxLength: 300 })) },
    { weight: 3, arbitrary: other(fc.json()) },
    { weight: 3, arbitrary: other(fc.constantFrom(...NO_TRANSACTIONS)) },
  );
  const headers = fc.record(
    {
      'content-type': fc.constantFrom(
        'text/plain',
        'application/json',
        'application/x-www-form-urlencoded',
        ';;',
        'a/b/c',
      ),
      'content-encoding': fc.constantFrom('gzip', 'nonsense'),
      'transfer-encoding': fc.constant('chunked'),
      accept: fc.constantFrom('text/html', '*/*'),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(body, headers).map(([given, head]) => ({ ...given, headers: head }));
}

/** A client of its own for each: a refused body may end the connection. */
async function submit(server: TestServer, { body, headers }: Submission) {
  const client = new RawClient(server.port);
  const answer = await client.send({ method: 'POST', path: PATH, headers, body }).finally(() => client.close());
  assert.equal(answer.headers['content-type'], 'application/json');
  const json = JSON.parse(answer.body.toString()) as { error?: string; tx_id?: string };
  server.check(server.operation('POST', PATH)!, PATH, { status: answer.status, body: json });
  return { status: answer.status, error: json.error, id: json.tx_id };
}

for (const contract of ['described', 'mintlayer-core'] as const) {
  fuzz(
    `POST /transaction in the ${contract} contract takes or refuses every body as documented in ${contract}`,
    submission,
    async (given) => {
      const { status, error, id } = await submit(stack().servers[contract], given);
      if (given.isTransaction) assert.ok(status === 200 || /^RPC error: /.test(error!), `${status} ${error}`);
      // Its signatures are no part of its id: with other ones it is confirmed just the same.
      else if (status === 200) assert.ok(mined().ids.has(id!), `${id}`);
      else if (status === 500) assert.match(error!, /^RPC error: /);
      else if (status === 400) assert.equal(error, 'Invalid signed transaction');
      else assert.equal(status, 413);
    },
  );
}

fuzz('POST /transaction of a server that takes none is forbidden whatever the body', submission, async (given) => {
  const { status } = await submit(closed(), given);
  assert.ok(status === 403 || (status === 413 && given.body.length > 10_240), `${status}`);
});
