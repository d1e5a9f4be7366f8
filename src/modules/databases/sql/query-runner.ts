import { Injectable } from '@nestjs/common';
import { DatabaseAccess } from '../database-access.js';
import { DatabaseUnavailable, QueryFailed, QueryTimeout, StatementInterrupted } from '../databases.errors.js';
import type { DatabaseRole } from '../engine/database-engine.js';
import { QueryRoom } from './query-room.js';
import { QuerySession } from './query-session.js';
import { type Statement, type StatementResult, StatementRun } from './statement-run.js';

/** How long a cancelled statement may take to end. Then its connection does. */
const CANCEL_WITHIN_MS = 1_000;
const CANCELLED = '57014';

/** Results are written alike, whatever a tenant has set for its roles. */
const FORMATS = {
  application_name: 'service',
  client_encoding: 'UTF8',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
};

/**
 * The snapshot is taken before the caller's statement, because a transaction can be made writable until then.
 */
const BEGIN_READ = 'BEGIN READ ONLY; SELECT 1';

export type QueryAccess = 'read' | 'write';

export interface QueryInput extends Statement {
  readonly access: QueryAccess;
  readonly timeoutMs: number;
  /**
   * For statements of our own. They run as `platform`, in the database where tenants have no names. Only servers of the
   * engine `own` have it.
   */
  readonly isAsPlatform?: boolean;
  /** Further settings of the session. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface QueryPlace {
  readonly databaseId: string;
  readonly orgId: string;
}

/**
 * Runs one statement in a session of its own, with a limit on its time. With `read`, nothing is ever committed: the
 * transaction is read-only, the role may only read, and the session ends without a commit.
 */
@Injectable()
export class QueryRunner {
  constructor(
    private readonly access: DatabaseAccess,
    private readonly room: QueryRoom,
  ) {}

  /**
   * @throws {QueryFailed} `query_failed`
   * @throws {QueryTimeout} `query_timeout`
   * @throws {DatabaseUnavailable} `database_unavailable`; {@link StatementInterrupted} after a write was sent.
   * @throws {ServiceUnavailable} `service_unavailable`
   */
  run(place: QueryPlace, input: QueryInput, signal?: AbortSignal): Promise<StatementResult> {
    return this.room.within(place.orgId, async () => {
      const session = new QuerySession(
        await this.access.open({
          databaseId: place.databaseId,
          role: roleOf(input),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      try {
        return await this.runIn(session, place, input);
      } finally {
        session.end();
        setTimeout(() => {
          session.destroy();
        }, CANCEL_WITHIN_MS).unref();
      }
    });
  }

  private async runIn(session: QuerySession, { databaseId }: QueryPlace, input: QueryInput): Promise<StatementResult> {
    const isRead = input.access === 'read';
    await session.begin({
      ...FORMATS,
      ...input.settings,
      statement_timeout: String(input.timeoutMs),
      ...(isRead ? { default_transaction_read_only: 'on' } : {}),
    });
    if (isRead) await session.run(BEGIN_READ);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      void this.cancel(databaseId, session);
    }, input.timeoutMs);
    try {
      return await new StatementRun(session, input, this.room).run();
    } catch (error) {
      const isCancelled = error instanceof QueryFailed && isCancel(error);
      if (late.signal.aborted || isCancelled) throw new QueryTimeout(input.timeoutMs, error instanceof QueryFailed);
      if (!isRead && error instanceof DatabaseUnavailable) throw new StatementInterrupted({ cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** From outside, because a statement can hold off a limit that its own session has. */
  private async cancel(databaseId: string, session: QuerySession): Promise<void> {
    setTimeout(() => {
      session.destroy();
    }, CANCEL_WITHIN_MS).unref();
    const packet = session.cancelPacket;
    if (packet === undefined) return;
    try {
      const stream = await this.access.open({ databaseId, role: 'reader' });
      stream.on('error', () => stream.destroy());
      stream.end(packet);
      stream.resume();
    } catch {
      // The connection ends anyway, and with it the statement.
    }
  }
}

const roleOf = ({ isAsPlatform, access }: QueryInput): DatabaseRole =>
  isAsPlatform === true ? 'platform' : access === 'read' ? 'reader' : 'owner';

const isCancel = ({ help: { details } }: QueryFailed): boolean =>
  (details as { sql_state: string }).sql_state === CANCELLED;
