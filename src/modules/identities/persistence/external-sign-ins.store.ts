import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ExternalMethod } from '../../auth/sign-in-method.js';
import type { CheckedIdentity } from '../checked-identity.js';
import { type SignInSource, sourceOf } from '../sign-in-source.js';

interface NewSignIn {
  readonly id: string;
  readonly source: SignInSource;
  /** The person who connects an identity; null for a sign-in. */
  readonly userId: string | null;
  readonly returnTo: string;
  readonly challenge: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** What a sign-in gets when a browser begins it at the provider. */
interface Start {
  readonly browserHash: Buffer;
  readonly stateHash: Buffer;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in whose answer was taken, and what was remembered for it. */
export interface TakenAnswer {
  readonly id: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A sign-in that its browser may finish: the provider has answered. */
export interface AnsweredSignIn {
  readonly returnTo: string;
  /** Null when the provider, or this service, has refused it. */
  readonly refusal: string | null;
}

/** A sign-in whose code was shown. */
export interface RedeemableSignIn {
  readonly id: string;
  readonly userId: string | null;
  readonly challenge: string;
  readonly identity: CheckedIdentity;
}

/**
 * Sign-ins through providers. Each step is one statement that only one of several calls at once can win, in all
 * processes together. State, browser and code are stored as hashes; nonce and verifier sign nobody in without them.
 */
@Injectable()
export class ExternalSignInsStore {
  constructor(private readonly database: Database) {}

  async insert({ id, source, userId, returnTo, challenge, createdAt, expiresAt }: NewSignIn): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO external_sign_ins
        (id, provider, connection_id, user_id, return_to, challenge, created_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, source.provider, source.connectionId ?? null, userId, returnTo, challenge, createdAt, expiresAt],
    );
  }

  /** Where a sign-in leads that no answer has come to, unless another browser has begun it. */
  async findStartable(id: string, browsers: readonly Buffer[], now: Date): Promise<SignInSource | undefined> {
    const [row] = await this.database.manager.query<{ provider: ExternalMethod; connectionId: string | null }[]>(
      `
      SELECT provider, connection_id AS "connectionId" FROM external_sign_ins
      WHERE id = $1 AND answered_at IS NULL AND expires_at > $2 AND (browser_hash IS NULL OR browser_hash = ANY($3))`,
      [id, now, browsers],
    );
    return row && sourceOf(row.provider, row.connectionId);
  }

  /** Binds a sign-in to the browser that begins it. A browser may begin again, which ends its first attempt. */
  async start(
    id: string,
    { browserHash, stateHash, nonce, verifier }: Start,
    { browsers, now }: { readonly browsers: readonly Buffer[]; readonly now: Date },
  ): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE external_sign_ins SET browser_hash = $2, state_hash = $3, nonce = $4, verifier = $5
      WHERE id = $1 AND answered_at IS NULL AND expires_at > $6 AND (browser_hash IS NULL OR browser_hash = ANY($7))`,
      [id, browserHash, stateHash, nonce, verifier, now, browsers],
    );
    return count === 1;
  }

  /** Takes the one answer of the provider that a state may have. */
  async take(
    states: readonly Buffer[],
    { provider, connectionId }: SignInSource,
    now: Date,
  ): Promise<TakenAnswer | undefined> {
    const [[row]] = await this.database.manager.query<[TakenAnswer[], number]>(
      `
      UPDATE external_sign_ins SET answered_at = $3
      WHERE state_hash = ANY($1) AND provider = $2 AND connection_id IS NOT DISTINCT FROM $4
        AND answered_at IS NULL AND expires_at > $3
      RETURNING id, nonce, verifier`,
      [states, provider, now, connectionId ?? null],
    );
    return row;
  }

  async keepIdentity(id: string, identity: CheckedIdentity): Promise<void> {
    await this.database.manager.query(
      'UPDATE external_sign_ins SET identity = $2 WHERE id = $1 AND answered_at IS NOT NULL AND identity IS NULL',
      [id, JSON.stringify(identity)],
    );
  }

  async keepRefusal(id: string, refusal: string): Promise<void> {
    await this.database.manager.query(
      'UPDATE external_sign_ins SET refusal = $2 WHERE id = $1 AND answered_at IS NOT NULL AND identity IS NULL',
      [id, refusal],
    );
  }

  /** Ends the part of the browser, with a code for an identity. Undefined unless this browser has begun it. */
  async finish(
    id: string,
    browsers: readonly Buffer[],
    { codeHash, now, codeExpiresAt }: { readonly codeHash: Buffer; readonly now: Date; readonly codeExpiresAt: Date },
  ): Promise<AnsweredSignIn | undefined> {
    const [[row]] = await this.database.manager.query<[AnsweredSignIn[], number]>(
      `
      UPDATE external_sign_ins
      SET code_hash = CASE WHEN identity IS NULL THEN NULL ELSE $3::bytea END,
          code_expires_at = CASE WHEN identity IS NULL THEN NULL ELSE $5::timestamptz END
      WHERE id = $1 AND browser_hash = ANY($2) AND code_hash IS NULL AND expires_at > $4
        AND (identity IS NOT NULL OR refusal IS NOT NULL)
      RETURNING return_to AS "returnTo", refusal`,
      [id, browsers, codeHash, now, codeExpiresAt],
    );
    return row;
  }

  /** Finds what a code stands for, without using it up. */
  async findByCode(id: string, codes: readonly Buffer[], now: Date): Promise<RedeemableSignIn | undefined> {
    const [row] = await this.database.manager.query<RedeemableSignIn[]>(
      `
      SELECT id, user_id AS "userId", challenge, identity FROM external_sign_ins
      WHERE id = $1 AND code_hash = ANY($2) AND code_expires_at > $3`,
      [id, codes, now],
    );
    return row;
  }

  /** Uses the sign-in up. Returns true for one of several calls at once. */
  async delete(id: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      'DELETE FROM external_sign_ins WHERE id = $1',
      [id],
    );
    return count === 1;
  }

  /** Deletes those that have not ended yet and lead through a connection. */
  async deleteAllThrough(connectionId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM external_sign_ins WHERE connection_id = $1', [connectionId]);
  }

  /** Deletes those with which a person connects an identity. */
  async deleteAllOf(userId: string): Promise<void> {
    await this.database.manager.query('DELETE FROM external_sign_ins WHERE user_id = $1', [userId]);
  }

  /** Deletes up to `limit` rows that ended before a time, and returns how many. */
  async deleteExpired(before: Date, limit: number): Promise<number> {
    const [, count] = await this.database.manager.query<[unknown[], number]>(
      `
      DELETE FROM external_sign_ins WHERE id IN (
        SELECT id FROM external_sign_ins WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [before, limit],
    );
    return count;
  }
}
