/** Requests of the Mesh API, whose responses are checked by the schemas of the OpenAPI document. */
import assert from 'node:assert/strict';
import type { Network } from '../../../src/chain/networks/network.ts';
import type { Scope } from '../../support/file-scope.ts';
import type { TestIndex } from '../../support/indexed-database.ts';
import type { TestServer } from '../../support/web-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
export type Json = any;

const networks = new WeakMap<TestServer, string>();

/** Makes the network known that the requests to a server name. */
export function named(server: TestServer, { name }: Network): TestServer {
  networks.set(server, name);
  return server;
}

/** A server with the Mesh API for each response profile. */
export async function meshServers(scope: Scope, index: TestIndex): Promise<readonly [TestServer, TestServer]> {
  const serve = async (contract: 'described' | 'mintlayer-core') =>
    named(await index.serve(scope, { hasMesh: true, contract }), index.network);
  return [await serve('described'), await serve('mintlayer-core')];
}

async function ask(server: TestServer, path: string, body: object) {
  const network_identifier = { blockchain: 'Mintlayer', network: networks.get(server)! };
  return server.request(`/mesh${path}`, { method: 'POST', body: JSON.stringify({ network_identifier, ...body }) });
}

/** The body of a request that must succeed. */
export async function post(server: TestServer, path: string, body: object = {}): Promise<Json> {
  const answer = await ask(server, path, body);
  assert.equal(answer.status, 200, `${path} ${JSON.stringify(body)}: ${answer.text}`);
  return answer.body;
}

/** The code of the error, whether to retry, and what is wrong with this request. */
export async function refusal(server: TestServer, path: string, body: object = {}): Promise<[number, boolean, string]> {
  const { status, body: error, text } = await ask(server, path, body);
  assert.equal(status, 500, text);
  return [error.code, error.retriable, error.details.message];
}
