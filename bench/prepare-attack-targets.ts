/** The targets that a chain offers to attackers, and those that an attacker would prepare on it. */
import type pg from 'pg';
import { destinationAddress } from '../src/chain/address.ts';
import type { Network } from '../src/chain/networks/network.ts';
import { endpoints } from './endpoint-urls.ts';
import { measuredPages } from './explorer-page-paths.ts';
import { readSampleIds, type SampleIds } from './sample-ids.ts';

export interface AttackTargets {
  readonly samples: SampleIds;
  /** Transactions whose JSON is some ten thousands of bytes, the largest first. */
  readonly largeTransactions: readonly string[];
  /** A transaction of some megabytes. */
  readonly hugeTransaction: string;
  /** An address with a list of unspent outputs that has tens of megabytes. */
  readonly richAddress: string;
  /** Addresses with lists that need a statement of their own. */
  readonly longAddresses: readonly string[];
  /** Addresses whose lists have some megabytes each; together they are larger than the cache. */
  readonly veryLongAddresses: readonly string[];
  /** `HEIGHT-ID` of blocks some hundreds below the tip: where streams may resume. */
  readonly oldEvents: readonly string[];
  /** Paths of the API and of pages, of every kind. */
  readonly anyEndpoints: readonly string[];
  readonly anyPages: readonly string[];
}

const OUTPUTS_OF_HUGE_TRANSACTION = 20_000;
const OUTPUTS_OF_RICH_ADDRESS = 100_000;
const OUTPUTS_OF_LONG_LIST = 1_500;
const LONG_LISTS = 40;
const OUTPUTS_OF_VERY_LONG_LIST = 8_000;
const VERY_LONG_LISTS = 60;
const LARGE_TRANSACTIONS = 200;
/** The number of blocks that a resumed stream may be behind, with a reserve for new ones. */
const OLDEST_EVENT = 990;
const PATHS_OF_A_KIND = 200;

/** Adds them to the index: no block of a chain made in a minute has them. */
async function addTargets(client: pg.Client, network: Network) {
  const { rows } = await client.query<{ id: string; index: string }>(
    `select tx_id as id, tx_index as index from transactions where output_count > 1 order by tx_index desc limit 1`,
  );
  const [huge] = rows;
  await client.query(
    `update transactions set output_count = output_count + $2,
            body = replace(body, '"outputs":[', '"outputs":[' || repeat((body::json->'outputs'->0)::text || ',', $2))
      where tx_index = $1`,
    [huge!.index, OUTPUTS_OF_HUGE_TRANSACTION],
  );
  const first = `(select o.height, o.position, o.output_index, o.entry from outputs o join utxos u using (height, position, output_index)
                  where not u.is_reward order by height, position, output_index limit 1) o`;
  const addAddresses = async (addresses: number, outputs: number): Promise<string[]> => {
    const all = `${first}, generate_series(1, ${addresses}) a, generate_series(1, ${outputs}) n`;
    const owner = `'\\x01' || substr(sha256(int4send(${outputs}) || int4send(a)), 1, 20)`;
    const index = `${outputs} * (a + 10) + n`;
    await client.query(
      `insert into outputs (height, position, output_index, owner, entry)
       select height, position, ${index}, ${owner}, entry from ${all}`,
    );
    await client.query(
      `insert into utxos (outpoint, height, position, output_index, owner, is_reward, output)
       select sha256('${outputs}') || int4send(${index}), height, position, ${index}, ${owner}, false, '\\x00' from ${all}`,
    );
    const { rows } = await client.query<{ owner: string }>(
      `select ${owner} as owner from generate_series(1, ${addresses}) a`,
    );
    return rows.map(({ owner: bytes }) => destinationAddress(network, bytes));
  };
  const [richAddress] = await addAddresses(1, OUTPUTS_OF_RICH_ADDRESS);
  const longAddresses = await addAddresses(LONG_LISTS, OUTPUTS_OF_LONG_LIST);
  const veryLongAddresses = await addAddresses(VERY_LONG_LISTS, OUTPUTS_OF_VERY_LONG_LIST);
  await client.query('vacuum (analyze)');
  return { hugeTransaction: huge!.id, richAddress: richAddress!, longAddresses, veryLongAddresses };
}

/** Prepares the database of a synced chain. */
export async function prepareTargets(client: pg.Client, network: Network): Promise<AttackTargets> {
  const samples = await readSampleIds(client, network);
  const { rows: large } = await client.query<{ id: string }>(
    `select tx_id as id from transactions order by octet_length(body) desc limit ${LARGE_TRANSACTIONS}`,
  );
  const { rows: events } = await client.query<{ event: string }>(
    `select height || '-' || encode(block_id, 'hex') as event from blocks
     where height > (select height from chain_tip) - ${OLDEST_EVENT} order by height limit ${OLDEST_EVENT / 2}`,
  );
  const added = await addTargets(client, network);
  const parts = (paths: readonly string[]) => paths.slice(0, PATHS_OF_A_KIND);
  return {
    samples,
    largeTransactions: large.map(({ id }) => id),
    ...added,
    oldEvents: events.map(({ event }) => event),
    anyEndpoints: endpoints(samples).flatMap(({ cold }) => parts(cold)),
    anyPages: measuredPages(samples).flatMap(({ cold }) => parts(cold)),
  };
}
