/** The OpenAPI document as those see it who make clients from it, or read it and try what it says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { operationId } from '../../src/api/openapi/assemble-document.ts';
import { withNamedSchemas } from '../../src/api/openapi/named-schemas.ts';
import { fileScope } from '../support/file-scope.ts';
import { testDatabase } from '../support/postgres.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';

const apiDocument = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const CONTRACTS = ['described', 'mintlayer-core'] as const;
const scope = fileScope();
const stack = sharedStack();

// biome-ignore lint/suspicious/noExplicitAny: an operation as the document has it, which is checked against OpenAPI
type Operation = any;

async function operationsOf(server: TestServer): Promise<Operation[]> {
  const { paths } = await server.document();
  return Object.entries<Operation>(paths).flatMap(([path, methods]) =>
    Object.entries<Operation>(methods).map(([method, operation]) => ({ parameters: [], ...operation, path, method })),
  );
}

async function assertValid(document: Record<string, unknown>): Promise<void> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document);
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.equal(validator.version, '3.1');
}

/** The operation's path with the document's own examples in it. */
function exemplaryUrl({ path, parameters }: Operation): string {
  const query = new URLSearchParams();
  let url = path;
  for (const parameter of parameters) {
    if (parameter.in === 'path') {
      assert.ok(parameter.example !== undefined, `${path}: no example for ${parameter.name}`);
      url = url.replace(`{${parameter.name}}`, encodeURIComponent(parameter.example));
    } else if (parameter.example !== undefined) query.set(parameter.name, String(parameter.example));
  }
  return query.size > 0 ? `${url}?${query}` : url;
}

for (const contract of CONTRACTS) {
  const served = async () => {
    const server = stack().servers[contract];
    return { server, operations: await operationsOf(server) };
  };

  it(`the document of the ${contract} contract has exactly the endpoints that docs/api.md lists`, async () => {
    const { operations } = await served();
    const listed = [...apiDocument.matchAll(/^\| `(GET|POST) (\/[^`]*)` \|/gm)];
    assert.deepEqual(
      listed.map(([, method, path]) => `${method} ${path === '/status' ? '' : '/api/v2'}${path}`).sort(),
      operations
        .filter(({ path }) => path !== '/')
        .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
        .sort(),
    );
  });

  it(`the document of the ${contract} contract is valid OpenAPI 3.1`, async () => {
    await assertValid(await stack().servers[contract].document());
  });

  it(`the document of the ${contract} contract says of each operation what it is, under a name of its own and a tag that is explained, and of its parameters`, async () => {
    const { server, operations } = await served();
    const document = await server.document();
    const explained = new Set(document.tags.map(({ name }: Operation) => name));
    assert.equal(new Set(operations.map((operation) => operation.operationId)).size, operations.length);
    for (const { path, summary, tags, operationId: id, parameters } of operations) {
      assert.ok(summary.length > 3, path);
      assert.match(id, /^(get|post)[A-Z][A-Za-z]*$/);
      assert.equal(tags.length, 1, path);
      assert.ok(explained.has(tags[0]!), `${path}: ${tags[0]}`);
      for (const { name, description, schema } of parameters) {
        assert.ok(description && description.length > 3, `${path}: ${name} is not explained`);
        assert.ok(schema.type, `${path}: ${name} has no type`);
      }
    }
  });

  it(`the document of the ${contract} contract names the statuses that every operation may give, and their headers`, async () => {
    const { operations } = await served();
    for (const { path, method, responses, parameters } of operations) {
      const where = `${method} ${path}`;
      for (const status of ['200', '500', '503']) assert.ok(responses[status], `${where}: no ${status}`);
      if (parameters.length > 0) assert.ok(responses['400'], `${where}: no 400`);
      for (const [status, { description, content }] of Object.entries<Operation>(responses)) {
        assert.ok(description, where);
        assert.equal(content === undefined, status === '304', `${where}: ${status}`);
      }
      assert.ok('retry-after' in responses['503']!.headers!, where);
      if (responses['304']) assert.ok('etag' in responses['200']!.headers!, where);
      const isPaged = parameters.some(({ name }: Operation) => name === 'cursor');
      assert.equal('x-next-cursor' in (responses['200']!.headers ?? {}), isPaged, where);
    }
  });

  it(`the document of the ${contract} contract has examples that work, with an etag where it says so`, async () => {
    const { server, operations } = await served();
    for (const operation of operations) {
      if (operation.method !== 'get') continue;
      const url = exemplaryUrl(operation);
      const { status, text, headers } = await server.request(url);
      // The transaction of the example is confirmed.
      assert.equal(status, operation.path.includes('/mempool/transaction/{id}') ? 404 : 200, `${url}: ${text}`);
      assert.equal(headers.has('etag'), '304' in operation.responses, `${url}: the etag is not as it is documented`);
    }
  });

  it(`the document of the ${contract} contract has examples that show something in the lists of an address and of a pool`, async () => {
    const { server, operations } = await served();
    for (const path of [
      'address/{address}/delegations',
      'address/{address}/token-authority',
      'pool/{id}/delegations',
    ]) {
      const operation = operations.find((candidate) => candidate.path === `/api/v2/${path}`)!;
      const { body } = await server.request(exemplaryUrl(operation));
      assert.ok(body.length > 0, path);
    }
  });

  it(`the document of the ${contract} contract names nothing of another host`, async () => {
    const hosts = JSON.stringify(await stack().servers[contract].document()).match(/https?:[^"\\ ]*/g) ?? [];
    assert.deepEqual(hosts, []);
  });
}

it('the document is valid where transactions are not taken, and says so', async () => {
  const { network, postgres } = stack();
  for (const contract of CONTRACTS) {
    const server = await startTestWebServer(scope, { network, postgres, contract });
    const document = await server.document();
    await assertValid(document);
    const { responses, description } = document.paths['/api/v2/transaction'].post;
    assert.equal(description, 'Not enabled on this server.');
    assert.deepEqual(Object.keys(responses), ['403', '429', '500', '503']);
  }
});

it('the document is there while the database is empty, without examples', async () => {
  const postgres = await testDatabase(scope);
  const server = await startTestWebServer(scope, { network: stack().network, postgres });
  await assertValid(await server.document());
  const examples = (await operationsOf(server)).flatMap(({ parameters }) =>
    // A choice among words is no example of the chain.
    parameters.filter((it: Operation) => it.example !== undefined && !('enum' in it.schema)),
  );
  assert.deepEqual(examples, []);
});

it('the document has the newest ids in its examples', async () => {
  const server = stack().servers.described;
  await stack().grow();
  const { body } = await server.request('/api/v2/openapi.json');
  const { parameters } = body.paths['/api/v2/block/{id}'].get;
  const parameter = parameters.find(({ name }: Operation) => name === 'id');
  assert.equal(parameter.example, stack().node.tip().id);
});

it('the name of an operation follows from its method and path', () => {
  for (const [method, url, name] of [
    ['GET', '/', 'getVersions'],
    ['GET', '/api/v2/chain/tip', 'getChainTip'],
    ['GET', '/api/v2/chain/:height', 'getChainByHeight'],
    ['GET', '/api/v2/address/:address', 'getAddress'],
    ['GET', '/api/v2/address/:address/all-utxos', 'getAddressAllUtxos'],
    ['GET', '/api/v2/transaction/:id/output/:index', 'getTransactionOutputByIndex'],
    ['GET', '/api/v2/order/pair/:pair/book', 'getOrderPairBook'],
    ['POST', '/api/v2/transaction', 'postTransaction'],
  ] as const) {
    assert.equal(operationId(method, url), name);
  }
});

it('two schemas with the same name are an error, and the same schema twice is one component', () => {
  const document = (second: object) => ({
    components: { schemas: { A: { oneOf: [{ title: 'B', type: 'object' }, second] } } },
    paths: {},
  });
  const { schemas } = withNamedSchemas(document({ title: 'B', type: 'object' })).components;
  assert.deepEqual(schemas, {
    A: { oneOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/B' }] },
    B: { type: 'object' },
  });
  assert.throws(() => withNamedSchemas(document({ title: 'B', type: 'string' })), /have the name B$/);
});
