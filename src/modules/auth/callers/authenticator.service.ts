import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import type { AccessGrant } from '../access-tokens.js';
import { ApiKeyInvalid, ApiKeyMalformed, SessionInvalid } from '../auth.errors.js';
import { prefixOf } from '../keys/key-issuer.js';
import { type CurrentMembership, MembershipDirectory } from '../membership-directory.js';
import type { KeyRecord } from '../persistence/key-lookup.store.js';
import { type Person, PersonDirectory } from '../person-directory.js';
import { type Credential, Principal } from '../principal.js';
import { scopesOf } from '../scopes.js';
import { SessionsService } from '../sessions.service.js';
import { type TokenKind, tokenKindOf } from '../token-format.js';
import type { KnownCaller } from './known-caller.js';
import { RememberedCallers } from './remembered-callers.js';
import { UnknownKeyThrottle } from './unknown-key-throttle.js';
import { UsableKeys } from './usable-keys.js';

const API_KEY_KINDS: readonly TokenKind[] = ['pat', 'sel', 'org'];

export const isApiKey = (token: string): boolean => {
  const kind = tokenKindOf(token);
  return kind !== undefined && API_KEY_KINDS.includes(kind);
};

/** Finds the caller that a token belongs to. */
@Injectable()
export class AuthenticatorService {
  /** Apart from the callers by token, so that nothing that a caller sends finds one of these. */
  private readonly granted: RememberedCallers;

  constructor(
    private readonly keys: UsableKeys,
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly sessions: SessionsService,
    private readonly remembered: RememberedCallers,
    private readonly unknownKeys: UnknownKeyThrottle,
    clock: Clock,
  ) {
    this.granted = new RememberedCallers(clock);
  }

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

  /**
   * Finds the caller that an access token stands for, whose signature was checked before.
   *
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`: the grant has ended.
   */
  authenticateGrant(grant: AccessGrant): KnownCaller | Promise<KnownCaller> {
    return this.granted.get(nameOf(grant), () => this.lookUpGrant(grant));
  }

  /** {@link authenticateGrant} without the remembered callers: the database is read again. */
  reauthenticateGrant(grant: AccessGrant): Promise<KnownCaller> {
    return this.granted.renew(nameOf(grant), () => this.lookUpGrant(grant));
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
    return this.lookUpKey(token);
  }

  private lookUpKey(token: string): Promise<KnownCaller> {
    return this.lookUpBy(() => this.keys.get(token));
  }

  private lookUpGrant({ keyId, scopes }: AccessGrant): Promise<KnownCaller> {
    return this.lookUpBy(async () => {
      const key = await this.keys.getGranted(keyId);
      const ofKey = scopesOf(key.scopes);
      return { ...key, scopes: [...scopesOf(scopes)].filter((scope) => ofKey.has(scope)) };
    });
  }

  private async lookUpBy(find: () => Promise<KeyRecord>): Promise<KnownCaller> {
    const { userId } = await find();
    const caller = await this.findCaller(userId);
    // The key is read again after its epoch, so that a revocation in between is not missed.
    const key = await find();
    if (caller === undefined) throw new ApiKeyInvalid();
    const memberships =
      key.kind === 'personal' ? caller.memberships : caller.memberships.filter(({ id }) => key.orgIds.includes(id));
    return this.known({
      caller: { ...caller, memberships },
      credential: credentialOf(key),
      homeOrgId: key.homeOrgId,
      endsAt: earlier(key.expiresAt, key.worksUntil),
    });
  }

  /**
   * Reads the epoch before the data that it stands for. A change in between makes the data look older than it is, never
   * newer.
   */
  private async findCaller(userId: string): Promise<FoundCaller | undefined> {
    const person = await this.people.find(userId);
    return person && { person, memberships: await this.memberships.listOf(userId) };
  }

  private async lookUpSession(token: string): Promise<KnownCaller> {
    const found = await this.sessions.authenticate(token);
    const caller = found && (await this.findCaller(found.userId));
    const home = caller?.memberships.find(({ personal }) => personal) ?? caller?.memberships[0];
    // The session is read again after its epoch, for the same reason as a key.
    const session = found && (await this.sessions.authenticate(token));
    if (session === undefined || caller === undefined || home === undefined) throw new SessionInvalid();
    return this.known({
      caller,
      credential: {
        type: 'session',
        sessionId: session.sessionId,
        inCookie: session.inCookie,
        // The second reading already sees the new end.
        prolonged: found?.prolonged === true,
      },
      homeOrgId: home.id,
      endsAt: session.expiresAt,
    });
  }

  private known({ caller, credential, homeOrgId, endsAt }: Found): KnownCaller {
    const { authEpoch: userEpoch, ...user } = caller.person;
    const memberships = caller.memberships.map(({ id, slug, name, plan, role, personal }) => {
      return { id, slug, name, plan, role, personal };
    });
    return {
      principal: new Principal({ user, credential, memberships, homeOrgId }),
      userEpoch,
      orgEpochs: new Map(caller.memberships.map(({ id, authEpoch }) => [id, authEpoch])),
      validUntilMs: this.remembered.validUntilMs(endsAt),
    };
  }
}

interface FoundCaller {
  readonly person: Person;
  readonly memberships: readonly CurrentMembership[];
}

interface Found {
  readonly caller: FoundCaller;
  readonly credential: Credential;
  readonly homeOrgId: string;
  readonly endsAt: Date | null;
}

function credentialOf(key: KeyRecord): Credential {
  return {
    type: 'api_key',
    keyId: key.keyId,
    kind: key.kind,
    name: key.name,
    prefix: prefixOf(key.kind),
    last4: key.last4,
    scopes: scopesOf(key.scopes),
    allowedIps: key.allowedIps,
    ...(key.kind === 'org_bound' ? { boundOrgId: key.homeOrgId } : {}),
    ...(key.projectId === null ? {} : { projectId: key.projectId }),
  };
}

const nameOf = ({ keyId, scopes }: AccessGrant): string => `${keyId} ${[...scopes].sort().join(' ')}`;

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
