/**
 * Asks the database. Questions of one kind that arrive while its statements are under way are gathered and asked with
 * one statement: with many clients the database sees few statements, with one client nothing waits.
 */

import { arrayOf } from '../postgres/column-types.ts';
import type { PostgresOptions } from '../postgres/connect.ts';
import type { BatchedQuery, Parameter, SnapshotRows } from './batched-query.ts';
import { currentClient } from './current-client.ts';
import { FairQueue } from './fair-queue.ts';
import { ReadConnection } from './read-connection.ts';
import { RowDistributor, type RowWaiter } from './row-distributor.ts';
import { classifyPgError, databaseUnavailableError, StoreError, tooSlowError } from './store-error.ts';

export interface QueryBatcherOptions {
  readonly postgres: PostgresOptions;
  /** After so long PostgreSQL cancels a statement. */
  readonly statementTimeoutMs?: number;
  /** Has the database been silent for so long that nobody should wait for it? */
  readonly isSilent?: () => boolean;
  readonly logger: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
}

const STATEMENT_TIMEOUT_MS = 10_000;
/** Answers of at most so many askers come from one statement. */
const MOST_ASKERS = 100;
/**
 * While a statement of a kind is under way, questions of that kind wait for it: the next statement then answers all of
 * them. Only when it takes longer than this, another one is sent beside it.
 */
const PATIENCE_MS = 3;
/** So many turns of the event loop are waited for more askers, some ten microseconds each. */
const MOST_TURNS = 6;
/** Statements of one kind that are under way at the same time. */
const MOST_STATEMENTS_OF_A_KIND = 4;
/** Statements of a single asker, which may take long, that are under way at the same time. */
const MOST_ALONE_STATEMENTS = 2;
/** Questions that took too long, of which so many are remembered: they are asked alone from then on. */
const MOST_SLOW_QUESTIONS = 10_000;
/** One that took no longer than this is asked together with others again. */
const NO_LONGER_SLOW_MS = 1_000;
/** How often a question is asked when connections are lost under it. */
const MOST_TRIES = 4;
const PAUSE_BEFORE_TRY_MS = 25;
/** How long a question waits for a connection. */
const LONGEST_WAIT_MS = 10_000;
/** How long a question waits when there is no connection at all. */
const LONGEST_WAIT_WITHOUT_DATABASE_MS = 1_500;

// biome-ignore lint/suspicious/noExplicitAny: a lane holds the questions of one kind, whatever their rows are
type AnyRow = any;
type AnyQuestion = BatchedQuery<readonly Parameter[], AnyRow>;

interface Asker extends RowWaiter<AnyRow> {
  readonly question: AnyQuestion;
  readonly parameters: readonly Parameter[];
  /** Who takes turns with others. */
  readonly client: string;
  since: number;
  tries: number;
}

/** The askers of one kind of question, who are answered together. */
interface Lane {
  readonly question: AnyQuestion;
  waiting: Asker[];
  underWay: number;
  sentAt: number;
  isScheduled: boolean;
  patience: NodeJS.Timeout | undefined;
}

export class QueryBatcher {
  readonly #options: QueryBatcherOptions;
  readonly #connections: ReadConnection[] = [];
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with questions that no connection was free for, in the order in which they asked. */
  readonly #blocked = new Set<Lane>();
  /** What is shared out among the askers of the statements under way. */
  readonly #underWay = new Set<RowDistributor<AnyRow, Asker>>();
  readonly #watch: NodeJS.Timeout;
  /** Who is answered alone: what is asked may be long, or was slow when it was asked with others. */
  readonly #alone = new FairQueue<Asker>();
  readonly #slow = new Set<string>();
  #aloneUnderWay = 0;
  #withoutDatabaseSince: number | null = performance.now();
  #isClosed = false;

  /** The connection that `options.postgres.maxConnections` leaves to the tip's watch is not opened here. */
  constructor(options: QueryBatcherOptions) {
    this.#options = options;
    const count = Math.max(1, options.postgres.maxConnections - 1);
    for (let i = 0; i < count; i++) {
      this.#connections.push(
        new ReadConnection(options.postgres, options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS, {
          onIdle: () => this.#onIdle(),
          onLost: (error) => this.#onLost(error),
        }),
      );
    }
    this.#watch = setInterval(() => this.#lookAround(), 250);
    this.#watch.unref();
  }

  /** Opens the connections; throws what the first one met, while all go on trying. */
  async open(): Promise<void> {
    const [first, ...rest] = this.#connections;
    try {
      await first!.open();
    } finally {
      for (const connection of rest) connection.open().catch(() => {});
    }
  }

  /** Is there a connection to the database? */
  get isConnected(): boolean {
    return this.#withoutDatabaseSince === null;
  }

  /** Asks a question whose answer is short. Throws a {@link StoreError}. */
  query<P extends readonly Parameter[], Row>(
    question: BatchedQuery<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>> {
    return this.#enter(question, parameters, this.#slow.size > 0 && this.#slow.has(nameOf(question, parameters)));
  }

  /**
   * Asks a question whose answer may be of any length: alone, and only few at a time, in turns with other clients.
   * Throws a {@link StoreError}.
   */
  queryUnbatched<P extends readonly Parameter[], Row>(
    question: BatchedQuery<P, Row>,
    ...parameters: P
  ): Promise<SnapshotRows<Row>> {
    return this.#enter(question, parameters, true);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watch);
    for (const connection of this.#connections) connection.close();
    for (const asker of this.#takeWaiting()) asker.reject(new StoreError('unavailable', 'The server is stopping.'));
  }

  #takeWaiting(): Asker[] {
    const together = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    return [...together, ...this.#alone.remove(() => true)];
  }

  #lane(question: AnyQuestion): Lane {
    let lane = this.#lanes.get(question.name);
    if (!lane) {
      lane = { question, waiting: [], underWay: 0, sentAt: 0, isScheduled: false, patience: undefined };
      this.#lanes.set(question.name, lane);
    }
    return lane;
  }

  #enter(question: AnyQuestion, parameters: readonly Parameter[], isAlone: boolean): Promise<SnapshotRows<AnyRow>> {
    if (this.#isClosed) return Promise.reject(new StoreError('unavailable', 'The server is stopping.'));
    const since = performance.now();
    if (this.#withoutDatabaseSince !== null && since - this.#withoutDatabaseSince > LONGEST_WAIT_WITHOUT_DATABASE_MS) {
      return Promise.reject(databaseUnavailableError());
    }
    if (this.#options.isSilent?.()) return Promise.reject(databaseUnavailableError());
    const client = currentClient();
    return new Promise((resolve, reject) => {
      const asker: Asker = { question, parameters, client, since, tries: 0, resolve, reject };
      if (isAlone) {
        this.#alone.add(client, asker);
        this.#sendAlone();
        return;
      }
      const lane = this.#lane(question);
      lane.waiting.push(asker);
      if (!lane.isScheduled) this.#gather(lane);
    });
  }

  /** Sends after as many turns of the event loop as bring new askers: requests come in one by one, not all at once. */
  #gather(lane: Lane): void {
    lane.isScheduled = true;
    let gathered = 0;
    let turns = 0;
    const turn = (): void => {
      if (lane.waiting.length > gathered && turns++ < MOST_TURNS) {
        gathered = lane.waiting.length;
        setImmediate(turn);
        return;
      }
      lane.isScheduled = false;
      this.#send(lane);
    };
    setImmediate(turn);
  }

  #send(lane: Lane): void {
    while (lane.waiting.length > 0) {
      const connection = this.#connections.find((candidate) => candidate.state === 'idle');
      if (!connection || this.#mustWait(lane)) {
        this.#blocked.add(lane);
        return;
      }
      const askers = lane.waiting.splice(0, MOST_ASKERS);
      lane.underWay++;
      lane.sentAt = performance.now();
      this.#run(connection, lane.question, askers, (unanswered, error) => {
        lane.underWay--;
        if (error) this.#fail(unanswered, error);
      });
    }
    this.#blocked.delete(lane);
  }

  #sendAlone(): void {
    while (this.#alone.size > 0 && this.#aloneUnderWay < MOST_ALONE_STATEMENTS) {
      const connection = this.#connections.find((candidate) => candidate.state === 'idle');
      if (!connection) return;
      const asker = this.#alone.next()!;
      const sentAt = performance.now();
      this.#aloneUnderWay++;
      this.#run(connection, asker.question, [asker], (unanswered, error) => {
        this.#aloneUnderWay--;
        if (error) this.#fail(unanswered, error, true);
        else if (this.#slow.size > 0 && performance.now() - sentAt < NO_LONGER_SLOW_MS) {
          this.#slow.delete(nameOf(asker.question, asker.parameters));
        }
      });
    }
  }

  /** Asks for all of them with one statement; `done` is told who has no answer, and why. */
  #run(
    connection: ReadConnection,
    question: AnyQuestion,
    askers: readonly Asker[],
    done: (unanswered: readonly Asker[], error: Error | null) => void,
  ): void {
    const sharing = new RowDistributor<AnyRow, Asker>(question.presenceColumn, askers);
    this.#underWay.add(sharing);
    connection.run<AnyRow>(question, columns(question, askers), {
      row: (row) => sharing.add(row),
      done: (error) => {
        this.#underWay.delete(sharing);
        if (error) done(sharing.fail(), error);
        else {
          done([], null);
          sharing.end();
        }
      },
    });
  }

  #mustWait(lane: Lane): boolean {
    if (lane.underWay === 0) return false;
    if (lane.underWay >= MOST_STATEMENTS_OF_A_KIND) return true;
    const waitMs = PATIENCE_MS - (performance.now() - lane.sentAt);
    if (waitMs <= 0) return false;
    lane.patience ??= setTimeout(() => {
      lane.patience = undefined;
      this.#send(lane);
    }, waitMs);
    return true;
  }

  /** `askers` shared a statement that failed; `wasAlone` says that it was not one of a lane. */
  #fail(askers: readonly Asker[], error: Error, wasAlone = false): void {
    const { kind, isWorthAnotherTry, message } = classifyPgError(error);
    if (kind === 'too slow' && !this.#isClosed) {
      if (askers.length > 1) {
        this.#askAlone(askers);
        return;
      }
      for (const { question, parameters } of askers) this.#rememberSlow(nameOf(question, parameters));
    }
    const again: Asker[] = [];
    const now = performance.now();
    for (const asker of askers) {
      asker.tries++;
      const isPatient = asker.tries < MOST_TRIES && now - asker.since < LONGEST_WAIT_WITHOUT_DATABASE_MS;
      if (isWorthAnotherTry && isPatient && !this.#isClosed) {
        again.push(asker);
      } else asker.reject(new StoreError(kind, message, error));
    }
    const [first] = again;
    if (first === undefined) return;
    // Where one connection was lost, the next may be lost as well and not know it yet.
    if (wasAlone) {
      for (const asker of again) this.#alone.add(asker.client, asker);
      setTimeout(() => this.#sendAlone(), PAUSE_BEFORE_TRY_MS).unref();
      return;
    }
    const lane = this.#lane(first.question);
    lane.waiting.unshift(...again);
    this.#blocked.add(lane);
    setTimeout(() => this.#send(lane), PAUSE_BEFORE_TRY_MS).unref();
  }

  /** One of those who asked together is slow, and nobody knows which: each is asked once more, for itself. */
  #askAlone(askers: readonly Asker[]): void {
    const now = performance.now();
    for (const asker of askers) {
      asker.since = now;
      this.#alone.add(asker.client, asker);
    }
    this.#sendAlone();
  }

  #rememberSlow(name: string): void {
    if (this.#slow.size >= MOST_SLOW_QUESTIONS) this.#slow.clear();
    this.#slow.add(name);
  }

  #onIdle(): void {
    if (this.#withoutDatabaseSince !== null) {
      this.#withoutDatabaseSince = null;
      this.#options.logger.info({}, 'Connected to the database.');
    }
    for (const lane of this.#blocked) this.#send(lane);
    this.#sendAlone();
  }

  #onLost(error: Error): void {
    if (this.#isClosed || this.#withoutDatabaseSince !== null) return;
    if (this.#connections.some((connection) => connection.state === 'idle' || connection.state === 'busy')) return;
    this.#withoutDatabaseSince = performance.now();
    this.#options.logger.warn(
      { reason: error.message },
      'The database cannot be reached. Requests are answered with 503 until it is back; connecting again.',
    );
  }

  /** Tells everybody who waits that there will be no answer soon; the statements under way may still end by themselves. */
  #giveUp(): void {
    const waiting = this.#takeWaiting();
    const asked = [...this.#underWay].flatMap((sharing) => sharing.fail());
    for (const asker of [...waiting, ...asked]) asker.reject(databaseUnavailableError());
  }

  #lookAround(): void {
    for (const connection of this.#connections) connection.cutWhenStuck();
    if (this.#options.isSilent?.()) this.#giveUp();
    const now = performance.now();
    const longest = this.isConnected ? LONGEST_WAIT_MS : LONGEST_WAIT_WITHOUT_DATABASE_MS;
    for (const lane of this.#blocked) {
      const patient = lane.waiting.filter((asker) => now - asker.since <= longest);
      for (const asker of lane.waiting) {
        if (now - asker.since > longest) asker.reject(this.isConnected ? tooSlowError() : databaseUnavailableError());
      }
      lane.waiting = patient;
      this.#send(lane);
    }
    for (const asker of this.#alone.remove(({ since }) => now - since > longest)) {
      asker.reject(this.isConnected ? tooSlowError() : databaseUnavailableError());
    }
    this.#sendAlone();
  }
}

/** Names what is asked with these parameters. */
function nameOf({ name }: AnyQuestion, parameters: readonly Parameter[]): string {
  return [name, ...parameters].join(' ');
}

function columns(question: AnyQuestion, askers: readonly Asker[]): string[] {
  const numbers = arrayOf(
    'integer',
    askers.map((_, n) => n),
  );
  return [
    numbers,
    ...question.types.map((type, i) =>
      arrayOf(
        type,
        askers.map((asker) => asker.parameters[i]!),
      ),
    ),
  ];
}
