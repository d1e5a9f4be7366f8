import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Page, PageRequest } from '../../platform/database/page.js';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import { type AuditActor, AuditLogService } from '../audit/audit-log.service.js';
import { SessionInvalid, SessionRequired } from './auth.errors.js';
import type { Call } from './caller.js';
import { MembershipDirectory } from './membership-directory.js';
import type { Session } from './persistence/session.entity.js';
import { SessionsStore } from './persistence/sessions.store.js';
import { PersonDirectory } from './person-directory.js';
import { SecretHasher } from './secret-hasher.js';
import { SessionNotFound, SessionTokenReused } from './sessions/sessions.errors.js';
import { SESSION_ID } from './sessions/sessions.ids.js';

export type { Session };

const LIFETIME_MS = 30 * 86_400_000;
/** When a session was used last is written no more often than this. */
const TOUCH_AFTER_MS = 60_000;
const MAX_USER_AGENT_LENGTH = 300;

/** Where a call comes from that has shown no credential. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

/** The session that a token belongs to. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly userId: string;
  readonly expiresAt: Date;
}

/** A session that has just begun. */
export interface OpenedSession {
  readonly id: string;
  /** Shown this once. */
  readonly token: string;
}

export interface IssuedToken {
  /** Shown this once. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** People who are signed in. Tokens are kept as hashes; a change reaches every process at its next call. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsStore,
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly hasher: SecretHasher,
    private readonly audit: AuditLogService,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * The live session of a token; undefined when there is none, or it is over.
   *
   * @throws {SessionTokenReused} `invalid_session`: the token was rotated away; its session is ended now.
   */
  async authenticate(token: string): Promise<SessionRecord | undefined> {
    const hashes = this.hasher.hashes(token);
    const now = this.clock.now();
    const live = await this.sessions.findLive(hashes, now);
    if (live === undefined) {
      await this.endIfReused(hashes, now);
      return undefined;
    }
    if (now.getTime() - live.lastUsedAt.getTime() >= TOUCH_AFTER_MS) await this.sessions.touch(live.sessionId, now);
    const { sessionId, userId, expiresAt } = live;
    return { sessionId, userId, expiresAt };
  }

  /** Begins a session with the running transaction. */
  async open(userId: string, { ip, userAgent }: Origin): Promise<OpenedSession> {
    const token = this.hasher.mint('sess');
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + LIFETIME_MS);
    const id = this.ids.next(SESSION_ID);
    await this.sessions.insert({
      id,
      userId,
      tokenHash: this.hasher.hash(token).hash,
      ip,
      userAgent: userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
      endedAt: null,
    });
    await this.audit.record(
      {
        orgId: await this.memberships.personalOrgIdOf(userId),
        action: 'session.started',
        target: { type: 'session', id },
      },
      { userId, ip },
    );
    return { id, token };
  }

  /**
   * Gives the session of the call another token, and thirty days from now. The old token stops at once.
   *
   * @throws {SessionInvalid} `invalid_session`: it has ended meanwhile.
   */
  async rotate(call: Call): Promise<IssuedToken> {
    const token = this.hasher.mint('sess');
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + LIFETIME_MS);
    await this.database.transaction(async () => {
      if (!(await this.sessions.rotate(currentOf(call), this.hasher.hash(token).hash, now, expiresAt)))
        throw new SessionInvalid();
      await this.people.raiseEpoch(call.principal.user.id);
    });
    return { token, expiresAt };
  }

  /** The session of this id, live or over. */
  find(id: string): Promise<Session | undefined> {
    return this.sessions.find(id);
  }

  /** The live ones of the caller, the latest first. */
  list({ principal }: Call, page: PageRequest): Promise<Page<Session>> {
    return this.sessions.listLive(principal.user.id, page, this.clock.now());
  }

  /** @throws {SessionNotFound} `session_not_found` */
  async end(sessionId: string, call: Call): Promise<void> {
    const userId = call.principal.user.id;
    await this.database.transaction(async () => {
      if (!(await this.sessions.end(sessionId, userId, this.clock.now()))) throw new SessionNotFound();
      await this.ended([sessionId], userId, call, 'signed_out');
    });
  }

  /** Ends the session of the call; one that has ended meanwhile is as it should be. */
  async signOut(call: Call): Promise<void> {
    const userId = call.principal.user.id;
    const sessionId = currentOf(call);
    await this.database.transaction(async () => {
      if (await this.sessions.end(sessionId, userId, this.clock.now()))
        await this.ended([sessionId], userId, call, 'signed_out');
    });
  }

  /** Ends all sessions of a person, with the running transaction; but for the one of the call where that is one. */
  async endAll(userId: string, by: Call | AuditActor): Promise<void> {
    const current =
      'principal' in by && by.principal.credential.type === 'session' ? by.principal.credential.sessionId : undefined;
    const ended = await this.sessions.endAll(userId, current, this.clock.now());
    await this.ended(ended, userId, by, 'password_changed');
  }

  private async endIfReused(hashes: readonly Buffer[], now: Date): Promise<void> {
    const session = await this.sessions.findRotated(hashes, now);
    if (session === undefined) return;
    await this.database.transaction(async () => {
      if (await this.sessions.end(session.id, session.userId, now))
        await this.ended([session.id], session.userId, {}, 'token_reused');
    });
    throw new SessionTokenReused();
  }

  private async ended(ids: readonly string[], userId: string, by: Call | AuditActor, reason: string): Promise<void> {
    const orgId = await this.memberships.personalOrgIdOf(userId);
    for (const id of ids)
      await this.audit.record(
        { orgId, action: 'session.ended', target: { type: 'session', id }, details: { reason } },
        by,
      );
    await this.people.raiseEpoch(userId);
  }
}

/** @throws {SessionRequired} `session_required` */
function currentOf({ principal: { credential } }: Call): string {
  if (credential.type !== 'session') throw new SessionRequired();
  return credential.sessionId;
}
