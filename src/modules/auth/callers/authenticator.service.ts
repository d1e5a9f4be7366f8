import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import {
  ApiKeyExpired,
  ApiKeyInvalid,
  ApiKeyMalformed,
  ApiKeyRevoked,
  ApiKeyRotated,
  SessionInvalid,
} from '../auth.errors.js';
import { type CurrentMembership, MembershipDirectory } from '../membership-directory.js';
import { KeyLookupStore, type KeyRecord } from '../persistence/key-lookup.store.js';
import { type Person, PersonDirectory } from '../person-directory.js';
import { type Credential, Principal } from '../principal.js';
import { scopesOf } from '../scopes.js';
import { SessionsService } from '../sessions.service.js';
import { SecretHasher } from '../secret-hasher.js';
import { type TokenKind, tokenKindOf } from '../token-format.js';
import type { KnownCaller } from './known-caller.js';
import { RememberedCallers } from './remembered-callers.js';
import { UnknownKeyThrottle } from './unknown-key-throttle.js';

const API_KEY_KINDS: readonly TokenKind[] = ['pat', 'sel', 'org'];

export const isApiKey = (token: string): boolean => {
  const kind = tokenKindOf(token);
  return kind !== undefined && API_KEY_KINDS.includes(kind);
};

/** Finds out who shows a token. */
@Injectable()
export class AuthenticatorService {
  constructor(
    private readonly keys: KeyLookupStore,
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly sessions: SessionsService,
    private readonly hasher: SecretHasher,
    private readonly remembered: RememberedCallers,
    private readonly unknownKeys: UnknownKeyThrottle,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws {ApiKeyMalformed} `malformed_api_key`: told without a lookup.
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`
   * @throws {ApiKeyRotated} `rotated_api_key`
   * @throws {SessionInvalid} `invalid_session`
   * @throws {TooManyAttempts} `burst_limit_exceeded`: too many from this address were nobody's.
   */
  authenticate(token: string, ip: string): KnownCaller | Promise<KnownCaller> {
    return this.remembered.get(token, () => this.lookUpFrom(token, ip));
  }

  /** As {@link authenticate}, from the database. */
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
    if (kind === 'sess') return this.lookUpSession(token);
    if (kind === undefined || !API_KEY_KINDS.includes(kind)) throw new ApiKeyMalformed();
    return this.lookUpKey(token);
  }

  private async lookUpKey(token: string): Promise<KnownCaller> {
    const hashes = this.hasher.hashes(token);
    const { userId } = await this.findUsableKey(hashes);
    const caller = await this.findCaller(userId);
    // The key is read again after the epoch that vouches for it, so that no revocation slips in between.
    const key = await this.findUsableKey(hashes);
    if (caller === undefined) throw new ApiKeyInvalid();
    const reached =
      key.kind === 'personal' ? caller.memberships : caller.memberships.filter(({ id }) => key.orgIds.includes(id));
    return this.known({
      caller: { ...caller, memberships: reached },
      credential: credentialOf(key, token),
      homeOrgId: key.homeOrgId,
      endsAt: earlier(key.expiresAt, key.worksUntil),
    });
  }

  private async findUsableKey(hashes: readonly Buffer[]): Promise<KeyRecord> {
    const key = await this.keys.find(hashes);
    if (key === undefined) throw new ApiKeyInvalid();
    this.refuseOver(key);
    return key;
  }

  /** The epoch is read before what it vouches for: a change in between makes it look too old, never too new. */
  private async findCaller(userId: string): Promise<FoundCaller | undefined> {
    const person = await this.people.find(userId);
    return person && { person, memberships: await this.memberships.listOf(userId) };
  }

  /** Each way for a key to be over has its own answer (service document §5); what was done on purpose is told first. */
  private refuseOver({ revokedAt, worksUntil, expiresAt }: KeyRecord): void {
    const now = this.clock.now();
    if (revokedAt !== null) throw new ApiKeyRevoked();
    if (worksUntil !== null && worksUntil <= now) throw new ApiKeyRotated();
    if (expiresAt !== null && expiresAt <= now) throw new ApiKeyExpired(expiresAt);
  }

  private async lookUpSession(token: string): Promise<KnownCaller> {
    const found = await this.sessions.authenticate(token);
    const caller = found && (await this.findCaller(found.userId));
    const home = caller?.memberships.find(({ personal }) => personal) ?? caller?.memberships[0];
    // The session is read again after the epoch that vouches for it, as a key is.
    const session = found && (await this.sessions.authenticate(token));
    if (session === undefined || caller === undefined || home === undefined) throw new SessionInvalid();
    return this.known({
      caller,
      credential: { type: 'session', sessionId: session.sessionId },
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

function credentialOf(key: KeyRecord, token: string): Credential {
  return {
    type: 'api_key',
    keyId: key.keyId,
    kind: key.kind,
    name: key.name,
    prefix: prefixOf(token),
    last4: key.last4,
    scopes: scopesOf(key.scopes),
    allowedIps: key.allowedIps,
    ...(key.kind === 'org_bound' ? { boundOrgId: key.homeOrgId } : {}),
  };
}

/** `svc_pat_`: what a key shows of itself besides its last four characters. */
const prefixOf = (token: string): string => token.slice(0, token.lastIndexOf('_') + 1);

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
