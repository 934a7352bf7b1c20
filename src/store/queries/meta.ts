/** What the database says about itself. */
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';

const META = batchedQuery<[name: string], { readonly value: string }>({
  name: 'meta',
  parameters: { name: 'text' },
  presenceColumn: 'value',
  select: 'select value from meta where name = q.name',
});

/** A value of the table `meta`; `genesis` is the genesis block as JSON. */
export function getMeta(
  store: QueryRunner,
  name: 'network' | 'genesis_id' | 'genesis' | 'storage_version',
): Promise<SnapshotRows<{ readonly value: string }>> {
  return store.query(META, name);
}
