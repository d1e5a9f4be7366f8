import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import { Session } from './session.entity.js';

/** A live session, found by its token. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly inCookie: boolean;
}

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

  async findLive(hashes: readonly Buffer[], now: Date): Promise<LiveSession | undefined> {
    const [row] = await this.database.manager.query<LiveSession[]>(
      `
      SELECT id AS "sessionId", user_id AS "userId", last_used_at AS "lastUsedAt", expires_at AS "expiresAt",
             in_cookie AS "inCookie"
      FROM sessions WHERE token_hash = ANY($1) AND ended_at IS NULL AND expires_at > $2`,
      [hashes, now],
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

  /** Ends all sessions of a user except one, and returns their ids. */
  async endAll(userId: string, exceptId: string | undefined, now: Date): Promise<string[]> {
    const [rows] = await this.database.manager.query<[{ id: string }[], number]>(
      `
      UPDATE sessions SET ended_at = $3
      WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND ended_at IS NULL AND expires_at > $3 RETURNING id`,
      [userId, exceptId ?? null, now],
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
}
