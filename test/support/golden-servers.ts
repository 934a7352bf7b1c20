/** The recorded chain with eight reorganisations, which holds something of every kind, behind a web server of each contract. */
import assert from 'node:assert/strict';
import { destinationAddress, tokenAddress } from '../../src/chain/address.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import { type Scope, sharedByFiles } from './file-scope.ts';
import { TestIndex } from './indexed-database.ts';
import { goldenChain } from './recorded-chain.ts';
import type { TestServer } from './web-server.ts';

export class GoldenServers {
  network!: Network;
  index!: TestIndex;
  described!: TestServer;
  core!: TestServer;

  /** The first row of a query. */
  async one(sql: string): Promise<Record<string, string>> {
    const { rows } = await this.index.query(sql);
    assert.ok(rows[0], `nothing found: ${sql}`);
    return rows[0];
  }

  /** The only value of a query's first row. */
  async value(sql: string): Promise<string> {
    return Object.values(await this.one(sql))[0]!;
  }

  /** The first address in a column of destinations. */
  async address(where: string, column = 'owner'): Promise<string> {
    return destinationAddress(this.network, await this.value(`select ${column} from ${where} limit 1`));
  }

  /** The first token of which that is so. */
  async token(where = 'true'): Promise<string> {
    return tokenAddress(this.network, await this.value(`select token_id from tokens where ${where} limit 1`));
  }

  async nft(where = 'true'): Promise<string> {
    return tokenAddress(this.network, await this.value(`select token_id from nfts where ${where} limit 1`));
  }
}

/** `change` is done to the index before it is served. */
async function startGoldenServers(scope: Scope, change?: string): Promise<GoldenServers> {
  const golden = new GoldenServers();
  const { network, mainChain } = await goldenChain('regtest-8-reorganisations');
  golden.network = network;
  golden.index = await TestIndex.create(scope, network);
  await golden.index.follow(mainChain, 50);
  if (change !== undefined) await golden.index.query(change);
  return Object.assign(golden, await golden.index.serveBoth(scope));
}

const useGoldenServers = sharedByFiles((scope) => startGoldenServers(scope));

/**
 * To be called at the top of a test file, which must undo its changes: other files read the server, too. With a
 * `change`, which is applied to the index before it is served, the server is only for this file.
 */
export function goldenServers(change?: string): GoldenServers {
  const golden = new GoldenServers();
  const take = (started: GoldenServers) => void Object.assign(golden, started);
  if (change === undefined) useGoldenServers(take);
  else sharedByFiles((scope) => startGoldenServers(scope, change))(take);
  return golden;
}
