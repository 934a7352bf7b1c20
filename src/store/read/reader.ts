/**
 * Asks the database. Questions of one kind that arrive while its statements are under way are gathered and asked with
 * one statement: with many clients the database sees few statements, with one client nothing waits.
 */
import type { PostgresOptions } from '../connect.ts';
import { arrayOf } from '../field.ts';
import { Connection } from './connection.ts';
import { judge, StoreError, tooSlow, withoutDatabase } from './error.ts';
import type { Answer, Parameter, Question } from './question.ts';
import { type Sharer, Sharing } from './sharing.ts';

export interface ReaderOptions {
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
/** Statements with answers of any length that are under way at the same time. */
const MOST_WHOLE_STATEMENTS = 2;
/** How often a question is asked when connections are lost under it. */
const MOST_TRIES = 4;
const PAUSE_BEFORE_TRY_MS = 25;
/** How long a question waits for a connection. */
const LONGEST_WAIT_MS = 10_000;
/** How long a question waits when there is no connection at all. */
const LONGEST_WAIT_WITHOUT_DATABASE_MS = 1_500;

// biome-ignore lint/suspicious/noExplicitAny: a lane holds the questions of one kind, whatever their rows are
type AnyRow = any;
type AnyQuestion = Question<readonly Parameter[], AnyRow>;

interface Asker extends Sharer<AnyRow> {
  readonly parameters: readonly Parameter[];
  readonly since: number;
  tries: number;
}

interface Lane {
  readonly question: AnyQuestion;
  readonly mostAskers: number;
  waiting: Asker[];
  underWay: number;
  sentAt: number;
  isScheduled: boolean;
  patience: NodeJS.Timeout | undefined;
}

export class Reader {
  readonly #options: ReaderOptions;
  readonly #connections: Connection[] = [];
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with questions that no connection was free for, in the order in which they asked. */
  readonly #blocked = new Set<Lane>();
  /** What is shared out among the askers of the statements under way. */
  readonly #underWay = new Set<Sharing<AnyRow, Asker>>();
  readonly #watch: NodeJS.Timeout;
  #wholeUnderWay = 0;
  #withoutDatabaseSince: number | null = performance.now();
  #isClosed = false;

  /** The connection that `options.postgres.maxConnections` leaves to the tip's watch is not opened here. */
  constructor(options: ReaderOptions) {
    this.#options = options;
    const count = Math.max(1, options.postgres.maxConnections - 1);
    for (let i = 0; i < count; i++) {
      this.#connections.push(
        new Connection(options.postgres, options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS, {
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
  ask<P extends readonly Parameter[], Row>(question: Question<P, Row>, ...parameters: P): Promise<Answer<Row>> {
    return this.#enter(this.#lane(question, MOST_ASKERS), parameters);
  }

  /** Asks a question whose answer may be of any length: alone, and only few at a time. Throws a {@link StoreError}. */
  askWhole<P extends readonly Parameter[], Row>(question: Question<P, Row>, ...parameters: P): Promise<Answer<Row>> {
    return this.#enter(this.#lane(question, 1), parameters);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watch);
    for (const connection of this.#connections) connection.close();
    for (const lane of this.#lanes.values()) {
      for (const asker of lane.waiting.splice(0))
        asker.reject(new StoreError('unavailable', 'The server is stopping.'));
    }
  }

  #lane(question: AnyQuestion, mostAskers: number): Lane {
    const key = mostAskers === 1 ? `${question.name} alone` : question.name;
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { question, mostAskers, waiting: [], underWay: 0, sentAt: 0, isScheduled: false, patience: undefined };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #enter(lane: Lane, parameters: readonly Parameter[]): Promise<Answer<AnyRow>> {
    if (this.#isClosed) return Promise.reject(new StoreError('unavailable', 'The server is stopping.'));
    const since = performance.now();
    if (this.#withoutDatabaseSince !== null && since - this.#withoutDatabaseSince > LONGEST_WAIT_WITHOUT_DATABASE_MS) {
      return Promise.reject(withoutDatabase());
    }
    if (this.#options.isSilent?.()) return Promise.reject(withoutDatabase());
    return new Promise((resolve, reject) => {
      lane.waiting.push({ parameters, since, tries: 0, resolve, reject });
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
      const askers = lane.waiting.splice(0, lane.mostAskers);
      const isWhole = lane.mostAskers === 1;
      lane.underWay++;
      lane.sentAt = performance.now();
      if (isWhole) this.#wholeUnderWay++;
      const sharing = new Sharing<AnyRow, Asker>(lane.question.key, askers);
      this.#underWay.add(sharing);
      connection.run<AnyRow>(lane.question, columns(lane.question, askers), {
        row: (row) => sharing.add(row),
        done: (error) => {
          this.#underWay.delete(sharing);
          lane.underWay--;
          if (isWhole) this.#wholeUnderWay--;
          if (error) this.#fail(lane, sharing.fail(), error);
          else sharing.end();
        },
      });
    }
    this.#blocked.delete(lane);
  }

  #mustWait(lane: Lane): boolean {
    if (lane.mostAskers === 1) return this.#wholeUnderWay >= MOST_WHOLE_STATEMENTS;
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

  #fail(lane: Lane, askers: readonly Asker[], error: Error): void {
    const { kind, isWorthAnotherTry, message } = judge(error);
    const again: Asker[] = [];
    const now = performance.now();
    for (const asker of askers) {
      asker.tries++;
      const isPatient = asker.tries < MOST_TRIES && now - asker.since < LONGEST_WAIT_WITHOUT_DATABASE_MS;
      if (isWorthAnotherTry && isPatient && !this.#isClosed) {
        again.push(asker);
      } else asker.reject(new StoreError(kind, message, error));
    }
    if (again.length === 0) return;
    lane.waiting.unshift(...again);
    this.#blocked.add(lane);
    // Where one connection was lost, the next may be lost as well and not know it yet.
    setTimeout(() => this.#send(lane), PAUSE_BEFORE_TRY_MS).unref();
  }

  #onIdle(): void {
    if (this.#withoutDatabaseSince !== null) {
      this.#withoutDatabaseSince = null;
      this.#options.logger.info({}, 'Connected to the database.');
    }
    for (const lane of this.#blocked) this.#send(lane);
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
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    const asked = [...this.#underWay].flatMap((sharing) => sharing.fail());
    for (const asker of [...waiting, ...asked]) asker.reject(withoutDatabase());
  }

  #lookAround(): void {
    for (const connection of this.#connections) connection.cutWhenStuck();
    if (this.#options.isSilent?.()) this.#giveUp();
    const now = performance.now();
    const longest = this.isConnected ? LONGEST_WAIT_MS : LONGEST_WAIT_WITHOUT_DATABASE_MS;
    for (const lane of this.#blocked) {
      const patient = lane.waiting.filter((asker) => now - asker.since <= longest);
      for (const asker of lane.waiting) {
        if (now - asker.since > longest) asker.reject(this.isConnected ? tooSlow() : withoutDatabase());
      }
      lane.waiting = patient;
      this.#send(lane);
    }
  }
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
