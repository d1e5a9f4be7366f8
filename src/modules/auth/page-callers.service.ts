import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { SessionInvalid, SeveralSessionCookies } from './auth.errors.js';
import { AuthenticatorService } from './callers/authenticator.service.js';
import type { Principal } from './principal.js';
import { SessionCookie } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';
import { hasSecondFactor } from './sign-in-method.js';

/** A person who has signed in to a page of this service. */
export interface PageCaller {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly signedInAt: Date;
}

/**
 * Finds who is signed in where a browser opens a page by itself, and sends no header of ours. What such a page does
 * needs a proof of its own that the person wants it, such as a form token.
 */
@Injectable()
export class PageCallersService {
  constructor(
    private readonly cookie: SessionCookie,
    private readonly authenticator: AuthenticatorService,
    private readonly sessions: SessionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns who signed in during the last `withinMs`, with a second factor where there is one, or undefined without
   * such a session. Nothing is remembered.
   *
   * @throws {TooManyAttempts} `burst_limit_exceeded`: too many unknown credentials came from this address.
   */
  async find(cookies: string | undefined, ip: string, withinMs: number): Promise<PageCaller | undefined> {
    try {
      const token = this.cookie.tokenAmong(cookies ?? '');
      if (token === undefined) return undefined;
      // This refuses an address that guesses, before the database is asked.
      await this.authenticator.authenticate(token, ip);
      const { principal } = await this.authenticator.reauthenticate(token);
      return await this.recent(principal, withinMs);
    } catch (error) {
      if (error instanceof SessionInvalid || error instanceof SeveralSessionCookies) return undefined;
      throw error;
    }
  }

  private async recent(principal: Principal, withinMs: number): Promise<PageCaller | undefined> {
    const { credential } = principal;
    if (credential.type !== 'session' || !credential.inCookie) return undefined;
    const session = await this.sessions.find(credential.sessionId);
    const signedInAt = session?.authenticatedAt;
    const earliest = this.clock.now().getTime() - withinMs;
    if (session === undefined || signedInAt === undefined || signedInAt.getTime() < earliest) return undefined;
    if (principal.user.hasSecondFactor && !hasSecondFactor(session.methods)) return undefined;
    return { principal, sessionId: credential.sessionId, signedInAt };
  }
}
