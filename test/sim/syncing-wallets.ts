/** Wallets that ask a server of the same chain each time, are cut off, and begin again from what they once knew. */
import assert from 'node:assert/strict';
import { Client, type Operations, type Wallet } from '../../packages/client/src/index.ts';
import type { Destination, Id } from '../../src/chain/types.ts';
import type { Random } from '../../src/devnet/sim/random.ts';
import type { TestIndex } from '../support/indexed-database.ts';

/** A server, and the index that it reads. */
export interface WalletServer {
  readonly url: string;
  readonly index: TestIndex;
  /** Serves without a network; `fetch` unless given. */
  readonly fetch?: typeof fetch;
}

/** What it was told at last, or once. */
interface Memory<Api extends Operations> {
  readonly state: Wallet<Api>['state'];
  /** The height from which it was told of all transactions. */
  readonly since: number;
}

type Body = { from: unknown; to: { height: number }; rolled_back_to: { height: number } | null };

export class WanderingWallet<Api extends Operations> {
  readonly owners: readonly Destination[];
  readonly addresses: readonly string[];
  wallet: Wallet<Api>;
  /** Answers, those that never arrived, those that told of removed blocks, and how often it began anew. */
  readonly counts = { answers: 0, lost: 0, rollbacks: 0, beginnings: 0, parts: 0 };
  #since = 0;
  #told: Body[] = [];
  #isCutOff = false;
  #server: WalletServer | undefined;
  readonly #client: Client<Api>;
  readonly #random: Random;
  readonly #memories: Memory<Api>[] = [];

  constructor(owners: readonly Destination[], addresses: readonly string[], random: Random) {
    this.owners = owners;
    this.addresses = addresses;
    this.#random = random;
    this.#client = new Client<Api>('http://wallet', {
      fetch: (url, init) => this.#fetch(String(url), init),
      retries: 0,
    });
    this.wallet = this.#client.wallet(addresses);
  }

  /** Asks a server once; the answer may be lost, also in the middle of several. */
  async ask(server: WalletServer, mayBeCutOff: boolean): Promise<void> {
    if (this.#memories.length > 0 && this.#random.chance(0.1)) this.#remember();
    this.#server = server;
    this.#isCutOff = mayBeCutOff && this.#random.chance(0.3);
    this.#told = [];
    try {
      await this.wallet.sync();
    } catch (error) {
      // It was cut off, or the server is behind what it knows.
      assert.match(String(error), /cut off|has not reached the (block|tip)/);
      return;
    }
    for (const { from, to, rolled_back_to: ancestor } of this.#told) {
      if (from === null) {
        this.#since = to.height;
        this.counts.beginnings++;
      } else if (ancestor !== null) {
        this.#since = Math.min(this.#since, ancestor.height);
        this.counts.rollbacks++;
      }
    }
    if (this.#told.length > 1) this.counts.parts += this.#told.length;
    if (this.#random.chance(0.3)) {
      this.#memories.push({ state: JSON.parse(JSON.stringify(this.wallet.state)), since: this.#since });
    }
    await this.check(server.index);
  }

  /** Compares it with the tables of an index whose tip it knows. */
  async check({ session: { writer } }: TestIndex): Promise<void> {
    const owners = this.owners.map((owner) => Buffer.from(owner, 'hex'));
    const { rows: tips } = await writer.query('select height, block_id from chain_tip');
    assert.deepEqual(this.wallet.position, { height: tips[0].height, block_id: tips[0].block_id });
    const { rows: outputs } = await writer.query(
      `select outpoint, height from utxos where owner = any ($1) or refund_owner = any ($1)`,
      [owners],
    );
    assert.deepEqual(
      this.wallet.outputs.map(({ outpoint, block_height }) => `${keyOf(outpoint)} ${block_height}`).sort(),
      outputs.map(({ outpoint, height }) => `${outpoint} ${height}`).sort(),
    );
    const { rows: balances } = await writer.query(
      `select sum(amount)::text as amount, sum(locked)::text as locked from balances
       where owner = any ($1) group by currency order by currency`,
      [owners],
    );
    const told = this.wallet.balances.map(({ amount, locked }) => ({ amount: amount.atoms, locked: locked.atoms }));
    assert.deepEqual(told, balances);
    const { rows: transactions } = await writer.query(
      `select distinct x.tx_index, x.tx_id from address_transactions a join transactions x using (tx_index)
       where a.owner = any ($1) and x.height > $2 order by x.tx_index`,
      [owners, this.#since],
    );
    assert.deepEqual(
      this.wallet.transactions.map(({ id }) => id),
      transactions.map(({ tx_id }) => tx_id as Id),
    );
  }

  /** As if a backup was restored. */
  #remember(): void {
    const { state, since } = this.#memories[this.#random.below(this.#memories.length)]!;
    this.wallet = this.#client.wallet(this.addresses, state);
    this.#since = since;
  }

  async #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    const { url: base, fetch: send = fetch } = this.#server!;
    const response = await send(url.replace('http://wallet', base), init);
    this.counts.answers++;
    if (this.#isCutOff && this.#random.chance(0.5)) {
      this.counts.lost++;
      throw new Error('cut off');
    }
    if (response.ok) this.#told.push((await response.clone().json()) as Body);
    return response;
  }
}

function keyOf({ source_id, index }: { readonly source_id: string; readonly index: number }): string {
  return source_id + index.toString(16).padStart(8, '0');
}
