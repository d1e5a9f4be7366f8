import { Injectable } from '@nestjs/common';
import type { Call } from '../caller.js';
import { containsRange } from '../domain/address-ranges.js';
import type { LifetimeLimit } from '../domain/key-lifetime.js';
import { KeyTooWide } from '../keys.errors.js';
import type { ApiKey } from '../persistence/api-key.entity.js';
import { ApiKeyStore } from '../persistence/api-key.store.js';
import type { Principal } from '../principal.js';
import { scopesOf } from '../scopes.js';
import { KeyLifetimes } from './key-lifetimes.js';
import { LiveCredential } from './live-credential.js';

/** The permissions of a key. */
interface KeyRange {
  readonly kind: 'personal' | 'select_orgs' | 'org_bound';
  readonly scopes: readonly string[];
  readonly orgIds: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

const WIDTH: Readonly<Record<KeyRange['kind'], number>> = { org_bound: 0, select_orgs: 1, personal: 2 };

/** What a key may be: no wider than the credential that makes it, and no longer than its organizations allow. */
@Injectable()
export class KeyBounds {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly credentials: LiveCredential,
    private readonly lifetimes: KeyLifetimes,
  ) {}

  /**
   * Checks a new key in the running transaction, until whose end no reset revokes the credential of the call. A key
   * that asks for no expiry gets the longest one that its organizations allow.
   *
   * @throws {KeyLifetimeExceeded} `key_lifetime_exceeded`
   * @throws {SessionInvalid} `invalid_session`, {ApiKeyRevoked} `revoked_api_key`: the credential has just ended.
   * @throws {KeyTooWide} `insufficient_scopes`
   */
  async requireCreatable(call: Call, key: ApiKey): Promise<void> {
    await this.lifetimes.apply(key);
    await this.credentials.hold(call);
    await this.requireNoWider(call, key);
  }

  /** @throws {KeyLifetimeExceeded} `key_lifetime_exceeded` */
  requireLifetime(key: ApiKey): Promise<void> {
    return this.lifetimes.require(key);
  }

  /** Returns the limits of the organizations that a person belongs to. */
  limitsFor(userId: string): Promise<LifetimeLimit[]> {
    return this.lifetimes.limitsFor(userId);
  }

  /** @throws {KeyTooWide} `insufficient_scopes` */
  async requireNoWider({ principal }: Call, key: ApiKey): Promise<void> {
    const { credential } = principal;
    const own =
      credential.type === 'api_key'
        ? await this.keys.find(credential.keyId, {
            userId: principal.user.id,
            administeredOrgIds: [],
            withinOrgIds: undefined,
          })
        : null;
    requireNoWider(principal, key, own?.expiresAt ?? null);
  }
}

/**
 * Refuses a key with wider permissions than the credential that creates or changes it: more scopes, organizations or
 * addresses, or a later expiry. A session has all permissions of its user.
 *
 * @throws {KeyTooWide} `insufficient_scopes`
 */
function requireNoWider(principal: Principal, key: KeyRange, expiryOfCredential: Date | null): void {
  const { credential } = principal;
  if (credential.type === 'session') return;

  const missing = [...scopesOf(key.scopes)].filter((scope) => !credential.scopes.has(scope));
  if (missing.length > 0) throw new KeyTooWide(missing);
  const reachesFurther =
    WIDTH[key.kind] > WIDTH[credential.kind] || key.orgIds.some((id) => principal.membershipIn(id) === undefined);
  const livesLonger = expiryOfCredential !== null && (key.expiresAt === null || key.expiresAt > expiryOfCredential);
  if (reachesFurther || livesLonger || worksFromMore(credential.allowedIps, key.allowedIps)) throw new KeyTooWide([]);
}

function worksFromMore(own: readonly string[], requested: readonly string[]): boolean {
  if (own.length === 0) return false;
  return requested.length === 0 || !requested.every((range) => own.some((allowed) => containsRange(allowed, range)));
}
