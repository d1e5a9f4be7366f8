import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A sign-in that nobody has decided on. */
export interface WaitingSignIn {
  readonly id: string;
  /** What the program calls itself. */
  readonly clientName: string;
  readonly returnTo: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A sign-in whose code was shown. */
export interface ApprovedSignIn {
  /** The session that approved it. */
  readonly sessionId: string;
  readonly challenge: string;
}

interface Approval {
  readonly sessionId: string;
  readonly codeHash: Buffer;
  readonly now: Date;
  readonly codeExpiresAt: Date;
}

/** Sign-ins of programs. Of several decisions on one at once, in all processes together, one counts. */
@Injectable()
export class BrowserSignInsStore {
  constructor(private readonly database: Database) {}

  async insert(
    { id, clientName, returnTo, createdAt, expiresAt }: WaitingSignIn,
    { challenge }: { readonly challenge: string },
  ): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO browser_sign_ins (id, client_name, return_to, challenge, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, clientName, returnTo, challenge, createdAt, expiresAt],
    );
  }

  async findWaiting(id: string, now: Date): Promise<WaitingSignIn | undefined> {
    const [row] = await this.database.manager.query<WaitingSignIn[]>(
      `
      SELECT id, client_name AS "clientName", return_to AS "returnTo", created_at AS "createdAt",
             expires_at AS "expiresAt"
      FROM browser_sign_ins WHERE id = $1 AND session_id IS NULL AND expires_at > $2`,
      [id, now],
    );
    return row;
  }

  /** Returns where the sign-in returns to, or undefined when nothing waits for a decision. */
  async approve(id: string, { sessionId, codeHash, now, codeExpiresAt }: Approval): Promise<string | undefined> {
    const [[row]] = await this.database.manager.query<[{ returnTo: string }[], number]>(
      `
      UPDATE browser_sign_ins SET session_id = $2, code_hash = $3, code_expires_at = $4
      WHERE id = $1 AND session_id IS NULL AND expires_at > $5
      RETURNING return_to AS "returnTo"`,
      [id, sessionId, codeHash, codeExpiresAt, now],
    );
    return row?.returnTo;
  }

  /** {@link approve} for the other decision, which ends the sign-in. */
  async deny(id: string, now: Date): Promise<string | undefined> {
    const [[row]] = await this.database.manager.query<[{ returnTo: string }[], number]>(
      `
      DELETE FROM browser_sign_ins WHERE id = $1 AND session_id IS NULL AND expires_at > $2
      RETURNING return_to AS "returnTo"`,
      [id, now],
    );
    return row?.returnTo;
  }

  /** Finds what a code stands for, without using it up. */
  async findByCode(id: string, codes: readonly Buffer[], now: Date): Promise<ApprovedSignIn | undefined> {
    const [row] = await this.database.manager.query<ApprovedSignIn[]>(
      `
      SELECT session_id AS "sessionId", challenge FROM browser_sign_ins
      WHERE id = $1 AND code_hash = ANY($2) AND code_expires_at > $3`,
      [id, codes, now],
    );
    return row;
  }

  /** Uses the sign-in up. Returns true for one of several calls at once. */
  async delete(id: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM browser_sign_ins WHERE id = $1',
      [id],
    );
    return count === 1;
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM browser_sign_ins WHERE id IN (
        SELECT id FROM browser_sign_ins WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
