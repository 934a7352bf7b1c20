/** Reads the table `meta`, which describes the database itself. */
import { namedQuery } from './named-query.ts';

/** A value of the table `meta`; `genesis` is the genesis block as JSON. */
export const getMeta = namedQuery<
  [name: 'network' | 'genesis_id' | 'genesis' | 'storage_version'],
  { readonly value: string }
>({
  name: 'meta',
  parameters: { name: 'text' },
  presenceColumn: 'value',
  select: 'select value from meta where name = q.name',
});
