import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import { SessionInvalid, SessionRequired } from './auth.errors.js';
import type { Call } from './caller.js';
import type { Session } from './persistence/session.entity.js';
import { SessionsStore } from './persistence/sessions.store.js';
import { SecretHasher } from './secret-hasher.js';
import { SessionHistory } from './sessions/session-history.js';
import { SessionNotFound, SessionTokenReused } from './sessions/sessions.errors.js';
import { SESSION_ID } from './sessions/sessions.ids.js';

export type { Session };

const LIFETIME_MS = 30 * 86_400_000;
/** A session in a cookie is prolonged, and its cookie sent again, at most this often. */
const PROLONG_AFTER_MS = 86_400_000;
/** The last use of a session is written at most this often. */
const TOUCH_AFTER_MS = 60_000;
const MAX_USER_AGENT_LENGTH = 300;

/** Where a call without a credential comes from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** True when the token goes into a cookie, where the scripts of a page cannot read it. */
  readonly inCookie?: boolean;
}

/** The session that a token belongs to. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly userId: string;
  readonly expiresAt: Date;
  readonly inCookie: boolean;
  /** True when the session was prolonged just now, so that its cookie has to be sent again. */
  readonly prolonged: boolean;
}

/** A session that was just opened. */
export interface OpenedSession {
  readonly id: string;
  /** The token is returned only once. */
  readonly token: string;
}

export interface IssuedToken {
  /** The token is returned only once. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Sessions of users. Only hashes of tokens are stored. A change applies in every process from the next call on. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsStore,
    private readonly hasher: SecretHasher,
    private readonly history: SessionHistory,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the live session of a token, or undefined for an unknown token or an ended session.
   *
   * @throws {SessionTokenReused} `invalid_session`: the token was replaced earlier. The session is ended.
   */
  async authenticate(token: string): Promise<SessionRecord | undefined> {
    const hashes = this.hasher.hashes(token);
    const now = this.clock.now();
    const live = await this.sessions.findLive(hashes, now);
    if (live === undefined) {
      await this.endIfReused(hashes, now);
      return undefined;
    }
    const { sessionId, userId, expiresAt, inCookie } = live;
    const prolonged = inCookie && expiresAt.getTime() - now.getTime() < LIFETIME_MS - PROLONG_AFTER_MS;
    if (prolonged) await this.sessions.prolong(sessionId, now, endOf(now));
    else if (now.getTime() - live.lastUsedAt.getTime() >= TOUCH_AFTER_MS) await this.sessions.touch(sessionId, now);
    return { sessionId, userId, expiresAt, inCookie, prolonged };
  }

  /** Opens a session in the running transaction. */
  async open(userId: string, { ip, userAgent, inCookie = false }: Origin): Promise<OpenedSession> {
    const token = this.hasher.createToken(inCookie ? 'web' : 'sess');
    const now = this.clock.now();
    const id = this.ids.next(SESSION_ID);
    await this.sessions.insert({
      id,
      userId,
      tokenHash: this.hasher.hash(token).hash,
      inCookie,
      ip,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: endOf(now),
      endedAt: null,
    });
    await this.history.recordStart(id, userId, ip);
    return { id, token };
  }

  /**
   * Replaces the token of the current session, which then lasts thirty days from now. The old token stops working.
   *
   * @throws {SessionInvalid} `invalid_session`: the session has ended meanwhile.
   */
  async rotate(call: Call): Promise<IssuedToken> {
    const token = this.hasher.createToken('sess');
    const now = this.clock.now();
    const expiresAt = endOf(now);
    await this.database.transaction(async () => {
      if (!(await this.sessions.rotate(currentOf(call), this.hasher.hash(token).hash, now, expiresAt)))
        throw new SessionInvalid();
      await this.history.announceRotation(call.principal.user.id);
    });
    return { token, expiresAt };
  }

  /** Finds a session, live or ended. */
  find(id: string): Promise<Session | undefined> {
    return this.sessions.find(id);
  }

  /** Lists the caller's live sessions, newest first. */
  list({ principal }: Call, page: PageRequest): Promise<Page<Session>> {
    return this.sessions.listLive(principal.user.id, page, this.clock.now());
  }

  /** @throws {SessionNotFound} `session_not_found` */
  async end(sessionId: string, call: Call): Promise<void> {
    const userId = call.principal.user.id;
    await this.database.transaction(async () => {
      if (!(await this.sessions.end(sessionId, userId, this.clock.now()))) throw new SessionNotFound();
      await this.history.recordEnd([sessionId], userId, call, 'signed_out');
    });
  }

  /** Ends the session of the call. It does nothing if the session has ended meanwhile. */
  async signOut(call: Call): Promise<void> {
    const userId = call.principal.user.id;
    const sessionId = currentOf(call);
    await this.database.transaction(async () => {
      if (await this.sessions.end(sessionId, userId, this.clock.now()))
        await this.history.recordEnd([sessionId], userId, call, 'signed_out');
    });
  }

  /** Ends all sessions of a user in the running transaction, except the session of the call. */
  async endAll(userId: string, by: Call | AuditActor): Promise<void> {
    const current =
      'principal' in by && by.principal.credential.type === 'session' ? by.principal.credential.sessionId : undefined;
    const ended = await this.sessions.endAll(userId, current, this.clock.now());
    await this.history.recordEnd(ended, userId, by, 'password_changed');
  }

  private async endIfReused(hashes: readonly Buffer[], now: Date): Promise<void> {
    const session = await this.sessions.findRotated(hashes, now);
    if (session === undefined) return;
    await this.database.transaction(async () => {
      if (await this.sessions.end(session.id, session.userId, now))
        await this.history.recordEnd([session.id], session.userId, {}, 'token_reused');
    });
    throw new SessionTokenReused();
  }
}

const endOf = (now: Date): Date => new Date(now.getTime() + LIFETIME_MS);

/** @throws {SessionRequired} `session_required` */
function currentOf({ principal: { credential } }: Call): string {
  if (credential.type !== 'session') throw new SessionRequired();
  return credential.sessionId;
}
