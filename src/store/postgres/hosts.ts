/** Several PostgreSQL servers with the same database: a primary and its replicas. */
import type pg from 'pg';
import { OperatorError } from '../../errors/operator-error.ts';
import {
  closePostgresConnection,
  openPostgresConnection,
  type PostgresOptions,
  SCHEMA_NAME,
  WRITER_LOCK_SQL,
} from './connect.ts';
import { PostgresUnreachableError, postgresErrorToThrow } from './postgres-error.ts';

/** Returns the options for each host, in their order. */
export function optionsOfEachHost({ others = [], ...options }: PostgresOptions): readonly PostgresOptions[] {
  return [options, ...others.map((server) => ({ ...options, ...server }))];
}

/** The timeline of a primary, in hex: it grows with each promotion. Null on a replica. */
export const TIMELINE_SQL = 'case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end';

/** A host that does not answer within this time is passed over. */
const CONNECT_MS = 3_000;

interface ServerState {
  readonly options: PostgresOptions;
  /** Hex; null for a replica. */
  readonly timeline: string | null;
}

/**
 * Returns the options with the server first that can be written to. If there are several, as when an old primary comes back
 * after a promotion, that is the one with the newest timeline. If there is none, a replica that answers is the first. Throws
 * if no server answers.
 */
export async function primaryOf(options: PostgresOptions, applicationName: string): Promise<PostgresOptions> {
  const servers = optionsOfEachHost(options);
  if (servers.length === 1) return options;
  const asked = await Promise.allSettled(servers.map((server) => stateOf(server, applicationName)));
  const answers = asked.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  let found = answers[0];
  for (const answer of answers) if ((answer.timeline ?? '') > (found?.timeline ?? '')) found = answer;
  if (found !== undefined) return { ...found.options, others: servers.filter((server) => server !== found.options) };
  const errors = asked.map((result) => (result as PromiseRejectedResult).reason);
  // One that may come back matters more than one that refuses us.
  throw errors.find((error) => !(error instanceof OperatorError)) ?? errors[0];
}

/** Does the server answer within 3 s? It does, too, if it refuses the connection for a reason that it names. */
export async function serverAnswers(options: PostgresOptions, applicationName: string): Promise<boolean> {
  return stateOf(options, applicationName).then(
    () => true,
    (error) => !(error instanceof PostgresUnreachableError),
  );
}

const stateOf = (options: PostgresOptions, applicationName: string): Promise<ServerState> =>
  asked(options, applicationName, roleOf);

export interface StateWithTip extends ServerState {
  /** Of the tip of its index; 0 without an index. */
  readonly revision: number;
  /** Is a scanner connected, to write to it? */
  readonly isWritten: boolean;
}

/** Returns the role, the timeline and the tip of a server. Throws if it is away. */
export function hostStateWithTip(options: PostgresOptions, applicationName: string): Promise<StateWithTip> {
  return asked(options, applicationName, async (client) => {
    const state = await roleOf(client);
    const { rows } = await client.query<{ exists: boolean; isWritten: boolean }>(
      `select to_regclass('${SCHEMA_NAME}.chain_tip') is not null as exists, exists (${WRITER_LOCK_SQL}) as "isWritten"`,
    );
    const { exists, isWritten } = rows[0]!;
    if (!exists) return { ...state, revision: 0, isWritten };
    const tip = await client.query<{ revision: number }>(`select revision from ${SCHEMA_NAME}.chain_tip`);
    return { ...state, revision: Number(tip.rows[0]?.revision ?? 0), isWritten };
  });
}

async function roleOf(client: pg.Client): Promise<Pick<ServerState, 'timeline'>> {
  const { rows } = await client.query<{ timeline: string | null }>(`select ${TIMELINE_SQL} as timeline`);
  return { timeline: rows[0]!.timeline };
}

/** Asks a server over a connection of its own, for 3 s at most. */
async function asked<Answer extends object>(
  options: PostgresOptions,
  applicationName: string,
  ask: (client: pg.Client) => Promise<Answer>,
): Promise<Answer & { readonly options: PostgresOptions }> {
  const asking = { ...options, timeouts: { ...options.timeouts, connectMs: CONNECT_MS } };
  const client = await openPostgresConnection(asking, applicationName).catch((error: unknown) => {
    throw postgresErrorToThrow(error, options);
  });
  try {
    const silent = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new PostgresUnreachableError(`${options.host} does not answer`)), CONNECT_MS).unref();
    });
    const answer = ask(client);
    answer.catch(() => {});
    return { ...(await Promise.race([answer, silent])), options };
  } finally {
    void closePostgresConnection(client);
  }
}
