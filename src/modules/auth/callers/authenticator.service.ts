import { Injectable } from '@nestjs/common';
import { ApiKeyInvalid, ApiKeyMalformed, SessionInvalid } from '../auth.errors.js';
import { SessionsService } from '../sessions.service.js';
import { type TokenKind, tokenKindOf } from '../token-format.js';
import { UnknownKeyThrottle } from '../unknown-key-throttle.js';
import { CallerLookup } from './caller-lookup.js';
import type { KnownCaller } from './known-caller.js';
import { RememberedCallers } from './remembered-callers.js';
import { UsableKeys } from './usable-keys.js';

const API_KEY_KINDS: readonly TokenKind[] = ['pat', 'sel', 'org'];

export const isApiKey = (token: string): boolean => {
  const kind = tokenKindOf(token);
  return kind !== undefined && API_KEY_KINDS.includes(kind);
};

/** Finds the caller that a token belongs to. */
@Injectable()
export class AuthenticatorService {
  constructor(
    private readonly keys: UsableKeys,
    private readonly lookup: CallerLookup,
    private readonly sessions: SessionsService,
    private readonly remembered: RememberedCallers,
    private readonly unknownKeys: UnknownKeyThrottle,
  ) {}

  /**
   * @throws {ApiKeyMalformed} `malformed_api_key`: the format shows it without a lookup.
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`
   * @throws {ApiKeyRotated} `rotated_api_key`
   * @throws {SessionInvalid} `invalid_session`
   * @throws {TooManyAttempts} `burst_limit_exceeded`: too many unknown credentials came from this address.
   */
  authenticate(token: string, ip: string): KnownCaller | Promise<KnownCaller> {
    return this.remembered.get(token, () => this.lookUpFrom(token, ip));
  }

  /** {@link authenticate} without the remembered callers: the database is read again. */
  reauthenticate(token: string): Promise<KnownCaller> {
    return this.remembered.renew(token, () => this.lookUp(token));
  }

  private async lookUpFrom(token: string, ip: string): Promise<KnownCaller> {
    this.unknownKeys.check(ip);
    try {
      return await this.lookUp(token);
    } catch (error) {
      if (error instanceof ApiKeyInvalid || error instanceof SessionInvalid) await this.unknownKeys.record(ip);
      throw error;
    }
  }

  private async lookUp(token: string): Promise<KnownCaller> {
    const kind = tokenKindOf(token);
    if (kind === 'sess' || kind === 'web') return this.lookUpSession(token);
    if (kind === undefined || !API_KEY_KINDS.includes(kind)) throw new ApiKeyMalformed();
    return this.lookup.byKey(() => this.keys.get(token));
  }

  private async lookUpSession(token: string): Promise<KnownCaller> {
    const found = await this.sessions.authenticate(token);
    const caller = found && (await this.lookup.findCaller(found.userId));
    const home = caller?.memberships.find(({ personal }) => personal) ?? caller?.memberships[0];
    // The session is read again after its epoch, for the same reason as a key.
    const session = found && (await this.sessions.authenticate(token));
    if (session === undefined || caller === undefined || home === undefined) throw new SessionInvalid();
    return this.lookup.known({
      caller,
      credential: {
        type: 'session',
        sessionId: session.sessionId,
        inCookie: session.inCookie,
        // The second reading already sees the new end.
        prolonged: found?.prolonged === true,
        signIn: {
          methods: session.methods,
          at: session.authenticatedAt,
          ...(session.connectionId === null
            ? {}
            : { connection: { id: session.connectionId, at: session.signedInAt } }),
        },
      },
      homeOrgId: home.id,
      endsAt: session.expiresAt,
    });
  }
}
