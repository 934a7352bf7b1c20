/** The version of the shapes of all answers: what changes it, and who has the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { type RespondingRoute, shapesVersion } from '../../../src/api/openapi/shapes-version.ts';
import { responsesWithEtag } from '../../../src/api/schemas/parameters-and-responses.ts';
import { nullable, schemaRef, strictObject } from '../../../src/render/schemas/common.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { spawnWebServer } from '../../support/running-web-server.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const THING = { name: Type.String({ description: 'Of the thing' }), size: Type.Integer({ minimum: 0 }) };
const COIN = strictObject({ amount: Type.String() });

const route = (path: string, schema: TSchema): RespondingRoute => ({
  path,
  schema: { response: responsesWithEtag(schema) },
});
const versionOf = (thing: TSchema, components: Record<string, TSchema> = { Coin: COIN }) =>
  shapesVersion('described', [route('/thing', thing), route('/coin', schemaRef('Coin'))], components);

const version = versionOf(strictObject(THING));

it('the version of the shapes is another one when a field of an answer is added, removed, renamed, or of another type or pattern', () => {
  const { name, size } = THING;
  const changed = [
    { ...THING, weight: Type.Integer() },
    { name },
    { title: name, size },
    { name, size: Type.String() },
    { name, size: nullable(size) },
    { name, size: Type.Optional(size) },
    { name: Type.String({ pattern: '^a' }), size },
    { name: Type.Enum(['a', 'b']), size },
    { name: Type.Enum(['a', 'c']), size },
  ].map((properties) => versionOf(strictObject(properties)));
  assert.equal(new Set([version, ...changed]).size, changed.length + 1);
});

it('the version of the shapes is another one when a component changes that answers refer to', () => {
  const { amount } = COIN.properties;
  assert.notEqual(versionOf(strictObject(THING), { Coin: strictObject({ amount, unit: Type.String() }) }), version);
});

it('the version of the shapes is another one in the other response profile', () => {
  const routes = [route('/thing', strictObject(THING))];
  assert.notEqual(shapesVersion('described', routes, {}), shapesVersion('mintlayer-core', routes, {}));
});

it('the version of the shapes stays the same when only words about a field or the order of the routes change', () => {
  const renamed = { ...THING, name: Type.String({ description: 'What it is called', examples: ['x'] }) };
  assert.equal(versionOf(strictObject(renamed)), version);
  const routes = [route('/coin', schemaRef('Coin')), route('/thing', strictObject(THING))];
  assert.equal(shapesVersion('described', routes, { Coin: COIN }), version);
});

it('the version of the shapes sees a field that has the name of a word about fields', () => {
  const described = { ...THING, description: Type.String() };
  assert.notEqual(versionOf(strictObject(described)), version);
  assert.notEqual(
    versionOf(strictObject({ ...THING, description: Type.Integer() })),
    versionOf(strictObject(described)),
  );
});

it('the version of the shapes in ETags is the same in two processes, and another one for each response profile', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(lightChain(3).map(({ bytes }) => bytes));
  const here = await index.serveBoth(t);
  const port = await spawnWebServer(t, index.postgres, `--network=${SIMULATED_NETWORK.name}`);
  const etagAt = async (port: number) =>
    (await fetch(`http://127.0.0.1:${port}/api/v2/chain/genesis`)).headers.get('etag');
  const described = await etagAt(here.described.port);
  const core = await etagAt(here.core.port);
  assert.match(described!, /^W\/"[0-9a-f]{24}-[0-9a-z]+-[0-9a-z]{4,}"$/);
  assert.equal(await etagAt(port), described);
  assert.notEqual(core, described);
});
