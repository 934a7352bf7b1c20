/**
 * Is an index complete? Nothing in a backup is written last: a restore may begin with the row that says "ready". But keys and
 * indexes of a table are made after its rows, in every order, and the tip names the newest rows.
 */
import { SCHEMA_NAME } from '../postgres/connect.ts';
import { keyAndIndexNames } from '../schema/create-and-drop-tables.ts';

/** The keys and indexes of the storage version, as an array of PostgreSQL. What is added in place is complete on its own. */
export const INDEX_NAMES_ARRAY = `{${keyAndIndexNames([]).join(',')}}`;

/**
 * What is missing, in a few words; null if nothing is. The parameter: {@link INDEX_NAMES_ARRAY}. The rows are looked for when their keys are
 * there, so that no table is scanned.
 */
export const COMPLETENESS_QUERY = {
  name: 'completeness',
  sql: `
    with missing as materialized (
      select count(*)::int as count, min(name) as first from unnest($1::text[]) as name
       where not exists (
         select from pg_index where indexrelid = to_regclass('${SCHEMA_NAME}.' || quote_ident(name)) and indisvalid))
    select case
      when count > 0 then count || ' keys and indexes, such as ' || first
      when not exists (select from blocks b join chain_tip t on b.height = t.height and b.block_id = t.block_id)
        then 'the newest block'
      when (select transaction_count from chain_tip) > 0
           and not exists (select from transactions where tx_index = (select transaction_count - 1 from chain_tip))
        then 'the newest transaction'
    end as missing
    from missing`,
};
