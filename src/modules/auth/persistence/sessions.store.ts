import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { ExternalMethod, SignInMethod } from '../sign-in-method.js';
import { Session } from './session.entity.js';

/** A live session, found by its token. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly inCookie: boolean;
  readonly methods: readonly SignInMethod[];
  readonly authenticatedAt: Date;
  /** The SSO connection that the person came through, or null. */
  readonly connectionId: string | null;
  /** When the person signed in. A session that is opened from another one has the time of that one. */
  readonly signedInAt: Date;
}

/** How the person of a session came in. A session that is opened from another one has the same. */
export type Entry = Pick<LiveSession, 'userId' | 'methods' | 'authenticatedAt' | 'connectionId' | 'signedInAt'>;

/** Which sessions and sign-ins of a user end. */
interface EndedOpenings {
  readonly userId: string;
  readonly provider: ExternalMethod;
  /** Undefined for all of the provider. */
  readonly connectionId?: string | null | undefined;
}

/** When a session must have been opened, and used, to be live. */
export interface LiveLimits {
  readonly openedAfter: Date;
  /** Undefined when sessions do not end because nobody uses them. */
  readonly usedAfter: Date | undefined;
}

/** Holds for sessions that are live at $2, with {@link LiveLimits} as $3 and $4. */
const LIVE = `ended_at IS NULL AND expires_at > $2
        AND ($3::timestamptz IS NULL OR last_used_at > $3) AND created_at > $4`;

const ENTRY = `methods, authenticated_at AS "authenticatedAt", connection_id AS "connectionId",
             signed_in_at AS "signedInAt"`;

/** How many replaced tokens of a session are still recognized. */
const KNOWN_ROTATED_TOKENS = 5;

@Injectable()
export class SessionsStore {
  constructor(private readonly database: Database) {}

  async insert(session: Omit<Session, 'rotatedFrom'>): Promise<void> {
    await this.database.manager.insert(Session, session);
  }

  async find(id: string): Promise<Session | undefined> {
    return (await this.database.manager.findOneBy(Session, { id })) ?? undefined;
  }

  async isLive(id: string, now: Date): Promise<boolean> {
    const rows = await this.database.manager.query<unknown[]>(
      'SELECT 1 FROM sessions WHERE id = $1 AND ended_at IS NULL AND expires_at > $2',
      [id, now],
    );
    return rows.length > 0;
  }

  /** Finds the live session of a token, unless it was opened, or last used, too long ago. */
  async findLive(
    hashes: readonly Buffer[],
    now: Date,
    { openedAfter, usedAfter }: LiveLimits,
  ): Promise<LiveSession | undefined> {
    const [row] = await this.database.manager.query<LiveSession[]>(
      `
      SELECT id AS "sessionId", user_id AS "userId", created_at AS "createdAt", last_used_at AS "lastUsedAt",
             expires_at AS "expiresAt", in_cookie AS "inCookie", ${ENTRY}
      FROM sessions
      WHERE token_hash = ANY($1) AND ${LIVE}`,
      [hashes, now, usedAfter ?? null, openedAfter],
    );
    return row;
  }

  /** {@link findLive} by the id. The session cannot end before the running transaction does. */
  async shareLive(id: string, now: Date, { openedAfter, usedAfter }: LiveLimits): Promise<Entry | undefined> {
    const [row] = await this.database.manager.query<Entry[]>(
      `
      SELECT user_id AS "userId", ${ENTRY} FROM sessions
      WHERE id = $1 AND ${LIVE}
      FOR SHARE`,
      [id, now, usedAfter ?? null, openedAfter],
    );
    return row;
  }

  /** Finds the live session that had this token before a rotation. */
  async findRotated(hashes: readonly Buffer[], now: Date): Promise<{ id: string; userId: string } | undefined> {
    const [row] = await this.database.manager.query<{ id: string; userId: string }[]>(
      `
      SELECT id, user_id AS "userId" FROM sessions
      WHERE rotated_from && $1::bytea[] AND ended_at IS NULL AND expires_at > $2`,
      [hashes, now],
    );
    return row;
  }

  /** Replaces the token. Returns true when the session was live. */
  async rotate(id: string, tokenHash: Buffer, now: Date, expiresAt: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE sessions
      SET rotated_from = (array_prepend(token_hash, rotated_from))[1:${KNOWN_ROTATED_TOKENS}],
          token_hash = $2, last_used_at = $3, expires_at = $4
      WHERE id = $1 AND ended_at IS NULL AND expires_at > $3`,
      [id, tokenHash, now, expiresAt],
    );
    return changed === 1;
  }

  /** Notes that the person of a live session has shown more. Returns false for a session that has ended. */
  async confirm(id: string, methods: readonly SignInMethod[], now: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE sessions
      SET methods = ARRAY(SELECT DISTINCT unnest(methods || $2::text[])), authenticated_at = $3
      WHERE id = $1 AND ended_at IS NULL AND expires_at > $3`,
      [id, methods, now],
    );
    return changed === 1;
  }

  async touch(id: string, now: Date): Promise<void> {
    await this.database.manager.query('UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2', [
      id,
      now,
    ]);
  }

  /** Moves the end of a live session. It never moves back, and an ended session stays ended. */
  async prolong(id: string, now: Date, expiresAt: Date): Promise<void> {
    await this.database.manager.query(
      `
      UPDATE sessions SET expires_at = $3, last_used_at = greatest(last_used_at, $2)
      WHERE id = $1 AND ended_at IS NULL AND expires_at > $2 AND expires_at < $3`,
      [id, now, expiresAt],
    );
  }

  /** Ends a session. Returns true when the user had a live session with this id. */
  async end(id: string, userId: string, now: Date): Promise<boolean> {
    const [, changed] = await this.database.manager.query<[unknown, number]>(
      'UPDATE sessions SET ended_at = $3 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL AND expires_at > $3',
      [id, userId, now],
    );
    return changed === 1;
  }

  /** Ends all sessions of a user except one, and the sign-ins that wait for a second factor. Returns the ids. */
  async endAll(userId: string, exceptId: string | undefined, now: Date): Promise<string[]> {
    await this.prepareEnd(userId);
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE sessions SET ended_at = $3
      WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL AND expires_at > $3 RETURNING id`,
      [userId, exceptId ?? null, now],
    );
    return rows.map(({ id }) => id);
  }

  /** {@link endAll} for the sessions that were opened until a time. */
  async endOpenedUntil(userId: string, until: Date, now: Date): Promise<string[]> {
    await this.prepareEnd(userId);
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE sessions SET ended_at = $3
      WHERE user_id = $1 AND created_at <= $2 AND ended_at IS NULL AND expires_at > $3 RETURNING id`,
      [userId, until, now],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns up to `limit` users who have live sessions that were opened until a time. */
  async usersSignedInUntil(until: Date, now: Date, limit: number): Promise<string[]> {
    const rows = await this.database.manager.query<{ userId: string }[]>(
      `
      SELECT DISTINCT user_id AS "userId" FROM sessions
      WHERE created_at <= $1 AND ended_at IS NULL AND expires_at > $2 LIMIT $3`,
      [until, now, limit],
    );
    return rows.map(({ userId }) => userId);
  }

  async deleteAllOf(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM sign_in_flows WHERE user_id = $1', [userId]);
    await this.database.manager.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
  }

  /** {@link endAll} for the sessions and sign-ins that a provider or a connection has opened. */
  async endOpenedThrough(
    { userId, provider, connectionId = null }: EndedOpenings,
    exceptId: string | undefined,
    now: Date,
  ): Promise<string[]> {
    await this.database.manager.query(
      'DELETE FROM sign_in_flows WHERE user_id = $1 AND method = $2 AND ($3::text IS NULL OR connection_id = $3)',
      [userId, provider, connectionId],
    );
    await this.lockAllOf(userId);
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE sessions SET ended_at = $4
      WHERE user_id = $1 AND $2 = ANY(methods) AND ($5::text IS NULL OR connection_id = $5)
        AND id IS DISTINCT FROM $3 AND ended_at IS NULL AND expires_at > $4
      RETURNING id`,
      [userId, provider, exceptId ?? null, now, connectionId],
    );
    return rows.map(({ id }) => id);
  }

  /** Lists live sessions, newest first. */
  async listLive(userId: string, page: PageRequest, now: Date): Promise<Page<Session>> {
    const query = this.database.manager
      .createQueryBuilder(Session, 'session')
      .where('session.userId = :userId AND session.endedAt IS NULL AND session.expiresAt > :now', { userId, now })
      .orderBy('session.id', 'DESC')
      .limit(page.limit + 1);
    if (page.after !== undefined) query.andWhere('session.id < :after', { after: page.after });
    return pageOf(await query.getMany(), page, ({ id }) => id);
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE coalesce(ended_at, expires_at) < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }

  /** Ends the sign-ins that wait for a second factor, and waits for those that open a session. */
  private async prepareEnd(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM sign_in_flows WHERE user_id = $1', [userId]);
    await this.lockAllOf(userId);
  }

  /**
   * Waits for sessions that are being opened from others of the user, see {@link shareLive}. Only a statement that
   * begins afterwards sees them.
   */
  private async lockAllOf(userId: string): Promise<void> {
    await this.database.manager.query(
      'SELECT 1 FROM sessions WHERE user_id = $1 AND ended_at IS NULL ORDER BY id FOR UPDATE',
      [userId],
    );
  }
}
