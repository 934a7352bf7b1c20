/** What the end of time locks moved in a block. */
import type { Currency } from '../../../chain/currency.ts';
import type { Atoms, Destination } from '../../../chain/types.ts';
import { queryFunction } from '../../read/query.ts';

/** Reads what the ends of time locks set free in the block at a height, before its first transaction. */
export const listUnlockedAt = queryFunction<
  [height: number],
  { readonly owner: Destination; readonly currency: Currency; readonly amount: Atoms }
>({
  name: 'unlocked_at',
  parameters: { height: 'integer' },
  select: `
    select c.owner, c.currency, p.locked - c.locked as amount
    from balance_changes c
    cross join lateral (
      select locked from balance_changes
      where owner = c.owner and currency = c.currency and height < :height
      order by height desc, position desc limit 1
    ) p
    where c.height = :height and c.position = -1
    order by c.owner, c.currency`,
});
