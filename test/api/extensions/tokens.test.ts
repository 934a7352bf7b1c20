/** Tokens and NFTs with all that is known of them, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { decimalText } from '../../../src/chain/decimal-text.ts';
import type { Id } from '../../../src/chain/types.ts';
import { tokenIds } from '../../sim/naive-lists.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { byId, createdAt, error, errorOfOurParameter, got, labelOf, listed, network, newestFirst, UNKNOWN } = chain;

it('tokens and NFTs are listed with all that is known of them, all and by ticker', async () => {
  const { world } = chain.facts;
  const holders = chain.facts.holders();
  const tickerOf = (id: Id) => labelOf(id).ticker!.toLowerCase();
  const tickers = [network.coinTicker.toLowerCase(), ...[...world.tokens.keys()].map(tickerOf)];
  const entries = await listed('/token?expand=true');
  assert.deepEqual(
    entries.map(({ token_id }) => token_id),
    tokenIds(world).map((id) => tokenAddress(network, id)),
  );
  for (const [i, id] of tokenIds(world).entries()) {
    const token = world.tokens.get(id);
    const held = holders.get(id)?.size ?? 0;
    if (token !== undefined) {
      const { numberOfDecimals: decimals } = token.issuance;
      const supply = token.minted - token.burned;
      const { last_price, day_volume, ...entry } = entries[i];
      const whole = await chain.servers[0]!.json(`/token/${entry.token_id}`);
      const events: Json[] = (await got(`/token/${entry.token_id}/events`)).items;
      const limit = whole.total_supply_type === 'Fixed' ? BigInt(whole.total_supply.atoms) : null;
      assert.equal(day_volume, null);
      assert.match(last_price?.atoms ?? '1/1', /^\d+\/\d+$/, 'compared in test/sim/markets.test.ts');
      assert.deepEqual(entry, {
        token_id: tokenAddress(network, id),
        type: 'fungible',
        ...labelOf(id),
        ticker_is_unique: tickers.indexOf(tickerOf(id)) === tickers.lastIndexOf(tickerOf(id)),
        name: null,
        circulating_supply: { atoms: `${supply}`, decimal: decimalText(supply, decimals) },
        holders: held,
        authority: destinationAddress(network, token.authority),
        created: createdAt(token.creationHeight),
        is_frozen: token.frozen !== 'No',
        is_unfreezable: token.frozen === 'No' ? null : token.frozen === 'Unfreezable',
        frozen_since: token.frozen === 'No' ? null : events.find(({ event }) => event === 'freeze').height,
        is_locked: token.isLocked,
        max_supply: whole.total_supply_type === 'Fixed' ? whole.total_supply : null,
        is_mintable: limit === null ? !token.isLocked : BigInt(whole.circulating_supply.atoms) < limit,
      });
    } else {
      const { owner } = chain.facts.nftOwners.get(id)!.at(-1)!;
      const { circulating_supply, ...entry } = entries[i];
      assert.deepEqual(entry, {
        token_id: tokenAddress(network, id),
        type: 'nft',
        ...labelOf(id),
        name: chain.facts.names.get(id),
        holders: held,
        owner: owner && destinationAddress(network, owner),
        created: createdAt(world.nfts.get(id)!.creationHeight),
      });
      assert.match(circulating_supply.atoms, /^[01]$/);
    }
  }
  const withA = entries.filter(({ ticker }) => ticker.toLowerCase().includes('a'));
  assert.ok(withA.length > 0);
  assert.deepEqual(await listed('/token/ticker/A?expand=true'), withA);
  assert.deepEqual(await got('/token?expand=true&offset=1&items=2'), entries.slice(1, 3));
  assert.deepEqual(await errorOfOurParameter('/token?expand='), [400, 'Invalid expand: `true` or `false` is expected']);
  assert.deepEqual(await errorOfOurParameter('/token/ticker/a?expand=1'), [
    400,
    'Invalid expand: `true` or `false` is expected',
  ]);
});

it('fungible tokens are listed by their holders, by their age or by their state, by cursor and by offset', async () => {
  const { tokens } = chain.facts.world;
  const holders = chain.facts.holders();
  const held = (id: string) => holders.get(id)?.size ?? 0;
  const byId = [...tokens.keys()].sort();
  const orders = {
    by_holders: byId.toSorted((a, b) => Math.max(held(b), 1) - Math.max(held(a), 1)),
    by_height: byId.toSorted((a, b) => tokens.get(b)!.creationHeight - tokens.get(a)!.creationHeight),
  };
  assert.ok(byId.some((id) => held(id) === 1) && byId.some((id) => held(id) > 2), 'there are few and many holders');
  const lists = {
    ...{ 'sort=by_holders': orders.by_holders, 'sort=by_height': orders.by_height },
    'state=frozen': orders.by_height.filter((id) => tokens.get(id)!.frozen !== 'No'),
    'state=locked': orders.by_height.filter((id) => tokens.get(id)!.isLocked),
  };
  assert.ok(Object.values(lists).every((ids) => ids.length > 0));
  for (const [query, ids] of Object.entries(lists)) {
    const expected = ids.map((id) => tokenAddress(network, id));
    assert.deepEqual(await listed(`/token?${query}`), expected, query);
    for (const offset of [0, 1, Math.max(0, expected.length - 2)]) {
      assert.deepEqual(await got(`/token?${query}&offset=${offset}&items=3`), expected.slice(offset, offset + 3));
    }
  }
  assert.deepEqual(await errorOfOurParameter('/token?sort=by_price'), [400, 'Invalid tokens sort order']);
  assert.deepEqual(await got('/token?state=frozen&sort=by_height'), await got('/token?state=frozen'));
  assert.deepEqual(await errorOfOurParameter('/token?state=thawed'), [
    400,
    'Invalid state: `frozen` or `locked` is expected',
  ]);
  assert.deepEqual(await errorOfOurParameter('/token?state=frozen&sort=by_holders'), [
    400,
    'Invalid state: it is for `sort=by_height`',
  ]);
});

it('the supply of a token in the lists is without all that was burned, that of the token itself with what was not unminted', async () => {
  const server = chain.servers[0]!;
  const { schemas } = (await server.document()).components;
  assert.match(schemas.ExpandedFungibleToken.properties.circulating_supply.description, /^Without what was burned/);
  assert.match(schemas.Token.properties.circulating_supply.description, /burned without an unmint are part of it/);
  const shown = (await listed('/token?expand=true')).filter(({ type }) => type === 'fungible');
  const supplies = await Promise.all(
    shown.map(async ({ token_id, circulating_supply }) => {
      const token = await server.json(`/token/${token_id}`);
      const statistics = await server.json(`/statistics/token/${token_id}`);
      assert.deepEqual(circulating_supply, statistics.circulating_supply);
      return [BigInt(token.circulating_supply.atoms), BigInt(circulating_supply.atoms)] as const;
    }),
  );
  const { tokens } = chain.facts.world;
  assert.deepEqual(
    supplies.map(([ofToken]) => ofToken),
    tokenIds(chain.facts.world).flatMap((id) => tokens.get(id)?.supply ?? []),
  );
  assert.ok(supplies.some(([ofToken, listed]) => ofToken > listed));
});

it('NFTs are listed youngest first, all and those of an address', async () => {
  const { world, nftOwners } = chain.facts;
  const youngest = [...world.nfts.values()].sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b));
  const ownerOf = (id: string) => nftOwners.get(id)!.at(-1)!.owner;
  const entries = await listed('/nft');
  assert.deepEqual(
    entries.map(({ token_id, owner, created, name, ticker }) => ({ token_id, owner, created, name, ticker })),
    youngest.map(({ id, creationHeight }) => {
      const owner = ownerOf(id);
      return {
        token_id: tokenAddress(network, id),
        owner: owner && destinationAddress(network, owner),
        created: createdAt(creationHeight),
        name: chain.facts.names.get(id),
        ticker: chain.taking.tickers.get(id),
      };
    }),
  );
  for (const entry of entries.slice(0, 5)) {
    const single = await chain.servers[0]!.json(`/nft/${entry.token_id}`);
    assert.deepEqual({ ...entry, ...single }, entry, 'as the NFT itself says');
  }
  for (const owner of new Set(youngest.map(({ id }) => ownerOf(id)))) {
    if (owner === null) continue;
    const own = await listed(`/address/${destinationAddress(network, owner)}/nfts`);
    const ofOwner = entries.filter((entry) => entry.owner === destinationAddress(network, owner));
    assert.deepEqual(own, ofOwner);
  }
});

it('the owners of an NFT are listed newest first, with the transactions that made them so', async () => {
  for (const [id, owners] of chain.facts.nftOwners) {
    const entries = await listed(`/nft/${tokenAddress(network, id)}/owners`);
    assert.deepEqual(
      entries.map(({ tx_id, owner }) => ({ tx_id, owner })),
      newestFirst(owners).map(({ transactionId, owner }) => ({
        tx_id: transactionId,
        owner: owner && destinationAddress(network, owner),
      })),
    );
    const { tx_id, tx_global_index, block_id, height, timestamp } = entries[0];
    const transaction = await chain.servers[0]!.json(`/transaction/${tx_id}`);
    assert.deepEqual(
      [transaction.tx_global_index, transaction.block_id, transaction.timestamp],
      [tx_global_index, block_id, timestamp],
    );
    assert.equal(chain.facts.blocks[height - 1]!.id, block_id);
  }
  assert.deepEqual(await error(`/nft/${tokenAddress(network, UNKNOWN)}/owners`), [404, 'NFT not found']);
  assert.deepEqual(await error('/nft/x/owners'), [400, 'Invalid NFT Id']);
});
