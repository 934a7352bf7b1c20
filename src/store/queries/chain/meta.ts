/** Reads the table `meta`, which describes the database itself. */
import { queryFunction } from '../../read/query.ts';

/** A value of the table `meta`; `genesis` is the genesis block as JSON. */
export const getMeta = queryFunction<
  [name: 'network' | 'genesis_id' | 'genesis' | 'storage_version'],
  { readonly value: string }
>({
  name: 'meta',
  parameters: { name: 'text' },
  select: 'select value from meta where name = :name',
});
