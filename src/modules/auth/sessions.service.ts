import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { AuditActor } from '../audit/audit-log.service.js';
import { SessionInvalid, SessionRequired } from './auth.errors.js';
import { AuthSettings } from './auth.settings.js';
import type { Call } from './caller.js';
import type { Session } from './persistence/session.entity.js';
import { type Entry, type LiveLimits, SessionsStore } from './persistence/sessions.store.js';
import { SecretHasher } from './secret-hasher.js';
import { SessionHistory } from './sessions/session-history.js';
import { SessionNotFound, SessionTokenReused } from './sessions/sessions.errors.js';
import { SESSION_ID } from './sessions/sessions.ids.js';
import type { ShownMethods } from './shown-methods.js';
import type { ExternalMethod, SignInMethod } from './sign-in-method.js';

export type { Session };

const DAY_MS = 86_400_000;
/** How long a session lasts after a sign-in, after its token was replaced, and after it was prolonged. */
const LIFETIME_MS = 30 * DAY_MS;
/** A session in a cookie is prolonged, and its cookie sent again, at most this often. */
const PROLONG_AFTER_MS = DAY_MS;
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

/** What sessions were opened through. */
export interface OpenedThrough {
  readonly provider: ExternalMethod;
  readonly connectionId?: string | undefined;
}

/** The session that a token belongs to. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly userId: string;
  readonly expiresAt: Date;
  readonly inCookie: boolean;
  readonly methods: readonly SignInMethod[];
  readonly authenticatedAt: Date;
  readonly connectionId: string | null;
  readonly signedInAt: Date;
  /** True when the session was prolonged just now, so that its cookie has to be sent again. */
  readonly prolonged: boolean;
}

/** A session that was just opened. */
export interface OpenedSession {
  readonly id: string;
  /** The token is returned only once. */
  readonly token: string;
}

/** A session that was opened from another one. */
export interface SharedSession extends OpenedSession {
  readonly userId: string;
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
    private readonly settings: AuthSettings,
  ) {}

  /**
   * Returns the live session of a token, or undefined for an unknown token or an ended session.
   *
   * @throws {SessionTokenReused} `invalid_session`: the token was replaced earlier. The session is ended.
   */
  async authenticate(token: string): Promise<SessionRecord | undefined> {
    const hashes = this.hasher.hashes(token);
    const now = this.clock.now();
    const live = await this.sessions.findLive(hashes, now, this.limitsAt(now));
    if (live === undefined) {
      await this.endIfReused(hashes, now);
      return undefined;
    }
    const { createdAt, lastUsedAt, ...record } = live;
    const { sessionId, expiresAt, inCookie } = record;
    const end = this.endOf(createdAt, now);
    const prolonged = inCookie && end.getTime() - expiresAt.getTime() > PROLONG_AFTER_MS;
    if (prolonged) await this.sessions.prolong(sessionId, now, end);
    else if (now.getTime() - lastUsedAt.getTime() >= TOUCH_AFTER_MS) await this.sessions.touch(sessionId, now);
    return { ...record, prolonged };
  }

  /** Opens a session in the running transaction. */
  open(userId: string, origin: Origin, { methods, connectionId }: ShownMethods): Promise<OpenedSession> {
    const now = this.clock.now();
    const entry = { userId, methods, connectionId: connectionId ?? null, authenticatedAt: now, signedInAt: now };
    return this.insert(entry, origin);
  }

  /**
   * Opens a session in the running transaction for a program that the person of another session lets in. The person has
   * shown in it what was shown in that session, and when it was: nothing counts for more, or for longer.
   *
   * @returns undefined when the other session has ended.
   */
  async openFrom(sessionId: string, origin: Origin): Promise<SharedSession | undefined> {
    const now = this.clock.now();
    const entry = await this.sessions.shareLive(sessionId, now, this.limitsAt(now));
    return entry && { ...(await this.insert(entry, origin, { approved_in: sessionId })), userId: entry.userId };
  }

  /**
   * Replaces the token of the current session, which then lasts thirty days from now, but no longer than
   * `SESSION_MAX_DAYS` after the sign-in. The old token stops working.
   *
   * @throws {SessionInvalid} `invalid_session`: the session has ended meanwhile.
   */
  async rotate(call: Call): Promise<IssuedToken> {
    const token = this.hasher.createToken('sess');
    const now = this.clock.now();
    const sessionId = currentOf(call);
    const createdAt = (await this.sessions.find(sessionId))?.createdAt;
    if (createdAt === undefined) throw new SessionInvalid();
    const expiresAt = this.endOf(createdAt, now);
    await this.database.transaction(async () => {
      if (!(await this.sessions.rotate(sessionId, this.hasher.hash(token).hash, now, expiresAt)))
        throw new SessionInvalid();
      await this.history.announceChange(call.principal.user.id);
    });
    return { token, expiresAt };
  }

  /**
   * Notes in the running transaction that the person of the call has shown who they are. Other processes notice it when
   * the caller has raised the epoch of the person, whose row must be the last one that it locks.
   *
   * @throws {SessionInvalid} `invalid_session`: the session has ended meanwhile.
   */
  async confirm(call: Call, methods: readonly SignInMethod[]): Promise<void> {
    if (!(await this.sessions.confirm(currentOf(call), methods, this.clock.now()))) throw new SessionInvalid();
    await this.history.noteConfirmation(methods, call);
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

  /** Ends all sessions of the person except that of the call, and the sign-ins that wait for a second factor. */
  async endOwnOthers(call: Call): Promise<void> {
    await this.database.transaction(() => this.endAll(call.principal.user.id, call, 'signed_out'));
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

  /**
   * Ends all sessions of a user in the running transaction, except the session of the call, and every sign-in that
   * waits for a second factor.
   */
  async endAll(userId: string, by: Call | AuditActor, reason: EndReason = 'password_changed'): Promise<void> {
    const ended = await this.sessions.endAll(userId, sessionOf(by), this.clock.now());
    await this.history.recordEnd(ended, userId, by, reason);
  }

  /**
   * Ends the sessions of a user that were opened until a time, for the operator and in the running transaction, and
   * every sign-in that waits for a second factor. Returns how many sessions ended.
   */
  async endByOperator(userId: string, until: Date): Promise<number> {
    const ended = await this.sessions.endOpenedUntil(userId, until, this.clock.now());
    await this.history.recordEnd(ended, userId, {}, 'ended_by_operator');
    return ended.length;
  }

  /** Returns up to `limit` users who have live sessions that were opened until a time. */
  usersSignedInUntil(until: Date, limit: number): Promise<string[]> {
    return this.sessions.usersSignedInUntil(until, this.clock.now(), limit);
  }

  /** Ends all sessions of a user in the running transaction, except one, without a call of that session. */
  async endOthers(userId: string, keptId: string, by: AuditActor, reason: EndReason): Promise<void> {
    const ended = await this.sessions.endAll(userId, keptId, this.clock.now());
    await this.history.recordEnd(ended, userId, by, reason);
  }

  /** Deletes the rows of all sessions of a person whose account is deleted, and whose sessions have ended. */
  eraseAll(userId: string): Promise<void> {
    return this.sessions.deleteAllOf(userId);
  }

  /**
   * Ends the sessions that were opened through a provider or a connection in the running transaction, except the
   * session of the call, and the sign-ins through it that wait for a second factor.
   */
  async endOpenedThrough(through: OpenedThrough, userId: string, by: Call | AuditActor): Promise<void> {
    const ended = await this.sessions.endOpenedThrough({ ...through, userId }, sessionOf(by), this.clock.now());
    await this.history.recordEnd(ended, userId, by, 'identity_removed');
  }

  private limitsAt(now: Date): LiveLimits {
    const { sessionIdleHours, sessionMaxDays } = this.settings;
    const before = (ms: number): Date => new Date(now.getTime() - ms);
    return {
      openedAfter: before(sessionMaxDays * DAY_MS),
      usedAfter: sessionIdleHours === undefined ? undefined : before(sessionIdleHours * 3_600_000),
    };
  }

  /** Returns the end of a session that is used now. */
  private endOf(createdAt: Date, now: Date): Date {
    return new Date(Math.min(now.getTime() + LIFETIME_MS, createdAt.getTime() + this.settings.sessionMaxDays * DAY_MS));
  }

  private async insert(
    { userId, methods, connectionId, authenticatedAt, signedInAt }: Entry,
    { ip, userAgent, inCookie = false }: Origin,
    details?: Readonly<Record<string, string>>,
  ): Promise<OpenedSession> {
    const token = this.hasher.createToken(inCookie ? 'web' : 'sess');
    const now = this.clock.now();
    const id = this.ids.next(SESSION_ID);
    await this.sessions.insert({
      id,
      userId,
      tokenHash: this.hasher.hash(token).hash,
      inCookie,
      methods: [...methods],
      connectionId,
      authenticatedAt,
      signedInAt,
      ip,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: this.endOf(now, now),
      endedAt: null,
    });
    const shown = { methods, connectionId: connectionId ?? undefined };
    await this.history.recordStart(id, shown, { userId, ip }, details);
    return { id, token };
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

/** Why all sessions of a person end, in the audit log. */
type EndReason =
  | 'account_deleted'
  | 'account_reclaimed'
  | 'password_changed'
  | 'email_changed'
  | 'second_factor_added'
  | 'second_factors_recovered'
  | 'signed_out';

/** Returns the session of a call, or undefined for a key and for work without a call. */
const sessionOf = (by: Call | AuditActor): string | undefined =>
  'principal' in by && by.principal.credential.type === 'session' ? by.principal.credential.sessionId : undefined;

/** @throws {SessionRequired} `session_required` */
function currentOf({ principal: { credential } }: Call): string {
  if (credential.type !== 'session') throw new SessionRequired();
  return credential.sessionId;
}
